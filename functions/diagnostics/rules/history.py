"""Which of a cluster's operations matter to a diagnosis: the newest that failed, unless a later one made it good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.ledger.models import OperationStatus, StageStatus
from functions.core.phases import CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.core.ledger.models import Operation
    from functions.diagnostics.models.facts import LedgerSeen


def newest_failure(operations: Sequence[Operation]) -> Operation | None:
    """Give the newest operation that failed; they are listed newest first."""
    return next((each for each in operations if each.status is OperationStatus.FAILED), None)


def made_good_by(failed: Operation, operations: Sequence[Operation], seen: LedgerSeen) -> str | None:
    """Name the later operation that made a failure good: of its kind, its retry, or one that made its phase stand."""
    later = [each for each in operations if each.created_at > failed.created_at]
    succeeded = [each for each in later if each.status is OperationStatus.SUCCEEDED]
    same = (each for each in succeeded if each.kind == failed.kind or each.retry_of == failed.operation_id)
    if (found := next(same, None)) is not None:
        return found.operation_id
    phase = next((stage.phase for stage in failed.stages if stage.status is StageStatus.FAILED), "")
    stands = phase in CONDITIONS and seen.says(CONDITIONS[phase])
    return succeeded[0].operation_id if succeeded and stands else None
