"""Parameters of the foundation's stack: changed by an update of the stack, so that it goes on to say what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import cloudformation, stack_updates
from functions.clusters.upgrades.rules.plan import STACK_PARAMETERS
from functions.clusters.upgrades.stages.request import addon_version
from functions.core import settings
from functions.core.errors import Cause, Conflict, Layer, PreconditionFailed
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags, tags_after

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.aws.cloudformation import Stack
    from functions.core.errors import Problem

_POLL_SECONDS: Final = 15
_ROLLED_BACK: Final = "UPDATE_ROLLBACK_COMPLETE"


class FoundationAddons:
    """The add-ons that the foundation's stack owns: kube-proxy and the VPC CNI."""

    def apply(self, context: StageContext) -> Applied:
        """Begin to change their versions, unless they are as wanted or on their way."""
        return apply_parameters(context, _wanted(context))

    def observe(self, context: StageContext) -> Observation:
        """Done when the stack is complete with these versions."""
        wanted = _wanted(context)
        named = ", ".join(f"{name} {wanted[key]}" for name, key in STACK_PARAMETERS.items() if key in wanted)
        return observe_parameters(context, wanted, f"{named}: installed")


def _wanted(context: StageContext) -> dict[str, str]:
    versions = {key: addon_version(context, name) for name, key in STACK_PARAMETERS.items()}
    return {key: version for key, version in versions.items() if version}


def apply_parameters(context: StageContext, wanted: Mapping[str, str]) -> Applied:
    """Begin to update the stack if its parameters differ; an update that is under way is left to the next look."""
    stack = _stack(context)
    if _as_wanted(stack, wanted) or _busy(stack):
        return Applied(f"the stack {stack.name} is {stack.status}", (stack.stack_id,))
    if stack.status not in cloudformation.COMPLETE:
        raise _stuck(stack)
    token = f"{context.operation.operation_id}-{context.stage.number}-{context.stage.attempt}"
    role, tags = settings.required("FOUNDATION_ROLE_ARN"), tags_after(context.cluster, stack.tags)
    stack_updates.begin(stack, role, wanted, tags, token)
    changed = ", ".join(f"{name} {stack.parameters.get(name)} to {value}" for name, value in wanted.items())
    return Applied(f"updating the stack {stack.name}: {changed}", (stack.stack_id,))


def observe_parameters(context: StageContext, wanted: Mapping[str, str], said: str) -> Observation:
    """Done when the stack is complete with these parameters; an update that was taken back fails with its cause."""
    stack = _stack(context)
    if _busy(stack):
        return Waiting(_POLL_SECONDS, stack_updates.progress_of(stack))
    if stack.status not in cloudformation.COMPLETE:
        return Failed(_stuck(stack))
    if _as_wanted(stack, wanted):
        return Done({**wanted}, said, (stack.stack_id,))
    if stack.status == _ROLLED_BACK:
        return Failed(stack_updates.failure_of(stack))
    return Reapply(f"the stack {stack.name} is {stack.status} with other parameters")


def _stack(context: StageContext) -> Stack:
    name = context.cluster.stack
    stack = cloudformation.describe(name)
    ours = stack_tags(context.cluster)
    if stack is None or any(stack.tags.get(key) != value for key, value in ours.items()):
        raise PreconditionFailed(
            f"The stack {name} is {'absent' if stack is None else 'not the foundation of this cluster'}.",
            cause=Cause(layer=Layer.AWS, service="cloudformation", api_call="DescribeStacks", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return stack


def _as_wanted(stack: Stack, wanted: Mapping[str, str]) -> bool:
    return all(stack.parameters.get(name) == value for name, value in wanted.items())


def _busy(stack: Stack) -> bool:
    return stack.status.endswith("_IN_PROGRESS")


def _stuck(stack: Stack) -> Problem:
    if stack.status == "UPDATE_ROLLBACK_FAILED":
        first = stack_updates.failure_of(stack)
        return Conflict(
            f"The stack {stack.name} could not be rolled back: {first.detail}",
            cause=first.cause,
            remedy="Continue the rollback in CloudFormation, skipping the resources that cannot go back "
            f"(aws cloudformation continue-update-rollback --stack-name {stack.name}), then retry the operation.",
        )
    return Conflict(
        f"The stack {stack.name} is {stack.status}: it cannot be updated.",
        cause=Cause(layer=Layer.AWS, service="cloudformation", code=stack.status, resource=stack.stack_id),
        remedy="Bring the stack to a complete state in CloudFormation, then retry the operation.",
    )
