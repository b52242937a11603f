"""The `/proxy` of pods and services: a host says what answers behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import objects, text, value_at
from infra.local.kubernetes.errors import ServiceUnavailable
from infra.local.kubernetes.resources import ENDPOINTS, PODS, Resource
from infra.local.messages import HttpRequest, HttpResponse

_SLICES = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")
_SERVICE_LABEL = "kubernetes.io/service-name"


@dataclass(frozen=True)
class Behind:
    """What a proxied request is for: a pod or a service, its port as written, and the path behind it."""

    kind: str
    namespace: str
    name: str
    port: str
    path: str


Proxy = Callable[[Behind, HttpRequest], "HttpResponse | None"]


def no_proxy(behind: Behind, request: HttpRequest) -> HttpResponse | None:
    """The default of a host: nothing answers."""
    return None


def proxy(call: Call, answer: Proxy) -> HttpResponse:
    """Answer with what the host says stands behind a pod or service.

    Raises NotFound when there is no such object, ServiceUnavailable when nothing answers behind it.
    """
    _, name, port = _parts(call.target.name)
    call.store.get(call.resource, name, call.target.namespace)
    behind = Behind(call.resource.kind, call.target.namespace, name, port, f"/{call.target.rest}")
    if call.resource.key != PODS.key and not _has_endpoints(call, name):
        raise ServiceUnavailable(f'no endpoints available for service "{name}"')
    response = answer(behind, call.request)
    if response is None:
        raise ServiceUnavailable("error trying to reach service: dial tcp: connect: connection refused")
    return response


def _parts(written: str) -> tuple[str, str, str]:
    """Scheme, name and port of `name`, `name:port` or `scheme:name:port`."""
    parts = written.split(":")
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    return "", parts[0], parts[1] if len(parts) == 2 else ""


def _has_endpoints(call: Call, name: str) -> bool:
    namespace = call.target.namespace
    found = call.store.find(ENDPOINTS, name, namespace)
    if any(objects(subset, "addresses") for subset in objects(found, "subsets")):
        return True
    slices = call.store.select(_SLICES, namespace, labels=f"{_SERVICE_LABEL}={name}")
    endpoints = [endpoint for document in slices for endpoint in objects(document, "endpoints")]
    return any(value_at(endpoint, "conditions", "ready") is not False for endpoint in endpoints)


def proxied_name(written: str) -> str:
    """The object that a proxied name means, for authorisation."""
    return text({"name": _parts(written)[1]}, "name")
