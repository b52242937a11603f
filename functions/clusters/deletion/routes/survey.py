"""One look at what a cluster has in AWS, before it is deleted; what gives no answer is unknown and never absent."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

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
from functions.core import application, runtime
from functions.core.documents import member
from functions.core.errors import PreconditionFailed, StageFailed, Unavailable
from functions.core.failures import code_of
from functions.core.ledger import granted
from functions.core.runtime import Patience
from functions.core.tags import CLUSTER_LABEL, MANAGED_BY_LABEL, MANAGER, stack_tags
from functions.identity.chains.models import chains_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import NAMESPACES
from functions.network.subnets.rules.identity import GROUP_TAG, KIND_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from functions.clusters.deletion.models import Deletion
    from functions.core.cluster import ClusterSpec

Part = TypeVar("Part")

_LIVING: Final = ("ACTIVE", "UPDATING")
# A caller gets an answer within seconds, whatever AWS does.
_BUDGET: Final = timedelta(seconds=8)
_EDGE: Final = Patience.EDGE


def look(spec: ClusterSpec, deletion: Deletion | None) -> Seen:
    """Gather what there is; a service that does not answer, or has no time left to, leaves its part unchecked.

    Without a deletion of the whole cluster nobody loses access, and nothing inside is touched.
    """
    began, unchecked = runtime.now(), dict[str, str]()

    def gathered(part: str, ask: Callable[[], Part], nothing: Part) -> Part:
        if runtime.now() - began > _BUDGET:
            unchecked[part] = "there was no time left to ask; what there is shows when the stage comes to it"
            return nothing
        try:
            return ask()
        except (BotoCoreError, ClientError) as error:
            application.warn(f"{part} of {spec.tag} is unchecked", error)
            code = code_of(error) if isinstance(error, ClientError) else type(error).__name__
            unchecked[part] = f"AWS answered {code}; what there is shows when the stage comes to it"
            return nothing
        except (PreconditionFailed, StageFailed, Unavailable) as refused:
            application.warn(f"{part} of {spec.tag} is unchecked", refused)
            unchecked[part] = f"{refused.detail} What there is shows when the stage comes to it"
            return nothing

    names = spec.names
    stack = gathered("stack", lambda: _stack(spec), None)
    control_plane = gathered("eks", lambda: eks.describe_cluster(names.eks_cluster), None)
    status = control_plane.status if control_plane else None
    return Seen(
        stack=stack,
        eks_status=status,
        eks_foreign=control_plane is not None and not _is_ours(spec, control_plane.tags),
        hyperpod=gathered("hyperpod", lambda: _hyperpod(spec), None),
        subnets=gathered("subnets", lambda: _subnets(spec), ()),
        interfaces=gathered("interfaces", lambda: _interfaces(spec, stack), ()),
        volumes=gathered("volumes", lambda: tuple(volumes.of_cluster(names.eks_cluster, _EDGE)), ()),
        addons=gathered("add-ons", lambda: _addons(spec), ()) if status in _LIVING else (),
        chains=gathered("roles", lambda: _chains(spec), ()),
        bucket=gathered("bucket", lambda: _bucket(spec), None),
        log_groups=gathered("log groups", lambda: _log_groups(spec), ()),
        people=tuple(sorted(each.principal_arn for each in granted.granted_on(spec.tag))) if deletion else (),
        namespaces=gathered("namespaces", lambda: _namespaces(spec), ()) if _enters(spec, deletion, status) else (),
        unchecked=unchecked,
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
