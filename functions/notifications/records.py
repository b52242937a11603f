"""What was told already: one record a notice, for the time in which it is not told again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import runtime
from functions.core.ledger.items import epoch, instant, item_of
from functions.core.ledger.tables import NOTICES
from functions.core.ledger.writes import table_name

if TYPE_CHECKING:
    from functions.notifications.models import Notice


def is_told(notice: Notice) -> bool:
    """Say whether a notice was told and is still to be kept silent about."""
    answer = runtime.client("dynamodb").get_item(
        TableName=table_name(NOTICES), Key=item_of({"notice": notice.key}), ConsistentRead=True
    )
    # DynamoDB removes what has expired within days, not at once.
    return "Item" in answer and int(answer["Item"]["expires_at"]["N"]) > epoch(instant())


def note(notice: Notice) -> None:
    """Note that a notice was told."""
    row = {"notice": notice.key, "expires_at": epoch(instant() + notice.silence)}
    runtime.client("dynamodb").put_item(TableName=table_name(NOTICES), Item=item_of(row))
