"""The Lambda function that runs helm; x86_64, because the layer with the program is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import turn
from functions.core.turn import Turn
from functions.features.helm.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a helm release."""
    return turn.take(Turn.model_validate(event), STAGES).model_dump(mode="json")
