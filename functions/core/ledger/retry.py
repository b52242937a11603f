"""A retry is a new operation that starts where the earlier one ended."""

from __future__ import annotations

from typing import Final

from functions.core.errors import Conflict
from functions.core.ledger.begin import begin_with
from functions.core.ledger.models import Actor, Begun, NewOperation, Operation, OperationStatus, Stage, StageStatus
from functions.core.ledger.queries import get

_PLAN: Final = {"number", "phase", "name", "function", "title", "expected_seconds"}
_OUTCOME: Final = {"message", "resources", "result"}


def retry(operation_id: str, actor: Actor, idempotency_key: str | None) -> Begun:
    """Begin a failed or cancelled operation anew, its standing stages SKIPPED with their results.

    An operation is retried once; the next retry is the retry's own. Raise NotFound, also when the cluster is gone,
    Conflict for any other status or a second retry, which names the first, and what `begin` raises.
    """
    earlier = get(operation_id)
    if earlier.status not in (OperationStatus.FAILED, OperationStatus.CANCELLED):
        raise _not_retryable(earlier)
    new = NewOperation(
        kind=earlier.kind,
        cluster_tag=earlier.cluster_tag,
        actor=actor,
        request=earlier.request,
        findings=earlier.findings,
        stages=[],
        scopes=earlier.scopes,
        route=f"POST /api/operations/{operation_id}/retry",
        idempotency_key=idempotency_key,
        retry_of=operation_id,
    )
    return begin_with(new, [_carried_over(stage) for stage in earlier.stages])


def _carried_over(stage: Stage) -> Stage:
    kept = _PLAN | _OUTCOME if stage.status.standing else _PLAN
    status = StageStatus.SKIPPED if stage.status.standing else StageStatus.PENDING
    return Stage.model_validate(stage.model_dump(include=kept) | {"status": status})


def _not_retryable(operation: Operation) -> Conflict:
    return Conflict(
        f"Operation {operation.operation_id} is {operation.status}; only a failed or cancelled one can be retried.",
        remedy="Wait until it has ended." if not operation.status.terminal else "Begin a new operation.",
        operation_id=operation.operation_id,
    )
