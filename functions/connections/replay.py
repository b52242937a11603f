"""What a subscriber is told at first: how things stand, or what changed since it looked last.

The subscription is written before this is read, so what changes meanwhile is told by the stream, perhaps a second time.
Both are read consistently, but for one thing: what was begun this very moment may be missing from the first list of
`mine` or `all`, which an index gives; it is told at its next change.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.connections.messages import AuditMessage, ClusterEventMessage, OperationMessage
from functions.core import ledger
from functions.core.errors import NotFound
from functions.core.ledger import cluster_events
from functions.core.ledger.clusters import operations_at, spec_of
from functions.core.ledger.queries import advised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from functions.connections.messages import Message
    from functions.connections.models import Subscribe
    from functions.core.ledger.models import Operation
    from functions.core.observations import ClusterEvent

MAX_OPERATIONS: Final = 25
MAX_EVENTS: Final = 100
# Clocks of workers differ a little, and what one began to write before another looked may appear after it.
OVERLAP: Final = timedelta(seconds=60)


@dataclass(frozen=True)
class Replay:
    """Messages to send, and whether they are all that was missed."""

    messages: list[Message]
    complete: bool = True


def operation_message(operation: Operation) -> OperationMessage:
    """Tell how an operation stands, as its route does."""
    told = advised(operation)
    return OperationMessage(operation_id=told.operation_id, version=told.version, operation=told)


def check(asked: Subscribe) -> None:
    """Refuse a subscription to what does not exist; raise NotFound."""
    if asked.operation_id is not None:
        ledger.get(asked.operation_id)
    if asked.cluster_tag is not None:
        spec_of(asked.cluster_tag)


def replay(asked: Subscribe, caller: str) -> Replay:
    """Read what a new subscriber has to be told."""
    since = asked.after - OVERLAP if asked.after is not None else None
    if asked.operation_id is not None:
        return Replay([*_of_operation(asked.operation_id, asked.after_version, since)])
    operations, every = _operations(asked.cluster_tag, caller if asked.mine else None, since)
    events, each = _events(asked, since) if since is not None else ([], True)
    messages: list[Message] = [operation_message(operation) for operation in operations]
    return Replay([*messages, *(ClusterEventMessage(event=event) for event in events)], every and each)


def _events(asked: Subscribe, since: datetime) -> tuple[list[ClusterEvent], bool]:
    """Read what AWS told since then, and say whether that is all."""
    if asked.cluster_tag is None:
        # Those of all clusters would cost a Query for each: they are not told again, and nobody knows of how many.
        return [], not asked.all
    events = cluster_events.recorded_since(asked.cluster_tag, since, MAX_EVENTS)
    return events, len(events) < MAX_EVENTS


def _of_operation(operation_id: str, after_version: int | None, since: datetime | None) -> Iterator[Message]:
    operation = ledger.get(operation_id)
    if after_version is None or operation.version > after_version:
        yield operation_message(operation)
    if since is not None:
        yield from (AuditMessage(entry=entry) for entry in ledger.audit(operation_id) if entry.at >= since)


def _operations(cluster_tag: str | None, caller: str | None, since: datetime | None) -> tuple[list[Operation], bool]:
    """Read the unfinished operations, and those that changed since then, oldest first, and say whether that is all."""
    newest, every = ledger.newest_operations(cluster_tag, caller)
    listed = [each.operation_id for each in newest if _is_of_interest(each, since)]
    # The list's index lags behind; the leases of a cluster do not.
    leased = operations_at(cluster_tag) if cluster_tag is not None else []
    wanted = sorted({*listed, *leased})
    return [*_read(wanted[-MAX_OPERATIONS:])], len(wanted) <= MAX_OPERATIONS and every


def _is_of_interest(operation: Operation, since: datetime | None) -> bool:
    return not operation.status.terminal or (since is not None and operation.updated_at >= since)


def _read(operation_ids: Iterable[str]) -> Iterator[Operation]:
    for operation_id in operation_ids:
        try:
            yield ledger.get(operation_id)
        except NotFound:  # a lease that outlived its operation
            continue
