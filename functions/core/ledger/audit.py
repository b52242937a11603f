"""Who did what to an operation: entries written in the same transaction as the change they note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import COMPANION_RETENTION, epoch, instant, item_of, timestamp
from functions.core.ledger.models import AuditEntry
from functions.core.ledger.tables import OPERATIONS
from functions.core.ledger.writes import put

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.models import Actor, Operation


def audited(operation: Operation, actor: Actor, action: str, detail: str) -> TransactWriteItemTypeDef:
    """Phrase the write of one audit entry."""
    at = instant()
    entry = AuditEntry(
        operation_id=operation.operation_id,
        # Of the very moment, so that an entry is found in the month that it is kept under.
        entry_id=new_identifier(at),
        at=at,
        actor=actor,
        action=action,
        detail=detail,
        kind=operation.kind,
        cluster_tag=operation.cluster_tag,
    )
    keys = {
        "record": f"audit#{entry.entry_id}",
        "audit_month": timestamp(at)[:7],
        "expires_at": epoch(at + COMPANION_RETENTION),
    }
    return put(OPERATIONS, item_of(entry.model_dump() | keys))
