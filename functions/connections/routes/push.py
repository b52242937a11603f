"""From the tables' streams to the subscribers: operations as they stand now, audit entries, cluster events.

Lambda repeats a batch from the first failed record on, so messages may come twice. A stream shows the records of one
operation in their order, and each message shows how the operation stands, so a client that keeps the newest version
misses nothing that lasted.
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import Logger
from botocore.exceptions import BotoCoreError, ClientError

from functions.connections import delivery, records, replay, rules
from functions.connections.messages import AuditMessage, ClusterEventMessage
from functions.connections.rules import Change
from functions.core import ledger
from functions.core.errors import NotFound
from functions.core.failures import code_of
from functions.core.ledger.items import instant, model_of, plain, text_of
from functions.core.ledger.models import AuditEntry
from functions.core.ledger.stream import StreamEvent
from functions.core.observations import ClusterEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from functions.connections.messages import Message
    from functions.connections.records import Connection
    from functions.core.ledger.stream import Stored, StreamRecord

# A connection that cannot be reached for so long is cut: it must not hold up the stream for the others.
PATIENCE: Final = timedelta(seconds=30)
logger = Logger(service="push")


def push(event: Mapping[str, JsonValue]) -> list[str]:
    """Tell the subscribers what changed; give the stream's numbers of what has to be told again."""
    batch = [each for each in StreamEvent.model_validate(event).changes if each.name != "REMOVE"]
    connections = records.watching() if batch else []
    if not connections:
        return []
    stored = {each.stored.sequence: each.stored for each in batch}
    failed: list[str] = []
    for change in rules.newest(_changes(batch)):
        watchers = [each for each in connections if each.topics & change.topics]
        if watchers and not _told(watchers, stored[change.sequence]):
            failed.append(change.sequence)
    return failed


def _changes(batch: Sequence[StreamRecord]) -> Iterator[Change]:
    for record in batch:
        if (change := change_of(record.stored)) is not None:
            yield change


def change_of(stored: Stored) -> Change | None:
    """Say who is to hear of a changed item, None when it is told by another one of its transaction."""
    item, name = stored.item, text_of(stored.item, "record")
    operation_id = text_of(item, "operation_id")
    if name == "operation":
        tag, actor = text_of(item, "cluster_tag"), plain(item["actor"])
        caller = str(actor.get("id")) if isinstance(actor, dict) else ""
        return Change(stored.sequence, operation_id, rules.topics_of_operation(operation_id, tag, caller))
    if name.startswith("audit#"):
        return Change(stored.sequence, name, frozenset({rules.operation_topic(operation_id)}))
    if "time_id" in item:
        tag = text_of(item, "cluster_tag")
        return Change(stored.sequence, text_of(item, "time_id"), rules.topics_of_event(tag))
    return None


def _told(watchers: Sequence[Connection], stored: Stored) -> bool:
    """Tell all watchers, and say whether that worked; one that fails does not keep it from the others."""
    message = _message(stored)
    if message is None:
        return True
    content = delivery.encoded(message)
    reached = [_reached(watcher.connection_id, content, stored.at) for watcher in watchers]
    return all(reached)


def _message(stored: Stored) -> Message | None:
    item = stored.item
    if "time_id" in item:
        return ClusterEventMessage(event=model_of(ClusterEvent, item))
    if text_of(item, "record") != "operation":
        return AuditMessage(entry=model_of(AuditEntry, item))
    try:
        return replay.operation_message(ledger.get(text_of(item, "operation_id")))
    except NotFound:  # it has expired since
        return None


def _reached(connection_id: str, content: bytes, at: datetime) -> bool:
    try:
        delivery.post(connection_id, content)
    except (ClientError, BotoCoreError) as error:
        code = code_of(error) if isinstance(error, ClientError) else type(error).__name__
        logger.warning("not delivered", extra={"connection_id": connection_id, "code": code})
        if instant() - at.astimezone(UTC) < PATIENCE:
            return False
        delivery.cut(connection_id)
    return True
