"""Rules of a pod's containers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.names import broken_label_rules
from infra.local.kubernetes.rules.causes import (
    forbidden,
    invalid,
    named,
    not_found,
    not_negative,
    one_of,
    port_number,
    repeated,
    required,
)
from infra.local.kubernetes.rules.quantity_rules import resource_rules

_PORT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
_ENV_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_PROBE_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def container_rules(path: str, container: JsonObject, volumes: set[str]) -> Iterator[Cause]:
    """What one container must be, given the names of the pod's volumes."""
    name = text(container, "name")
    for rule in broken_label_rules(name) if name else ():
        yield invalid(f"{path}.name", name, rule)
    if not text(container, "image"):
        yield required(f"{path}.image")
    yield from one_of(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), ("Always", "IfNotPresent", "Never"))
    yield from _ports(f"{path}.ports", objects(container, "ports"))
    yield from _environment(f"{path}.env", objects(container, "env"))
    yield from _mounts(f"{path}.volumeMounts", objects(container, "volumeMounts"), volumes)
    yield from resource_rules(path, container)
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in container:
            yield from _probe(f"{path}.{probe}", mapping(container, probe), probe)


def _ports(path: str, ports: list[JsonObject]) -> Iterator[Cause]:
    for index, port in enumerate(ports):
        at = f"{path}[{index}]"
        if port.get("containerPort"):
            yield from port_number(f"{at}.containerPort", port["containerPort"])
        yield from port_number(f"{at}.hostPort", port.get("hostPort"))
        yield from one_of(f"{at}.protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))
        name = text(port, "name")
        if name:
            yield from port_name(f"{at}.name", name)
    yield from repeated(path, named(ports))


def port_name(field: str, name: str) -> Iterator[Cause]:
    """A port's name is at most 15 characters of its alphabet, with a letter among them."""
    if len(name) > 15:
        yield invalid(field, name, "must be no more than 15 characters")
    elif not _PORT_NAME.fullmatch(name):
        yield invalid(field, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    elif not re.search("[a-z]", name):
        yield invalid(field, name, "must contain at least one letter (a-z)")


def _environment(path: str, variables: list[JsonObject]) -> Iterator[Cause]:
    for index, variable in enumerate(variables):
        name = text(variable, "name")
        if name and not re.fullmatch(r"[ -<>-~]+", name):
            yield invalid(f"{path}[{index}].name", name, _ENV_RULE)
        if variable.get("value") and variable.get("valueFrom"):
            yield invalid(f"{path}[{index}].valueFrom", "", "may not be specified when `value` is not empty")
        sources = mapping(variable, "valueFrom")
        if "valueFrom" in variable and len(sources) != 1:
            why = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
            yield invalid(f"{path}[{index}].valueFrom", "", why)


def _mounts(path: str, mounts: list[JsonObject], volumes: set[str]) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, mount in enumerate(mounts):
        name, at = text(mount, "name"), text(mount, "mountPath")
        if name and name not in volumes:
            yield not_found(f"{path}[{index}].name", name)
        if at in seen:
            yield invalid(f"{path}[{index}].mountPath", at, "must be unique")
        seen.add(at)
        if ".." in text(mount, "subPath").split("/"):
            yield invalid(f"{path}[{index}].subPath", text(mount, "subPath"), "must not contain '..'")


def _probe(path: str, probe: JsonObject, kind: str) -> Iterator[Cause]:
    handlers = [handler for handler in _HANDLERS if handler in probe]
    if not handlers:
        yield required(path, "must specify a handler type")
    for extra in handlers[1:]:
        yield forbidden(f"{path}.{extra}", "may not specify more than 1 handler type")
    for number in _PROBE_NUMBERS:
        yield from not_negative(f"{path}.{number}", probe.get(number))
    if kind != "readinessProbe" and probe.get("successThreshold", 1) != 1:
        yield invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1")
    for handler in ("httpGet", "tcpSocket"):
        yield from port_number(f"{path}.{handler}.port", value_at(probe, handler, "port"))
    yield from one_of(f"{path}.httpGet.scheme", value_at(probe, "httpGet", "scheme"), ("HTTP", "HTTPS"))
