"""What gathers the facts of a request, and the stage that does so once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.preflight.stages.again import Preflight

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: Behaviours = {"preflight": Preflight()}
