"""The Lambda function behind the tables' streams: it tells the WebSockets what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.connections.routes import push

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Tell of one batch of changes; the answer names what Lambda has to repeat."""
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in push.push(event)]}
