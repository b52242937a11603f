"""What retrying or cancelling an operation would do, told before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.errors import Conflict
from functions.core.findings import Finding, Level
from functions.core.ledger.models import Stage, StageStatus
from functions.core.previews import Action, Change, Preview, Previewed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.core.errors import Problem
    from functions.core.ledger.models import Operation


def retried(operation: Operation, refusal: Problem | None) -> Previewed:
    """Say which stages a retry runs and which stand, and what refuses it."""
    changes = [
        _stage(stage, Action.KEEP, "stands, and is skipped")
        if stage.status.standing
        else _stage(stage, Action.CHANGE, f"is {stage.status}, and runs")
        for stage in operation.stages
    ]
    refused = [_refused(operation, refusal)] if refusal else []
    return _previewed(operation, f"retry of {operation.kind}", changes, refused)


def cancelled(operation: Operation) -> Previewed:
    """Say what a cancellation stops and what stays."""
    changes = [_after_cancellation(stage) for stage in operation.stages]
    refused = [_refused(operation, _ended(operation))] if operation.status.terminal else []
    return _previewed(operation, f"cancellation of {operation.kind}", changes, refused)


def _after_cancellation(stage: Stage) -> Change:
    if stage.status.standing:
        return _stage(stage, Action.KEEP, "stands, and stays")
    if stage.status is StageStatus.RUNNING:
        return _stage(stage, Action.CHANGE, "stops; what it has made so far stays for a retry or a deletion")
    return _stage(stage, Action.KEEP, f"is {stage.status}, and does not run")


def _stage(stage: Stage, action: Action, reason: str) -> Change:
    return Change(action=action, resource="stage", name=stage.title, reason=reason, stage=stage.name)


def _ended(operation: Operation) -> Conflict:
    return Conflict(
        f"Operation {operation.operation_id} is {operation.status}.",
        remedy="Only an unfinished operation can be cancelled.",
    )


def _refused(operation: Operation, problem: Problem) -> Finding:
    return Finding(
        check="status",
        level=Level.ERROR,
        code=problem.code,
        message=problem.detail,
        resource=operation.operation_id,
        remedy=problem.remedy,
    )


def _previewed(operation: Operation, kind: str, changes: Sequence[Change], findings: Sequence[Finding]) -> Previewed:
    preview = Preview(kind=kind, cluster_tag=operation.cluster_tag, changes=[*changes])
    return Previewed(findings=[*findings], preview=preview)
