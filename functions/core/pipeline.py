"""The steps of a pipeline that only the ledger is concerned with: beginnings, ends, and what an ending means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from functions.core import ledger, runtime
from functions.core.errors import OperationLost, ProblemBody
from functions.core.ledger.models import JsonObject, Operation, OperationStatus, Reason, Stage, StageStatus
from functions.core.turn import unexpected

if TYPE_CHECKING:
    from collections.abc import Mapping

# Which condition of the cluster a phase makes true.
CONDITIONS: Final = {
    "foundation": "FoundationReady",
    "dependencies": "DependenciesReady",
    "hyperpod": "HyperPodReady",
    "storage": "StorageReady",
}


class Step(BaseModel):
    """The event by which a machine asks for a step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Literal["begin_operation", "begin_stage", "finish_stage", "fail_stage", "cancel_stage", "close_operation"]
    operation_id: str
    stage: str = ""
    round: int = 1
    attempt: int = 0
    result: JsonObject = {}
    problem: dict[str, JsonValue] | None = None


def take(step: Step) -> dict[str, JsonValue]:
    """Take one step; each may be repeated.

    Raises StaleWorker when the operation or the stage has moved on without this worker.
    """
    match step.action:
        case "begin_operation":
            return _begin_operation(step)
        case "begin_stage":
            return _begin_stage(step)
        case "finish_stage":
            ledger.finish_stage(step.operation_id, step.stage, step.attempt, step.result)
        case "fail_stage":
            ledger.fail_stage(step.operation_id, step.stage, step.attempt, _problem(step))
        case "cancel_stage":
            _cancel_stage(step)
        case "close_operation":
            return _close_operation(step)
    return {}


def _begin_operation(step: Step) -> dict[str, JsonValue]:
    operation = ledger.mark_running(step.operation_id)
    phases: dict[str, JsonValue] = {phase: [] for phase in (*CONDITIONS, "verify")}
    for stage in operation.stages:
        listed = phases.setdefault(stage.phase, [])
        if isinstance(listed, list):
            listed.append({"number": f"{stage.number:03}", "name": stage.record})
    return {"phases": phases}


def _begin_stage(step: Step) -> dict[str, JsonValue]:
    operation = ledger.get(step.operation_id)
    stage = _stage(operation, step.stage)
    begun: dict[str, JsonValue] = {"record": stage.record, "function": stage.function, "attempt": stage.attempt}
    if stage.status.standing:
        return begun | {"verdict": "stands"}
    if operation.status is OperationStatus.CANCELLING:
        return begun | {"verdict": "cancelled"}
    begun["attempt"] = ledger.begin_stage(step.operation_id, step.stage)
    return begun | {"verdict": "run" if step.round == 1 else "observe"}


def _cancel_stage(step: Step) -> None:
    # A stage that never began stays PENDING: nothing of it exists.
    if _stage(ledger.get(step.operation_id), step.stage).status is StageStatus.RUNNING:
        ledger.cancel_stage(step.operation_id, step.stage, step.attempt)


def _close_operation(step: Step) -> dict[str, JsonValue]:
    operation = _without_dead_stages(ledger.get(step.operation_id))
    if operation.status.terminal:
        return {"status": operation.status.value}
    conditions = _conditions(operation)
    if all(stage.status.standing for stage in operation.stages):
        closed = ledger.finish_operation(
            operation.operation_id, OperationStatus.SUCCEEDED, result=_result(operation), conditions=conditions
        )
    elif operation.status is OperationStatus.CANCELLING:
        closed = ledger.finish_operation(
            operation.operation_id,
            OperationStatus.CANCELLED,
            result=_result(operation),
            reason=Reason.CANCELLED_BY_CALLER,
            conditions=conditions,
        )
    else:
        closed = ledger.finish_operation(
            operation.operation_id,
            OperationStatus.FAILED,
            result=_result(operation),
            error=_first_error(operation),
            conditions=conditions,
        )
    return {"status": closed.status.value}


def _without_dead_stages(operation: Operation) -> Operation:
    """Fail the stage whose execution ended without writing so; nothing runs any more when an operation is closed."""
    dead = [stage for stage in operation.stages if stage.status is StageStatus.RUNNING]
    for stage in dead:
        problem = unexpected({"Error": "ExecutionEnded", "Cause": "the stage wrote no end"}, stage.title)
        ledger.fail_stage(operation.operation_id, stage.record, stage.attempt, problem)
    return ledger.get(operation.operation_id) if dead else operation


def _result(operation: Operation) -> JsonObject:
    """Give the summary of the last look if there was one, and always what exists."""
    verified = next((stage.result for stage in operation.stages if stage.phase == "verify"), {})
    resources: list[JsonValue] = [resource for stage in operation.stages for resource in stage.resources]
    return {**verified, "resources": resources}


def _first_error(operation: Operation) -> ProblemBody:
    error = next((stage.error for stage in operation.stages if stage.error is not None), None)
    if error is None:
        error = OperationLost(
            "The execution ended without a stage that failed.",
            remedy="Retry the operation: what stands is kept.",
        ).body()
    return error.model_copy(update={"operation_id": operation.operation_id})


def _conditions(operation: Operation) -> Mapping[str, JsonObject]:
    """Say of each phase of the operation whether it stands."""
    since = runtime.now().isoformat()
    stages = {phase: [s for s in operation.stages if s.phase == phase] for phase in CONDITIONS}
    return {CONDITIONS[phase]: _condition(members, operation, since) for phase, members in stages.items() if members}


def _condition(stages: list[Stage], operation: Operation, since: str) -> JsonObject:
    missing = next((stage for stage in stages if not stage.status.standing), None)
    if missing is None:
        return {"status": "True", "reason": "Stands", "message": f"by {operation.operation_id}", "since": since}
    message = missing.error.detail if missing.error else f"{missing.title} is {missing.status}"
    return {"status": "False", "reason": missing.status.capitalize(), "message": message, "since": since}


def _stage(operation: Operation, record: str) -> Stage:
    return next(stage for stage in operation.stages if stage.record == record)


def _problem(step: Step) -> ProblemBody:
    found = step.problem or {}
    if "code" in found and "detail" in found:
        return ProblemBody.model_validate(found)
    return unexpected({key: str(value) for key, value in found.items()}, step.stage)
