"""Lets the clusters' kubelets and containers meet what S3 and IAM say of a mount."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from infra.local.kubernetes.controllers.behaviours import Rule
from infra.local.kubernetes.controllers.times import moment_at
from infra.local.kubernetes.controllers.volumeclaims import volumes_of
from infra.local.kubernetes.documents import text
from infra.local.kubernetes.resources import PODS
from infra.local.simulators.mountpoint import ACCOUNT, DRIVER, bucket_of

if TYPE_CHECKING:
    from infra.local.kubernetes.api import KubernetesApi
    from infra.local.kubernetes.controllers.behaviours import Behaviour, Scene
    from infra.local.kubernetes.documents import JsonObject
    from infra.local.simulators.eks_records import ClusterRecord
    from infra.local.simulators.mountpoint import Mountpoint

# Other containers are not known to write: this one's script says where it does.
_PROBE = r"/mount/\.instantstart-probe"
_DRIVER_PODS = "k8s-app=s3-csi-node"


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


def is_equipped(api: KubernetesApi, cluster: ClusterRecord, pod: JsonObject) -> bool:
    """Whether the driver's pod on a pod's node was admitted while its service account had an association.

    A driver that has its role by other means than an association, or no pod there, is not judged.
    """
    associated = ((each.namespace, each.service_account) for each in cluster.associations.values())
    if ACCOUNT not in associated:
        return True
    for driver in api.store.select(PODS, ACCOUNT[0], labels=_DRIVER_PODS):
        admitted = moment_at(driver, "metadata", "creationTimestamp")
        if admitted and text(driver, "spec", "nodeName") == text(pod, "spec", "nodeName"):
            return cluster.had_association(*ACCOUNT, admitted)
    return True
