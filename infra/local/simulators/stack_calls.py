"""The operations of CloudFormation about drift, change sets and updates, each at the instant of its call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from infra.local.simulators import stack_change_sets, stack_drift, stack_executing
from infra.local.simulators.service import JsonObject, ServiceError, refuse_unverified
from infra.local.simulators.stack_handlers import names
from infra.local.simulators.stack_intrinsics import malformed
from infra.local.simulators.stack_records import UPDATABLE, Stack, StackRecords
from infra.local.simulators.stack_turn import Turn

Call: TypeAlias = Callable[[Turn, JsonObject], JsonObject]


def _stack(records: StackRecords, name_or_id: str) -> Stack:
    stack = records.find(name_or_id)
    if stack is None:
        raise malformed(f"Stack with id {name_or_id} does not exist")
    return stack


def _of_stack(call: Callable[[Turn, Stack, JsonObject], JsonObject]) -> Call:
    return lambda turn, params: call(turn, _stack(turn.records, params["StackName"]), params)


def _describe_change_set(turn: Turn, params: JsonObject) -> JsonObject:
    refuse_unverified(params, names("ChangeSetName StackName IncludePropertyValues"))
    stack, found = stack_change_sets.find([*turn.records.stacks.values()], params)
    return stack_change_sets.answer(stack, found, turn.now)


def _execute_change_set(turn: Turn, params: JsonObject) -> JsonObject:
    refuse_unverified(params, names("ChangeSetName StackName ClientRequestToken"))
    stack, found = stack_change_sets.find([*turn.records.stacks.values()], params)
    described = stack_change_sets.answer(stack, found, turn.now)
    token = params.get("ClientRequestToken")
    if token is not None and stack.token == token and stack.change_set_id == found.change_set_id:
        return {}
    if described["ExecutionStatus"] != "AVAILABLE" or stack.status not in UPDATABLE:
        message = f"ChangeSet [{found.change_set_id}] cannot be executed in its current status of"
        raise ServiceError("InvalidChangeSetStatus", f"{message} [{described['Status']}]")
    stack_executing.begin(turn, stack, found, token)
    return {}


def _delete_change_set(turn: Turn, params: JsonObject) -> JsonObject:
    try:
        stack, found = stack_change_sets.find([*turn.records.stacks.values()], params)
    except ServiceError as error:
        if error.code == "ChangeSetNotFound":
            return {}
        raise
    if found.execution == "EXECUTE_IN_PROGRESS":
        message = f"ChangeSet [{found.change_set_id}] cannot be deleted in its current execution status"
        raise ServiceError("InvalidChangeSetStatus", f"{message} of [{found.execution}]")
    del stack.change_sets[found.name]
    return {}


CALLS: Mapping[str, Call] = {
    "CreateChangeSet": _of_stack(stack_change_sets.create),
    "DeleteChangeSet": _delete_change_set,
    "DescribeChangeSet": _describe_change_set,
    "DescribeStackDriftDetectionStatus": lambda turn, params: stack_drift.status_answer(
        turn.records, params["StackDriftDetectionId"], turn.now
    ),
    "DescribeStackResourceDrifts": _of_stack(stack_drift.drifts_answer),
    "DetectStackDrift": _of_stack(stack_drift.detect),
    "ExecuteChangeSet": _execute_change_set,
}
