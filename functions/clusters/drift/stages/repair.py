"""Bringing the foundation stack back to its template by a change set that reverts drift, judged before it is executed.

UpdateStack with an unchanged template sees no drift. What a change set would make anew, or remove, though it stands, is
refused and named; nothing of it is executed then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import addons, cloudformation, eks, stack_drift
from functions.clusters.drift.rules.stack import StackForm, parameters_after, replaced, worth_executing
from functions.core import settings
from functions.core.errors import Cause, Conflict, Layer, PreconditionFailed, Problem, StageFailed
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import tags_after

if TYPE_CHECKING:
    from functions.aws.cloudformation import Stack
    from functions.aws.stack_drift import ChangeSet

_POLL_SECONDS: Final = 15
_CHANGE_SET_SECONDS: Final = 5
_WORKING: Final = frozenset({"CREATE_PENDING", "CREATE_IN_PROGRESS"})
# CloudFormation has no code for it.
_NO_CHANGES: Final = ("didn't contain changes", "No updates are to be performed")

_LEFT: Final = "only the route tables of compute subnets are added, and they belong there"


class FoundationRepair:
    """The stack as its template has it."""

    def apply(self, context: StageContext) -> Applied:
        """Create the change set of this operation; once it is there, judge and execute it."""
        stack, name = _stack(context), _name(context)
        if _executed(stack, name) or stack.status not in cloudformation.COMPLETE:
            return Applied(f"{stack.name} is {stack.status}", (stack.stack_id,))
        found = stack_drift.describe_revert(stack.name, name)
        if found is None:
            _create(context, stack, name)
            return Applied(f"asking what would bring {stack.name} back", (stack.stack_id,))
        if found.execution != "AVAILABLE":
            return Applied(f"the change set is {found.status}", (stack.stack_id,))
        return _judged(context, stack, found)

    def observe(self, context: StageContext) -> Observation:
        """Done when the change set is executed, or there was nothing in it."""
        stack, name = _stack(context), _name(context)
        if stack.status.endswith("_IN_PROGRESS"):
            return Waiting(_POLL_SECONDS, f"{stack.name} is {stack.status}", resources=(stack.stack_id,))
        if _executed(stack, name):
            return _ended(context, stack)
        if stack.status not in cloudformation.COMPLETE:
            return Failed(_unexpected(stack))
        found = stack_drift.describe_revert(stack.name, name)
        if found is None or found.execution == "AVAILABLE":
            return Reapply("the change set is ready") if found else _without(context, stack)
        if found.status in _WORKING:
            return Waiting(_CHANGE_SET_SECONDS, f"CloudFormation compares {stack.name} with its template")
        if any(words in found.reason for words in _NO_CHANGES):
            return _done(stack, "nothing had drifted")
        return Failed(_unusable(stack, found))


def _without(context: StageContext, stack: Stack) -> Observation:
    """Tell a change set that was not worth executing from one that was never made."""
    if context.stage.message and _LEFT in context.stage.message:
        return _done(stack, _LEFT)
    return Reapply("there is no change set yet")


def _judged(context: StageContext, stack: Stack, found: ChangeSet) -> Applied:
    name, accepted = _name(context), context.operation.request.get("accept_replacement")
    if not worth_executing(found.changes):
        stack_drift.discard(stack.name, name)
        return Applied(_LEFT, (stack.stack_id,))
    if names := replaced(found.changes, [*map(str, accepted)] if isinstance(accepted, list) else []):
        stack_drift.discard(stack.name, name)
        raise _would_replace(context, stack, names)
    stack_drift.execute(stack.name, name, _token(context))
    mended = ", ".join(change.logical_id for change in found.changes)
    return Applied(f"bringing back {mended}", (stack.stack_id,))


def _stack(context: StageContext) -> Stack:
    name = context.cluster.stack
    stack = cloudformation.describe(name)
    if stack is None:
        raise PreconditionFailed(
            f"The foundation stack {name} is gone; what it made may still be there, and no stack can take that over.",
            cause=Cause(layer=Layer.AWS, service="cloudformation", api_call="DescribeStacks", resource=name),
            remedy=f"Delete the cluster {context.cluster.tag} and create it anew.",
        )
    return stack


def _name(context: StageContext) -> str:
    return f"instantstart-repair-{context.operation.operation_id}"


def _token(context: StageContext) -> str:
    return f"repair-{context.operation.operation_id}"


def _executed(stack: Stack, name: str) -> bool:
    return f"/{name}/" in stack.change_set_id


def _create(context: StageContext, stack: Stack, name: str) -> None:
    parameters = parameters_after(stack.parameters, _versions(context))
    # Left out, the stack's tags would stay as they were when it was made, and come back to what has newer ones.
    wanted = StackForm(parameters, tags_after(context.cluster, stack.tags))
    stack_drift.create_revert(stack.name, name, settings.required("FOUNDATION_ROLE_ARN"), wanted, _token(context))


def _versions(context: StageContext) -> dict[str, str]:
    """Read the versions that an upgrade may have moved on: no change set may take them back."""
    name = context.cluster.names.eks_cluster
    cluster = eks.describe_cluster(name)
    if cluster is None:
        return {}
    found = {"VpcCniVersion": addons.describe(name, "vpc-cni"), "KubeProxyVersion": addons.describe(name, "kube-proxy")}
    versions = {key: addon.version for key, addon in found.items() if addon}
    return {"KubernetesVersion": cluster.version, **versions}


def _ended(context: StageContext, stack: Stack) -> Observation:
    if stack.status == "UPDATE_COMPLETE":
        return _done(stack, f"{stack.name} is as its template has it")
    return Failed(cloudformation.update_failure_of(stack.stack_id, stack.name, _token(context)))


def _done(stack: Stack, said: str) -> Done:
    return Done(dict(stack.outputs), said, (stack.stack_id,))


def _would_replace(context: StageContext, stack: Stack, names: list[str]) -> Problem:
    listed = ", ".join(names)
    return Conflict(
        f"To bring {stack.name} back, CloudFormation would make {listed} anew, which the cluster stands on. Nothing "
        "was changed.",
        cause=Cause(layer=Layer.AWS, service="cloudformation", code="WOULD_REPLACE", resource=stack.stack_id),
        remedy=f"Put {listed} right by hand (GET /api/clusters/{context.cluster.tag}/drift names the properties); "
        f"or agree to lose what stands: POST /api/clusters/{context.cluster.tag}/repair with accept_replacement naming "
        "them, after a dry run of the same request.",
    )


def _unusable(stack: Stack, found: ChangeSet) -> Problem:
    return StageFailed(
        f"CloudFormation could not say what would bring {stack.name} back: {found.reason or found.status}",
        cause=Cause(layer=Layer.AWS, service="cloudformation", api_call="CreateChangeSet", resource=stack.stack_id),
        remedy="Remove the cause named in the message, then retry the operation.",
    )


def _unexpected(stack: Stack) -> Problem:
    return Conflict(
        f"The stack {stack.name} is {stack.status}, in which CloudFormation takes no change set.",
        cause=Cause(layer=Layer.AWS, service="cloudformation", code=stack.status, resource=stack.stack_id),
        remedy="Bring the stack to a complete state (aws cloudformation continue-update-rollback), then retry the "
        "operation.",
    )
