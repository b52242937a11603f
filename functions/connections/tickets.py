"""Tickets: what a browser shows instead of a token when it opens a WebSocket, because its address may be logged.

Only a hash is stored, so that who reads the table can open nothing. Whoever shows a ticket takes it out.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.connections.models import Ticket
from functions.core import runtime
from functions.core.caller import Caller
from functions.core.errors import Unauthenticated
from functions.core.ledger.items import epoch, instant, item_of, plain
from functions.core.ledger.tables import TICKETS
from functions.core.ledger.writes import names_in, table_name, values_in

if TYPE_CHECKING:
    from collections.abc import Mapping

LIFETIME: Final = timedelta(seconds=60)
_BYTES: Final = 32


def issue(caller: Caller) -> Ticket:
    """Make a ticket for a caller, good for one minute and one connection."""
    ticket, expires_at = secrets.token_urlsafe(_BYTES), instant() + LIFETIME
    row = {**_key(ticket), "caller": caller.model_dump(mode="json"), "expires_at": epoch(expires_at)}
    runtime.client("dynamodb").put_item(TableName=table_name(TICKETS), Item=item_of(row))
    return Ticket(ticket=ticket, expires_at=expires_at)


def redeem(ticket: str) -> Caller:
    """Take a ticket out and give whose it was; raise Unauthenticated when it is unknown, used or too old."""
    client, unexpired = runtime.client("dynamodb"), "#expires_at > :now"
    try:
        answer = client.delete_item(
            TableName=table_name(TICKETS),
            Key=item_of(_key(ticket)),
            ConditionExpression=unexpired,
            ExpressionAttributeNames=names_in(unexpired),
            ExpressionAttributeValues=values_in(unexpired, {"now": epoch(instant())}),
            ReturnValues="ALL_OLD",
        )
    except client.exceptions.ConditionalCheckFailedException as error:
        raise refused() from error
    return Caller.model_validate(plain(answer["Attributes"]["caller"]))


def refused() -> Unauthenticated:
    """Say that no caller stands behind a connection."""
    return Unauthenticated(
        "The address has no ticket that is good: one opens a single connection within a minute.",
        remedy="POST /api/tickets gives a new one; connect with it as the query parameter ticket.",
    )


def _key(ticket: str) -> Mapping[str, str]:
    return {"ticket_hash": hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()}
