"""Deletion and rollback of stacks: backwards through what requires what, keeping what is to be retained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.stack_handlers import HandlerFailure, attempt
from infra.local.simulators.stack_records import REMOVED, STACK_TYPE, Stack, StackResource, Status
from infra.local.simulators.stack_resources import RESOURCE_TYPES

if TYPE_CHECKING:
    from infra.local.simulators.stack_turn import Turn


def advance_deletion(turn: Turn, stack: Stack) -> bool:
    """Do what is due for a stack being deleted or rolled back; say whether anything changed."""
    changes = [_advance(turn, stack, resource) for resource in _under_way(stack)]
    startable = _startable(stack)
    for resource in startable:
        _start(turn, stack, resource)
    if startable or any(changes):
        return True
    if _under_way(stack):
        return False
    _finish(turn, stack)
    return True


def _under_way(stack: Stack) -> list[StackResource]:
    return [resource for resource in stack.resources.values() if resource.status == Status.DELETE_IN_PROGRESS]


def _startable(stack: Stack) -> list[StackResource]:
    """Doomed resources that nothing left in the stack requires."""
    remaining = [resource for resource in stack.resources.values() if resource.status not in REMOVED]
    required = {name for resource in remaining for name in resource.requires}
    return [resource for resource in remaining if resource.doomed and resource.logical_id not in required]


def _finish(turn: Turn, stack: Stack) -> None:
    rolling_back = stack.status == Status.ROLLBACK_IN_PROGRESS
    failed = [name for name, item in stack.resources.items() if item.status == Status.DELETE_FAILED]
    if failed:
        reason = f"The following resource(s) failed to delete: [{', '.join(failed)}]. "
        turn.mark_stack(stack, Status.ROLLBACK_FAILED if rolling_back else Status.DELETE_FAILED, reason)
        return
    turn.mark_stack(stack, Status.ROLLBACK_COMPLETE if rolling_back else Status.DELETE_COMPLETE)
    if not rolling_back:
        stack.deleted_at = turn.at


def _is_retained(stack: Stack, resource: StackResource) -> bool:
    policy = stack.template.resources[resource.logical_id].deletion_policy
    return policy == "Retain" or (policy == "RetainExceptOnCreate" and not stack.undoing)


def _start(turn: Turn, stack: Stack, resource: StackResource) -> None:
    resource.doomed = False
    if resource.physical_id is None:
        turn.mark(stack, resource, Status.DELETE_COMPLETE)
    elif _is_retained(stack, resource):
        turn.mark(stack, resource, Status.DELETE_SKIPPED)
    else:
        turn.mark(stack, resource, Status.DELETE_IN_PROGRESS)
        _delete(turn, stack, resource)


def _delete(turn: Turn, stack: Stack, resource: StackResource) -> None:
    if resource.type == STACK_TYPE:
        _delete_child(turn, stack, resource)
        return
    kind = RESOURCE_TYPES[resource.type]
    try:
        attempt(kind.delete, turn.call(stack, resource))
    except HandlerFailure as failure:
        if failure.code == "NotFound":
            turn.mark(stack, resource, Status.DELETE_COMPLETE)
        else:
            turn.mark(stack, resource, Status.DELETE_FAILED, failure.reason)
        return
    turn.wait(resource, kind.delete_seconds, polled=kind.gone is not None)


def _delete_child(turn: Turn, stack: Stack, resource: StackResource) -> None:
    child = turn.child(resource)
    child.undoing = stack.undoing
    if child.status != Status.DELETE_COMPLETE:
        turn.begin_deletion(child, Status.DELETE_IN_PROGRESS)


def _advance(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    if resource.type == STACK_TYPE:
        return _advance_child(turn, stack, resource)
    if not turn.is_due(resource):
        return False
    gone = RESOURCE_TYPES[resource.type].gone
    try:
        done = gone is None or bool(attempt(gone, turn.call(stack, resource)))
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.DELETE_FAILED, failure.reason)
        return True
    if done:
        turn.mark(stack, resource, Status.DELETE_COMPLETE)
    else:
        turn.wait(resource, 0, polled=True)
    return done


def _advance_child(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    child = turn.child(resource)
    if child.status == Status.DELETE_IN_PROGRESS:
        return False
    if child.status == Status.DELETE_COMPLETE:
        turn.mark(stack, resource, Status.DELETE_COMPLETE)
    else:
        reason = f"Embedded stack {child.stack_id} was not successfully deleted: {child.reason or ''}"
        turn.mark(stack, resource, Status.DELETE_FAILED, reason)
    return True
