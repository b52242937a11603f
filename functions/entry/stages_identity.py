"""The Lambda function that runs the stages that give pods their AWS roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import turn
from functions.core.turn import Turn
from functions.identity.chains.stages import STAGES as IDENTITY_CHAINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {**IDENTITY_CHAINS}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
