"""What the API server fills in for objects of the built-in kinds."""

from __future__ import annotations

import base64
from collections.abc import Callable

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, name_of, string_map, text, value_at
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    DEPLOYMENTS,
    JOBS,
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    REPLICA_SETS,
    SECRETS,
    SERVICES,
    STATEFUL_SETS,
    Resource,
    custom_resources,
)
from infra.local.kubernetes.revision import Revision


def apply_defaults(resource: Resource, document: JsonObject, revision: Revision) -> None:
    """Fill in the fields that the server defaults for this resource, in place."""
    if fill := _FILLERS.get(resource.key):
        fill(document, revision)


def _namespace(document: JsonObject, revision: Revision) -> None:
    ensure_mapping(document, "metadata", "labels").setdefault("kubernetes.io/metadata.name", name_of(document))
    ensure_mapping(document, "spec").setdefault("finalizers", ["kubernetes"])
    _phase("Active")(document, revision)


def _phase(first: str) -> Callable[[JsonObject, Revision], None]:
    def fill(document: JsonObject, revision: Revision) -> None:
        ensure_mapping(document, "status").setdefault("phase", first)

    return fill


def _pod(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    spec.setdefault("restartPolicy", "Always")
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
        spec.setdefault("clusterIP", f"172.20.{revision.version // 250 % 250}.{revision.version % 250 + 1}")
    ensure_mapping(document, "status").setdefault("loadBalancer", {})


def _replicas(document: JsonObject, revision: Revision) -> None:
    ensure_mapping(document, "spec").setdefault("replicas", 1)


def _job(document: JsonObject, revision: Revision) -> None:
    spec = ensure_mapping(document, "spec")
    spec.setdefault("parallelism", 1)
    spec.setdefault("completions", 1)
    spec.setdefault("backoffLimit", 6)


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
    status = ensure_mapping(document, "status")
    status["acceptedNames"] = dict(names)
    status.setdefault("storedVersions", [resource.version for resource in custom_resources(document)])
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
    return {**current, "metadata": metadata, "status": mapping(incoming, "status")}


_FILLERS: dict[tuple[str, str], Callable[[JsonObject, Revision], None]] = {
    NAMESPACES.key: _namespace,
    PODS.key: _pod,
    SECRETS.key: _secret,
    SERVICES.key: _service,
    DEPLOYMENTS.key: _replicas,
    REPLICA_SETS.key: _replicas,
    STATEFUL_SETS.key: _replicas,
    JOBS.key: _job,
    PERSISTENT_VOLUME_CLAIMS.key: _claim,
    PERSISTENT_VOLUMES.key: _volume,
    CUSTOM_RESOURCE_DEFINITIONS.key: _definition,
}
