"""What stands in the way of a network's deletion, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.deletion.models import Blocker, Group, Part, VpcContents
from functions.clusters.deletion.rules.interfaces import Fate, blocker_of, fate_of, is_of_cluster
from functions.core.errors import Blocked, Cause, FieldError, Layer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from functions.clusters.deletion.models import Interface, Owner
    from functions.core.cluster import ClusterSpec

# EKS and the load balancer controllers mark so what they made for a cluster.
# Sources: Amazon EKS user guide, "View Amazon EKS security group requirements"; AWS Load Balancer Controller, "Tags".
_OWNED: Final = "kubernetes.io/cluster/{}"
_OF_CONTROLLER: Final = "elbv2.k8s.aws/cluster"
# EKS takes this one away itself when its cluster goes.
_OF_EKS: Final = "eks-cluster-sg-"


def leftover_interfaces(interfaces: Iterable[Interface], eks_cluster: str) -> list[Interface]:
    """Pick the interfaces that their services have left behind."""
    return [each for each in interfaces if fate_of(each, eks_cluster) is Fate.DELETE]


def going(interfaces: Iterable[Interface], eks_cluster: str) -> list[Interface]:
    """Pick the interfaces in use that go by themselves; those of the living control plane are its stack's."""
    return [
        each
        for each in interfaces
        if fate_of(each, eks_cluster) is Fate.WAIT and each.description != f"Amazon EKS {eks_cluster}"
    ]


def given_groups(cluster: ClusterSpec) -> frozenset[str]:
    """Give the ids of the security groups that a cluster was given: they stay, whatever their tags say of them."""
    of_groups = [each for group in cluster.instance_groups for each in group.security_group_ids or ()]
    taken = cluster.reused.security_group_id if cluster.reused else None
    around = cluster.surroundings.security_group_id if cluster.surroundings else None
    return frozenset(filter(None, [*of_groups, taken, around]))


def owned_groups(groups: Iterable[Group], owner: Owner) -> list[Group]:
    """Pick the security groups that controllers in the cluster, or EKS, made for it, and that it was not given.

    The tags name the EKS cluster and not whose that is: where another's stands under the name, none are ours.
    """
    mark, name = _OWNED.format(owner.eks_cluster), owner.eks_cluster
    made = [each for each in groups if each.tags.get(mark) == "owned" or each.tags.get(_OF_CONTROLLER) == name]
    return [] if owner.foreign else [each for each in made if each.group_id not in owner.given]


def leftovers(vpc: VpcContents, owner: Owner) -> VpcContents:
    """Pick what may be cleared away: nothing while another's EKS cluster has the name, which may be using it."""
    if owner.foreign:
        return VpcContents((), (), ())
    groups = [each for each in owned_groups(vpc.groups, owner) if not (owner.stands and each.name.startswith(_OF_EKS))]
    return VpcContents(tuple(leftover_interfaces(vpc.interfaces, owner.eks_cluster)), tuple(groups), ())


def of_cluster(vpc: VpcContents, owner: Owner) -> VpcContents:
    """Pick what of a VPC that others share was made for a cluster."""
    if owner.foreign:
        return VpcContents((), (), ())
    ours = [each for each in vpc.interfaces if is_of_cluster(each, owner.eks_cluster)]
    return VpcContents(tuple(ours), tuple(owned_groups(vpc.groups, owner)), ())


def blocks(interface: Interface, owner: Owner) -> bool:
    """Say whether an interface stays: somebody else's, or one that another's EKS cluster of the name may be using."""
    fate = fate_of(interface, owner.eks_cluster)
    theirs = fate is Fate.DELETE or interface.description == f"Amazon EKS {owner.eks_cluster}"
    return fate is Fate.BLOCK or (owner.foreign and theirs)


def blockers_in(vpc: VpcContents, owner: Owner, known: Collection[str]) -> list[Blocker]:
    """List what in a VPC is neither in `known`, the ids of what is ours, nor goes with the cluster."""
    foreign = [each for each in vpc.interfaces if blocks(each, owner)]
    ours = owned_groups(vpc.groups, owner)
    return [
        *(blocker_of(each) for each in foreign if not _is_known(each, known)),
        *(_of_part(part) for part in vpc.parts if part.part_id not in known),
        *(_of_group(each) for each in vpc.groups if each not in ours and each.group_id not in known),
    ]


def held(groups: Iterable[Group]) -> list[Blocker]:
    """Make blockers of security groups of the cluster that something has not let go."""
    return [
        Blocker(
            each.group_id,
            f"is a security group ({each.name}) of the cluster's controllers that something still uses",
            "Remove the interfaces and the rules of other groups that name it.",
        )
        for each in groups
    ]


def still_there(interfaces: Sequence[Interface]) -> list[Blocker]:
    """Make blockers of what was waited for in vain."""
    return [blocker_of(each) for each in interfaces]


def blocked(what: str, blockers: Sequence[Blocker], tag: str, *, otherwise: str = "") -> Blocked:
    """Make the problem of a deletion that others' things stand in the way of; it names each of them.

    `otherwise` is a sentence about another way out.
    """
    named = "; ".join(f"{each.resource} {each.message}" for each in blockers[:3])
    more = f" (and {len(blockers) - 3} more)" if len(blockers) > 3 else ""
    return Blocked(
        f"{what} cannot be deleted: {named}{more}.",
        errors=[FieldError(field=each.resource, message=each.message, remedy=each.remedy) for each in blockers],
        cause=Cause(layer=Layer.AWS, service="ec2", code="BLOCKED", resource=blockers[0].resource),
        remedy=f"Do what the errors say of each, then send DELETE /api/clusters/{tag} again: it goes on from here."
        f"{otherwise and ' ' + otherwise}",
    )


def _is_known(interface: Interface, known: Collection[str]) -> bool:
    """Say whether an interface belongs to a part of the stack: a NAT gateway or an endpoint names itself in it."""
    return interface.interface_id in known or interface.description.rpartition(" ")[2] in known


def _of_part(part: Part) -> Blocker:
    return Blocker(part.part_id, f"is a {part.what} that the control plane did not make", f"Delete the {part.what}.")


def _of_group(group: Group) -> Blocker:
    message = f"is a security group ({group.name}) that the control plane did not make"
    return Blocker(group.group_id, message, "Delete the security group.")
