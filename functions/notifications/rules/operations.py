"""What is told of operations: that one failed or got lost, and that capacity came for one that waited."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.ledger.models import OperationStatus, Reason, Stage, StageStatus
from functions.notifications.models import Notice
from functions.notifications.rules import wording

if TYPE_CHECKING:
    from datetime import datetime

    from functions.core.errors import Cause
    from functions.core.ledger.models import Operation

# What has failed stays failed: longer than any stream repeats.
_FAILED_FOR: Final = timedelta(days=7)
_NEWS_FOR: Final = timedelta(days=1)
# Capacity that comes and goes is told of once a day.
_ARRIVED_FOR: Final = timedelta(days=1)
_MOST_ERRORS: Final = 3
_NO_REMEDY: Final = "Read the failed stage's message, remove the cause, then retry the operation."


def failed(status_before: str, operation: Operation, at: datetime, console: str | None) -> Notice | None:
    """Tell of an operation that has just failed; None for any other change, `at` being its moment."""
    if operation.status is not OperationStatus.FAILED or status_before == OperationStatus.FAILED:
        return None
    # A record that is restored from a backup says what was told long ago.
    if operation.finished_at and at - operation.finished_at > _NEWS_FOR:
        return None
    how = "was lost" if operation.reason is Reason.LOST else "failed"
    what, error = f"{operation.kind} of cluster {operation.cluster_tag} {how}", operation.error
    return Notice(
        key=f"failed#{operation.operation_id}",
        subject=wording.subject(what),
        text=wording.text(
            f"{what}.",
            cause=error.detail if error else "none was recorded",
            origin=_origin(error.cause) if error and error.cause else None,
            remedy=_remedy(operation),
            reason=operation.reason,
            operation=operation.operation_id,
            failed_at=wording.moment(operation.finished_at) if operation.finished_at else None,
            account=f"{operation.account_id} in {operation.region}",
            retry=f"POST /api/operations/{operation.operation_id}/retry",
            look=wording.operation_link(console, operation.operation_id),
        ),
        silence=_FAILED_FOR,
    )


def _remedy(operation: Operation) -> str:
    """Say what helps, with whatever stands in the way of it."""
    error = operation.error
    if error is None or error.remedy is None:
        return _NO_REMEDY
    of_each = [each for each in error.errors if each.remedy][:_MOST_ERRORS]
    return " ".join([error.remedy, *(f"{each.field}: {each.remedy}" for each in of_each)])


def capacity_arrived(reason_before: str, stage: Stage, operation: Operation, console: str | None) -> Notice | None:
    """Tell that a stage has what it waited for; None while it waits, and where it ended otherwise."""
    if reason_before != Reason.WAITING_CAPACITY or not _goes_on(stage):
        return None
    what = f"capacity arrived for cluster {operation.cluster_tag}"
    return Notice(
        key=f"capacity#{operation.operation_id}#{stage.record}",
        subject=wording.subject(what),
        text=wording.text(
            f"{what}: {stage.title} is no longer short of instances.",
            seen=stage.message,
            operation=f"{operation.operation_id} ({operation.kind})",
            stage=stage.name,
            account=f"{operation.account_id} in {operation.region}",
            remedy="Nothing has to be done: the operation goes on by itself.",
            look=wording.operation_link(console, operation.operation_id),
        ),
        silence=_ARRIVED_FOR,
    )


def _goes_on(stage: Stage) -> bool:
    """Say whether a stage got its instances: it stands, or waits for those that were launched to get ready."""
    getting_ready = stage.reason in (Reason.WAITING_NODES, Reason.WAITING_DEEP_HEALTH_CHECK)
    return stage.status is StageStatus.SUCCEEDED or (stage.status is StageStatus.RUNNING and getting_ready)


def _origin(cause: Cause) -> str:
    known = {"": cause.layer, "call": cause.api_call, "code": cause.code, "request id": cause.request_id}
    known |= {"resource": cause.resource}
    return ", ".join(f"{name} {value}".strip() for name, value in known.items() if value)
