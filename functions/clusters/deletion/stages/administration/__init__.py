"""What a deletion does inside the cluster; only its administrator sees and may delete everything."""

from typing import TYPE_CHECKING

from functions.clusters.deletion.stages.administration.helm_release import HelmReleaseRemoval
from functions.clusters.deletion.stages.administration.load_balancers import LoadBalancersRemoval
from functions.clusters.deletion.stages.administration.own_objects import OwnObjectsRemoval

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: "Behaviours" = {
    "load_balancers_removal": LoadBalancersRemoval(),
    "own_objects_removal": OwnObjectsRemoval(),
    "helm_release_removal": HelmReleaseRemoval(),
}
