"""Messages on their way to clients, through the management API of the WebSocket gateway."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.connections import records
from functions.connections.messages import OperationMessage
from functions.core import runtime

if TYPE_CHECKING:
    from functions.connections.messages import Message

# API Gateway quotas for WebSocket APIs: a message has at most 128 KB.
MAX_MESSAGE_BYTES: Final = 128 * 1024


def encoded(message: Message) -> bytes:
    """Write a message; an operation that is too large for one is left out of it."""
    content = message.model_dump_json().encode()
    if len(content) > MAX_MESSAGE_BYTES and isinstance(message, OperationMessage):
        return message.model_copy(update={"operation": None}).model_dump_json().encode()
    return content


def post(connection_id: str, content: bytes) -> bool:
    """Send to a connection, and say whether it is still there; one that is gone is forgotten.

    Raise the client's own errors.
    """
    client = runtime.connections_client()
    try:
        client.post_to_connection(ConnectionId=connection_id, Data=content)
    except client.exceptions.GoneException:
        records.remove(connection_id)
        return False
    return True


def cut(connection_id: str) -> None:
    """Close a connection that cannot be served: its client connects again and is told what it missed."""
    with suppress(ClientError, BotoCoreError):  # what cannot be closed is forgotten all the same
        runtime.connections_client().delete_connection(ConnectionId=connection_id)
    records.remove(connection_id)
