"""The Lambda function behind the WebSocket gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.connections.routes import sockets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Answer one event of a WebSocket API."""
    return sockets.handle(event)
