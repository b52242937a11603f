"""What is told of operations that stand still: nothing of them has changed for much longer than a stage takes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.ledger.models import Reason, StageStatus
from functions.notifications.models import Notice
from functions.notifications.rules import wording

if TYPE_CHECKING:
    from datetime import datetime

    from functions.core.ledger.models import Operation, Stage

# Nothing that anybody waits for keeps still for so long, deep health checks of an hour among it.
PATIENCE: Final = timedelta(hours=2)
_TIMES: Final = 3
# Who does nothing about it is reminded.
_SILENCE: Final = timedelta(days=1)


def stuck(operation: Operation, now: datetime, console: str | None) -> Notice | None:
    """Tell of an operation that makes no progress; None for one that has ended, moves, or waits for capacity."""
    stage = next((each for each in operation.stages if each.status is StageStatus.RUNNING), None)
    still = now - operation.updated_at
    if operation.status.terminal or still < _patience(stage) or _is_asked_to_wait(stage):
        return None
    what = f"{operation.kind} of cluster {operation.cluster_tag} makes no progress"
    return Notice(
        key=f"stuck#{operation.operation_id}#{stage.record if stage else operation.status}",
        subject=wording.subject(what),
        text=wording.text(
            f"{what} for {int(still.total_seconds() // 60)} minutes.",
            status=operation.status,
            stage=f"{stage.name}: {stage.title}" if stage else "none is running",
            seen=stage.message if stage else None,
            reason=stage.reason if stage else operation.reason,
            cause="unknown: no failure was recorded, and its execution has not ended",
            operation=operation.operation_id,
            account=f"{operation.account_id} in {operation.region}",
            remedy="Look at what the stage waits for; cancel the operation to free its cluster, then retry it.",
            cancel=f"POST /api/operations/{operation.operation_id}/cancel",
            look=wording.operation_link(console, operation.operation_id),
        ),
        silence=_SILENCE,
    )


def _patience(stage: Stage | None) -> timedelta:
    return max(PATIENCE, timedelta(seconds=_TIMES * stage.expected_seconds)) if stage else PATIENCE


def _is_asked_to_wait(stage: Stage | None) -> bool:
    """Say whether the caller chose to wait: capacity may take days, and its arrival is told."""
    return stage is not None and stage.reason is Reason.WAITING_CAPACITY
