"""Looking at the foundation stack and bringing it back, and the report of what all stages that looked have found."""

from typing import TYPE_CHECKING

from functions.clusters.drift.stages.foundation import FoundationDrift
from functions.clusters.drift.stages.repair import FoundationRepair
from functions.clusters.drift.stages.report import DriftReport

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: "Behaviours" = {
    "foundation_drift": FoundationDrift(),
    "foundation_repair": FoundationRepair(),
    "drift_report": DriftReport(),
}
