"""The Lambda function that runs the stages that speak to Kubernetes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.nodes.stages import STAGES as CAPACITY_NODES
from functions.clusters.upgrades.preflight.stages import STAGES as CLUSTERS_UPGRADES_PREFLIGHT
from functions.clusters.verification.stages import STAGES as CLUSTERS_VERIFICATION
from functions.core import turn
from functions.core.turn import Turn
from functions.identity.namespaces.stages import STAGES as IDENTITY_NAMESPACES
from functions.storage.stages import STAGES as STORAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {
    **CAPACITY_NODES,
    **CLUSTERS_UPGRADES_PREFLIGHT,
    **CLUSTERS_VERIFICATION,
    **IDENTITY_NAMESPACES,
    **STORAGE,
}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
