"""Requests, limits and other amounts of resources."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from infra.local.kubernetes.documents import JsonObject, mapping, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.names import is_qualified_name
from infra.local.kubernetes.quantities import parse_quantity
from infra.local.kubernetes.rules.causes import invalid, required

_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")


def resource_rules(path: str, container: JsonObject) -> Iterator[Cause]:
    """A container's requests stay within its limits; extended resources are whole and not overcommitted."""
    limits, requests = mapping(container, "resources", "limits"), mapping(container, "resources", "requests")
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, written in amounts.items():
            yield from _amount(f"{path}.resources.{part}[{name}]", name, written)
    for name, written in requests.items():
        yield from _within(f"{path}.resources.requests", name, written, limits)


def _amount(field: str, name: str, written: object) -> Iterator[Cause]:
    if "/" not in name and name not in _CONTAINER_RESOURCES and not name.startswith("hugepages-"):
        yield invalid(field, name, "must be a standard resource for containers")
    elif "/" in name and not is_qualified_name(name):
        yield invalid(field, name, "must be a qualified name")
    amount = parse_quantity(str(written))
    if amount < 0:
        yield invalid(field, str(written), "must be greater than or equal to 0")
    if is_extended(name) and amount != int(amount):
        yield invalid(field, str(written), "must be an integer")


def _within(field: str, name: str, written: object, limits: JsonObject) -> Iterator[Cause]:
    limit = limits.get(name)
    if is_extended(name) and limit is None:
        yield required(field.replace("requests", "limits"), "Limit must be set for non overcommitable resources")
    if limit is None:
        return
    asked, allowed = parse_quantity(str(written)), parse_quantity(str(limit))
    if is_extended(name) and asked != allowed:
        yield invalid(field, str(written), f"must be equal to {name} limit of {limit}")
    elif asked > allowed:
        yield invalid(field, str(written), f"must be less than or equal to {name} limit of {limit}")


def is_extended(name: str) -> bool:
    """Whether a resource is one that devices add, such as `nvidia.com/gpu`."""
    return "/" in name and not name.split("/")[0].endswith("kubernetes.io")


def amount_at(document: JsonObject, *path: str) -> Decimal:
    """The number a quantity at a path stands for, 0 when there is none."""
    written = value_at(document, *path)
    return parse_quantity(str(written)) if written is not None else Decimal(0)
