"""The Lambda function that runs helm; x86_64, because the layer with the program is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import turn
from functions.core.turn import Turn
from functions.features.helm.stages import STAGES as FEATURES_HELM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {**FEATURES_HELM}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a helm release."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
