"""Who did what to an operation: entries written in the same transaction as the change they note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import COMPANION_RETENTION, epoch, instant, item_of
from functions.core.ledger.models import Actor, AuditEntry
from functions.core.ledger.tables import OPERATIONS
from functions.core.ledger.writes import put

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef


def audited(operation_id: str, actor: Actor, action: str, detail: str) -> TransactWriteItemTypeDef:
    """Phrase the write of one audit entry."""
    at = instant()
    entry = AuditEntry(
        operation_id=operation_id, entry_id=new_identifier(), at=at, actor=actor, action=action, detail=detail
    )
    keys = {"record": f"audit#{entry.entry_id}", "expires_at": epoch(at + COMPANION_RETENTION)}
    return put(OPERATIONS, item_of(entry.model_dump() | keys))
