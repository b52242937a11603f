"""The persistent volumes a pod uses, and why its claims keep it from being scheduled."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, objects, text
from infra.local.kubernetes.resources import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES


def claim_names(pod: JsonObject) -> list[str]:
    """The claims a pod mounts, those of its ephemeral volumes included."""
    volumes = objects(pod, "spec", "volumes")
    named = [text(volume, "persistentVolumeClaim", "claimName") for volume in volumes]
    ephemeral = [f"{name_of(pod)}-{text(volume, 'name')}" for volume in volumes if "ephemeral" in volume]
    return [name for name in [*named, *ephemeral] if name]


def claims_of(cluster: Cluster, pod: JsonObject) -> Iterator[JsonObject]:
    """The claims of a pod that exist."""
    for name in claim_names(pod):
        claim = cluster.get(PERSISTENT_VOLUME_CLAIMS, name, namespace_of(pod))
        if claim is not None:
            yield claim


def volumes_of(cluster: Cluster, pod: JsonObject) -> Iterator[JsonObject]:
    """The persistent volumes that a pod's claims are bound to."""
    for claim in claims_of(cluster, pod):
        volume = cluster.get(PERSISTENT_VOLUMES, text(claim, "spec", "volumeName"))
        if volume is not None and text(claim, "status", "phase") == "Bound":
            yield volume


def claims_problem(cluster: Cluster, pod: JsonObject) -> str:
    """Why a pod waits for its claims, empty when all are bound."""
    for name in claim_names(pod):
        claim = cluster.get(PERSISTENT_VOLUME_CLAIMS, name, namespace_of(pod))
        if claim is None:
            return f'persistentvolumeclaim "{name}" not found'
        if text(claim, "status", "phase") != "Bound":
            if waits_for_consumer(cluster, claim):
                return "pod has unbound PersistentVolumeClaims whose volumes nobody provisions"
            return "pod has unbound immediate PersistentVolumeClaims"
    return ""


def waits_for_consumer(cluster: Cluster, claim: JsonObject) -> bool:
    """Whether a claim's class binds it only when a pod uses it."""
    storage_class = cluster.get(STORAGE_CLASSES, text(claim, "spec", "storageClassName"))
    return text(storage_class, "volumeBindingMode") == "WaitForFirstConsumer"
