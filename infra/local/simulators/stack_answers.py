"""Records of stacks as the answers of CloudFormation's API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.stack_intrinsics import malformed, text
from infra.local.simulators.stack_records import Stack, StackEvent, StackResource, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.local.simulators.service import JsonObject

EVENTS_PER_PAGE = 100


def present(answer: JsonObject) -> JsonObject:
    """An answer without the members that have no value."""
    return {name: value for name, value in answer.items() if value is not None}


def stack_answer(stack: Stack) -> JsonObject:
    """A member of DescribeStacks."""
    return present(
        {
            "StackId": stack.stack_id,
            "StackName": stack.name,
            "Description": stack.template.description,
            "Parameters": _parameters(stack),
            "CreationTime": stack.created_at,
            "LastUpdatedTime": stack.updated_at,
            "DeletionTime": stack.deleted_at,
            "StackStatus": stack.status.value,
            "StackStatusReason": stack.reason,
            "DisableRollback": stack.on_failure == "DO_NOTHING",
            "NotificationARNs": [],
            "Capabilities": stack.capabilities,
            "Outputs": _outputs(stack) or None,
            "RoleARN": stack.role_arn,
            "Tags": [{"Key": key, "Value": value} for key, value in stack.tags.items()],
            "EnableTerminationProtection": stack.termination_protection,
            "ParentId": stack.parent_id,
            "RootId": stack.root_id,
            "ChangeSetId": stack.change_set_id,
            "DriftInformation": _drift(stack),
        }
    )


def summary_answer(stack: Stack) -> JsonObject:
    """A member of ListStacks."""
    return present(
        {
            "StackId": stack.stack_id,
            "StackName": stack.name,
            "TemplateDescription": stack.template.description,
            "CreationTime": stack.created_at,
            "LastUpdatedTime": stack.updated_at,
            "DeletionTime": stack.deleted_at,
            "StackStatus": stack.status.value,
            "StackStatusReason": stack.reason,
            "ParentId": stack.parent_id,
            "RootId": stack.root_id,
            "DriftInformation": _drift(stack),
        }
    )


def begun_resources(stack: Stack) -> list[StackResource]:
    """The resources that AWS lists: those that were begun."""
    return [resource for resource in stack.resources.values() if resource.status != Status.WAITING]


def resource_answer(stack: Stack, resource: StackResource) -> JsonObject:
    """A member of DescribeStackResources."""
    return {
        "StackName": stack.name,
        "StackId": stack.stack_id,
        "Timestamp": resource.updated_at,
        **_resource(stack, resource),
    }


def resource_summary_answer(stack: Stack, resource: StackResource) -> JsonObject:
    """A member of ListStackResources."""
    return {"LastUpdatedTimestamp": resource.updated_at, **_resource(stack, resource)}


def events_page(events: Sequence[StackEvent], token: str | None) -> tuple[list[StackEvent], str | None]:
    """Events, latest first; the token counts from the oldest, so that new events shift no page."""
    end = len(events)
    if token is not None:
        word, _, number = token.partition("-")
        if word != "before" or not number.isdecimal() or int(number) > end:
            raise malformed("The NextToken is not valid.")
        end = int(number)
    start = max(0, end - EVENTS_PER_PAGE)
    return list(reversed(events[start:end])), f"before-{start}" if start else None


def event_answer(stack: Stack, event: StackEvent) -> JsonObject:
    """A member of DescribeStackEvents."""
    return present(
        {
            "StackId": stack.stack_id,
            "StackName": stack.name,
            "EventId": event.event_id,
            "LogicalResourceId": event.logical_id,
            "PhysicalResourceId": event.physical_id,
            "ResourceType": event.type,
            "Timestamp": event.at,
            "ResourceStatus": event.status.value,
            "ResourceStatusReason": event.reason,
            "ResourceProperties": event.properties,
            "ClientRequestToken": event.token,
        }
    )


def _resource(stack: Stack, resource: StackResource) -> JsonObject:
    return present(
        {
            "LogicalResourceId": resource.logical_id,
            "PhysicalResourceId": resource.physical_id,
            "ResourceType": resource.type,
            "ResourceStatus": resource.status.value,
            "ResourceStatusReason": resource.reason,
            "DriftInformation": _resource_drift(stack, resource),
        }
    )


def _drift(stack: Stack) -> JsonObject:
    """The status is that of the last detection that has ended, the time that of the last that was begun."""
    status = "NOT_CHECKED" if stack.drift is None else "DRIFTED" if stack.drift.drifted else "IN_SYNC"
    return present({"StackDriftStatus": status, "LastCheckTimestamp": stack.checked_at})


def _resource_drift(stack: Stack, resource: StackResource) -> JsonObject:
    found = stack.drift.found.get(resource.logical_id) if stack.drift else None
    if found is None:
        return {"StackResourceDriftStatus": "NOT_CHECKED"}
    return {"StackResourceDriftStatus": found.status, "LastCheckTimestamp": found.at}


def _parameters(stack: Stack) -> list[JsonObject]:
    declared = stack.template.parameters
    hidden = {name for name, item in declared.items() if text(item.get("NoEcho", False)) == "true"}
    return [
        {"ParameterKey": name, "ParameterValue": "****" if name in hidden else value}
        for name, value in stack.parameters.items()
    ]


def _outputs(stack: Stack) -> list[JsonObject]:
    declared = stack.template.outputs
    return [
        present({"OutputKey": name, "OutputValue": value, "Description": declared[name].get("Description")})
        for name, value in stack.outputs.items()
    ]
