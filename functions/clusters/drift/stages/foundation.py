"""What CloudFormation itself tells of the drift of a cluster's foundation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import cloudformation, eks, stack_drift
from functions.clusters.drift.rules.stack import STAGE, StackTags, cluster_tag_drifts, drifts_of
from functions.core import detection
from functions.core.detection import Part
from functions.core.drifts import ABSENT, Drift, Unknown, drift
from functions.core.failures import DENIED, code_of, problem_of
from functions.core.stage import Applied, Done, Observation, StageContext, Waiting
from functions.core.tags import foreign_keys, tags_after

if TYPE_CHECKING:
    from functions.aws.cloudformation import Stack
    from functions.clusters.drift.rules.stack import ResourceDrift

_POLL_SECONDS: Final = 15
_KIND: Final = "CloudFormation stack"
_MARK: Final = "drift-detection/"
_UNSEEN: Final = frozenset({"NOT_CHECKED", "UNKNOWN"})
_AT_REST: Final = (
    "Wait until CloudFormation's work on the stack has ended, or bring the stack to a complete state there if it has "
    "failed; then detect drift again."
)
_GONE: Final = (
    "What the stack made is not made again in its place: delete the cluster (DELETE /api/clusters/{tag}), which "
    "removes what is left of it, and create another."
)
_AGAIN: Final = "Remove the cause if one is named, then detect drift again."
# The refusal of our own attempt to begin one is all that is known of it by then.
_GRANT: Final = (
    "Grant cloudformation:DetectStackDrift on the stack to the control plane's role, or detect the stack's drift in "
    "CloudFormation yourself; then detect drift again."
)


class FoundationDrift:
    """A drift detection of the stack; one that somebody else began a moment ago is as good."""

    def apply(self, context: StageContext) -> Applied:
        """Begin a detection, unless the stack is gone or at work or one runs."""
        stack = cloudformation.describe(context.cluster.stack)
        if stack is None or stack.status not in cloudformation.COMPLETE:
            return Applied("there is nothing to detect")
        try:
            begun = stack_drift.begin(stack.name)
        except ClientError as error:
            if code_of(error) not in DENIED:
                raise
            return Applied("the detection was refused")
        return Applied("detecting drift", (f"{_MARK}{begun}",)) if begun else Applied("another detection runs")

    def observe(self, context: StageContext) -> Observation:
        """Done when the detection has ended; what it could not check is told."""
        name = context.cluster.stack
        try:
            return _seen(context, name)
        except (ClientError, BotoCoreError) as error:
            problem = problem_of(error, name)
            if not isinstance(error, ClientError) or code_of(error) not in DENIED:
                raise
            return detection.told([detection.unknown(_whole(name), problem)])


def _seen(context: StageContext, name: str) -> Observation:
    stack = cloudformation.describe(name)
    if stack is None:
        remedy = _GONE.format(tag=context.cluster.tag)
        return detection.told([drift(name, _KIND, None, expected="present", actual=ABSENT, remedy=remedy)])
    if stack.status not in cloudformation.COMPLETE:
        return detection.told([_unseen(name, f"the stack is {stack.status}", _AT_REST)])
    begun = next((each for each in reversed(context.stage.resources) if each.startswith(_MARK)), None)
    return _of_own(context, stack, begun.removeprefix(_MARK)) if begun else _of_others(context, stack)


def _of_own(context: StageContext, stack: Stack, detection_id: str) -> Observation:
    state = stack_drift.state(detection_id)
    if state.status == "DETECTION_IN_PROGRESS":
        return Waiting(_POLL_SECONDS, f"CloudFormation looks at {stack.name}")
    why = state.reason or state.status
    unseen = [] if state.status == "DETECTION_COMPLETE" else [_unseen(stack.name, why, _AGAIN)]
    return _told(context, stack, unseen)


def _of_others(context: StageContext, stack: Stack) -> Observation:
    """Take the results of a detection whose id only its beginner knows: all are as new as its beginning."""
    begun = stack_drift.last_begun(stack.name)
    if begun is None:
        return detection.told([_unseen(stack.name, "CloudFormation has begun no detection", _GRANT)])
    if not stack_drift.looked_since(stack.name, begun):
        return Waiting(_POLL_SECONDS, f"somebody else lets CloudFormation look at {stack.name}")
    return _told(context, stack, [])


def _told(context: StageContext, stack: Stack, unseen: list[Unknown]) -> Done:
    found, name = stack_drift.resource_drifts(stack.name), context.cluster.names.eks_cluster
    wanted, foreign = tags_after(context.cluster, stack.tags), foreign_keys(context.cluster, stack.tags)
    tags, cluster = StackTags(stack.tags, wanted, foreign), eks.describe_cluster(name)
    drifts: list[Drift | Unknown] = [*drifts_of(found, tags)]
    drifts += cluster_tag_drifts(name, cluster.tags, tags) if cluster else []
    unseen += [_unchecked(each) for each in found if each.status in _UNSEEN]
    return detection.told([*drifts, *unseen])


def _unchecked(found: ResourceDrift) -> Unknown:
    why = found.reason or f"CloudFormation says {found.status}"
    return Unknown(resource=found.logical_id, kind=found.type, why=why, repaired_by=[STAGE], remedy=_AGAIN)


def _unseen(name: str, why: str, remedy: str) -> Unknown:
    return Unknown(resource=name, kind=_KIND, why=why, repaired_by=[], remedy=remedy)


def _whole(name: str) -> Part:
    return Part(name, _KIND, (STAGE,), lambda: ())
