"""The Lambda function behind schedules: the sweeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from functions.core import ledger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

logger = Logger(service="events")


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Heal what was lost, and say what it was."""
    healed = ledger.sweep()
    for healing in healed:
        logger.warning(
            "healed", extra={"operation_id": healing.operation_id, "healing": f"{healing.healing}: {healing.detail}"}
        )
    return {"healed": len(healed)}
