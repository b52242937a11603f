"""Rules of services."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.formats import is_address
from infra.local.kubernetes.names import broken_label_rules, broken_subdomain_rules, label_causes
from infra.local.kubernetes.resources import SERVICES, Resource
from infra.local.kubernetes.rules.causes import (
    duplicate,
    invalid,
    named,
    one_of,
    port_number,
    repeated,
    required,
    unsupported,
)
from infra.local.kubernetes.rules.containers import port_name

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_NODE_PORTS = range(30000, 32768)
_NODE_PORT_RULE = "provided port is not in the valid range. The range of valid ports is 30000-32767"


def service_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a service must be; its cluster address never changes."""
    spec = mapping(document, "spec")
    kind, ports = spec.get("type"), objects(spec, "ports")
    yield from one_of("spec.type", kind, _TYPES)
    if kind == "ExternalName":
        yield from _external_name(text(spec, "externalName"))
    elif not ports and spec.get("clusterIP") != "None":
        yield required("spec.ports")
    yield from label_causes("spec.selector", mapping(spec, "selector"))
    yield from one_of("spec.sessionAffinity", spec.get("sessionAffinity"), ("ClientIP", "None"))
    for index, port in enumerate(ports):
        yield from _port(f"spec.ports[{index}]", port, several=len(ports) > 1)
    yield from repeated("spec.ports", named(ports))
    yield from _repeated_numbers(ports)
    yield from _address(spec, before)


def _external_name(name: str) -> Iterator[Cause]:
    if not name:
        yield required("spec.externalName")
    for rule in broken_subdomain_rules(name) if name else ():
        yield invalid("spec.externalName", name, rule)


def _port(path: str, port: JsonObject, several: bool) -> Iterator[Cause]:
    name = text(port, "name")
    if several and not name:
        yield required(f"{path}.name")
    for rule in broken_label_rules(name) if name else ():
        yield invalid(f"{path}.name", name, rule)
    if port.get("port") is not None:
        yield from port_number(f"{path}.port", port["port"])
    yield from one_of(f"{path}.protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))
    target = port.get("targetPort")
    if isinstance(target, str):
        yield from port_name(f"{path}.targetPort", target)
    else:
        yield from port_number(f"{path}.targetPort", target)
    node_port = port.get("nodePort")
    if isinstance(node_port, int) and node_port and node_port not in _NODE_PORTS:
        yield invalid(f"{path}.nodePort", node_port, _NODE_PORT_RULE)


def _repeated_numbers(ports: list[JsonObject]) -> Iterator[Cause]:
    seen: list[tuple[object, object]] = []
    for index, port in enumerate(ports):
        key = (port.get("port"), port.get("protocol", "TCP"))
        if key in seen:
            yield duplicate(f"spec.ports[{index}]", {"port": key[0], "protocol": key[1]})
        seen.append(key)


def _address(spec: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    address = text(spec, "clusterIP")
    if address not in ("", "None") and not is_address(address):
        yield invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
    known = text(before, "spec", "clusterIP")
    external = "ExternalName" in (value_at(before, "spec", "type"), spec.get("type"))
    if known and not external and address != known:
        yield invalid("spec.clusterIPs[0]", address, "may not change once set")
    policy = spec.get("externalTrafficPolicy")
    if policy not in (None, "Cluster", "Local"):
        yield unsupported("spec.externalTrafficPolicy", policy, ("Cluster", "Local"))


def keep_allocations(resource: Resource, document: JsonObject, before: JsonObject | None) -> None:
    """Carry a service's addresses and node ports over to an update that leaves them out, in place."""
    if resource.key != SERVICES.key or before is None:
        return
    spec, known = mapping(document, "spec"), mapping(before, "spec")
    if "ExternalName" in (spec.get("type"), known.get("type")):
        return
    for field in ("clusterIP", "clusterIPs"):
        if field in known and not spec.get(field):
            spec[field] = known[field]
    node_ports = {
        (port.get("port"), port.get("protocol", "TCP")): port.get("nodePort") for port in objects(known, "ports")
    }
    for port in objects(spec, "ports"):
        allocated = node_ports.get((port.get("port"), port.get("protocol", "TCP")))
        if allocated and not port.get("nodePort") and spec.get("type") in ("NodePort", "LoadBalancer"):
            port["nodePort"] = allocated
