"""A caller's key and the operation that it began: the same key with the same request gives the same operation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from functions.core import runtime
from functions.core.errors import FieldError, IdempotencyKeyReused, InvalidRequest
from functions.core.ledger.items import epoch, instant, item_of, text_of
from functions.core.ledger.models import Channel
from functions.core.ledger.queries import newest_on
from functions.core.ledger.tables import IDEMPOTENCY
from functions.core.ledger.writes import put, table_name
from functions.core.phases import LOOKING

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.models import Actor, JsonObject, NewOperation, Operation

MAX_KEY_CHARACTERS: Final = 255
KEY_LIFETIME: Final = timedelta(hours=24)
# How long after its end an operation still is the answer to the same request of a caller who sends no keys.
REPEAT_WINDOW: Final = timedelta(seconds=120)


def check_key(key: str | None) -> None:
    """Refuse a key that is empty or endless; raise InvalidRequest."""
    if key is not None and not 1 <= len(key) <= MAX_KEY_CHARACTERS:
        message = f"has {len(key)} characters; 1 to {MAX_KEY_CHARACTERS} are allowed"
        error = FieldError(field="Idempotency-Key", message=message)
        raise InvalidRequest(f"The idempotency key {message}.", errors=[error])


@dataclass(frozen=True)
class Key:
    """By what a request is known again: a key of its caller's own, or one that is implied by the request."""

    value: str | None
    implied: bool


def key_of(request: JsonObject, actor: Actor, sent: str | None) -> Key:
    """Give the key of a request: the one that was sent; agents repeat what they do without sending any."""
    if sent is None and actor.channel is Channel.AGENT:
        return Key(hashlib.sha256(_canonical(request)).hexdigest(), implied=True)
    return Key(sent, implied=False)


def is_over(new: NewOperation, earlier: Operation) -> bool:
    """Say whether a request is a new one though the same was carried out before.

    It is when its key was implied and the operation ended long ago, or only looked at what may be other by now, or is
    not what was done last on its cluster.
    """
    ended = earlier.finished_at
    if not new.implied_key or ended is None:
        return False
    if earlier.kind in LOOKING or ended + REPEAT_WINDOW <= instant():
        return True
    newest = newest_on(earlier.cluster_tag)
    return newest is not None and newest.created_at > earlier.created_at


def request_hash(new: NewOperation) -> str:
    """Hash what makes two requests the same one."""
    if new.implied_key:
        return str(new.idempotency_key)  # it is made of the request, and of no tag that was generated for it
    # A generated tag belongs here too: it is derived from the key, so a repeat generates the same one.
    body = {"request": new.request if new.sent is None else new.sent, "kind": new.kind, "cluster_tag": new.cluster_tag}
    return hashlib.sha256(_canonical(body)).hexdigest()


def remember(new: NewOperation, draft: Operation) -> TransactWriteItemTypeDef:
    """Phrase the write that ties a key to its operation, refused while the key is tied to another."""
    row = {
        "caller_route_key": _name(new),
        "body_hash": request_hash(new),
        "operation_id": draft.operation_id,
        "expires_at": epoch(draft.created_at + KEY_LIFETIME),
    }
    # TTL deletes days late; a row is gone when our clock says so.
    unused = "attribute_not_exists(#caller_route_key) OR #expires_at <= :now"
    if new.supersedes is None:
        return put(IDEMPOTENCY, item_of(row), where=unused, now=epoch(draft.created_at))
    over = f"{unused} OR #operation_id = :over"
    return put(IDEMPOTENCY, item_of(row), where=over, now=epoch(draft.created_at), over=new.supersedes)


def recall(new: NewOperation) -> str | None:
    """Name the operation that this request's key began, None when it began none; raise IdempotencyKeyReused."""
    if new.idempotency_key is None:
        return None
    key = item_of({"caller_route_key": _name(new)})
    answer = runtime.client("dynamodb").get_item(TableName=table_name(IDEMPOTENCY), Key=key, ConsistentRead=True)
    row = answer.get("Item")
    if row is None or int(row["expires_at"]["N"]) <= epoch(instant()):
        return None
    return begun_by(row, new)


def begun_by(row: Item, new: NewOperation) -> str:
    """Name the operation that a remembered key began with this very request; raise IdempotencyKeyReused."""
    operation_id = text_of(row, "operation_id")
    if text_of(row, "body_hash") == request_hash(new):
        return operation_id
    raise IdempotencyKeyReused(
        f"The idempotency key {new.idempotency_key!r} began operation {operation_id} with another request.",
        remedy="Send a new key with a new request; repeat a request unchanged to get its operation again.",
        operation_id=operation_id,
    )


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _name(new: NewOperation) -> str:
    kind = "#" if new.implied_key else ""
    return f"{quote(new.actor.id, safe=':/@')}#{new.route}#{kind}{new.idempotency_key}"
