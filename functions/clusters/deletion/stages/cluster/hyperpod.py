"""The end of the HyperPod cluster: asked for once it takes a deletion, and followed until SageMaker knows none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import hyperpod
from functions.clusters.deletion.models import Blocker
from functions.clusters.deletion.rules.blockers import blocked
from functions.clusters.deletion.rules.plan import DELETE_HYPERPOD
from functions.core import ledger, settings
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags

if TYPE_CHECKING:
    from functions.core.errors import Blocked

# It takes a deletion in these; while SageMaker works at it, it may refuse.
_AT_REST: Final = ("InService", "Failed")


class HyperPodRemoval:
    """The HyperPod cluster with its instances; nodes are not drained."""

    def apply(self, context: StageContext) -> Applied:
        """Ask for its deletion, unless it is gone, on its way or somebody else's."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is None:
            _forget_groups(context)
            return Applied(f"{name} is gone")
        if not _is_ours(context, found):
            return Applied(f"{name} is {found.status}")
        if found.status == "Deleting":
            return Applied(f"{name} is {found.status}", (found.arn,))
        hyperpod.delete(name)
        return Applied(f"deleting {name}", (found.arn,))

    def observe(self, context: StageContext) -> Observation:
        """Done when SageMaker knows it no more."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is None and _remembers_groups(context):
            return Reapply(f"{name} is gone; its instance groups are wanted no more")
        if found is None:
            return Done({"hyperpod_cluster": name}, f"{name} is gone")
        if found.status == "Deleting":
            left = hyperpod.counted_by_group(name)
            return Waiting(_poll_seconds(), f"{name} is being deleted, {sum(left.values())} instances left")
        if not _is_ours(context, found):
            return _left_alone(context, found)
        if found.status in _AT_REST:
            return Reapply(f"{name} is {found.status} and not being deleted")
        return Waiting(_poll_seconds(), f"{name} is {found.status}; it is deleted as soon as SageMaker allows it")


def _poll_seconds() -> int:
    return int(settings.required("HYPERPOD_POLL_SECONDS"))


def _is_ours(context: StageContext, found: hyperpod.Cluster) -> bool:
    tags = hyperpod.tags(found.arn)
    return all(tags.get(key) == value for key, value in stack_tags(context.cluster).items())


def _remembers_groups(context: StageContext) -> bool:
    """Say whether the desired state still has groups; with a whole cluster it goes itself."""
    return context.operation.kind == DELETE_HYPERPOD and bool(context.cluster.instance_groups)


def _forget_groups(context: StageContext) -> None:
    """Take the groups out of the desired state, not before they are gone: a deletion may be cancelled or fail."""
    if _remembers_groups(context):
        ledger.change_spec(context.cluster.tag, {"instance_groups": []}, context.cluster.version)


def _left_alone(context: StageContext, found: hyperpod.Cluster) -> Observation:
    """Leave somebody else's cluster; on our own EKS cluster it stands in the way."""
    imported = context.cluster.origin == "imported"
    if imported or not found.eks_arn.endswith(f"/{context.cluster.names.eks_cluster}"):
        return Done({}, f"{found.name} is not ours and is left alone")
    return Failed(_foreign(context, found))


def _foreign(context: StageContext, found: hyperpod.Cluster) -> Blocked:
    message = "is a HyperPod cluster without the control plane's tags on this EKS cluster"
    blocker = Blocker(found.arn, message, f"Delete it (aws sagemaker delete-cluster --cluster-name {found.name}).")
    return blocked(f"The EKS cluster {context.cluster.names.eks_cluster}", [blocker], context.cluster.tag)
