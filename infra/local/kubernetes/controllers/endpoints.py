"""The Endpoints and EndpointSlice objects of a service."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from infra.local.kubernetes.controllers.matching import labels_of
from infra.local.kubernetes.controllers.naming import random_suffix
from infra.local.kubernetes.controllers.pods import controller_reference
from infra.local.kubernetes.documents import JsonObject, integer, name_of, namespace_of, objects, text
from infra.local.kubernetes.resources import SERVICES

_MOST_ADDRESSES = 1000
_MOST_PER_SLICE = 100


@dataclass(frozen=True)
class Backend:
    """A pod behind a service: whether traffic goes there, whether it would serve, whether it is leaving."""

    pod: JsonObject
    address: str
    ready: bool
    serving: bool
    terminating: bool

    @property
    def target(self) -> JsonObject:
        """The reference to the pod."""
        uid = text(self.pod, "metadata", "uid")
        return {"kind": "Pod", "name": name_of(self.pod), "namespace": namespace_of(self.pod), "uid": uid}


def endpoints_object(service: JsonObject, backends: list[Backend]) -> JsonObject:
    """The Endpoints of a service: leaving pods are in neither list."""
    here = [backend for backend in backends if not backend.terminating]
    truncated, here = len(here) > _MOST_ADDRESSES, here[:_MOST_ADDRESSES]
    ready = [_address(backend) for backend in here if backend.ready]
    other = [_address(backend) for backend in here if not backend.ready]
    subset: JsonObject = {"ports": _ports(service, backends[0].pod if backends else {})}
    if ready:
        subset["addresses"] = ready
    if other:
        subset["notReadyAddresses"] = other
    metadata: JsonObject = {
        "name": name_of(service), "namespace": namespace_of(service),
        "labels": {**labels_of(service), "endpoints.kubernetes.io/managed-by": "endpoint-controller"},
    }  # fmt: skip
    if truncated:
        metadata["annotations"] = {"endpoints.kubernetes.io/over-capacity": "truncated"}
    return {"metadata": metadata, "subsets": [subset] if here else []}


def slice_objects(service: JsonObject, backends: list[Backend]) -> list[JsonObject]:
    """The EndpointSlices of a service: one, or so many that a change of one pod rewrites a small part only."""
    count = 1
    while len(backends) > count * (_MOST_PER_SLICE if count == 1 else _MOST_PER_SLICE // 2):
        count *= 2
    parts: list[list[Backend]] = [[] for _ in range(count)]
    for backend in backends:
        parts[zlib.crc32(name_of(backend.pod).encode()) % count].append(backend)
    return [_slice(service, part, number) for number, part in enumerate(parts)]


def _slice(service: JsonObject, backends: list[Backend], number: int) -> JsonObject:
    labels = {
        **labels_of(service), "kubernetes.io/service-name": name_of(service),
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }  # fmt: skip
    if text(service, "spec", "clusterIP") == "None":
        labels["service.kubernetes.io/headless"] = ""
    metadata: JsonObject = {
        "name": f"{name_of(service)}-{random_suffix(namespace_of(service), name_of(service), number)}",
        "namespace": namespace_of(service), "labels": labels,
        "ownerReferences": [controller_reference(service, SERVICES)],
    }  # fmt: skip
    endpoints: list[JsonObject] = [
        {
            "addresses": [backend.address],
            "conditions": {
                "ready": backend.ready, "serving": backend.serving, "terminating": backend.terminating,
            },
            "nodeName": text(backend.pod, "spec", "nodeName"),
            "targetRef": backend.target,
        }
        for backend in backends
    ]  # fmt: skip
    ports = _ports(service, backends[0].pod if backends else {})
    return {"metadata": metadata, "addressType": "IPv4", "endpoints": endpoints, "ports": ports}


def _address(backend: Backend) -> JsonObject:
    node = text(backend.pod, "spec", "nodeName")
    return {"ip": backend.address, "nodeName": node, "targetRef": backend.target}


def _ports(service: JsonObject, pod: JsonObject) -> list[JsonObject]:
    return [_port(port, pod) for port in objects(service, "spec", "ports")]


def _port(port: JsonObject, pod: JsonObject) -> JsonObject:
    found: JsonObject = {"port": _number(port, pod), "protocol": text(port, "protocol") or "TCP"}
    return {"name": text(port, "name"), **found} if text(port, "name") else found


def _number(port: JsonObject, pod: JsonObject) -> int:
    """The pod's port a service port leads to: a number, or the name of one of the pod's ports."""
    target = port.get("targetPort")
    if isinstance(target, str):
        named = [p for c in objects(pod, "spec", "containers") for p in objects(c, "ports") if p.get("name") == target]
        return integer(named[0], "containerPort") if named else integer(port, "port")
    return target if isinstance(target, int) else integer(port, "port")
