"""What the ledger's streams tell: operations that failed, capacity that arrived, nodes that fell ill.

Only a transition is news: the stream shows an item as it was and as it became. A batch that failed comes again, and
what of it was told is known (`telling`).
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import Logger
from botocore.exceptions import BotoCoreError, ClientError

from functions.core import settings
from functions.core.ledger.items import model_of, text_of
from functions.core.ledger.models import Operation, Stage
from functions.core.ledger.queries import header
from functions.core.ledger.stream import StreamEvent
from functions.core.observations import ClusterEvent
from functions.notifications.routes.telling import tell
from functions.notifications.rules import nodes, operations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.ledger.stream import Stored
    from functions.notifications.models import Notice

_OPERATION: Final = "operation"
_STAGE: Final = "stage#"
logger = Logger(service="notifications")


def hear(event: Mapping[str, JsonValue]) -> list[str]:
    """Tell what is worth it of a batch of changes; give the stream's numbers of what has to be told again."""
    batch = [each.stored for each in StreamEvent.model_validate(event).changes if each.name != "REMOVE"]
    return [stored.sequence for stored in batch if not _told(stored)]


def _told(stored: Stored) -> bool:
    """Tell of one change, and say whether that worked; one that fails does not keep the others from being told."""
    try:
        notice = _notice(stored)
        if notice is not None:
            tell(notice)
    except (ClientError, BotoCoreError) as error:
        logger.warning("not told", exc_info=error, extra={"sequence": stored.sequence})
        return False
    return True


def _notice(stored: Stored) -> Notice | None:
    item, console = stored.item, settings.console_url()
    record = text_of(item, "record")
    if record == _OPERATION:
        operation = model_of(Operation, item)
        return operations.failed(text_of(stored.former, "status"), operation, stored.at.astimezone(UTC), console)
    if record.startswith(_STAGE):
        return _capacity(stored, console)
    return nodes.fault(model_of(ClusterEvent, item), console) if "time_id" in item else None


def _capacity(stored: Stored, console: str | None) -> Notice | None:
    # A stage's record names no cluster.
    operation = header(text_of(stored.item, "operation_id"))
    if operation is None:
        return None
    before = text_of(stored.former, "reason")
    return operations.capacity_arrived(before, model_of(Stage, stored.item), operation, console)
