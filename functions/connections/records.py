"""Open WebSockets and what each of them watches: one record a connection, gone after the two hours that one may last.

Who watches a topic is found by a consistent Scan. An index would lag behind: a change between the replay for a new
subscriber and the index's hearing of the subscription would reach nobody. There are as many records as open consoles,
read once for a batch of changes, so a topic that everybody watches makes no part of the table busier than another.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.connections.rules import MAX_TOPICS
from functions.core import runtime
from functions.core.caller import Caller
from functions.core.errors import FieldError, InvalidRequest, Unauthenticated
from functions.core.ledger.items import epoch, instant, item_of, plain, text_of
from functions.core.ledger.tables import CONNECTIONS
from functions.core.ledger.writes import Refused, apply, names_in, table_name, update, values_in

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import ScanInputTypeDef

    from functions.core.ledger.items import Item

# API Gateway quotas for WebSocket APIs: a connection lasts at most two hours.
LIFETIME: Final = timedelta(hours=2)


@dataclass(frozen=True)
class Connection:
    """An open WebSocket."""

    connection_id: str
    topics: frozenset[str]


def add(connection_id: str, caller: Caller) -> None:
    """Note a connection that a caller opened."""
    row = {
        "connection_id": connection_id,
        "caller": caller.model_dump(mode="json"),
        "expires_at": epoch(instant() + LIFETIME),
    }
    runtime.client("dynamodb").put_item(TableName=table_name(CONNECTIONS), Item=item_of(row))


def remove(connection_id: str) -> None:
    """Forget a connection; one that is unknown stays so."""
    key = item_of({"connection_id": connection_id})
    runtime.client("dynamodb").delete_item(TableName=table_name(CONNECTIONS), Key=key)


def caller_of(connection_id: str) -> Caller:
    """Give who opened a connection; raise Unauthenticated when none is known by that id."""
    key = item_of({"connection_id": connection_id})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(CONNECTIONS), Key=key, ConsistentRead=True)
    if "Item" not in answer:
        raise _unknown()
    return Caller.model_validate(plain(answer["Item"]["caller"]))


def subscribe(connection_id: str, topic: str) -> None:
    """Let a connection watch a topic; raise InvalidRequest when it watches too many, Unauthenticated when gone."""
    room = "attribute_exists(#connection_id) AND (attribute_not_exists(#topics) OR size(#topics) < :most"
    where = f"{room} OR contains(#topics, :topic))"
    change = update(
        CONNECTIONS,
        {"connection_id": connection_id},
        add={"topics": {topic}},
        where=where,
        most=MAX_TOPICS,
        topic=topic,
    )
    try:
        apply(change)
    except Refused as refused:
        raise _too_many() if refused.items[0] else _unknown() from refused


def unsubscribe(connection_id: str, topic: str) -> None:
    """Let a connection watch a topic no more."""
    change = update(
        CONNECTIONS,
        {"connection_id": connection_id},
        discard={"topics": {topic}},
        where="attribute_exists(#connection_id)",
    )
    try:
        apply(change)
    except Refused as refused:
        raise _unknown() from refused


def watching() -> list[Connection]:
    """Read all connections that watch something."""
    narrowing = "attribute_exists(#topics) AND #expires_at > :now"
    request: ScanInputTypeDef = {
        "TableName": table_name(CONNECTIONS),
        "FilterExpression": narrowing,
        "ExpressionAttributeNames": names_in(narrowing),
        "ExpressionAttributeValues": values_in(narrowing, {"now": epoch(instant())}),
        "ConsistentRead": True,
    }
    client, found = runtime.client("dynamodb"), list[Connection]()
    while True:
        answer = client.scan(**request)
        found += [_connection(item) for item in answer["Items"]]
        if "LastEvaluatedKey" not in answer:
            return found
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _connection(item: Item) -> Connection:
    topics = plain(item["topics"])
    return Connection(text_of(item, "connection_id"), frozenset(map(str, topics if isinstance(topics, list) else [])))


def _unknown() -> Unauthenticated:
    return Unauthenticated("The connection is not known any more.", remedy="Connect again with a new ticket.")


def _too_many() -> InvalidRequest:
    error = FieldError(field="action", message=f"subscribes to more than {MAX_TOPICS} topics on one connection")
    detail = f"A connection watches at most {MAX_TOPICS} topics."
    return InvalidRequest(detail, errors=[error], remedy="Unsubscribe from one, or watch a cluster as a whole, or all.")
