"""Pods as workloads see them: making one from a template, telling whether it counts, ending it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.conditions import condition_of, holds
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.naming import random_suffix
from infra.local.kubernetes.controllers.taints import default_tolerations
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.errors import AlreadyExists, StatusError
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import PODS, SERVICE_ACCOUNTS, Resource


@dataclass(frozen=True)
class Maker:
    """A workload that makes pods: the object, its resource, and the component that speaks in events."""

    owner: JsonObject
    resource: Resource
    component: str


@dataclass(frozen=True)
class Extras:
    """What a workload adds to its template for one pod; a name of its own, or a generated one."""

    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    spec: JsonObject = field(default_factory=dict)
    prefix: str = ""


def controller_reference(owner: JsonObject, resource: Resource) -> JsonObject:
    """What an object says of the one that controls it."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": name_of(owner),
        "uid": text(owner, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def create_pod(cluster: Cluster, maker: Maker, template: JsonObject, extras: Extras) -> JsonObject | None:
    """Create a pod of a workload; when it is refused an event says why and nothing is created."""
    owner = maker.owner
    prefix = extras.prefix or f"{name_of(owner)}-"
    try:
        _require_service_account(cluster, namespace_of(owner), template, prefix)
        pod = _create_named(cluster, _pod(maker, template, extras), "" if extras.name else prefix)
    except StatusError as refusal:
        cluster.event(owner, "FailedCreate", f"Error creating: {refusal}", maker.component, "Warning", again=True)
        return None
    cluster.event(owner, "SuccessfulCreate", f"Created pod: {name_of(pod)}", maker.component)
    return pod


def delete_pod(cluster: Cluster, maker: Maker, pod: JsonObject) -> None:
    """End a pod of a workload, saying so."""
    if is_deleting(pod):
        return
    cluster.delete(PODS, pod, stop_seconds(pod))
    cluster.event(maker.owner, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}", maker.component)


def stop_seconds(pod: JsonObject) -> int:
    """How long a pod may take to stop: no time when nothing of it runs."""
    if not text(pod, "spec", "nodeName") or is_finished(pod):
        return 0
    seconds = mapping(pod, "spec").get("terminationGracePeriodSeconds")
    return seconds if isinstance(seconds, int) else 30


def is_active(pod: JsonObject) -> bool:
    """Whether a pod counts for its workload: neither finished nor on its way out."""
    return not is_finished(pod) and not is_deleting(pod)


def is_ready(pod: JsonObject) -> bool:
    """Whether a pod's Ready condition is True."""
    return holds(pod, "Ready")


def available_from(pod: JsonObject, min_ready_seconds: int) -> datetime | None:
    """From when on a ready pod counts as available; None while it is not ready."""
    if not is_ready(pod):
        return None
    since = moment_at(condition_of(pod, "Ready"), "lastTransitionTime")
    return later(since, min_ready_seconds) if since else None


def is_available(pod: JsonObject, min_ready_seconds: int, now: datetime) -> bool:
    """Whether a pod has been ready for long enough."""
    since = available_from(pod, min_ready_seconds)
    return since is not None and since <= now


def deletion_rank(pod: JsonObject) -> tuple[object, ...]:
    """The order in which pods go when there are too many: the least useful and the youngest first."""
    phases = ("Pending", "Unknown", "Running")
    phase = text(pod, "status", "phase")
    born = moment_at(pod, "metadata", "creationTimestamp")
    return (
        bool(text(pod, "spec", "nodeName")),
        phases.index(phase) if phase in phases else 0,
        is_ready(pod),
        -(born.timestamp() if born else 0),
        name_of(pod),
    )


def _pod(maker: Maker, template: JsonObject, extras: Extras) -> JsonObject:
    pod: JsonObject = {"metadata": {}, "spec": {**deepcopy(mapping(template, "spec")), **extras.spec}}
    metadata = ensure_mapping(pod, "metadata")
    for part, added in (("labels", extras.labels), ("annotations", extras.annotations)):
        if kept := {**mapping(template, "metadata", part), **added}:
            metadata[part] = kept
    if finalizers := mapping(template, "metadata").get("finalizers"):
        metadata["finalizers"] = finalizers
    metadata["namespace"] = namespace_of(maker.owner)
    metadata["name"] = extras.name
    metadata["ownerReferences"] = [controller_reference(maker.owner, maker.resource)]
    spec = ensure_mapping(pod, "spec")
    spec["tolerations"] = default_tolerations(objects(spec, "tolerations"))
    return pod


def _create_named(cluster: Cluster, pod: JsonObject, prefix: str) -> JsonObject:
    if not prefix:
        return cluster.create(PODS, pod)
    metadata = ensure_mapping(pod, "metadata")
    metadata["generateName"] = prefix
    for attempt in range(8):
        metadata["name"] = prefix[:58] + random_suffix(prefix, cluster.store.version, attempt)
        if cluster.get(PODS, name_of(pod), namespace_of(pod)) is None:
            return cluster.create(PODS, pod)
    raise AlreadyExists(PODS.plural, name_of(pod))


def _require_service_account(cluster: Cluster, namespace: str, template: JsonObject, prefix: str) -> None:
    name = text(template, "spec", "serviceAccountName") or "default"
    if name != "default" and cluster.get(SERVICE_ACCOUNTS, name, namespace) is None:
        raise _Forbidden(
            prefix, f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        )


class _Forbidden(StatusError):
    """Raised when admission refuses a pod."""

    code, reason = 403, "Forbidden"

    def __init__(self, prefix: str, why: str) -> None:
        super().__init__(f'pods "{prefix}" is forbidden: {why}', {})
