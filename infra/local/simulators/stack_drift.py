"""Drift detection: what a stack's template wants of its resources, compared with how they stand."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from infra.local.simulators.paging import page
from infra.local.simulators.service import JsonObject, refuse_unverified
from infra.local.simulators.stack_answers import present
from infra.local.simulators.stack_handlers import names
from infra.local.simulators.stack_intrinsics import malformed
from infra.local.simulators.stack_live import differences, shown
from infra.local.simulators.stack_records import (
    REMOVED,
    STACK_TYPE,
    UPDATABLE,
    Detection,
    ResourceDrift,
    Stack,
    StackResource,
    Status,
)
from infra.local.simulators.stack_resources import LIVE_TYPES
from infra.local.simulators.stack_tags import with_tags

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.stack_records import StackRecords
    from infra.local.simulators.stack_turn import Turn

# A detection takes seconds for each resource and minutes for a whole stack.
_SECONDS_A_RESOURCE = 1.5
_DETECTABLE = UPDATABLE | {Status.UPDATE_ROLLBACK_FAILED}


def detect(turn: Turn, stack: Stack, params: JsonObject) -> JsonObject:
    """DetectStackDrift: one at a time, of a stack at rest."""
    refuse_unverified(params, names("StackName"))
    if stack.status not in _DETECTABLE:
        raise malformed(
            f"Drift detection cannot be performed on stack [{stack.stack_id}] while it is in {stack.status} state."
        )
    running = next((each for each in turn.records.detections.values() if _runs(each, stack, turn.now)), None)
    if running:
        raise malformed(f"Drift detection is already in progress for stack [{stack.stack_id}].")
    standing = [item for item in stack.resources.values() if item.type != STACK_TYPE and item.status not in REMOVED]
    found = {item.logical_id: _looked_at(turn, stack, item) for item in standing}
    seconds = _SECONDS_A_RESOURCE * len(found)
    detection = Detection(str(uuid4()), stack.stack_id, turn.now, turn.now + timedelta(seconds=seconds), found)
    turn.records.detections[detection.detection_id] = detection
    stack.checked_at = turn.now
    return {"StackDriftDetectionId": detection.detection_id}


def _runs(detection: Detection, stack: Stack, now: datetime) -> bool:
    return detection.stack_id == stack.stack_id and detection.due > now


def _looked_at(turn: Turn, stack: Stack, resource: StackResource) -> ResourceDrift:
    live = LIVE_TYPES[resource.type]
    call = turn.call(stack, resource)
    actual = live.read(call)
    if actual is None:
        return ResourceDrift("DELETED", turn.now)
    wanted = with_tags(resource.properties, call)
    expected = {name: value for name, value in wanted.items() if name not in live.unread}
    found = differences(live, expected, actual)
    return ResourceDrift(
        "MODIFIED" if found else "IN_SYNC",
        turn.now,
        json.dumps(expected, sort_keys=True),
        json.dumps({name: actual.get(name) for name in expected}, sort_keys=True),
        tuple((each.path, shown(each.expected), shown(each.actual), each.kind) for each in found),
    )


def settle_detections(records: StackRecords, now: datetime) -> None:
    """Let stacks know what detections that have ended found."""
    for detection in records.detections.values():
        stack = records.stacks[detection.stack_id]
        latest = stack.drift.begun_at if stack.drift else None
        if detection.due <= now and (latest is None or latest < detection.begun_at):
            stack.drift = detection


def status_answer(records: StackRecords, detection_id: str, now: datetime) -> JsonObject:
    """DescribeStackDriftDetectionStatus."""
    detection = records.detections.get(detection_id)
    if detection is None:
        raise malformed(f"Drift detection with id {detection_id} does not exist")
    done = detection.due <= now
    return present(
        {
            "StackId": detection.stack_id,
            "StackDriftDetectionId": detection_id,
            "DetectionStatus": "DETECTION_COMPLETE" if done else "DETECTION_IN_PROGRESS",
            "StackDriftStatus": ("DRIFTED" if detection.drifted else "IN_SYNC") if done else None,
            "DriftedStackResourceCount": detection.drifted if done else None,
            "Timestamp": detection.begun_at,
        }
    )


def drifts_answer(_: Turn, stack: Stack, params: JsonObject) -> JsonObject:
    """DescribeStackResourceDrifts: what the last detection that has ended found."""
    wanted = params.get("StackResourceDriftStatusFilters")
    found = stack.drift.found if stack.drift else {}
    listed = [name for name, drift in found.items() if not wanted or drift.status in wanted]
    chosen, token = page(
        listed, token=params.get("NextToken"), size=params.get("MaxResults"), invalid="ValidationError"
    )
    drifts = [_drift(stack, stack.resources[name], found[name]) for name in chosen]
    return present({"StackResourceDrifts": drifts, "NextToken": token})


def _drift(stack: Stack, resource: StackResource, drift: ResourceDrift) -> JsonObject:
    answered = [
        {"PropertyPath": path, "ExpectedValue": expected, "ActualValue": actual, "DifferenceType": kind}
        for path, expected, actual, kind in drift.differences
    ]
    return present(
        {
            "StackId": stack.stack_id,
            "LogicalResourceId": resource.logical_id,
            "PhysicalResourceId": resource.physical_id,
            "ResourceType": resource.type,
            "ExpectedProperties": drift.expected,
            "ActualProperties": drift.actual,
            "PropertyDifferences": answered if drift.status != "DELETED" else None,
            "StackResourceDriftStatus": drift.status,
            "Timestamp": drift.at,
        }
    )
