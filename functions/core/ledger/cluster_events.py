"""What AWS told about a HyperPod cluster, kept for 90 days: written once per event, read newest first."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from functions.core.ledger.items import epoch, instant, item_of, model_of, text_of, timestamp
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.ledger.queries import pages
from functions.core.ledger.tables import CLUSTER_EVENTS
from functions.core.ledger.writes import Refused, names_in, put, table_name, transact, values_in
from functions.core.observations import ClusterEvent, ClusterEventPage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

RETENTION: Final = timedelta(days=90)
# EventBridge tries to deliver an event for a day.
LATEST_DELIVERY: Final = timedelta(hours=24)


def record(event: ClusterEvent) -> bool:
    """Write an event, and say whether it is new."""
    keys = {"time_id": _position(event.at, event.event_id), "expires_at": epoch(event.at + RETENTION)}
    try:
        transact([put(CLUSTER_EVENTS, item_of(event.model_dump() | keys), where="attribute_not_exists(#time_id)")])
    except Refused:
        return False
    return True


def list_cluster_events(
    cluster_tag: str, *, caller: str, limit: int | None = None, token: str | None = None
) -> ClusterEventPage:
    """Read one page of a cluster's events, newest first; raise InvalidRequest or InvalidPageToken."""
    size, query = page_limit(limit), {"list": "cluster_events", "cluster_tag": cluster_tag}
    before = unseal(token, query, caller) if token else None
    # One more than asked for tells whether there is a next page.
    items = list(islice(pages(_newest_first(cluster_tag, before, size + 1)), size + 1))
    last = text_of(items[size - 1], "time_id") if len(items) > size else None
    return ClusterEventPage(
        events=[model_of(ClusterEvent, item) for item in items[:size]],
        next_token=seal(last, query, caller) if last else None,
    )


def recorded_since(cluster_tag: str, since: datetime, limit: int) -> list[ClusterEvent]:
    """Read the newest events that we learnt of since an instant, at most `limit`, oldest first.

    An event may come a day after it happened, so when it was recorded decides.
    """
    newest_first = _newest_first(cluster_tag, None, limit)
    events: Iterable[ClusterEvent] = (model_of(ClusterEvent, item) for item in pages(newest_first))
    found: list[ClusterEvent] = []
    for event in events:
        if event.at < since - LATEST_DELIVERY or len(found) == limit:
            break
        if event.recorded_at >= since:
            found.append(event)
    return found[::-1]


def _newest_first(cluster_tag: str, before: str | None, size: int) -> QueryInputTypeDef:
    condition = "#cluster_tag = :tag AND #time_id < :before"
    # TTL deletes days late; an event is gone when our clock says so.
    narrowing = "#expires_at > :now"
    values = {"tag": cluster_tag, "before": before or "~", "now": epoch(instant())}
    return {
        "TableName": table_name(CLUSTER_EVENTS),
        "KeyConditionExpression": condition,
        "FilterExpression": narrowing,
        "ExpressionAttributeNames": names_in(f"{condition} {narrowing}"),
        "ExpressionAttributeValues": values_in(f"{condition} {narrowing}", values),
        "ScanIndexForward": False,
        "Limit": size,
        "ConsistentRead": True,
    }


def _position(at: datetime, event_id: str) -> str:
    return f"{timestamp(at)}#{event_id}"
