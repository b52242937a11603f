"""Subresources other than `/status`: the scale of a workload and the log of a pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infra.local.kubernetes.call import Call, decode_object
from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    integer,
    mapping,
    string_map,
    text,
)
from infra.local.kubernetes.errors import Cause, Invalid, MethodNotAllowed
from infra.local.kubernetes.metadata import require_preconditions
from infra.local.kubernetes.verbs import patched
from infra.local.messages import HttpResponse

PodLogs = Mapping[tuple[str, str], Sequence[str]]
"""Log lines by namespace and pod name."""

_SCALE_IDENTITY = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale(call: Call) -> HttpResponse:
    """Read, replace or patch the Scale of a workload.

    Raises NotFound, Invalid for a replica count that is none, and MethodNotAllowed for another verb.
    """
    with call.store.lock:
        workload = call.store.get(call.resource, call.target.name, call.target.namespace)
        match call.request.method:
            case "GET":
                return HttpResponse.of_json(200, _scale_of(workload))
            case "PUT":
                wanted = decode_object(call.request, call.media_type)
            case "PATCH":
                wanted = patched(call, _scale_of(workload))
            case _:
                raise MethodNotAllowed()
        _set_replicas(call, workload, wanted)
        return HttpResponse.of_json(200, _scale_of(call.store.update(call.resource, workload, call.dry_run)))


def log(call: Call, logs: PodLogs) -> HttpResponse:
    """Answer with a pod's log lines, the last `tailLines` when given.

    Raises NotFound when there is no such pod, MethodNotAllowed for anything but reading.
    """
    if call.request.method != "GET":
        raise MethodNotAllowed()
    call.store.get(call.resource, call.target.name, call.target.namespace)
    lines = logs.get((call.target.namespace, call.target.name), ())
    if "tailLines" in call.query:
        lines = lines[max(len(lines) - call.number("tailLines"), 0) :]
    return HttpResponse(200, {"content-type": "text/plain"}, "".join(f"{line}\n" for line in lines).encode())


def _scale_of(workload: JsonObject) -> JsonObject:
    metadata = {key: value for key, value in mapping(workload, "metadata").items() if key in _SCALE_IDENTITY}
    labels = string_map(workload, "spec", "selector", "matchLabels")
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": integer(workload, "spec", "replicas")},
        "status": {"replicas": integer(workload, "status", "replicas"), "selector": selector},
    }


def _set_replicas(call: Call, workload: JsonObject, wanted: JsonObject) -> None:
    require_preconditions(call.resource, workload, "", text(wanted, "metadata", "resourceVersion"))
    replicas = integer(wanted, "spec", "replicas")
    if replicas < 0:
        message = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise Invalid("Scale", call.target.name, "autoscaling", [Cause("FieldValueInvalid", "spec.replicas", message)])
    ensure_mapping(workload, "spec")["replicas"] = replicas
