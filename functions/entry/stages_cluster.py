"""The Lambda function that runs the stages of EKS and HyperPod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.stages import STAGES as CAPACITY
from functions.clusters.deletion.stages.cluster import STAGES as CLUSTERS_DELETION
from functions.clusters.settings.stages import STAGES as CLUSTERS_SETTINGS
from functions.clusters.stages import STAGES as CLUSTERS
from functions.core import turn
from functions.core.turn import Turn
from functions.features.stages import STAGES as FEATURES
from functions.identity.stages import STAGES as IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {
    **CAPACITY,
    **CLUSTERS,
    **CLUSTERS_DELETION,
    **CLUSTERS_SETTINGS,
    **FEATURES,
    **IDENTITY,
}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
