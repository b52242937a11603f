"""The Lambda function that tells people what they have to know: the tables' streams and a schedule run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.notifications.routes import changes, looking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Tell of one batch of changes, and what Lambda has to repeat of it; or look around when a schedule says so."""
    if "Records" in event:
        return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in changes.hear(event)]}
    return {"told": [*looking.look()]}
