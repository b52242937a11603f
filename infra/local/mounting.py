"""Lets the clusters' kubelets and containers meet what S3 and IAM say of a mount."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from infra.local.kubernetes.controllers.behaviours import Rule
from infra.local.kubernetes.controllers.volumeclaims import volumes_of
from infra.local.kubernetes.documents import text
from infra.local.simulators.mountpoint import DRIVER, bucket_of

if TYPE_CHECKING:
    from infra.local.kubernetes.api import KubernetesApi
    from infra.local.kubernetes.controllers.behaviours import Behaviour, Scene
    from infra.local.simulators.mountpoint import Mountpoint

# Other containers are not known to write: this one's script says where it does.
_PROBE = r"/mount/\.instantstart-probe"


def serve_mounts(api: KubernetesApi, driver: Mountpoint) -> None:
    """Make a cluster's mounts of buckets depend on what there is."""
    cluster = api.controllers.cluster

    def run(scene: Scene, usual: Behaviour) -> Behaviour:
        for volume in volumes_of(cluster, scene.pod):
            if text(volume, "spec", "csi", "driver") == DRIVER:
                complaint = driver.complaint(bucket_of(volume), ".instantstart-probe/marker")
                if complaint:
                    return replace(usual, run_seconds=1, exit_code=1, logs=((0, f"sh: {complaint}"),))
        return replace(usual, run_seconds=1)

    cluster.mount_problem = driver.problem
    api.behaviours.add(Rule(run, command=_PROBE))
