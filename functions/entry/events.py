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
    """Heal what was lost, and say what it was; what could not be healed is raised after that, together."""
    swept = ledger.sweep()
    for healing in swept.healed:
        logger.warning(
            "healed", extra={"operation_id": healing.operation_id, "healing": f"{healing.healing}: {healing.detail}"}
        )
    if swept.failures:
        raise ExceptionGroup(f"{len(swept.failures)} could not be healed", swept.failures)
    return {"healed": len(swept.healed)}
