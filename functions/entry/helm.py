"""The Lambda function that administers clusters: helm, and the rights of the others; x86_64, as the helm layer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.deletion.stages.administration import STAGES as CLUSTERS_DELETION
from functions.clusters.importing.stages.concluding import STAGES as IMPORTING
from functions.clusters.importing.stages.leaving import RIGHTS_STAGES as IMPORTING_RIGHTS
from functions.core import turn
from functions.core.turn import Turn
from functions.features.helm.stages import STAGES as FEATURES_HELM
from functions.identity.cluster_roles.stages import STAGES as IDENTITY_CLUSTER_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.stage import Behaviours

BEHAVIOURS: Behaviours = {
    **CLUSTERS_DELETION,
    **FEATURES_HELM,
    **IDENTITY_CLUSTER_ROLES,
    **IMPORTING,
    **IMPORTING_RIGHTS,
}


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one turn of a stage."""
    return turn.take(Turn.model_validate(event), BEHAVIOURS).model_dump(mode="json")
