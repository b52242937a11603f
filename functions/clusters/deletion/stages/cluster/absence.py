"""The last look of a deletion: what is gone and what is kept, as the services themselves say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import buckets, cloudformation, eks, hyperpod, logs, network, network_interfaces, volumes
from functions.clusters.deletion.rules.interfaces import is_of_a_service, load_balancer_of
from functions.clusters.deletion.rules.plan import DELETE_CLUSTER
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Applied, Done, Failed, Observation, StageContext
from functions.core.tags import stack_tags
from functions.network.subnets.rules.identity import KIND_TAG

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec


class Absence:
    """What the operation was to delete: none of it may be there."""

    def apply(self, context: StageContext) -> Applied:
        """Look only."""
        return Applied("looking at what is left")

    def observe(self, context: StageContext) -> Observation:
        """Done when everything is as the stages say; a service that says otherwise is right."""
        whole = context.operation.kind == DELETE_CLUSTER
        if left := _left(context, whole=whole):
            return Failed(_still_there(left))
        kept = [*_kept(context.cluster, whole=whole), *(_kept_of_all(context) if whole else ())]
        deleted = list(dict.fromkeys(each for stage in context.operation.stages for each in stage.resources))
        result: dict[str, JsonValue] = {"deleted": [*deleted], "kept": [*kept]}
        return Done(result, f"gone, as AWS says; kept: {', '.join(kept) or 'nothing'}")


def _left(context: StageContext, *, whole: bool) -> list[str]:
    names, ours = context.cluster.names, stack_tags(context.cluster)
    found: list[str] = []
    cluster = hyperpod.describe(names.hyperpod_cluster)
    if cluster is not None and _has(hyperpod.tags(cluster.arn), ours):
        found.append(cluster.arn)
    if not whole or context.cluster.origin != "created":
        return found
    stack = cloudformation.describe(context.cluster.stack)
    return [*found, *([stack.stack_id] if stack and _has(stack.tags, ours) else [])]


def _kept(cluster: ClusterSpec, *, whole: bool) -> list[str]:
    """Name what stays in the account of all that the cluster had."""
    names = cluster.names
    subnets = network.subnets_tagged(stack_tags(cluster))
    kept = [f"subnet/{each.subnet_id}" for each in subnets if each.tags.get(KIND_TAG)]
    # One of ours that is still there has failed the stage before.
    if hyperpod.describe(names.hyperpod_cluster) is not None:
        kept.append(f"hyperpod/{names.hyperpod_cluster}")
    if names.bucket is not None and buckets.exists(names.bucket):
        kept.append(f"s3://{names.bucket}")
    if eks.describe_cluster(names.eks_cluster) is not None:
        kept.append(f"eks/{names.eks_cluster}")
    of_eks = logs.groups(f"/aws/eks/{names.eks_cluster}/") if whole else []
    return [*kept, *of_eks, *logs.groups(f"/aws/sagemaker/Clusters/{names.hyperpod_cluster}/")]


def _kept_of_all(context: StageContext) -> list[str]:
    """Name what outlives a whole cluster: what stages have left, and what its controllers made and nobody deletes."""
    given_up = _strings(context.result_of("foundation_removal").get("retained"))
    in_use = _strings(context.result_of("foundation_removal").get("left"))
    left = _strings(context.result_at("own_objects_removal:workloads").get("kept"))
    return [
        *left,
        *(f"volume/{each.volume_id}" for each in volumes.of_cluster(context.cluster.names.eks_cluster)),
        *(f"load balancer/{each}" for each in _balancers(context.cluster, given_up)),
        *(f"stack resource {each}" for each in given_up),
        *(f"left in the network that was taken over: {each}" for each in in_use),
    ]


def _balancers(cluster: ClusterSpec, given_up: list[str]) -> list[str]:
    """Name load balancers in the networks that stay; in one that others share, those with names of Kubernetes."""
    imported = cluster.surroundings.vpc_id if cluster.surroundings else None
    reused = cluster.reused.vpc_id if cluster.reused else None
    shared = [each for each in (imported, reused) if each]
    found = [load_balancer_of(each) for vpc_id in shared for each in network_interfaces.of_vpc(vpc_id)]
    own = [each for each in given_up if each.startswith("vpc-")]
    of_own = [load_balancer_of(each) for vpc_id in own for each in network_interfaces.of_vpc(vpc_id)]
    return list(dict.fromkeys([*filter(is_of_a_service, found), *filter(None, of_own)]))


def _strings(value: JsonValue) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _has(tags: object, wanted: dict[str, str]) -> bool:
    return isinstance(tags, dict) and all(tags.get(key) == value for key, value in wanted.items())


def _still_there(left: list[str]) -> StageFailed:
    return StageFailed(
        f"{', '.join(left)} is still there, or there again, though it was deleted.",
        cause=Cause(layer=Layer.AWS, code="STILL_THERE", resource=left[0]),
        remedy="Find out who made it anew (CloudTrail names the caller), then delete the cluster again.",
    )
