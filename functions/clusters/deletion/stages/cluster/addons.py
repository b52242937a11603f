"""The end of the add-ons that the dependencies phase installed; those of the foundation go with its stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import addons, eks
from functions.clusters.deletion.rules.plan import ADDONS
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags

if TYPE_CHECKING:
    from functions.aws.addons import Addon

_POLL_SECONDS: Final = 15
_FAILED: Final = "DELETE_FAILED"


class AddonsRemoval:
    """All add-ons of ours at once: none of them needs another to go."""

    def apply(self, context: StageContext) -> Applied:
        """Ask for their deletion."""
        doomed = [each for each in _ours(context) if each.status != "DELETING"]
        for each in doomed:
            addons.remove(context.cluster.names.eks_cluster, each.name)
        named = ", ".join(each.name for each in doomed)
        return Applied(
            f"removing {named}" if named else "no add-on of ours is left", tuple(each.arn for each in doomed)
        )

    def observe(self, context: StageContext) -> Observation:
        """Done when none is left; one that cannot be removed goes with a cluster that is ours."""
        left = _ours(context)
        if failed := [each for each in left if each.status == _FAILED]:
            return _given_up(context, failed)
        if going := [each.name for each in left if each.status == "DELETING"]:
            return Waiting(_POLL_SECONDS, f"{', '.join(going)} DELETING")
        return Reapply(f"{left[0].name} is {left[0].status}") if left else Done({}, "no add-on of ours is left")


def _ours(context: StageContext) -> list[Addon]:
    name = context.cluster.names.eks_cluster
    cluster = eks.describe_cluster(name)
    if cluster is None or cluster.status not in ("ACTIVE", "UPDATING"):
        return []
    found = [addons.describe(name, addon) for addon in ADDONS]
    marks = stack_tags(context.cluster).items()
    return [each for each in found if each and all(each.tags.get(key) == value for key, value in marks)]


def _given_up(context: StageContext, failed: list[Addon]) -> Observation:
    said = "; ".join(f"{each.name} is {each.status}: {', '.join(each.issues.values())}" for each in failed)
    if context.cluster.origin == "created":
        return Done({}, f"{said}; it goes with the cluster")
    cause = Cause(layer=Layer.AWS, service="eks", api_call="DeleteAddon", code=_FAILED, resource=failed[0].arn)
    remedy = "Remove the cause that EKS names, or the add-on itself, then retry the operation."
    return Failed(StageFailed(f"{said}.", cause=cause, remedy=remedy))
