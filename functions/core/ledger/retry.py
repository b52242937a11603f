"""A retry is a new operation that starts where the earlier one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict
from functions.core.ledger.begin import begin_with, replayed
from functions.core.ledger.clusters import created_at_of
from functions.core.ledger.idempotency import key_of
from functions.core.ledger.items import to_millisecond
from functions.core.ledger.models import Actor, Begun, NewOperation, Operation, OperationStatus, Stage, StageStatus
from functions.core.ledger.queries import get, newest_on
from functions.core.phases import CONFIRMED

if TYPE_CHECKING:
    from datetime import datetime

_PLAN: Final = {"number", "phase", "name", "function", "title", "expected_seconds"}
_OUTCOME: Final = {"message", "resources", "result"}
_ANEW: Final = "Send the original request anew, with ?dry_run=true for a preview first."


def retry(operation_id: str, actor: Actor, idempotency_key: str | None) -> Begun:
    """Begin a failed or cancelled operation anew, its standing stages SKIPPED with their results.

    An operation is retried once; the next retry is the retry's own. Raise NotFound, also when the cluster is gone,
    Conflict for what `refusal` says or a second retry, which names the first, and what `begin` raises.
    """
    earlier = get(operation_id)
    known_by = key_of({"retry_of": operation_id}, actor, idempotency_key)
    new = NewOperation(
        kind=earlier.kind,
        cluster_tag=earlier.cluster_tag,
        actor=actor,
        request=earlier.request,
        findings=earlier.findings,
        stages=[],
        scopes=earlier.scopes,
        route=f"POST /api/operations/{operation_id}/retry",
        idempotency_key=known_by.value,
        implied_key=known_by.implied,
        retry_of=operation_id,
    )
    if problem := refusal(earlier):
        if again := replayed(new):
            return Begun(operation=again, replayed=True)
        raise problem
    return begin_with(new, [_carried_over(stage) for stage in earlier.stages])


def refusal(earlier: Operation) -> Conflict | None:
    """Say why an operation cannot be retried as things are now; None when it can.

    A retry asks nobody again, so it may only go on with the very cluster that the operation was about; and where that
    takes something away, only while nothing newer was begun on the cluster.
    """
    if earlier.status not in (OperationStatus.FAILED, OperationStatus.CANCELLED):
        return _not_retryable(earlier)
    created = created_at_of(earlier.cluster_tag)
    # What creates a cluster notes the moment just before its operation gets its own, which is cut to milliseconds.
    if created is not None and to_millisecond(created) > earlier.created_at:
        return _of_a_former_cluster(earlier)
    newest = newest_on(earlier.cluster_tag) if earlier.kind in CONFIRMED else None
    # An earlier retry is told by the transaction, which names it.
    if newest is None or newest.retry_of == earlier.operation_id or _order(newest) <= _order(earlier):
        return None
    return _overtaken(earlier, newest)


def _order(operation: Operation) -> tuple[datetime, str]:
    return operation.created_at, operation.operation_id


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


def _of_a_former_cluster(earlier: Operation) -> Conflict:
    return Conflict(
        f"Operation {earlier.operation_id} was about an earlier cluster of the tag {earlier.cluster_tag!r}, which is "
        "gone; the cluster that has the tag now was created after it.",
        remedy=_ANEW,
        operation_id=earlier.operation_id,
    )


def _overtaken(earlier: Operation, newest: Operation) -> Conflict:
    return Conflict(
        f"Operation {newest.operation_id} ({newest.kind}) was begun on cluster {earlier.cluster_tag} after "
        f"{earlier.operation_id}; a {earlier.kind} was confirmed for the cluster as it was before.",
        remedy=_ANEW,
        operation_id=newest.operation_id,
    )
