"""What an ending means: how an operation ends by how its stages and its execution stand. It is decided here alone.

  every stage stands   SUCCEEDED, also when a cancellation was asked for: what was asked for first stands, so nothing
                       was cancelled, and who asked is in the audit
  CANCELLING           CANCELLED
  anything else        FAILED with the first error that a stage recorded, else because the execution was lost

Whoever asks knows that nothing runs any more, so a stage that still counts as RUNNING ends with its operation. An
operation without stages never succeeds: nothing is inferred from absence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Layer, OperationLost, ProblemBody
from functions.core.ledger.made import LASTING, Making, is_adopted
from functions.core.ledger.models import JsonObject, Operation, OperationStatus, Reason, Stage, StageStatus
from functions.core.phases import BY_KIND, CONDITIONS, EFFECTS, MENDING, UNMAKINGS, VERIFY, Effect, Unmaking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from functions.core.ledger.executions import Execution

# A record has to stay far below DynamoDB's 400 KB; whoever needs every name asks the service.
MAX_RESOURCES: Final = 100
_LONGEST_CAUSE: Final = 500
_FORGETTING: Final = frozenset(kind for kind, pipeline in BY_KIND.items() if pipeline.forgets)
_REASONS: Final = {"ABORTED": Reason.ABORTED, "TIMED_OUT": Reason.TIMED_OUT}


@dataclass(frozen=True)
class Ending:
    """How an operation ends, and what is written together with it.

    `conditions` become `condition#<type>` records of the cluster, and `makings`, by phase, change its `made#<phase>`
    records, unless it `forgets` the cluster; `stages` are those that end with the operation, and `seen_version` is the
    version of the operation by which all this was decided.
    """

    status: OperationStatus
    result: JsonObject | None = None
    error: ProblemBody | None = None
    reason: Reason | None = None
    conditions: Mapping[str, JsonObject] = field(default_factory=dict)
    makings: Mapping[str, Making] = field(default_factory=dict)
    stages: Sequence[Stage] = ()
    seen_version: int | None = None
    forgets: bool = False


def ending_of(operation: Operation, execution: Execution | None, at: datetime) -> Ending:
    """Say how an unfinished operation ends; `execution` is how its execution ended, None when that is not known."""
    if operation.stages and all(stage.status.standing for stage in operation.stages):
        return _ending(operation, OperationStatus.SUCCEEDED, at)
    if operation.status is OperationStatus.CANCELLING:
        reason = Reason.CANCELLED_BY_CALLER
        stopped = {"status": StageStatus.CANCELLED, "reason": reason}
        return _ending(operation, OperationStatus.CANCELLED, at, stopped, reason=reason)
    reason = _REASONS.get(execution.status, Reason.LOST) if execution else Reason.LOST
    return failure_of(operation, _lost(operation, execution), reason, at)


def failure_of(operation: Operation, problem: ProblemBody, reason: Reason, at: datetime) -> Ending:
    """Fail an operation by `problem`, unless a stage recorded its own error: that knows more than what came after."""
    recorded = [(stage.error, stage.reason) for stage in operation.stages if stage.error is not None]
    first, why = [*recorded, (problem, reason)][0]
    error = first.model_copy(update={"operation_id": operation.operation_id})
    failed = {"status": StageStatus.FAILED, "error": problem, "reason": reason}
    return _ending(operation, OperationStatus.FAILED, at, failed, error, why)


def _ending(
    operation: Operation,
    status: OperationStatus,
    at: datetime,
    closing: Mapping[str, object] | None = None,
    error: ProblemBody | None = None,
    reason: Reason | None = None,
) -> Ending:
    running = [stage.status is StageStatus.RUNNING for stage in operation.stages]
    stages = [
        stage.model_copy(update=closing) if closed else stage
        for stage, closed in zip(operation.stages, running, strict=True)
    ]
    return Ending(
        status,
        result=_result(stages),
        error=error,
        reason=reason,
        conditions=_conditions(stages, operation, at),
        makings=_makings(stages, operation.kind),
        stages=[stage for stage, closed in zip(stages, running, strict=True) if closed],
        seen_version=operation.version,
        forgets=status is OperationStatus.SUCCEEDED and operation.kind in _FORGETTING,
    )


def _result(stages: Sequence[Stage]) -> JsonObject:
    """Give the summary of the last look if there was one, and always what exists."""
    verified = next((stage.result for stage in stages if stage.phase == VERIFY), {})
    resources = list(dict.fromkeys(resource for stage in stages for resource in stage.resources))
    result: JsonObject = {**verified, "resources": [*resources[:MAX_RESOURCES]]}
    more = len(resources) - MAX_RESOURCES
    return result | {"more_resources": more} if more > 0 else result


def _conditions(stages: Sequence[Stage], operation: Operation, at: datetime) -> dict[str, JsonObject]:
    """Say what each phase made of the cluster; one that never began, or that mended nothing, leaves it as it was."""
    members = {phase: _deciding(phase, effect, stages) for phase, effect in EFFECTS.items()}
    return {
        EFFECTS[phase].condition: _condition(EFFECTS[phase], found, operation.operation_id, at)
        for phase, found in members.items()
        if any(stage.status is not StageStatus.PENDING for stage in found)
        and (operation.kind not in MENDING or _mended(found))
    }


def _deciding(phase: str, effect: Effect, stages: Sequence[Stage]) -> list[Stage]:
    kinds = effect.kinds
    return [stage for stage in stages if stage.phase == phase and (not kinds or _kind(stage.name) in kinds)]


def _makings(stages: Sequence[Stage], kind: str) -> dict[str, Making]:
    """Say what was made and taken away phase by phase, whatever became of the rest.

    A stage that was passed over made nothing in this operation; what it made in an earlier one is on record.
    """
    counted_in = {phase: phase for phase in CONDITIONS} | dict(BY_KIND[kind].makes if kind in BY_KIND else {})
    making: dict[str, list[Stage]] = {}
    for stage in stages:
        if stage.phase in counted_in and _makes(stage):
            making.setdefault(counted_in[stage.phase], []).append(stage)
    return {phase: _making(members) for phase, members in making.items()} | _removed(stages)


def _removed(stages: Iterable[Stage]) -> dict[str, Making]:
    """Say what removals took away: each that succeeded, or did something before it ended; one refused took nothing."""
    gone: dict[str, Making] = {}
    for stage in stages:
        unmaking = UNMAKINGS.get(stage.name) or UNMAKINGS.get(_kind(stage.name))
        if unmaking and (stage.status is StageStatus.SUCCEEDED or stage.resources):
            gone[unmaking.phase] = gone.get(unmaking.phase, Making()).without(_unmade(unmaking, stage))
    return gone


def _unmade(unmaking: Unmaking, stage: Stage) -> tuple[str, ...]:
    return tuple(each.format(stage.name.partition(":")[2]) for each in unmaking.stages)


def _kind(stage: str) -> str:
    return stage.partition(":")[0]


def _makes(stage: Stage) -> bool:
    left = stage.status in (StageStatus.FAILED, StageStatus.CANCELLED) and bool(stage.resources)
    return stage.status is StageStatus.SUCCEEDED or (left and _kind(stage.name) in LASTING)


def _making(stages: Sequence[Stage]) -> Making:
    return Making(
        made=tuple(stage.name for stage in stages if not is_adopted(stage.result)),
        adopted=tuple(stage.name for stage in stages if is_adopted(stage.result)),
    )


def _mended(stages: Sequence[Stage]) -> bool:
    """Say whether a repair brought a phase back; stages that were all passed over say nothing of what stands."""
    return all(stage.status.standing for stage in stages) and any(
        stage.status is StageStatus.SUCCEEDED for stage in stages
    )


def _condition(effect: Effect, stages: Sequence[Stage], operation_id: str, at: datetime) -> JsonObject:
    missing = next((stage for stage in stages if not stage.status.standing), None)
    if missing is None:
        reason = "Stands" if effect.makes == "True" else "Removed"
        return {"status": effect.makes, "reason": reason, "message": f"by {operation_id}", "since": at.isoformat()}
    message = missing.error.detail if missing.error else f"{missing.title} is {missing.status}"
    return {
        "status": "False",
        "reason": missing.status.capitalize() if effect.makes == "True" else f"Removal{missing.status.capitalize()}",
        "message": message,
        "since": at.isoformat(),
    }


def _lost(operation: Operation, execution: Execution | None) -> ProblemBody:
    running = [stage.title for stage in operation.stages if stage.status is StageStatus.RUNNING]
    where = f" during {running[0]!r}" if running else ""
    return OperationLost(
        f"The execution of {operation.kind} {_end_of(execution, where)}",
        cause=_cause(execution),
        remedy=f"Retry with POST /api/operations/{operation.operation_id}/retry; what stands is kept.",
        operation_id=operation.operation_id,
    ).body()


def _end_of(execution: Execution | None, where: str) -> str:
    if execution is None:
        return f"came to its end{where} without a stage that failed."
    said = ": ".join(text for text in (execution.error, execution.cause) if text)[:_LONGEST_CAUSE]
    return f"ended as {execution.status}{where} without a final record ({said or 'no cause given'})."


def _cause(execution: Execution | None) -> Cause:
    if execution is None:
        return Cause(layer=Layer.CONTROL_PLANE, service="states", code="ExecutionEnded")
    code = execution.error or execution.status
    return Cause(layer=Layer.CONTROL_PLANE, service="states", code=code, resource=execution.arn)
