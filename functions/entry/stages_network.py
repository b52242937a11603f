"""The Lambda function that runs the network stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.deletion.stages.network import STAGES as CLUSTERS_DELETION
from functions.clusters.importing.stages.access import TAG_STAGES as IMPORTING_TAGS
from functions.core import turn
from functions.core.turn import Turn
from functions.network.stages import STAGES as NETWORK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {
    **CLUSTERS_DELETION,
    **IMPORTING_TAGS,
    **NETWORK,
}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
