"""The control plane's version: changed through the stack that owns it, else by EKS itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import eks, eks_updates
from functions.clusters.upgrades.rules.plan import by_stack
from functions.clusters.upgrades.stages.by_stack import apply_parameters, observe_parameters
from functions.clusters.upgrades.stages.request import target_of
from functions.core.errors import Cause, Layer, PreconditionFailed, StageFailed
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting

if TYPE_CHECKING:
    from functions.aws.eks import Cluster
    from functions.aws.eks_updates import VersionUpdate

_POLL_SECONDS: Final = 20
_UPDATE: Final = "eks-update/"


class ControlPlane:
    """Moves the control plane to the operation's version, and adopts a move that somebody else began."""

    def apply(self, context: StageContext) -> Applied:
        """Begin to move it, unless it is there or on its way."""
        target = target_of(context)
        if by_stack(context.cluster):
            # The add-ons of the stack come in an update of their own: a control plane cannot be rolled back, so nothing
            # that may fail after it belongs into the same update.
            return apply_parameters(context, {"KubernetesVersion": target})
        return _apply(context, _cluster(context), target)

    def observe(self, context: StageContext) -> Observation:
        """Done when the control plane is active at the version."""
        cluster, target = _cluster(context), target_of(context)
        if by_stack(context.cluster):
            seen = observe_parameters(context, {"KubernetesVersion": target}, f"{cluster.name} is at {target}")
            if isinstance(seen, Done) and not _there(cluster, target):
                return Failed(_disagree(context, cluster, target))
            return seen
        if _there(cluster, target):
            return Done({"eks_cluster": cluster.name, "version": target}, f"{cluster.name} is at {target}")
        return _observe(context, cluster, target)


def _there(cluster: Cluster, target: str) -> bool:
    return cluster.version == target and cluster.status == "ACTIVE"


def _apply(context: StageContext, cluster: Cluster, target: str) -> Applied:
    name = cluster.name
    if cluster.version == target:
        return Applied(f"{name} is at {target} already")
    if cluster.status == "UPDATING" and (running := eks_updates.running(name)):
        # One to another version is waited for; then it is this one's turn.
        mine = (f"{_UPDATE}{running.update_id}",) if running.version == target else ()
        return Applied(f"{name} is being updated to {running.version} already", mine)
    token = f"{context.operation.operation_id}-{context.stage.number}-{context.stage.attempt}"
    update_id = eks_updates.begin(name, target, token)
    return Applied(f"updating {name} from {cluster.version} to {target}", (f"{_UPDATE}{update_id}",))


def _observe(context: StageContext, cluster: Cluster, target: str) -> Observation:
    begun = [each.removeprefix(_UPDATE) for each in context.stage.resources if each.startswith(_UPDATE)]
    if cluster.status == "ACTIVE" and not begun:
        return Reapply(f"{cluster.name} is at {cluster.version}")
    if cluster.status == "ACTIVE":
        update = eks_updates.describe(cluster.name, begun[-1])
        if update.status in ("Failed", "Cancelled"):
            return Failed(_not_updated(cluster, target, update))
    return Waiting(_POLL_SECONDS, f"{cluster.name} is {cluster.status}, from {cluster.version} to {target}")


def _cluster(context: StageContext) -> Cluster:
    name = context.cluster.names.eks_cluster
    found = eks.describe_cluster(name)
    if found is None:
        raise PreconditionFailed(
            f"There is no EKS cluster {name}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return found


def _not_updated(cluster: Cluster, target: str, update: VersionUpdate) -> StageFailed:
    code, said = next(iter(update.errors.items()), (update.status, "EKS gives no reason"))
    return StageFailed(
        f"EKS did not update {cluster.name} to {target}: {said}",
        cause=Cause(layer=Layer.AWS, service="eks", api_call="UpdateClusterVersion", code=code, resource=cluster.arn),
        remedy="Remove the cause named in the message, then retry the operation.",
        retryable=True,
    )


def _disagree(context: StageContext, cluster: Cluster, target: str) -> StageFailed:
    stack = context.cluster.stack
    return StageFailed(
        f"The stack {stack} says that {cluster.name} is at {target}; EKS says {cluster.version} ({cluster.status}).",
        cause=Cause(layer=Layer.AWS, service="eks", code="STACK_DISAGREES", resource=cluster.arn),
        remedy="Detect the cluster's drift and repair it, then retry the operation.",
    )
