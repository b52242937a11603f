"""What retrying or cancelling an operation would do, told before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.errors import Conflict
from functions.core.findings import Finding, Level
from functions.core.ledger.models import OperationStatus, Stage, StageStatus
from functions.core.previews import Action, Change, Preview, Previewed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.core.ledger.models import Operation


def retried(operation: Operation) -> Previewed:
    """Say which stages a retry runs and which stand."""
    changes = [
        _stage(stage, Action.KEEP, "stands, and is skipped")
        if stage.status.standing
        else _stage(stage, Action.CHANGE, f"is {stage.status}, and runs")
        for stage in operation.stages
    ]
    refused = [] if operation.status in (OperationStatus.FAILED, OperationStatus.CANCELLED) else [_refused(operation)]
    return _previewed(operation, f"retry of {operation.kind}", changes, refused)


def cancelled(operation: Operation) -> Previewed:
    """Say what a cancellation stops and what stays."""
    changes = [_after_cancellation(stage) for stage in operation.stages]
    refused = [_refused(operation)] if operation.status.terminal else []
    return _previewed(operation, f"cancellation of {operation.kind}", changes, refused)


def _after_cancellation(stage: Stage) -> Change:
    if stage.status.standing:
        return _stage(stage, Action.KEEP, "stands, and stays")
    if stage.status is StageStatus.RUNNING:
        return _stage(stage, Action.CHANGE, "stops; what it has made so far stays for a retry or a deletion")
    return _stage(stage, Action.KEEP, f"is {stage.status}, and does not run")


def _stage(stage: Stage, action: Action, reason: str) -> Change:
    return Change(action=action, resource="stage", name=stage.title, reason=reason, stage=stage.name)


def _refused(operation: Operation) -> Finding:
    return Finding(
        check="status",
        level=Level.ERROR,
        code=Conflict.code,
        message=f"operation {operation.operation_id} is {operation.status}",
        resource=operation.operation_id,
        remedy="Only a failed or cancelled operation can be retried, only an unfinished one cancelled.",
    )


def _previewed(operation: Operation, kind: str, changes: Sequence[Change], findings: Sequence[Finding]) -> Previewed:
    preview = Preview(kind=kind, cluster_tag=operation.cluster_tag, changes=[*changes])
    return Previewed(findings=[*findings], preview=preview)
