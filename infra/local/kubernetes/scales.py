"""The `/scale` of workloads and of custom resources whose definition says where their replicas stand."""

from __future__ import annotations

from infra.local.kubernetes.call import Call, decode_object
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, string_map, text, value_at
from infra.local.kubernetes.errors import Cause, Invalid, MethodNotAllowed
from infra.local.kubernetes.metadata import require_preconditions, timestamp
from infra.local.kubernetes.ownership import UPDATE, record_update
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.schema import schema_of
from infra.local.kubernetes.verbs import manager_of, patched
from infra.local.messages import HttpResponse

_IDENTITY = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_WORKLOAD_PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def scale(call: Call) -> HttpResponse:
    """Read, replace or patch the Scale of an object.

    Raises NotFound, Invalid for a replica count that is none, and MethodNotAllowed for another verb.
    """
    with call.store.lock:
        current = call.store.get(call.resource, call.target.name, call.target.namespace)
        match call.request.method:
            case "GET":
                return HttpResponse.of_json(200, scale_of(call.resource, current))
            case "PUT":
                wanted = decode_object(call.request, call.media_type)
            case "PATCH":
                wanted = patched(call, scale_of(call.resource, current))
            case _:
                raise MethodNotAllowed()
        changed = _with_replicas(call, current, wanted)
        at = timestamp(call.store.now())
        record_update(schema_of(call.resource), current, changed, manager_of(call, UPDATE), at)
        stored = call.store.update(call.resource, changed, call.dry_run)
        return HttpResponse.of_json(200, scale_of(call.resource, stored))


def scale_of(resource: Resource, document: JsonObject) -> JsonObject:
    """The Scale of an object."""
    paths = _paths(resource)
    metadata = {key: value for key, value in mapping(document, "metadata").items() if key in _IDENTITY}
    status: JsonObject = {"replicas": _number(document, paths.get("statusReplicasPath", ""))}
    selector = _selector(resource, document, paths)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": _number(document, paths.get("specReplicasPath", ""))},
        "status": {**status, "selector": selector} if selector else status,
    }


def _paths(resource: Resource) -> dict[str, str]:
    return string_map(resource.definition, "subresources", "scale") if resource.custom else _WORKLOAD_PATHS


def _selector(resource: Resource, document: JsonObject, paths: dict[str, str]) -> str:
    if resource.custom:
        return text(document, *_steps(paths.get("labelSelectorPath", "")))
    labels = string_map(document, "spec", "selector", "matchLabels")
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def _number(document: JsonObject, path: str) -> int:
    found = value_at(document, *_steps(path))
    return found if isinstance(found, int) else 0


def _steps(path: str) -> list[str]:
    return path.strip(".").split(".")


def _with_replicas(call: Call, current: JsonObject, wanted: JsonObject) -> JsonObject:
    require_preconditions(call.resource, current, "", text(wanted, "metadata", "resourceVersion"))
    replicas = value_at(wanted, "spec", "replicas") or 0
    if not isinstance(replicas, int) or replicas < 0:
        message = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise Invalid("Scale", call.target.name, "autoscaling", [Cause("FieldValueInvalid", "spec.replicas", message)])
    changed = call.store.get(call.resource, call.target.name, call.target.namespace)
    *steps, last = _steps(_paths(call.resource)["specReplicasPath"])
    ensure_mapping(changed, *steps)[last] = replicas
    return changed
