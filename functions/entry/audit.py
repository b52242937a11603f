"""The Lambda function that keeps who did what: a schedule lets it write the days that are over to the audit bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from functions.audit.routes.export import export

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

logger = Logger(service="audit")


def handler(_event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Export what is due, and name the days."""
    days: list[JsonValue] = [day.isoformat() for day in export()]
    logger.info("exported", extra={"days": days})
    return {"exported": days}
