"""The steps of a pipeline that only the ledger is concerned with: how operations and stages begin and end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from functions.core import ledger, runtime
from functions.core.errors import Blocked, Conflict, ProblemBody, Throttled
from functions.core.ledger.models import JsonObject, OperationStatus, Reason, StageStatus
from functions.core.phases import PHASES
from functions.core.turn import unexpected

if TYPE_CHECKING:
    from functions.core.ledger.models import Operation, Stage

_CLOSING_ROUNDS: Final = 5


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
            _fail_stage(step)
        case "cancel_stage":
            _cancel_stage(step)
        case "close_operation":
            return _close_operation(step)
    return {}


def _begin_operation(step: Step) -> dict[str, JsonValue]:
    operation = ledger.mark_running(step.operation_id)
    phases: dict[str, JsonValue] = {phase: [] for phase in PHASES}
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


def _fail_stage(step: Step) -> None:
    problem = _problem(step)
    reason = Reason.BLOCKED if problem.code == Blocked.code else None
    ledger.fail_stage(step.operation_id, step.stage, step.attempt, problem, reason)


def _cancel_stage(step: Step) -> None:
    # A stage that never began stays PENDING: nothing of it exists.
    if _stage(ledger.get(step.operation_id), step.stage).status is StageStatus.RUNNING:
        ledger.cancel_stage(step.operation_id, step.stage, step.attempt)


def _close_operation(step: Step) -> dict[str, JsonValue]:
    """End the operation as its stages say: its execution is at its end, so none of them runs any more."""
    for _ in range(_CLOSING_ROUNDS):
        operation = ledger.get(step.operation_id)
        if operation.status.terminal:
            return {"status": operation.status.value}
        with suppress(ledger.StaleWorker, Conflict):  # it moved since it was read: what that means is decided anew
            ledger.finish_operation(operation, ledger.ending_of(operation, None, runtime.now()))
    raise Throttled(f"Operation {step.operation_id} is changed by others all the time.")


def _stage(operation: Operation, record: str) -> Stage:
    return next(stage for stage in operation.stages if stage.record == record)


def _problem(step: Step) -> ProblemBody:
    found = step.problem or {}
    if "code" in found and "detail" in found:
        return ProblemBody.model_validate(found)
    return unexpected({key: str(value) for key, value in found.items()}, step.stage)
