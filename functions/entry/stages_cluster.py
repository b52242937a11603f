"""The Lambda function that runs the stages of EKS and HyperPod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.stages import STAGES as CAPACITY
from functions.clusters.deletion.stages.cluster import STAGES as CLUSTERS_DELETION
from functions.clusters.drift.stages import STAGES as CLUSTER_DRIFT
from functions.clusters.importing.stages.access import MODE_STAGES as IMPORTING_MODE
from functions.clusters.importing.stages.leaving import LEAVING_STAGES as IMPORTING_LEAVING
from functions.clusters.importing.stages.outside import STAGES as IMPORTING
from functions.clusters.preflight.stages.again import STAGES as CLUSTERS_PREFLIGHT
from functions.clusters.settings.stages import STAGES as CLUSTERS_SETTINGS
from functions.clusters.stages import STAGES as CLUSTERS
from functions.clusters.upgrades.stages import STAGES as CLUSTERS_UPGRADES
from functions.core import turn
from functions.core.turn import Turn
from functions.features.stages import STAGES as FEATURES
from functions.identity.people.stages import STAGES as IDENTITY_PEOPLE
from functions.identity.stages import STAGES as IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {
    **CAPACITY,
    **CLUSTERS,
    **CLUSTERS_DELETION,
    **CLUSTERS_PREFLIGHT,
    **CLUSTERS_SETTINGS,
    **CLUSTERS_UPGRADES,
    **CLUSTER_DRIFT,
    **FEATURES,
    **IDENTITY,
    **IDENTITY_PEOPLE,
    **IMPORTING,
    **IMPORTING_LEAVING,
    **IMPORTING_MODE,
}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
