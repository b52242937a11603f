"""The Lambda function behind the event bus and the schedules: bus events, and the sweeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger

from functions.clusters.events.models import BusEvent
from functions.clusters.events.routes import bus
from functions.core import catalogue, ledger
from functions.entry.domains import DECLARATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

logger = Logger(service="events")
catalogue.install(DECLARATIONS)


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Do what an event of the bus asks for, or sweep when a schedule says so."""
    if "detail-type" in event:
        bus.receive(BusEvent.model_validate(event))
        return {}
    return _sweep()


def _sweep() -> dict[str, JsonValue]:
    """Heal what was lost, and say what it was; what could not be healed is raised after that, together."""
    swept = ledger.sweep()
    for healing in swept.healed:
        logger.warning(
            "healed", extra={"operation_id": healing.operation_id, "healing": f"{healing.healing}: {healing.detail}"}
        )
    if swept.failures:
        raise ExceptionGroup(f"{len(swept.failures)} could not be healed", swept.failures)
    return {"healed": len(swept.healed)}
