"""Rules of nodes, autoscalers, disruption budgets, priority classes and namespaces."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.rules.causes import invalid, named, not_negative, one_of, repeated, unchanged

_EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")


def node_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a node's taints must be, and that its provider id stays."""
    taints = objects(document, "spec", "taints")
    for index, taint in enumerate(taints):
        yield from one_of(f"spec.taints[{index}].effect", taint.get("effect", ""), _EFFECTS)
    pairs = [(f"[{index}]", {"effect": t.get("effect"), "key": t.get("key")}) for index, t in enumerate(taints)]
    yield from repeated("spec.taints", [(at, pair) for at, pair in pairs])
    if value_at(before, "spec", "providerID"):
        yield from unchanged("spec.providerID", before, document, "spec", "providerID")


def autoscaler_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What the bounds of an autoscaler must be."""
    least, most = value_at(document, "spec", "minReplicas"), integer(document, "spec", "maxReplicas")
    if most < 1:
        yield invalid("spec.maxReplicas", most, "must be greater than 0")
    if isinstance(least, int) and least < 1:
        yield invalid("spec.minReplicas", least, "must be greater than or equal to 1")
    if isinstance(least, int) and least > most:
        yield invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def budget_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """A disruption budget names one bound."""
    spec = mapping(document, "spec")
    if "minAvailable" in spec and "maxUnavailable" in spec:
        yield invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set")
    for bound in ("minAvailable", "maxUnavailable"):
        yield from not_negative(f"spec.{bound}", spec.get(bound))


def priority_class_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """The value of a priority class is bounded and never changes."""
    value = integer(document, "value")
    if value > 1_000_000_000 and not str(value_at(document, "metadata", "name")).startswith("system-"):
        yield Cause(
            "FieldValueForbidden", "value", "Forbidden: maximum allowed value of a user defined priority is 1000000000"
        )
    if before is not None:
        yield from unchanged("value", before, document, "value")


def quota_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """The limits of a range name each type once."""
    yield from repeated("spec.limits", named(objects(document, "spec", "limits"), "type"))
