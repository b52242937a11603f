"""One turn of a stage: run its behaviour, record what it saw, answer what the `stage` machine decides by."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict

from functions.core import failures, ledger, runtime
from functions.core.errors import Busy, Cause, Layer, Problem, ProblemBody, StageFailed, Throttled, Unavailable
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import JsonObject, OperationStatus, Reason, Stage, StageStatus
from functions.core.operation_sessions import acting_for
from functions.core.pauses import pause
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

    from functions.core.ledger.models import Operation

_REQUEST_ID: Final = re.compile(r"(?:RequestId: |\"requestId\": ?\")([0-9a-f-]{36})")
_ASK_AGAIN_SECONDS: Final = 20
_REAPPLY_SECONDS: Final = 5
_REAPPLY_LIMIT: Final = 10
_RESOURCES: Final = 100
_NOTES: Final = ". Note: "
_NEXT_NOTE: Final = "; "
_LONGEST_NOTES: Final = 5
_LONGEST_PATIENCE: Final = timedelta(days=1)
# The timeout of the functions that run stages.
_LONGEST_TURN: Final = timedelta(seconds=300)


class Turn(BaseModel):
    """The event by which the `stage` machine asks for a turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Literal["apply", "observe"]
    operation_id: str
    stage: str
    attempt: int
    reapplied: int = 0


class Verdict(BaseModel):
    """How the turn went; `seconds` says how long to wait."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["applied", "waiting", "done", "failed", "reapply", "cancelled"]
    seconds: int = 0
    result: JsonObject = {}
    problem: ProblemBody | None = None


def take(turn: Turn, behaviours: Behaviours) -> Verdict:
    """Run one turn.

    Raises StaleWorker when another worker has taken the stage over, the operation has ended or its lease is lost.
    """
    operation = ledger.get(turn.operation_id)
    stage = _current_stage(operation, turn)
    if operation.status is OperationStatus.CANCELLING:
        return Verdict(verdict="cancelled")
    context = StageContext(operation, spec_of(operation.cluster_tag), stage)
    behaviour = behaviours[stage.name.partition(":")[0]]
    if turn.action == "apply":
        # Only the holder of the lease may act; a worker that was paused learns here that it no longer is.
        ledger.renew(operation, runtime.now() + _LONGEST_TURN)
        return _apply(behaviour, context, turn)
    return _observe(behaviour, context, turn)


def _current_stage(operation: Operation, turn: Turn) -> Stage:
    stage = next(each for each in operation.stages if each.record == turn.stage)
    running = not operation.status.terminal and stage.status is StageStatus.RUNNING
    if not running or stage.attempt != turn.attempt:
        raise ledger.StaleWorker(f"attempt {turn.attempt} of {turn.stage} of {turn.operation_id} is no longer current")
    return stage


def _apply(behaviour: StageBehaviour, context: StageContext, turn: Turn) -> Verdict:
    try:
        with acting_for(turn.operation_id):
            applied = behaviour.apply(context)
    except (Problem, ClientError, BotoCoreError) as error:
        problem = _problem(error, context.stage)
        if not _passes(problem, context.stage):
            return _failed(problem)
        _record(turn, context.stage, Applied(f"trying again: {problem.detail}"))
        return Verdict(verdict="reapply", seconds=_ASK_AGAIN_SECONDS)
    _record(turn, context.stage, applied)
    return Verdict(verdict="applied")


def _observe(behaviour: StageBehaviour, context: StageContext, turn: Turn) -> Verdict:
    try:
        with acting_for(turn.operation_id):
            seen = behaviour.observe(context)
    except (Problem, ClientError, BotoCoreError) as error:
        problem = _problem(error, context.stage)
        # That nobody answers changes nothing of what the stage waits for.
        again = Waiting(_ASK_AGAIN_SECONDS, f"asking again: {problem.detail}", context.stage.reason)
        seen = again if _passes(problem, context.stage) else Failed(problem)
    return _verdict(seen, context, turn)


def _verdict(seen: Observation, context: StageContext, turn: Turn) -> Verdict:
    match seen:
        case Done():
            # The end of the stage takes the reason away, so that whoever hears of it knows what was waited for.
            _record(turn, context.stage, Applied(seen.message, seen.resources), context.stage.reason)
            return Verdict(verdict="done", result=dict(seen.result))
        case Waiting():
            _record(turn, context.stage, Applied(seen.message, seen.resources), seen.reason)
            seconds = _pause(seen, context.stage)
            ledger.renew(context.operation, runtime.now() + timedelta(seconds=seconds))
            return Verdict(verdict="waiting", seconds=seconds)
        case Reapply() if turn.reapplied >= _REAPPLY_LIMIT:
            return _failed(_disputed(seen.message, turn.reapplied))
        case Reapply():
            _record(turn, context.stage, Applied(seen.message))
            return Verdict(verdict="reapply", seconds=_REAPPLY_SECONDS)
        case Failed():
            return _failed(seen.problem)


def _pause(seen: Waiting, stage: Stage) -> int:
    waited = runtime.now() - (stage.started_at or runtime.now())
    return pause(seen.seconds, waited.total_seconds(), stage.expected_seconds)


def _passes(problem: Problem, stage: Stage) -> bool:
    """Say whether to ask again: a call not answered leaves the resource unknown, a busy one takes its time."""
    begun = stage.started_at or runtime.now()
    return isinstance(problem, Busy | Throttled | Unavailable) and runtime.now() - begun < _LONGEST_PATIENCE


def _record(turn: Turn, stage: Stage, seen: Applied, reason: Reason | None = None) -> None:
    """Write progress; the ledger leaves it when it says nothing new."""
    known = list(dict.fromkeys([*stage.resources, *seen.resources]))
    # An item holds 400 KB at most; whoever needs them all asks the service.
    resources = known[:_RESOURCES]
    message = _said(stage, seen)
    if (message, reason, resources) == (stage.message, stage.reason, stage.resources):
        return
    ledger.record_progress(turn.operation_id, turn.stage, turn.attempt, message, reason, resources)


def _said(stage: Stage, seen: Applied) -> str | None:
    """Give a message with the notes of the stage, earlier ones first; some messages are repeated, notes and all."""
    message = (seen.message or "").partition(_NOTES)[0]
    earlier = (stage.message or "").partition(_NOTES)[2]
    notes = [*dict.fromkeys([*filter(None, earlier.split(_NEXT_NOTE)), *seen.notes])][-_LONGEST_NOTES:]
    return message.rstrip(".") + _NOTES + _NEXT_NOTE.join(notes) if notes else seen.message


def _disputed(message: str, times: int) -> Problem:
    return StageFailed(
        f"{message}, although the stage made it {times} times.",
        cause=Cause(layer=Layer.AWS, code="DISPUTED"),
        remedy="Find out who removes it (CloudTrail names the caller), then retry the operation.",
    )


def _failed(problem: Problem) -> Verdict:
    return Verdict(verdict="failed", problem=problem.body())


def _problem(error: Problem | ClientError | BotoCoreError, stage: Stage) -> Problem:
    return error if isinstance(error, Problem) else failures.problem_of(error, stage.title)


def unexpected(error: Mapping[str, str], stage: str) -> ProblemBody:
    """Make the problem of a turn that never answered: `error` is what Step Functions caught."""
    code = error.get("Error") or "Unknown"
    problem = StageFailed(
        f"The worker of {stage} failed again and again with {code}.",
        cause=Cause(
            layer=Layer.CONTROL_PLANE,
            service="lambda",
            code=code,
            resource=stage,
            request_id=_request_id(error.get("Cause", "")),
        ),
        remedy="Read the function's log under the request id for the cause, then retry the operation.",
        retryable=True,
    )
    return problem.body()


def _request_id(cause: str) -> str | None:
    """Find the invocation in what Lambda says of a failure; the rest of that text belongs in the log only."""
    found = _REQUEST_ID.search(cause)
    return found[1] if found else None
