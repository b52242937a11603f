"""The end of HyperPod, the add-ons, the foundation stack and the bucket, and the last look."""

from typing import TYPE_CHECKING

from functions.clusters.deletion.stages.cluster.absence import Absence
from functions.clusters.deletion.stages.cluster.addons import AddonsRemoval
from functions.clusters.deletion.stages.cluster.bucket import BucketRemoval
from functions.clusters.deletion.stages.cluster.foundation import FoundationRemoval
from functions.clusters.deletion.stages.cluster.hyperpod import HyperPodRemoval

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: "Behaviours" = {
    "absence": Absence(),
    "addons_removal": AddonsRemoval(),
    "bucket_removal": BucketRemoval(),
    "foundation_removal": FoundationRemoval(),
    "hyperpod_removal": HyperPodRemoval(),
}
