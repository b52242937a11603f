"""What a pod needs of its volumes and settings before its containers can start."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.pods import is_ready
from infra.local.kubernetes.controllers.volumeclaims import claims_problem, volumes_of
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, objects, text, value_at
from infra.local.kubernetes.resources import CONFIG_MAPS, CSI_DRIVERS, PODS, SECRETS, Resource

_SOURCES = (("configMap", "name", CONFIG_MAPS, "configmap"), ("secret", "secretName", SECRETS, "secret"))


def mount_problem(cluster: Cluster, pod: JsonObject, node: JsonObject) -> tuple[str, str] | None:
    """The reason and message of the event about the first volume that cannot be mounted, None when all can."""
    if problem := claims_problem(cluster, pod):
        return "FailedMount", f"Unable to attach or mount volumes: {problem}"
    return next(_problems(cluster, pod, node), None)


def _problems(cluster: Cluster, pod: JsonObject, node: JsonObject) -> Iterator[tuple[str, str]]:
    for volume in objects(pod, "spec", "volumes"):
        for kind, field, resource, word in _SOURCES:
            name = text(volume, kind, field)
            if (
                name
                and not value_at(volume, kind, "optional")
                and cluster.get(resource, name, namespace_of(pod)) is None
            ):
                yield "FailedMount", _set_up(text(volume, "name"), f'{word} "{name}" not found')
    for volume in volumes_of(cluster, pod):
        driver = text(volume, "spec", "csi", "driver")
        if driver and _needs_attaching(cluster, driver) and not _runs(cluster, f"{_short(driver)}-csi-controller"):
            message = f"timed out waiting for external-attacher of {driver} CSI driver to attach volume"
            yield "FailedAttachVolume", f'AttachVolume.Attach failed for volume "{name_of(volume)}" : {message}'
        if driver and not _runs(cluster, f"{_short(driver)}-csi-node", name_of(node)):
            why = f"driver name {driver} not found in the list of registered CSI drivers"
            message = f"kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: {why}"
            yield "FailedMount", _set_up(name_of(volume), message)
        if problem := cluster.mount_problem(pod, volume):
            yield "FailedMount", _set_up(name_of(volume), problem)


def config_problem(cluster: Cluster, pod: JsonObject, container: JsonObject) -> str:
    """Why a container's environment cannot be built, empty when it can."""
    references = [
        *((mapping(e, "valueFrom", "configMapKeyRef"), CONFIG_MAPS, "configmap") for e in objects(container, "env")),
        *((mapping(e, "valueFrom", "secretKeyRef"), SECRETS, "secret") for e in objects(container, "env")),
        *((mapping(e, "configMapRef"), CONFIG_MAPS, "configmap") for e in objects(container, "envFrom")),
        *((mapping(e, "secretRef"), SECRETS, "secret") for e in objects(container, "envFrom")),
    ]
    problems = (_key_problem(cluster, pod, *reference) for reference in references)
    return next((problem for problem in problems if problem), "")


def _key_problem(cluster: Cluster, pod: JsonObject, reference: JsonObject, resource: Resource, word: str) -> str:
    name, key = text(reference, "name"), text(reference, "key")
    if not name or reference.get("optional"):
        return ""
    found = cluster.get(resource, name, namespace_of(pod))
    if found is None:
        return f'{word} "{name}" not found'
    known = mapping(found, "data").keys() | mapping(found, "binaryData").keys()
    if key and key not in known:
        return f"couldn't find key {key} in {resource.kind} {namespace_of(pod)}/{name}"
    return ""


def _set_up(volume: str, why: str) -> str:
    return f'MountVolume.SetUp failed for volume "{volume}" : {why}'


def _needs_attaching(cluster: Cluster, driver: str) -> bool:
    registered = cluster.get(CSI_DRIVERS, driver)
    return mapping(registered, "spec").get("attachRequired", True) is not False


def _short(driver: str) -> str:
    """`s3` of `s3.csi.aws.com`: what the driver's pods are named after."""
    return driver.partition(".")[0]


def _runs(cluster: Cluster, prefix: str, node: str = "") -> bool:
    pods = cluster.pods_on(node) if node else cluster.all(PODS, "kube-system")
    return any(name_of(pod).startswith(f"{prefix}-") and is_ready(pod) for pod in pods)
