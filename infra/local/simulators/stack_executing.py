"""Updates of stacks by a change set: what is gone is made anew, what has changed is mended, a failure takes all back.

What a drift-aware change set takes back is the state before it, not the template's (CloudFormation user guide, "Using
drift-aware change sets").
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, cast

from infra.local.simulators.service import JsonObject, ServiceError
from infra.local.simulators.stack_admission import scope_of
from infra.local.simulators.stack_creation import fault_of
from infra.local.simulators.stack_handlers import HandlerFailure, attempt
from infra.local.simulators.stack_intrinsics import malformed, resolve, text
from infra.local.simulators.stack_live import differences
from infra.local.simulators.stack_records import ChangeSet, Stack, StackResource, Status, Update
from infra.local.simulators.stack_resources import LIVE_TYPES, RESOURCE_TYPES
from infra.local.simulators.stack_tags import retag, with_tags

if TYPE_CHECKING:
    from infra.local.simulators.stack_turn import Turn

_MEND_SECONDS = 5
_RENEWED = "Requested update requires the creation of a new physical resource; hence creating one."


def begin(turn: Turn, stack: Stack, chosen: ChangeSet, token: str | None) -> None:
    """ExecuteChangeSet: every other change set of the stack is void from now on."""
    chosen.execution = "EXECUTE_IN_PROGRESS"
    stack.change_sets = {chosen.name: chosen}
    stack.change_set_id, stack.token, stack.updated_at = chosen.change_set_id, token, turn.at
    stack.role_arn = chosen.role_arn or stack.role_arn
    stack.update = Update(
        chosen, [each.logical_id for each in chosen.changes], parameters=stack.parameters, tags=stack.tags
    )
    stack.parameters, stack.tags = chosen.parameters, chosen.tags
    turn.mark_stack(stack, Status.UPDATE_IN_PROGRESS, "User Initiated")
    stack.wake = turn.at


def advance_execution(turn: Turn, stack: Stack) -> bool:
    """Do what is due for a stack that is updated or rolled back; say whether anything changed."""
    update = _update(stack)
    if stack.status == Status.UPDATE_ROLLBACK_IN_PROGRESS:
        _roll_back(turn, stack, update)
        return True
    changes = [_advance(turn, stack, stack.resources[name]) for name in _under_way(stack, update)]
    if failed := _failed(stack, update):
        _give_up(turn, stack, failed)
        return True
    startable = _startable(stack, update)
    for name in startable:
        update.waiting.remove(name)
        _start(turn, stack, update, name)
    if not update.waiting and not _under_way(stack, update) and not _failed(stack, update):
        _finish(turn, stack, update)
        return True
    return bool(startable) or any(changes)


def _update(stack: Stack) -> Update:
    if stack.update is None:
        raise malformed(f"Stack [{stack.name}] is not being updated")
    return stack.update


def _under_way(stack: Stack, update: Update) -> list[str]:
    at_work = (Status.CREATE_IN_PROGRESS, Status.UPDATE_IN_PROGRESS)
    return [name for name in update.former if stack.resources[name].status in at_work]


def _failed(stack: Stack, update: Update) -> list[str]:
    broken = (Status.CREATE_FAILED, Status.UPDATE_FAILED)
    return [name for name in update.former if stack.resources[name].status in broken]


def _startable(stack: Stack, update: Update) -> list[str]:
    """Those that wait for none that is still to be changed."""
    unfinished = {*update.waiting, *_under_way(stack, update)}
    return [name for name in update.waiting if not stack.resources[name].requires & unfinished]


def _start(turn: Turn, stack: Stack, update: Update, name: str) -> None:
    resource = stack.resources[name]
    update.former[name] = copy.deepcopy(resource)
    change = next(each for each in update.change_set.changes if each.logical_id == name)
    renews = change.action == "Add"
    try:
        declared = stack.template.resources[name].properties
        resource.properties = cast("JsonObject", resolve(declared, scope_of(stack, turn.host)))
        turn.mark(stack, resource, Status.CREATE_IN_PROGRESS if renews else Status.UPDATE_IN_PROGRESS)
        fault_of(turn, resource)
        if renews:
            _create(turn, stack, resource)
        else:
            _change(turn, stack, update, resource)
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.CREATE_FAILED if renews else Status.UPDATE_FAILED, failure.reason)
    except ServiceError as error:
        turn.mark(stack, resource, Status.CREATE_FAILED if renews else Status.UPDATE_FAILED, error.message)


def _create(turn: Turn, stack: Stack, resource: StackResource) -> None:
    kind = RESOURCE_TYPES[resource.type]
    attempt(kind.create, turn.call(stack, resource))
    turn.wait(resource, kind.seconds, polled=kind.ready is not None)


def _change(turn: Turn, stack: Stack, update: Update, resource: StackResource) -> None:
    live, call = LIVE_TYPES[resource.type], turn.call(stack, resource)
    actual = cast("JsonObject | None", attempt(live.read, call))
    if actual is None:
        raise HandlerFailure(
            f"Resource of type '{resource.type}' with identifier '{resource.physical_id}' was not found.", "NotFound"
        )
    wanted = with_tags(resource.properties, call)
    changed = frozenset(each.property_name for each in differences(live, wanted, actual))
    if changed & live.recreates:
        turn.mark(stack, resource, Status.UPDATE_IN_PROGRESS, _RENEWED)
        _create(turn, stack, resource)
        return
    update.actual[resource.logical_id] = actual
    attempt(lambda each: live.mend(each, changed), call)
    if "Tags" in wanted:
        retag(call, update.tags.keys() - stack.tags.keys())
    turn.wait(resource, _MEND_SECONDS, polled=RESOURCE_TYPES[resource.type].ready is not None)


def _advance(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    if not turn.is_due(resource):
        return False
    kind, made = RESOURCE_TYPES[resource.type], resource.status == Status.CREATE_IN_PROGRESS
    try:
        done = kind.ready is None or bool(attempt(kind.ready, turn.call(stack, resource)))
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.CREATE_FAILED if made else Status.UPDATE_FAILED, failure.reason)
        return True
    if done:
        turn.mark(stack, resource, Status.CREATE_COMPLETE if made else Status.UPDATE_COMPLETE)
    else:
        turn.wait(resource, 0, polled=True)
    return done


def _finish(turn: Turn, stack: Stack, update: Update) -> None:
    outputs = {
        name: resolve(output["Value"], scope_of(stack, turn.host)) for name, output in stack.template.outputs.items()
    }
    stack.outputs = {name: text(value) for name, value in outputs.items()}
    turn.mark_stack(stack, Status.UPDATE_COMPLETE_CLEANUP_IN_PROGRESS)
    for name, former in update.former.items():
        if former.physical_id not in (None, stack.resources[name].physical_id):
            _remove(turn, stack, former)
    update.change_set.execution, stack.update = "EXECUTE_COMPLETE", None
    turn.mark_stack(stack, Status.UPDATE_COMPLETE)


def _remove(turn: Turn, stack: Stack, former: StackResource) -> None:
    """Delete what a new resource has taken the place of; what is gone already is gone."""
    turn.mark(stack, former, Status.DELETE_IN_PROGRESS)
    try:
        if LIVE_TYPES[former.type].read(turn.call(stack, former)) is not None:
            attempt(RESOURCE_TYPES[former.type].delete, turn.call(stack, former))
    except HandlerFailure as failure:
        turn.mark(stack, former, Status.DELETE_FAILED, failure.reason)
    else:
        turn.mark(stack, former, Status.DELETE_COMPLETE)


def _give_up(turn: Turn, stack: Stack, failed: list[str]) -> None:
    for name in _under_way(stack, _update(stack)):
        turn.mark(stack, stack.resources[name], Status.UPDATE_FAILED, "Resource update cancelled")
    reason = f"The following resource(s) failed to update: [{', '.join(failed)}]. "
    turn.mark_stack(stack, Status.UPDATE_ROLLBACK_IN_PROGRESS, reason)
    stack.wake = turn.at


def _roll_back(turn: Turn, stack: Stack, update: Update) -> None:
    """Take every change back in the reverse order of its making."""
    stack.parameters, stack.tags = update.parameters, update.tags
    broken = [name for name in reversed(update.former) if not _taken_back(turn, stack, update, name)]
    update.change_set.execution, stack.update = "EXECUTE_FAILED", None
    if broken:
        turn.mark_stack(
            stack, Status.UPDATE_ROLLBACK_FAILED, f"The following resource(s) failed to update: [{', '.join(broken)}]. "
        )
        return
    turn.mark_stack(stack, Status.UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS)
    turn.mark_stack(stack, Status.UPDATE_ROLLBACK_COMPLETE)


def _taken_back(turn: Turn, stack: Stack, update: Update, name: str) -> bool:
    resource, former = stack.resources[name], update.former[name]
    try:
        if resource.physical_id != former.physical_id and resource.physical_id is not None:
            attempt(RESOURCE_TYPES[resource.type].delete, turn.call(stack, resource))
        elif name in update.actual:
            _restore(turn, stack, resource, update.actual[name])
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.UPDATE_FAILED, failure.reason)
        return False
    stack.resources[name] = former
    turn.mark(stack, former, Status.UPDATE_COMPLETE)
    return True


def _restore(turn: Turn, stack: Stack, resource: StackResource, actual: JsonObject) -> None:
    live = LIVE_TYPES[resource.type]
    resource.properties = resource.properties | {name: actual[name] for name in resource.properties if name in actual}
    now = live.read(turn.call(stack, resource)) or {}
    changed = frozenset(each.property_name for each in differences(live, resource.properties, now))
    attempt(lambda each: live.mend(each, changed), turn.call(stack, resource))
