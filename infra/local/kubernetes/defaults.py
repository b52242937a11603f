"""What the API server fills in for objects of the built-in kinds."""

from __future__ import annotations

import base64
from collections.abc import Callable

from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    mapping,
    name_of,
    objects,
    string_map,
    strings,
    text,
    value_at,
)
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.pod_defaults import fill_pod_spec
from infra.local.kubernetes.resources import (
    CLUSTER_ROLE_BINDINGS,
    CUSTOM_RESOURCE_DEFINITIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    JOBS,
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    REPLICA_SETS,
    ROLE_BINDINGS,
    SECRETS,
    SERVICES,
    STATEFUL_SETS,
    STORAGE_CLASSES,
    Resource,
)
from infra.local.kubernetes.revision import Revision

_LONGEST_LABEL = 63


def apply_defaults(resource: Resource, document: JsonObject, revision: Revision) -> None:
    """Fill in the fields that the server defaults for this resource, in place."""
    if fill := _FILLERS.get(resource.key):
        fill(document, revision)


def _namespace(document: JsonObject, revision: Revision) -> None:
    if len(name_of(document)) <= _LONGEST_LABEL:
        ensure_mapping(document, "metadata", "labels").setdefault("kubernetes.io/metadata.name", name_of(document))
    ensure_mapping(document, "spec").setdefault("finalizers", ["kubernetes"])
    _phase("Active")(document, revision)


def _phase(first: str) -> Callable[[JsonObject, Revision], None]:
    def fill(document: JsonObject, revision: Revision) -> None:
        ensure_mapping(document, "status").setdefault("phase", first)

    return fill


def _pod(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    fill_pod_spec(spec)
    spec.setdefault("serviceAccountName", "default")
    _phase("Pending")(document, revision)


def _secret(document: JsonObject, revision: Revision) -> None:
    document.setdefault("type", "Opaque")
    plain = string_map(document, "stringData")
    document.pop("stringData", None)
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        ensure_mapping(document, "data").update(encoded)


def _service(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    kind = spec.setdefault("type", "ClusterIP")
    if kind != "ExternalName":
        spec.setdefault("clusterIP", f"172.20.{revision.version // 250 % 250 + 1}.{revision.version % 250 + 1}")
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        spec.setdefault("internalTrafficPolicy", "Cluster")
    spec.setdefault("sessionAffinity", "None")
    for index, port in enumerate(objects(spec, "ports")):
        port.setdefault("protocol", "TCP")
        if "port" in port:
            port.setdefault("targetPort", port["port"])
        if kind in ("NodePort", "LoadBalancer"):
            port.setdefault("nodePort", 30000 + (revision.version * 7 + index) % 2768)
    ensure_mapping(document, "status").setdefault("loadBalancer", {})


def _workload(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    if text(document, "kind") != "DaemonSet":
        spec.setdefault("replicas", 1)
    if text(document, "kind") != "ReplicaSet":
        spec.setdefault("revisionHistoryLimit", 10)
    if text(document, "kind") == "Deployment":
        _strategy(spec)
        spec.setdefault("progressDeadlineSeconds", 600)
    if "spec" in mapping(spec, "template"):
        fill_pod_spec(ensure_mapping(spec, "template", "spec"))


def _strategy(spec: JsonObject) -> None:
    strategy = ensure_mapping(spec, "strategy")
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = ensure_mapping(strategy, "rollingUpdate")
        rolling.setdefault("maxSurge", "25%")
        rolling.setdefault("maxUnavailable", "25%")


def _job(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    if "parallelism" not in spec and "completions" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 6)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    uid = text(document, "metadata", "uid")
    if "template" not in spec or not uid or "selector" in spec or spec.get("manualSelector"):
        return
    labels = ensure_mapping(spec, "template", "metadata", "labels")
    for prefix in ("", "batch.kubernetes.io/"):
        labels.setdefault(f"{prefix}controller-uid", uid)
        labels.setdefault(f"{prefix}job-name", name_of(document))
    spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    fill_pod_spec(ensure_mapping(spec, "template", "spec"), restart="")


def _storage_class(document: JsonObject, revision: Revision) -> None:
    document.setdefault("reclaimPolicy", "Delete")
    document.setdefault("volumeBindingMode", "Immediate")


def _binding(document: JsonObject, revision: Revision) -> None:
    ensure_mapping(document, "roleRef").setdefault("apiGroup", "rbac.authorization.k8s.io")
    for subject in objects(document, "subjects"):
        if subject.get("kind") in ("User", "Group"):
            subject.setdefault("apiGroup", "rbac.authorization.k8s.io")


def _claim(document: JsonObject, revision: Revision) -> None:
    ensure_mapping(document, "spec").setdefault("volumeMode", "Filesystem")
    _phase("Pending")(document, revision)


def _volume(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    _phase("Available")(document, revision)


def _definition(document: JsonObject, revision: Revision) -> None:
    names = ensure_mapping(document, "spec", "names")
    kind = text(names, "kind")
    names.setdefault("singular", kind.lower())
    names.setdefault("listKind", f"{kind}List")
    ensure_mapping(document, "spec").setdefault("conversion", {"strategy": "None"})
    status = ensure_mapping(document, "status")
    status["acceptedNames"] = dict(names)
    stored = [text(version, "name") for version in objects(document, "spec", "versions") if version.get("storage")]
    known = strings(status, "storedVersions")
    status["storedVersions"] = [*known, *(version for version in stored if version not in known)]
    status.setdefault("conditions", [_accepted("NamesAccepted", "NoConflicts", "no conflicts found", revision),
                                     _accepted("Established", "InitialNamesAccepted",
                                               "the initial names have been accepted", revision)])  # fmt: skip


def _accepted(kind: str, reason: str, message: str, revision: Revision) -> JsonObject:
    at = timestamp(revision.moment)
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": at}


def split_status(resource: Resource, current: JsonObject | None, incoming: JsonObject) -> None:
    """Keep the stored status in a write that does not go to `/status`, where the resource has that subresource."""
    if "status" not in resource.subresources:
        return
    incoming.pop("status", None)
    status = value_at(current, "status")
    if status is not None:
        incoming["status"] = status


def only_status(current: JsonObject, incoming: JsonObject) -> JsonObject:
    """What a write to `/status` stores: everything as it was, but the status."""
    version = text(incoming, "metadata", "resourceVersion")
    metadata = {**mapping(current, "metadata"), **({"resourceVersion": version} if version else {})}
    if value_at(incoming, "metadata", "managedFields") == [{}]:
        metadata["managedFields"] = [{}]
    status = {"status": incoming["status"]} if "status" in incoming else {}
    return {**{key: value for key, value in current.items() if key != "status"}, "metadata": metadata, **status}


_FILLERS: dict[tuple[str, str], Callable[[JsonObject, Revision], None]] = {
    NAMESPACES.key: _namespace,
    PODS.key: _pod,
    SECRETS.key: _secret,
    SERVICES.key: _service,
    DEPLOYMENTS.key: _workload,
    DAEMON_SETS.key: _workload,
    REPLICA_SETS.key: _workload,
    STATEFUL_SETS.key: _workload,
    STORAGE_CLASSES.key: _storage_class,
    ROLE_BINDINGS.key: _binding,
    CLUSTER_ROLE_BINDINGS.key: _binding,
    JOBS.key: _job,
    PERSISTENT_VOLUME_CLAIMS.key: _claim,
    PERSISTENT_VOLUMES.key: _volume,
    CUSTOM_RESOURCE_DEFINITIONS.key: _definition,
}
