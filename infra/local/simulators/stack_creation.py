"""Creation of stacks: resources start when what they require is complete, and fail together."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.local.simulators.paging import identifier
from infra.local.simulators.service import JsonObject, ServiceError
from infra.local.simulators.stack_admission import Order, admit, scope_of
from infra.local.simulators.stack_handlers import HandlerFailure, ResourceType, attempt
from infra.local.simulators.stack_intrinsics import resolve, text
from infra.local.simulators.stack_records import STACK_TYPE, Stack, StackResource, Status
from infra.local.simulators.stack_resources import RESOURCE_TYPES

if TYPE_CHECKING:
    from infra.local.simulators.stack_turn import Turn

INITIATED = "Resource creation Initiated"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def advance_creation(turn: Turn, stack: Stack) -> bool:
    """Do what is due for a stack being created; say whether anything changed."""
    under_way = [item for item in stack.resources.values() if item.status == Status.CREATE_IN_PROGRESS]
    changes = [_advance(turn, stack, resource) for resource in under_way]
    startable = [] if _failed(stack) else _startable(stack)
    for resource in startable:
        _start(turn, stack, resource)
    if _failed(stack):
        _give_up(turn, stack)
        return True
    if all(resource.status == Status.CREATE_COMPLETE for resource in stack.resources.values()):
        _finish(turn, stack)
        return True
    return bool(startable) or any(changes)


def _give_up(turn: Turn, stack: Stack, cause: str | None = None) -> None:
    """End a failed creation the way its caller chose."""
    turn.cancel_creation(stack)
    reason = cause or f"The following resource(s) failed to create: [{', '.join(_failed(stack))}]. "
    if stack.on_failure == "DO_NOTHING":
        turn.mark_stack(stack, Status.CREATE_FAILED, reason)
        return
    stack.undoing = True
    if stack.on_failure == "DELETE":
        turn.begin_deletion(stack, Status.DELETE_IN_PROGRESS, f"{reason}Delete requested by user.")
    else:
        turn.begin_deletion(stack, Status.ROLLBACK_IN_PROGRESS, f"{reason}Rollback requested by user.")


def _failed(stack: Stack) -> list[str]:
    return [name for name, resource in stack.resources.items() if resource.status == Status.CREATE_FAILED]


def _startable(stack: Stack) -> list[StackResource]:
    complete = {name for name, resource in stack.resources.items() if resource.status == Status.CREATE_COMPLETE}
    waiting = (resource for resource in stack.resources.values() if resource.status == Status.WAITING)
    return [resource for resource in waiting if resource.requires <= complete]


def _finish(turn: Turn, stack: Stack) -> None:
    scope = scope_of(stack, turn.host)
    try:
        outputs = {name: text(resolve(output["Value"], scope)) for name, output in stack.template.outputs.items()}
    except ServiceError as error:
        _give_up(turn, stack, f"{error.message} ")
        return
    stack.outputs = outputs
    turn.mark_stack(stack, Status.CREATE_COMPLETE)


def _start(turn: Turn, stack: Stack, resource: StackResource) -> None:
    declared = stack.template.resources[resource.logical_id]
    try:
        resource.properties = cast("JsonObject", resolve(declared.properties, scope_of(stack, turn.host)))
        turn.mark(stack, resource, Status.CREATE_IN_PROGRESS)
        fault_of(turn, resource)
        if resource.type == STACK_TYPE:
            _create_child(turn, stack, resource)
        else:
            _create(turn, stack, resource, RESOURCE_TYPES[resource.type])
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.CREATE_FAILED, failure.reason)
    except ServiceError as error:
        turn.mark(stack, resource, Status.CREATE_FAILED, error.message)
    else:
        turn.mark(stack, resource, Status.CREATE_IN_PROGRESS, INITIATED)


def fault_of(turn: Turn, resource: StackResource) -> None:
    """Raise the failure that was planned for a resource."""
    for target in (resource.logical_id, resource.type):
        fault = turn.records.faults.pop(target, None)
        if fault is not None:
            raise HandlerFailure(fault.message, fault.handler_code)


def _create(turn: Turn, stack: Stack, resource: StackResource, kind: ResourceType) -> None:
    missing = sorted(kind.required - resource.properties.keys())
    if missing:
        raise ServiceError(
            "ValidationError",
            f"Properties validation failed for resource {resource.logical_id} with message:\n"
            f"[#: required key [{missing[0]}] not found]",
        )
    attempt(kind.create, turn.call(stack, resource))
    turn.wait(resource, kind.seconds, polled=kind.ready is not None)


def _create_child(turn: Turn, stack: Stack, resource: StackResource) -> None:
    properties = resource.properties
    suffix = identifier(f"{stack.stack_id}:{resource.logical_id}", 12, _UPPER)
    order = Order(
        name=f"{stack.name}-{resource.logical_id}-{suffix}",
        template_url=text(properties.get("TemplateURL", "")),
        parameters={name: text(value) for name, value in properties.get("Parameters", {}).items()},
        tags=turn.call(stack, resource).tag_map,
        capabilities=tuple(stack.capabilities),
        on_failure="DO_NOTHING",
        role_arn=stack.role_arn,
    )
    child = admit(order, turn.host, turn.at, parent=stack)
    resource.physical_id = child.stack_id
    turn.open(child)


def _advance(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    if resource.type == STACK_TYPE:
        return _advance_child(turn, stack, resource)
    if not turn.is_due(resource):
        return False
    kind = RESOURCE_TYPES[resource.type]
    try:
        done = kind.ready is None or bool(attempt(kind.ready, turn.call(stack, resource)))
    except HandlerFailure as failure:
        turn.mark(stack, resource, Status.CREATE_FAILED, failure.reason)
        return True
    if done:
        turn.mark(stack, resource, Status.CREATE_COMPLETE)
    else:
        turn.wait(resource, 0, polled=True)
    return done


def _advance_child(turn: Turn, stack: Stack, resource: StackResource) -> bool:
    child = turn.child(resource)
    if child.status == Status.CREATE_IN_PROGRESS:
        return False
    if child.status == Status.CREATE_COMPLETE:
        resource.attributes = {f"Outputs.{name}": value for name, value in child.outputs.items()}
        turn.mark(stack, resource, Status.CREATE_COMPLETE)
    else:
        reason = f"Embedded stack {child.stack_id} was not successfully created: {child.reason or ''}"
        turn.mark(stack, resource, Status.CREATE_FAILED, reason)
    return True
