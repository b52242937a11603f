"""CloudFormation's drift detection and the change sets that revert drift."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.clusters.drift.rules.stack import Difference, ResourceDrift, StackChange
from functions.core import runtime
from functions.core.documents import items_of
from functions.core.failures import code_of

if TYPE_CHECKING:
    from datetime import datetime

    from types_boto3_cloudformation.type_defs import (
        ParameterTypeDef,
        PropertyDifferenceTypeDef,
        ResourceChangeTypeDef,
        StackResourceDriftTypeDef,
    )

    from functions.clusters.drift.rules.stack import StackForm
    from functions.core.ledger.models import JsonObject


@dataclass(frozen=True)
class DetectionState:
    """How a detection stands: in progress, complete or failed."""

    status: str
    reason: str


@dataclass(frozen=True)
class ChangeSet:
    """A change set as it stands."""

    change_set_id: str
    status: str
    execution: str
    reason: str
    changes: tuple[StackChange, ...]


def begin(stack: str) -> str | None:
    """Begin a detection and give its id; None while another one runs. Raises the client's own errors."""
    try:
        return runtime.client("cloudformation").detect_stack_drift(StackName=stack)["StackDriftDetectionId"]
    except ClientError as error:
        if "already in progress" in error.response["Error"].get("Message", ""):
            return None
        raise


def state(detection_id: str) -> DetectionState:
    """Say how a detection stands. Raises the client's own errors."""
    client = runtime.client("cloudformation")
    found = client.describe_stack_drift_detection_status(StackDriftDetectionId=detection_id)
    return DetectionState(found["DetectionStatus"], found.get("DetectionStatusReason", ""))


def last_begun(stack: str) -> datetime | None:
    """Say when the newest detection of a stack began, whoever began it. Raises the client's own errors."""
    found = runtime.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return found.get("DriftInformation", {}).get("LastCheckTimestamp")


def looked_since(stack: str, moment: datetime) -> bool:
    """Say whether every resource that was ever checked was checked since a moment. Raises the client's own errors."""
    every = _drifts(stack)
    return bool(every) and all(each["Timestamp"] >= moment for each in every)


def resource_drifts(stack: str) -> list[ResourceDrift]:
    """List what the last detection found of every resource. Raises the client's own errors."""
    return [_resource(each) for each in _drifts(stack)]


def _drifts(stack: str) -> list[StackResourceDriftTypeDef]:
    # botocore has no paginator for it.
    client, token = runtime.client("cloudformation"), ""
    found: list[StackResourceDriftTypeDef] = []
    while True:
        more: dict[str, str] = {"NextToken": token} if token else {}
        answer = client.describe_stack_resource_drifts(StackName=stack, MaxResults=100, **more)  # type: ignore[arg-type]
        found += answer["StackResourceDrifts"]
        token = answer.get("NextToken", "")
        if not token:
            return found


def _resource(found: StackResourceDriftTypeDef) -> ResourceDrift:
    return ResourceDrift(
        logical_id=found["LogicalResourceId"],
        physical_id=found.get("PhysicalResourceId", ""),
        type=found["ResourceType"],
        status=found["StackResourceDriftStatus"],
        differences=tuple(
            _difference(each, found.get("ExpectedProperties", "{}")) for each in found.get("PropertyDifferences", [])
        ),
        reason=found.get("DriftStatusReason", ""),
    )


def _difference(found: PropertyDifferenceTypeDef, expected: str) -> Difference:
    """Read a difference; one of a tag says which one it is, by its place among the expected ones or in full."""
    plain = Difference(found["PropertyPath"], found["ExpectedValue"], found["ActualValue"], found["DifferenceType"])
    match plain.path.split("/"):
        case ["", "Tags", place, "Value"] if place.isdecimal():
            tags = items_of(_document(expected), "Tags")
            named = tags[int(place)] if int(place) < len(tags) else {}
            return replace(plain, tag=str(named.get("Key") or ""), tag_value=plain.actual)
        case ["", "Tags", _]:
            lost, there = _document(plain.expected), _document(plain.actual)
            value = there.get("Value")
            key = str(there.get("Key") or lost.get("Key") or "")
            return replace(plain, tag=key, tag_value=None if value is None else str(value))
    return plain


def _document(text: str) -> JsonObject:
    """Read a JSON object; what is none has no members."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def create_revert(stack: str, name: str, role_arn: str, wanted: StackForm, token: str) -> None:
    """Create a change set that brings a stack back to its template; one of that name is left to the next look."""
    client = runtime.client("cloudformation")
    try:
        client.create_change_set(
            StackName=stack,
            ChangeSetName=name,
            UsePreviousTemplate=True,
            Parameters=[_parameter(key, value) for key, value in wanted.parameters.items()],
            Tags=[{"Key": key, "Value": value} for key, value in wanted.tags.items()],
            Capabilities=["CAPABILITY_NAMED_IAM"],
            RoleARN=role_arn,
            ClientToken=token,
            DeploymentMode="REVERT_DRIFT",
        )
    except client.exceptions.AlreadyExistsException:
        return


def _parameter(key: str, value: str | None) -> ParameterTypeDef:
    if value is None:
        return {"ParameterKey": key, "UsePreviousValue": True}
    return {"ParameterKey": key, "ParameterValue": value}


def describe_revert(stack: str, name: str) -> ChangeSet | None:
    """Describe a change set with all its changes; None when there is none of that name."""
    client = runtime.client("cloudformation")
    try:
        pages = list(client.get_paginator("describe_change_set").paginate(StackName=stack, ChangeSetName=name))
    except client.exceptions.ChangeSetNotFoundException:
        return None
    first = pages[0]
    return ChangeSet(
        change_set_id=first["ChangeSetId"],
        status=first["Status"],
        execution=first.get("ExecutionStatus", ""),
        reason=first.get("StatusReason", ""),
        changes=tuple(
            _change(each["ResourceChange"]) for page in pages for each in page["Changes"] if "ResourceChange" in each
        ),
    )


def _change(found: ResourceChangeTypeDef) -> StackChange:
    targets = [detail.get("Target", {}) for detail in found.get("Details", [])]
    return StackChange(
        logical_id=found.get("LogicalResourceId", ""),
        type=found.get("ResourceType", ""),
        action=found.get("Action", ""),
        replacement=found.get("Replacement", ""),
        drift_status=found.get("ResourceDriftStatus", ""),
        properties=frozenset(target.get("Name", "") or target.get("Attribute", "") for target in targets),
    )


def execute(stack: str, name: str, token: str) -> None:
    """Execute a change set; one that is executed already is left to the next look."""
    client = runtime.client("cloudformation")
    try:
        client.execute_change_set(StackName=stack, ChangeSetName=name, ClientRequestToken=token)
    except client.exceptions.InvalidChangeSetStatusException:
        return


def discard(stack: str, name: str) -> None:
    """Delete a change set that is not to be executed; one that is gone is as good."""
    try:
        runtime.client("cloudformation").delete_change_set(StackName=stack, ChangeSetName=name)
    except ClientError as error:
        if code_of(error) != "ChangeSetNotFound":
            raise
