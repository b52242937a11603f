"""One turn of a stage: run its behaviour, record what it saw, answer what the `stage` machine decides by."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict

from functions.core import failures, ledger, runtime
from functions.core.errors import Cause, Layer, Problem, ProblemBody, StageFailed, Throttled, Unavailable
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import JsonObject, OperationStatus, Reason, Stage
from functions.core.stage import (
    Applied,
    Behaviours,
    Done,
    Failed,
    Observation,
    Reapply,
    StageBehaviour,
    StageContext,
    Waiting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASK_AGAIN_SECONDS: Final = 20
_REAPPLY_SECONDS: Final = 5


class Turn(BaseModel):
    """The event by which the `stage` machine asks for a turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Literal["apply", "observe"]
    operation_id: str
    stage: str
    attempt: int


class Verdict(BaseModel):
    """How the turn went; `seconds` says how long to wait."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["applied", "waiting", "done", "failed", "reapply", "cancelled"]
    seconds: int = 0
    result: JsonObject = {}
    problem: ProblemBody | None = None


def take(turn: Turn, behaviours: Behaviours) -> Verdict:
    """Run one turn.

    Raises StaleWorker when another worker has taken the stage over.
    """
    operation = ledger.get(turn.operation_id)
    if operation.status is OperationStatus.CANCELLING:
        return Verdict(verdict="cancelled")
    stage = next(each for each in operation.stages if each.record == turn.stage)
    if stage.attempt != turn.attempt:
        raise ledger.StaleWorker(f"attempt {turn.attempt} of {turn.stage} of {turn.operation_id} is no longer current")
    context = StageContext(operation, spec_of(operation.cluster_tag), stage)
    behaviour = behaviours[stage.name.partition(":")[0]]
    if turn.action == "apply":
        return _apply(behaviour, context, turn)
    return _observe(behaviour, context, turn)


def _apply(behaviour: StageBehaviour, context: StageContext, turn: Turn) -> Verdict:
    try:
        applied = behaviour.apply(context)
    except (Problem, ClientError, BotoCoreError) as error:
        problem = _problem(error, context.stage)
        if not _says_nothing(problem):
            return _failed(problem)
        _record(turn, context.stage, Applied(f"trying again: {problem.detail}"))
        return Verdict(verdict="reapply", seconds=_ASK_AGAIN_SECONDS)
    _record(turn, context.stage, applied)
    return Verdict(verdict="applied")


def _observe(behaviour: StageBehaviour, context: StageContext, turn: Turn) -> Verdict:
    try:
        seen = behaviour.observe(context)
    except (Problem, ClientError, BotoCoreError) as error:
        problem = _problem(error, context.stage)
        again = Waiting(_ASK_AGAIN_SECONDS, f"asking again: {problem.detail}")
        seen = again if _says_nothing(problem) else Failed(problem)
    return _verdict(seen, context, turn)


def _verdict(seen: Observation, context: StageContext, turn: Turn) -> Verdict:
    match seen:
        case Done():
            _record(turn, context.stage, Applied(seen.message, seen.resources))
            return Verdict(verdict="done", result=dict(seen.result))
        case Waiting():
            _record(turn, context.stage, Applied(seen.message, seen.resources), seen.reason)
            ledger.renew(context.operation, runtime.now() + timedelta(seconds=seen.seconds))
            return Verdict(verdict="waiting", seconds=seen.seconds)
        case Reapply():
            _record(turn, context.stage, Applied(seen.message))
            return Verdict(verdict="reapply", seconds=_REAPPLY_SECONDS)
        case Failed():
            return _failed(seen.problem)


def _says_nothing(problem: Problem) -> bool:
    """Say whether a call was merely not answered: the resource is then neither absent nor failed, but unknown."""
    return isinstance(problem, Throttled | Unavailable)


def _record(turn: Turn, stage: Stage, seen: Applied, reason: Reason | None = None) -> None:
    """Write progress; the ledger leaves it when it says nothing new."""
    resources = list(dict.fromkeys([*stage.resources, *seen.resources]))
    ledger.record_progress(turn.operation_id, turn.stage, turn.attempt, seen.message, reason, resources)


def _failed(problem: Problem) -> Verdict:
    return Verdict(verdict="failed", problem=problem.body())


def _problem(error: Problem | ClientError | BotoCoreError, stage: Stage) -> Problem:
    return error if isinstance(error, Problem) else failures.problem_of(error, stage.title)


def unexpected(error: Mapping[str, str], stage: str) -> ProblemBody:
    """Make the problem of a turn that never answered: `error` is what Step Functions caught."""
    code = error.get("Error") or "Unknown"
    problem = StageFailed(
        f"The worker of {stage} failed again and again: {code}: {error.get('Cause') or 'no cause given'}",
        cause=Cause(layer=Layer.CONTROL_PLANE, service="lambda", code=code, resource=stage),
        remedy="Read the function's log for the cause, then retry the operation: what stands is kept.",
    )
    return problem.body()
