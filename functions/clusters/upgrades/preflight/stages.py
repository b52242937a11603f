"""The first stage of an upgrade: what was looked at when it was asked for, once more, and how old the kubelets are."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import eks, upgrade_readiness
from functions.clusters.upgrades.models import Rollout
from functions.clusters.upgrades.rules.findings import NOTHING, of_readiness, of_version
from functions.clusters.upgrades.rules.versions import LARGEST_SKEW, too_old
from functions.core import gathering, runtime
from functions.core.errors import Busy, Cause, Layer, PreconditionFailed, Problem, Throttled, Unavailable
from functions.core.failures import problem_of
from functions.core.findings import refusal
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, StageContext, Waiting
from functions.kubernetes_api import connection, nodes

if TYPE_CHECKING:
    from functions.clusters.upgrades.models import ControlPlane, Readiness
    from functions.core.gathering import Gathering


_AGAIN_SECONDS: Final = 20
# So long it asks who does not answer; an upgrade cannot be taken back, so it does not go on without an answer.
_PATIENCE: Final = timedelta(minutes=5)


class UpgradePreflight:
    """Makes nothing: finds out whether the upgrade may go on."""

    def apply(self, _: StageContext) -> Applied:
        """Leave everything as it is."""
        return Applied("looking at versions, insights, add-ons and nodes")

    def observe(self, context: StageContext) -> Observation:
        """Done when every check came to an end or was refused an answer, and nothing stands in the way."""
        try:
            return _seen(context)
        except (Problem, ClientError, BotoCoreError) as error:
            name = context.cluster.names.eks_cluster
            problem = error if isinstance(error, Problem) else problem_of(error, name)
            # While this stage asks, the operation holds the cluster's lease: nobody's silence may keep it for a day.
            if not isinstance(problem, Busy | Throttled | Unavailable):
                raise
            return _unanswered(context, problem.detail)


def _seen(context: StageContext) -> Observation:
    target, look = str(context.operation.request["kubernetes_version"]), gathering.in_stage()
    plane, found = _looked_at(context, target, look)
    findings = [*of_version(plane.version, target, found.offered), *of_readiness(found, target, Rollout())]
    # What nobody answered is no error yet.
    if problem := refusal([each for each in findings if each.check not in {NOTHING, *look.unanswered}]):
        return Failed(problem)
    if look.unanswered:
        return _unanswered(context, ", ".join(sorted(look.unanswered)))
    # Without HyperPod there is no kubelet to look at, and perhaps no right yet to look into the cluster.
    if found.may_have_nodes and (problem := _skew(context, target)):
        return Failed(problem)
    noted = [f"{each.check}: {each.message}" for each in look.findings]
    said = f"nothing stands in the way from {plane.version} to {target}"
    return Done({"from": plane.version, "to": target}, "; ".join([said, *noted]))


def _looked_at(context: StageContext, target: str, look: Gathering) -> tuple[ControlPlane, Readiness]:
    """Look at everything once more. Raises PreconditionFailed when there is no control plane, or why it is not read."""
    names, settled = context.cluster.names, context.cluster.kubernetes_version
    plane, offered = upgrade_readiness.begin(names.eks_cluster, look)
    if plane is None:
        raise PreconditionFailed(
            f"There is no EKS cluster {names.eks_cluster}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=names.eks_cluster),
            remedy="Create or repair the cluster's foundation first.",
        )
    return plane, upgrade_readiness.gather(names, plane, offered, target, settled, look)


def _unanswered(context: StageContext, what: str) -> Observation:
    """Ask again for some minutes, then leave everything as it is; `what` names the checks, or what was said instead."""
    if runtime.now() - (context.stage.started_at or runtime.now()) < _PATIENCE:
        return Waiting(_AGAIN_SECONDS, f"asking again, no answer yet about: {what}")
    return Failed(
        Unavailable(
            f"No answer came for {_PATIENCE.seconds // 60} minutes about: {what.rstrip('.')}. Nothing was changed.",
            cause=Cause(layer=Layer.AWS, code="UNANSWERED", resource=context.cluster.names.eks_cluster),
            remedy="Retry the operation once AWS and the cluster answer again.",
        )
    )


def _skew(context: StageContext, target: str) -> Problem | None:
    """Look at the kubelets themselves: groups with images of their owner's are left behind for as long as they like."""
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    kubelets = {node.name: node.version for node in nodes.hyperpod_nodes(client)}
    old = too_old(kubelets, target)
    if not old:
        return None
    named = ", ".join(f"{name} ({kubelets[name]})" for name in old[:5])
    return PreconditionFailed(
        f"{len(old)} nodes would be more than {LARGEST_SKEW} minors behind a control plane of {target}: {named}.",
        cause=Cause(layer=Layer.KUBERNETES, code="KUBELET_SKEW", resource=old[0]),
        remedy="Update the software of these nodes' groups first, then upgrade the cluster.",
    )


STAGES: Behaviours = {"upgrade_preflight": UpgradePreflight()}
