"""What the ledger says of the cluster's operations: the last one that failed, unless a later one made it good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.ledger.models import StageStatus
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import cut, fact, failed, few, noted, passed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.ledger.models import Operation, Stage
    from functions.diagnostics.models.answers import Check, Fact
    from functions.diagnostics.models.facts import Facts

_LOOKS: Final = frozenset({"detect_drift", "redetect_cluster"})
_CAUSE: Final = 260


def check(facts: Facts) -> Iterator[Check]:
    """Judge the newest failure; what runs is told with it."""
    name, seen = Name.LAST_OPERATION, facts.ledger
    if seen.busy:
        yield noted(name, f"at work on the cluster: {few(seen.busy)}", seen.busy[0])
    if seen.failed is None:
        if not seen.busy:
            yield passed(
                name, "none of the latest operations failed", seen.newest.operation_id if seen.newest else None
            )
    elif seen.made_good_by:
        message = f"{seen.failed.kind} failed, and a later operation succeeded"
        yield noted(name, message, seen.failed.operation_id, [fact("succeeded", seen.made_good_by)])
    else:
        yield _failed(seen.failed)


def _failed(operation: Operation) -> Check:
    stage, error = _stage(operation), operation.error
    where = f" in the stage {stage.name}" if stage else ""
    why = cut(error.detail, _CAUSE) if error else "no cause is recorded"
    return failed(
        Name.LAST_OPERATION,
        Priority.P1 if operation.kind in _LOOKS else Priority.P0,
        f"{operation.kind} {operation.operation_id} failed{where}: {why}",
        _remedy(operation),
        operation.operation_id,
        _facts(operation, stage),
    )


def _stage(operation: Operation) -> Stage | None:
    return next((stage for stage in operation.stages if stage.status is StageStatus.FAILED), None)


def _facts(operation: Operation, stage: Stage | None) -> list[Fact | None]:
    cause = operation.error.cause if operation.error else None
    return [
        fact("kind", operation.kind, operation.finished_at),
        fact("stage", stage.record if stage else None),
        fact("cause_code", cause.code if cause else None),
        fact("cause_resource", cause.resource if cause else None),
        fact("cause_call", cause.api_call if cause else None),
        fact("request_id", cause.request_id if cause else None),
    ]


def _remedy(operation: Operation) -> str:
    said = operation.error.remedy if operation.error else None
    again = f"POST /api/operations/{operation.operation_id}/retry goes on where it stopped."
    return f"{said} {again}" if said else f"Remove the cause first. {again}"
