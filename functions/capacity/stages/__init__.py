"""HyperPod capacity: the lifecycle scripts in the bucket, and the cluster on SageMaker's side."""

from typing import TYPE_CHECKING

from functions.capacity.stages import drift
from functions.capacity.stages.cluster import HyperPodCluster
from functions.capacity.stages.lifecycle_scripts import LifecycleScripts
from functions.core import detection

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: "Behaviours" = {
    "lifecycle_scripts": LifecycleScripts(),
    "hyperpod_cluster": HyperPodCluster(),
    "hyperpod_drift": detection.of(drift.parts),
}
