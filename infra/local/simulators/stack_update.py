"""Updates of stacks: the same template with other parameters; what changes does so in place, or is taken back.

Sources: CloudFormation API reference, UpdateStack; user guide, "Understand stack update behaviors" and "Continue
rolling back an update". A change that AWS would make by replacing a resource is refused as unverified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.local.simulators.service import JsonObject, ServiceError, refuse_unverified, unverified
from infra.local.simulators.stack_admission import check_capabilities, scope_of
from infra.local.simulators.stack_creation import fault_of
from infra.local.simulators.stack_handlers import HandlerFailure, attempt, names
from infra.local.simulators.stack_intrinsics import malformed, resolve, text
from infra.local.simulators.stack_parameters import parameter_values
from infra.local.simulators.stack_records import UPDATABLE, Stack, StackResource, Status
from infra.local.simulators.stack_tags import retag, sent_tags
from infra.local.simulators.stack_update_handlers import UPDATES

if TYPE_CHECKING:
    from infra.local.simulators.stack_host import StackHost
    from infra.local.simulators.stack_turn import Turn

MEMBERS = names("StackName UsePreviousTemplate Parameters Capabilities RoleARN ClientRequestToken Tags")
_DONE = frozenset({Status.UPDATE_COMPLETE, Status.UPDATE_FAILED})


def begin_update(turn: Turn, stack: Stack, params: JsonObject) -> None:
    """UpdateStack; faults in AWS's wording, before anything is changed."""
    refuse_unverified(params, MEMBERS)
    if stack.token is not None and params.get("ClientRequestToken") == stack.token:
        return
    if stack.status not in UPDATABLE:
        raise malformed(f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated.")
    if not params.get("UsePreviousTemplate"):
        raise unverified("an update with another template")
    parameters = parameter_values(stack.template.parameters, _given(stack, params.get("Parameters", [])))
    check_capabilities(stack.template, tuple(params.get("Capabilities", ())))
    changed = _changed(stack, parameters, turn.host)
    tags = sent_tags(params, stack.tags)
    if not changed and tags == stack.tags:
        raise malformed("No updates are to be performed.")
    stack.former_parameters, stack.parameters = stack.parameters, parameters
    stack.former_tags, stack.tags = stack.tags, tags
    stack.token, stack.role_arn = params.get("ClientRequestToken"), params.get("RoleARN", stack.role_arn)
    stack.updated_at = turn.at
    turn.mark_stack(stack, Status.UPDATE_IN_PROGRESS, "User Initiated")
    stack.wake = turn.at
    for resource in stack.resources.values():
        resource.changing, resource.former = resource.logical_id in changed, None


def advance_parameters(turn: Turn, stack: Stack) -> bool:
    """Do what is due for a stack that is updated or rolls an update back; say whether anything changed."""
    under_way = [item for item in stack.resources.values() if item.status == Status.UPDATE_IN_PROGRESS]
    changes = [_advance(turn, stack, resource) for resource in under_way]
    failed = _failed(stack)
    if stack.status == Status.UPDATE_IN_PROGRESS and failed:
        _roll_back(turn, stack, failed)
        return True
    startable = _startable(stack)
    for resource in startable:
        _start(turn, stack, resource)
    if startable or any(changes):
        return True
    if any(item.status == Status.UPDATE_IN_PROGRESS for item in stack.resources.values()):
        return False
    _finish(turn, stack)
    return True


def _given(stack: Stack, sent: list[JsonObject]) -> dict[str, str]:
    given: dict[str, str] = {}
    for each in sent:
        refuse_unverified(each, ("ParameterKey", "ParameterValue", "UsePreviousValue"))
        key = each["ParameterKey"]
        if each.get("UsePreviousValue"):
            if "ParameterValue" in each or key not in stack.parameters:
                raise malformed(f"Invalid input for parameter key {key}.")
            given[key] = stack.parameters[key]
        else:
            given[key] = each["ParameterValue"]
    return given


def _changed(stack: Stack, parameters: dict[str, str], host: StackHost) -> set[str]:
    """Name the resources whose properties other parameters change."""
    standing, stack.parameters = stack.parameters, parameters
    try:
        scope = scope_of(stack, host)
        found = {name: resolve(item.properties, scope) for name, item in stack.template.resources.items()}
    finally:
        stack.parameters = standing
    changed = {name for name, properties in found.items() if properties != stack.resources[name].properties}
    for name in sorted(changed):
        _check_in_place(stack.resources[name], cast("JsonObject", found[name]))
    return changed


def _check_in_place(resource: StackResource, wanted: JsonObject) -> None:
    known = UPDATES[resource.type].properties if resource.type in UPDATES else frozenset()
    every = wanted.keys() | resource.properties.keys()
    differing = {name for name in every if wanted.get(name) != resource.properties.get(name)}
    if differing - known:
        raise unverified(f"an update of {', '.join(sorted(differing - known))} of {resource.type}")


def _failed(stack: Stack) -> list[str]:
    return [name for name, resource in stack.resources.items() if resource.status == Status.UPDATE_FAILED]


def _startable(stack: Stack) -> list[StackResource]:
    """Resources to change that nothing they require is still to change."""
    busy = {name for name, item in stack.resources.items() if item.changing or item.status == Status.UPDATE_IN_PROGRESS}
    return [item for item in stack.resources.values() if item.changing and not item.requires & busy]


def _start(turn: Turn, stack: Stack, resource: StackResource) -> None:
    resource.changing = False
    declared = stack.template.resources[resource.logical_id]
    backwards = stack.status == Status.UPDATE_ROLLBACK_IN_PROGRESS
    try:
        wanted = cast("JsonObject", resolve(declared.properties, scope_of(stack, turn.host)))
        resource.former, resource.properties = resource.properties, wanted
        turn.mark(stack, resource, Status.UPDATE_IN_PROGRESS)
        if not backwards:
            fault_of(turn, resource)
        attempt(UPDATES[resource.type].change, turn.call(stack, resource))
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.UPDATE_FAILED, failure.reason)
    except ServiceError as error:
        turn.mark(stack, resource, Status.UPDATE_FAILED, error.message)
    else:
        turn.wait(resource, 0, polled=True)


def _advance(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    if not turn.is_due(resource):
        return False
    try:
        done = bool(attempt(UPDATES[resource.type].done, turn.call(stack, resource)))
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.UPDATE_FAILED, failure.reason)
        return True
    if done:
        turn.mark(stack, resource, Status.UPDATE_COMPLETE)
    else:
        turn.wait(resource, 0, polled=True)
    return done


def _roll_back(turn: Turn, stack: Stack, failed: list[str]) -> None:
    """Change back whatever was changed, failed or not; what never began stays as it is."""
    for resource in stack.resources.values():
        if resource.status == Status.UPDATE_IN_PROGRESS:
            turn.mark(stack, resource, Status.UPDATE_FAILED, "Resource update cancelled")
        resource.changing = resource.former is not None and resource.status in _DONE
    reason = f"The following resource(s) failed to update: [{', '.join(failed)}]. "
    stack.parameters, stack.former_parameters = stack.former_parameters, {}
    stack.tags = stack.former_tags
    turn.mark_stack(stack, Status.UPDATE_ROLLBACK_IN_PROGRESS, reason)
    stack.wake = turn.at


def _finish(turn: Turn, stack: Stack) -> None:
    backwards = stack.status == Status.UPDATE_ROLLBACK_IN_PROGRESS
    if backwards and (failed := _failed(stack)):
        reason = f"The following resource(s) failed to update: [{', '.join(failed)}]. "
        turn.mark_stack(stack, Status.UPDATE_ROLLBACK_FAILED, reason)
        return
    if stack.tags != stack.former_tags:
        for resource in stack.resources.values():
            if "Tags" in resource.properties:
                retag(turn.call(stack, resource), stack.former_tags.keys() - stack.tags.keys())
    scope = scope_of(stack, turn.host)
    stack.outputs = {name: text(resolve(output["Value"], scope)) for name, output in stack.template.outputs.items()}
    ending = Status.UPDATE_ROLLBACK_COMPLETE if backwards else Status.UPDATE_COMPLETE
    turn.mark_stack(stack, Status(f"{ending}_CLEANUP_IN_PROGRESS"))
    turn.mark_stack(stack, ending)
    for resource in stack.resources.values():
        resource.former = None
