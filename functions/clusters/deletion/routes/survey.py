"""One look at what a cluster has in AWS, before it is deleted; what gives no answer is unknown and never absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import (
    addons,
    buckets,
    cloudformation,
    eks,
    hyperpod,
    iam,
    logs,
    network,
    network_interfaces,
    volumes,
)
from functions.clusters.deletion.models import BucketSeen, HyperPodSeen, Interface, Seen, StackSeen, SubnetSeen
from functions.clusters.deletion.rules.interfaces import is_of_a_service, is_of_cluster, load_balancer_of
from functions.clusters.deletion.rules.plan import ADDONS
from functions.core import gathering
from functions.core.documents import member
from functions.core.ledger import granted
from functions.core.runtime import Patience
from functions.core.tags import CLUSTER_LABEL, MANAGED_BY_LABEL, MANAGER, stack_tags
from functions.identity.chains.models import chains_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import NAMESPACES
from functions.network.subnets.rules.identity import GROUP_TAG, KIND_TAG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.clusters.deletion.models import Deletion
    from functions.core.cluster import ClusterSpec

_LIVING: Final = ("ACTIVE", "UPDATING")
_SHOWS: Final = "what there is shows when the stage comes to it"
_EDGE: Final = Patience.EDGE


def look(spec: ClusterSpec, deletion: Deletion | None) -> Seen:
    """Gather what there is; a service that does not answer, or has no time left to, leaves its part unchecked.

    Without a deletion of the whole cluster nobody loses access, and nothing inside is touched.
    """
    around, names = gathering.at_edge(), spec.names
    stack = around.ask("stack", lambda: _stack(spec))
    control_plane = around.ask("eks", lambda: eks.describe_cluster(names.eks_cluster, _EDGE))
    hyperpod_cluster = around.ask("hyperpod", lambda: _hyperpod(spec))
    subnets = around.ask("subnets", lambda: _subnets(spec))
    disks = around.ask("volumes", lambda: tuple(volumes.of_cluster(names.eks_cluster, _EDGE)))
    chains = around.ask("roles", lambda: _chains(spec))
    bucket = around.ask("bucket", lambda: _bucket(spec))
    log_groups = around.ask("log groups", lambda: _log_groups(spec))
    around.make()
    status = control_plane.value.status if control_plane.value else None
    interfaces = around.ask("interfaces", lambda: _interfaces(spec, stack.value))
    installed = around.ask("add-ons", lambda: _addons(spec), wanted=status in _LIVING)
    enters = _enters(spec, deletion, status)
    namespaces = around.ask("namespaces", lambda: _namespaces(spec), wanted=enters)
    around.make()
    return Seen(
        stack=stack.value,
        eks_status=status,
        eks_foreign=control_plane.value is not None and not _is_ours(spec, control_plane.value.tags),
        hyperpod=hyperpod_cluster.value,
        subnets=subnets.value or (),
        interfaces=interfaces.value or (),
        volumes=disks.value or (),
        addons=installed.value or (),
        chains=chains.value or (),
        bucket=bucket.value,
        log_groups=log_groups.value or (),
        people=tuple(sorted(each.principal_arn for each in granted.granted_on(spec.tag))) if deletion else (),
        namespaces=namespaces.value or (),
        unchecked={part: f"{why.rstrip('.')}; {_SHOWS}" for part, why in around.unfinished.items()},
    )


def _stack(spec: ClusterSpec) -> StackSeen | None:
    if spec.names.stack is None:
        return None
    found = cloudformation.describe(spec.names.stack, _EDGE)
    if found is None:
        return None
    resources = cloudformation.resources(spec.names.stack, _EDGE)
    return StackSeen(found.stack_id, found.status, _is_ours(spec, found.tags), tuple(resources))


def _is_ours(spec: ClusterSpec, tags: Mapping[str, str]) -> bool:
    return all(tags.get(key) == value for key, value in stack_tags(spec).items())


def _hyperpod(spec: ClusterSpec) -> HyperPodSeen | None:
    found = hyperpod.describe(spec.names.hyperpod_cluster, _EDGE)
    if found is None:
        return None
    ours = _is_ours(spec, hyperpod.tags(found.arn, _EDGE))
    return HyperPodSeen(found.arn, found.status, sum(group.current for group in found.groups), ours)


def _bucket(spec: ClusterSpec) -> BucketSeen | None:
    if spec.names.bucket is None or not buckets.exists(spec.names.bucket, _EDGE):
        return None
    tags = buckets.tags(spec.names.bucket, _EDGE)
    return None if tags is None else BucketSeen(_is_ours(spec, tags))


def _interfaces(spec: ClusterSpec, stack: StackSeen | None) -> tuple[Interface, ...]:
    """List the interfaces in the network of the stack; of one that others share, those that may be the cluster's."""
    if stack is not None and stack.vpc_id:
        return tuple(network_interfaces.of_vpc(stack.vpc_id, _EDGE))
    shared = (spec.reused and spec.reused.vpc_id) or (spec.surroundings and spec.surroundings.vpc_id)
    found = network_interfaces.of_vpc(shared, _EDGE) if shared else []
    name = spec.names.eks_cluster
    return tuple(each for each in found if is_of_cluster(each, name) or is_of_a_service(load_balancer_of(each)))


def _addons(spec: ClusterSpec) -> tuple[str, ...]:
    """Name the add-ons that the dependencies phase installs; on a cluster of others only those that are ours."""
    installed = addons.names(spec.names.eks_cluster, _EDGE)
    found = [each for each in ADDONS if each in installed]
    return tuple(each for each in found if spec.origin == "created" or _made(spec, each))


def _made(spec: ClusterSpec, addon: str) -> bool:
    found = addons.describe(spec.names.eks_cluster, addon, _EDGE)
    return found is not None and _is_ours(spec, found.tags)


def _chains(spec: ClusterSpec) -> tuple[str, ...]:
    """Name the identity chains that have a role of their own, beside those whose role is the stack's."""
    return tuple(
        name
        for name, chain in reversed(chains_of(spec).items())
        if not chain.role_of_stack and iam.tags_of_role(chain.role, _EDGE) is not None
    )


def _enters(spec: ClusterSpec, deletion: Deletion | None, status: str | None) -> bool:
    """Say whether the deletion does something inside a cluster that stays: what it leaves there is named."""
    return deletion is not None and not deletion.skip_workloads and spec.origin == "imported" and status in _LIVING


def _namespaces(spec: ClusterSpec) -> tuple[str, ...]:
    client = connection.connect(spec.names.eks_cluster, eks.api_server_of)
    ours = f"{MANAGED_BY_LABEL}={MANAGER},{CLUSTER_LABEL}={spec.tag}"
    return tuple(str(member(each, "metadata").get("name")) for each in objects.listed(client, NAMESPACES, ours))


def _subnets(spec: ClusterSpec) -> tuple[SubnetSeen, ...]:
    found = [each for each in network.subnets_tagged(stack_tags(spec)) if each.tags.get(KIND_TAG)]
    ordered = sorted(found, key=lambda subnet: subnet.subnet_id)
    return tuple(
        SubnetSeen(each.subnet_id, each.tags.get("Name", ""), each.cidr, each.tags.get(GROUP_TAG, ""))
        for each in ordered
    )


def _log_groups(spec: ClusterSpec) -> tuple[str, ...]:
    names = spec.names
    prefixes = (f"/aws/eks/{names.eks_cluster}/", f"/aws/sagemaker/Clusters/{names.hyperpod_cluster}/")
    return tuple(group for prefix in prefixes for group in logs.groups(prefix, _EDGE))
