"""Change sets of stacks that stand: what bringing them to their template, or back to it, would change."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from infra.local.simulators.service import JsonObject, ServiceError, refuse_unverified, unverified
from infra.local.simulators.stack_admission import check_capabilities, scope_with
from infra.local.simulators.stack_answers import present
from infra.local.simulators.stack_handlers import names
from infra.local.simulators.stack_intrinsics import malformed, references, resolve
from infra.local.simulators.stack_live import Difference, differences, shown
from infra.local.simulators.stack_parameters import parameter_values
from infra.local.simulators.stack_records import (
    STACK_TYPE,
    UPDATABLE,
    ChangeSet,
    PropertyChange,
    ResourceChange,
    Stack,
    StackResource,
)
from infra.local.simulators.stack_resources import LIVE_TYPES
from infra.local.simulators.stack_tags import sent_tags, superfluous, with_tags

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.stack_turn import Turn

REVERT_DRIFT = "REVERT_DRIFT"
NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."
# Each resource is read before its change can be listed.
_SECONDS = 20
_CREATE = names(
    "StackName ChangeSetName UsePreviousTemplate Parameters Capabilities RoleARN ClientToken Description "
    "ChangeSetType DeploymentMode Tags"
)


def create(turn: Turn, stack: Stack, params: JsonObject) -> JsonObject:
    """CreateChangeSet for a stack that stands, with the template that it has."""
    refuse_unverified(params, _CREATE)
    name, token = params["ChangeSetName"], params.get("ClientToken")
    if (standing := stack.change_sets.get(name)) is not None:
        if token is not None and standing.token == token:
            return {"Id": standing.change_set_id, "StackId": stack.stack_id}
        raise ServiceError("AlreadyExistsException", f"ChangeSet {name} already exists")
    _check(stack, params)
    parameters = parameters_after(stack, params.get("Parameters", []))
    mode = params.get("DeploymentMode")
    if mode is None and parameters != stack.parameters:
        raise unverified("a change set that changes parameters without DeploymentMode REVERT_DRIFT")
    tags = sent_tags(params, stack.tags)
    if mode is None and tags != stack.tags:
        raise unverified("a change set that changes tags without DeploymentMode REVERT_DRIFT")
    changes, drifted = _planned(turn, stack, parameters, tags) if mode else ([], False)
    made = ChangeSet(
        change_set_id=f"{_arn_of(stack, 'changeSet', name)}/{uuid4()}",
        name=name,
        created_at=turn.now,
        due=turn.now + timedelta(seconds=_SECONDS),
        parameters=parameters,
        mode=mode,
        drift_status="DRIFTED" if drifted else "IN_SYNC",
        changes=changes,
        role_arn=params.get("RoleARN"),
        token=token,
        description=params.get("Description"),
        tags=tags,
    )
    stack.change_sets[name] = made
    return {"Id": made.change_set_id, "StackId": stack.stack_id}


def _check(stack: Stack, params: JsonObject) -> None:
    if params.get("ChangeSetType", "UPDATE") != "UPDATE":
        raise unverified(f"ChangeSetType {params['ChangeSetType']}")
    if not params.get("UsePreviousTemplate"):
        raise unverified("a change set with another template")
    if any(resource.type == STACK_TYPE for resource in stack.resources.values()):
        raise unverified("a change set of a stack with nested stacks")
    if stack.status not in UPDATABLE:
        raise malformed(f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated.")
    check_capabilities(stack.template, tuple(params.get("Capabilities", ())))


def parameters_after(stack: Stack, sent: list[JsonObject]) -> dict[str, str]:
    """The parameters of an update: those sent, the former ones where that is asked for, defaults for the rest."""
    given: dict[str, str] = {}
    for each in sent:
        key = each["ParameterKey"]
        if each.get("UsePreviousValue"):
            if "ParameterValue" in each:
                raise malformed(
                    f"Invalid input for parameter key {key}. Cannot specify usePreviousValue as true and "
                    "non empty value for a parameter"
                )
            given[key] = stack.parameters.get(key, "")
        else:
            given[key] = each.get("ParameterValue", "")
    return parameter_values(stack.template.parameters, given)


def _planned(
    turn: Turn, stack: Stack, parameters: dict[str, str], tags: dict[str, str]
) -> tuple[list[ResourceChange], bool]:
    """Compare every resource as it stands with what the template wants; references to what is made anew follow."""
    changes: list[ResourceChange] = []
    renewed: set[str] = set()
    for logical_id, declared in stack.template.resources.items():
        resource = stack.resources[logical_id]
        desired = cast("JsonObject", resolve(declared.properties, scope_with(stack, turn.host, parameters)))
        change = _change(turn, stack, resource, desired, renewed, tags)
        if change is not None:
            changes.append(change)
            if change.action == "Add" or change.replacement in ("True", "Conditional"):
                renewed.add(logical_id)
    return changes, any(change.drift_status != "IN_SYNC" for change in changes)


def _change(
    turn: Turn,
    stack: Stack,
    resource: StackResource,
    desired: JsonObject,
    renewed: set[str],
    tags: dict[str, str],
) -> ResourceChange | None:
    live, tagged = LIVE_TYPES[resource.type], replace(turn.call(stack, resource), stack_tags=tags)
    actual = live.read(tagged)
    if actual is None:
        return ResourceChange(resource.logical_id, "Add", "DELETED")
    static = _static(differences(live, with_tags(desired, tagged), actual), live.recreates)
    if "Tags" in desired and superfluous(actual, stack.tags.keys() - tags.keys(), tagged):
        static |= {"Tags": PropertyChange("Tags", shown(actual["Tags"]), shown(tagged.tag_list), False, False)}
    declared = stack.template.resources[resource.logical_id].properties
    dynamic = [
        PropertyChange(
            name, shown(actual.get(name)), "{{changeSet:KNOWN_AFTER_APPLY}}", name in live.recreates, True, causing
        )
        for name, value in declared.items()
        if name not in live.unread and name not in static and (causing := _renewed_in(value, renewed))
    ]
    drifted = bool(differences(live, with_tags(resource.properties, turn.call(stack, resource)), actual))
    if not static and not dynamic:
        return None
    status = "MODIFIED" if drifted else "IN_SYNC"
    return ResourceChange(resource.logical_id, "Modify", status, (*static.values(), *dynamic))


def _static(found: list[Difference], recreates: frozenset[str]) -> dict[str, PropertyChange]:
    return {
        each.property_name: PropertyChange(
            each.property_name, shown(each.actual), shown(each.expected), each.property_name in recreates, False
        )
        for each in found
    }


def _renewed_in(value: object, renewed: set[str]) -> str | None:
    return next((each.target for each in references(value) if each.target in renewed), None)


def find(stacks: list[Stack], params: JsonObject) -> tuple[Stack, ChangeSet]:
    """The change set that a request names, by its ARN or by its name and its stack's."""
    name, of_stack = params["ChangeSetName"], params.get("StackName")
    if not name.startswith("arn:") and of_stack is None:
        raise malformed("StackName must be specified if ChangeSetName is not specified as an ARN.")
    for stack in stacks:
        for each in stack.change_sets.values():
            if name == each.change_set_id or (name == each.name and of_stack in (stack.name, stack.stack_id)):
                return stack, each
    raise ServiceError("ChangeSetNotFound", f"ChangeSet [{name}] does not exist", 404)


def answer(stack: Stack, found: ChangeSet, now: datetime) -> JsonObject:
    """DescribeChangeSet."""
    ready = found.ready(now)
    failed = ready and not found.changes
    return present(
        {
            "ChangeSetName": found.name,
            "ChangeSetId": found.change_set_id,
            "StackId": stack.stack_id,
            "StackName": stack.name,
            "Description": found.description,
            "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in found.parameters.items()],
            "CreationTime": found.created_at,
            "ExecutionStatus": "UNAVAILABLE" if not ready or failed else found.execution,
            "Status": "FAILED" if failed else "CREATE_COMPLETE" if ready else "CREATE_IN_PROGRESS",
            "StatusReason": NO_CHANGES if failed else None,
            "StackDriftStatus": found.drift_status if found.mode and ready else None,
            "Capabilities": stack.capabilities,
            "Tags": [{"Key": key, "Value": value} for key, value in found.tags.items()],
            "Changes": [_change_answer(stack, change, found) for change in found.changes] if ready else [],
            "DeploymentMode": found.mode,
        }
    )


def _change_answer(stack: Stack, change: ResourceChange, found: ChangeSet) -> JsonObject:
    resource = stack.resources[change.logical_id]
    replaced = change.replacement in ("True", "Conditional")
    details = [_detail(each) for each in change.properties]
    listed = {
        "PolicyAction": "ReplaceAndDelete" if replaced else None,
        "Action": change.action,
        "LogicalResourceId": change.logical_id,
        "PhysicalResourceId": resource.physical_id if change.action == "Modify" else None,
        "ResourceType": resource.type,
        "Replacement": change.replacement,
        "Scope": sorted({detail["Target"]["Attribute"] for detail in details}) if details else [],
        "Details": details,
        "ResourceDriftStatus": change.drift_status if found.mode else None,
    }
    return {"Type": "Resource", "ResourceChange": present(listed)}


def _detail(change: PropertyChange) -> JsonObject:
    tags = change.name == "Tags"
    target = {
        "Attribute": "Tags" if tags else "Properties",
        "Name": None if tags else change.name,
        "RequiresRecreation": "Always" if change.recreates else "Never",
        "Path": f"/Properties/{change.name}",
        "BeforeValue": change.before,
        "AfterValue": change.after,
        "BeforeValueFrom": "ACTUAL_STATE",
        "AfterValueFrom": "TEMPLATE",
        "AttributeChangeType": "Modify",
    }
    return present(
        {
            "Target": present(target),
            "Evaluation": "Dynamic" if change.dynamic else "Static",
            "ChangeSource": "ResourceReference" if change.dynamic else "NoModification",
            "CausingEntity": change.causing,
        }
    )


def _arn_of(stack: Stack, kind: str, name: str) -> str:
    return f"{stack.stack_id.partition(':stack/')[0]}:{kind}/{name}"
