"""The foundation of a cluster: one stack of the release's template, retried once in the zones that EKS names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import addons, buckets, cloudformation, eks, network, peering, reuse, zones
from functions.catalog.rules import newest_kubernetes_version, shared_kubernetes_versions
from functions.clusters import foundation_rules
from functions.clusters.control_plane_rules import choose_zones, unknown_zones, zones_named_in
from functions.core import settings
from functions.core.cluster import AccessRole
from functions.core.errors import Cause, Conflict, InvalidRequest, Layer, PreconditionFailed, Problem, QuotaExceeded
from functions.core.failures import UNSUPPORTED_ZONE
from functions.core.runtime import Patience
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import marked, stack_tags, tags_of
from functions.features.rules import choose_version, facts_of
from functions.network.ranges.models import RangesInUse
from functions.network.ranges.rules import free_instead, overlap_of, plan_chosen
from functions.network.rules import NetworkPlan, plan_network

if TYPE_CHECKING:
    from functions.aws.cloudformation import Stack
    from functions.catalog.models import Zone
    from functions.core.cluster import ChosenRanges

_POLL_SECONDS: Final = 15
_PASSING: Final = frozenset({"CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS", "DELETE_IN_PROGRESS"})
_FAILED: Final = frozenset({"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"})


class Foundation:
    """Network, EKS control plane, roles and bucket."""

    def apply(self, context: StageContext) -> Applied:
        """Create the stack if it is absent; clear away first what a failed creation left."""
        name = context.cluster.stack
        stack = cloudformation.describe(name)
        if stack is None:
            return Applied(f"creating the stack {name}", (*context.stage.resources, _create(context)))
        _check_ours(context, stack)
        if stack.status in _FAILED:
            cloudformation.delete(name, settings.required("FOUNDATION_ROLE_ARN"))
            return Applied(f"clearing away the stack {name}, which failed before", tuple(context.stage.resources))
        return Applied(f"the stack {name} exists", (stack.stack_id,))

    def observe(self, context: StageContext) -> Observation:
        """Done when the stack is complete."""
        name = context.cluster.stack
        stack = cloudformation.describe(name)
        if stack is None:
            return Reapply(f"the stack {name} is gone")
        if stack.status in cloudformation.COMPLETE:
            return Done(dict(stack.outputs), f"the stack {name} is complete", (stack.stack_id,))
        if stack.status in _FAILED:
            return _after_failure(context, stack)
        if stack.status not in _PASSING:
            return Failed(_unexpected(stack))
        return Waiting(_POLL_SECONDS, _progress(stack))


def _check_ours(context: StageContext, stack: Stack) -> None:
    """Touch no stack that is not this cluster's, whatever it is called."""
    ours = stack_tags(context.cluster)
    if any(stack.tags.get(key) != value for key, value in ours.items()):
        raise Conflict(
            f"A stack named {stack.name} exists that is not the foundation of cluster {context.cluster.tag}.",
            cause=Cause(layer=Layer.AWS, service="cloudformation", resource=stack.stack_id),
            remedy="Create the cluster under another tag, or delete that stack if nobody needs it.",
        )


def _unexpected(stack: Stack) -> Problem:
    return Conflict(
        f"The stack {stack.name} is {stack.status}: somebody changes it outside of the control plane.",
        cause=Cause(layer=Layer.AWS, service="cloudformation", code=stack.status, resource=stack.stack_id),
        remedy="Bring the stack to a complete state in CloudFormation, then retry the operation.",
    )


def _progress(stack: Stack) -> str:
    if stack.status == "ROLLBACK_IN_PROGRESS":
        return f"rolling back: {cloudformation.failure_of(stack.stack_id, stack.name).detail}"
    return cloudformation.progress_of(stack)


def _after_failure(context: StageContext, stack: Stack) -> Observation:
    if stack.status == "DELETE_FAILED":
        return Failed(cloudformation.failure_of(stack.stack_id, stack.name, "DELETE_FAILED"))
    problem = cloudformation.failure_of(stack.stack_id, stack.name)
    mine = stack.stack_id in context.stage.resources
    if mine and _may_choose_other_zones(context, problem):
        return Reapply(f"EKS refused a zone, trying the zones it names: {problem.detail}")
    if not mine:
        return Reapply(f"the stack {stack.name} failed before this operation")
    return Failed(problem)


def _may_choose_other_zones(context: StageContext, problem: Problem) -> bool:
    """Only zones that nobody asked for may be changed, and only once."""
    unsupported = problem.cause is not None and problem.cause.code == UNSUPPORTED_ZONE
    reused = context.cluster.reused
    asked_for = context.cluster.control_plane_availability_zones or (reused and reused.vpc_id)
    return unsupported and not asked_for and len(context.stage.resources) == 1 and bool(zones_named_in(problem.detail))


def _create(context: StageContext) -> str:
    cluster = context.cluster
    return cloudformation.create(
        cluster.stack,
        settings.required("FOUNDATION_TEMPLATE_URL"),
        settings.required("FOUNDATION_ROLE_ARN"),
        {**_network_parameters(context), **_version_parameters(context), **_fixed_parameters(context)},
        tags_of(cluster, context.operation.operation_id),
        f"{context.operation.operation_id}-{len(context.stage.resources)}",
    )


def _fixed_parameters(context: StageContext) -> dict[str, str]:
    return {
        "ClusterTag": context.cluster.tag,
        "EksClusterName": context.cluster.names.eks_cluster,
        "KubernetesAdminRoleArn": settings.required(AccessRole.ADMIN),
        "KubernetesOperatorRoleArn": settings.required(AccessRole.OPERATOR),
        "PermissionsBoundaryArn": settings.required("PERMISSIONS_BOUNDARY_ARN"),
        **_parts(context),
    }


def _parts(context: StageContext) -> dict[str, str]:
    """Name the parts beside the network; a bucket that a deletion of this cluster's tag has kept is used again."""
    made, cluster = foundation_rules.parts(context.cluster), context.cluster
    name = made["BucketName"]
    found = None if name == foundation_rules.NONE else buckets.find(name, cluster.account_id)
    if found is None or not marked(found.tags, cluster.tag):
        return made
    return foundation_rules.with_kept_bucket(made)


def _network_parameters(context: StageContext) -> dict[str, str]:
    reused = context.cluster.reused
    if reused is None or reused.vpc_id is None:
        return foundation_rules.new_network(_plan(context), _zones(context))
    found = reuse.find_network(reused.vpc_id, context.cluster.region)
    if found is None:
        raise PreconditionFailed(
            f"The VPC {reused.vpc_id}, which the cluster is to stand in, does not exist any more.",
            cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeVpcs", resource=reused.vpc_id),
            remedy="Create the cluster under another tag, in a VPC that exists.",
        )
    return foundation_rules.reused_network(reused, found)


def _plan(context: StageContext) -> NetworkPlan:
    in_use, chosen = RangesInUse(network.vpc_ranges(), peering.peered_vpcs()), context.cluster.ranges
    if chosen is not None:
        return _chosen(context, chosen, in_use)
    plan = plan_network(context.cluster.tag, in_use.all)
    if plan is None:
        raise QuotaExceeded(
            f"No private /16 range is free for the VPC of {context.cluster.tag}.",
            cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeVpcs"),
            remedy="Delete an unused VPC of the region, then retry the operation.",
        )
    return plan


def _chosen(context: StageContext, chosen: ChosenRanges, in_use: RangesInUse) -> NetworkPlan:
    """Lay out the ranges that the caller chose, unless somebody has taken them since."""
    overlap, plan = overlap_of(chosen, context.cluster.tag, in_use), plan_chosen(chosen)
    if plan is not None and overlap is None:
        return plan
    wrong = f"overlaps {overlap.used} of {overlap.whose}" if overlap else "has no room for the subnets of a cluster"
    free = free_instead(context.cluster.tag, chosen, in_use)
    raise Conflict(
        f"{chosen.vpc_cidr}, chosen for the VPC of {context.cluster.tag}, {wrong}.",
        cause=Cause(
            layer=Layer.CALLER, service="ec2", api_call="DescribeVpcs", resource=overlap.whose if overlap else None
        ),
        remedy="Free the range and retry the operation, or create the cluster under another tag with another "
        f"vpc_cidr{f', such as {free}' if free else ''}.",
    )


def _zones(context: StageContext) -> tuple[str, str]:
    available = zones.describe(Patience.STAGE)
    _check_zones(context, available)
    named: list[str] = []
    if context.stage.resources:
        refused = cloudformation.failure_of(context.stage.resources[-1], context.cluster.stack)
        named = zones_named_in(refused.detail)
    chosen = choose_zones(context.cluster, available, named)
    if chosen is None:
        raise PreconditionFailed(
            f"{context.cluster.region} has no two zones in which EKS places a control plane.",
            cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeAvailabilityZones"),
            remedy="Name two zones as foundation.control_plane_availability_zones, or deploy in another region.",
        )
    return chosen


def _check_zones(context: StageContext, available: list[Zone]) -> None:
    """Look at zones that the edge could not check, before anything is made."""
    unknown = unknown_zones(context.cluster, available)
    if unknown:
        raise InvalidRequest(
            f"{', '.join(unknown)}: not a zone of {context.cluster.region} by name.",
            cause=Cause(layer=Layer.CALLER, service="ec2", api_call="DescribeAvailabilityZones"),
            remedy=f"Name zones among {', '.join(zone.name for zone in available)}, under another tag.",
        )


def _kubernetes_version(context: StageContext) -> str:
    """Give the version that was asked for, else the newest; the edge may have had no answer about it."""
    offered, wanted = eks.offered_versions(), context.cluster.kubernetes_version
    shared = shared_kubernetes_versions(offered)
    if wanted is not None and wanted not in shared:
        raise InvalidRequest(
            f"Kubernetes {wanted} is not a version that EKS offers and HyperPod supports.",
            cause=Cause(layer=Layer.CALLER, service="eks", api_call="DescribeClusterVersions"),
            remedy=f"Create the cluster under another tag, with one of {', '.join(shared)}.",
        )
    version = wanted or newest_kubernetes_version(offered)
    if version is None:
        raise PreconditionFailed(
            "EKS offers no Kubernetes version that HyperPod supports.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeClusterVersions"),
            remedy="Deploy a newer release of the control plane; its table of HyperPod's versions is out of date.",
        )
    return version


def _version_parameters(context: StageContext) -> dict[str, str]:
    version = _kubernetes_version(context)
    return {
        "KubernetesVersion": version,
        "VpcCniVersion": _addon_version("vpc-cni", version),
        "KubeProxyVersion": _addon_version("kube-proxy", version),
    }


def _addon_version(addon: str, kubernetes_version: str) -> str:
    found = choose_version(addons.offered(addon, kubernetes_version), facts_of(addon).minimum)
    if found is None:
        raise PreconditionFailed(
            f"EKS offers no version of {addon} for Kubernetes {kubernetes_version} that HyperPod can use.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeAddonVersions", resource=addon),
            remedy="Deploy a newer release of the control plane.",
        )
    return found


STAGES: Behaviours = {"foundation": Foundation()}
