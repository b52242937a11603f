"""Reading and writing the conditions of an object's status."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from infra.local.kubernetes.documents import JsonObject, objects, text
from infra.local.kubernetes.metadata import timestamp


def condition_of(document: JsonObject, kind: str) -> JsonObject:
    """One condition, empty when it is not reported."""
    return find_condition(objects(document, "status", "conditions"), kind)


def find_condition(conditions: Iterable[JsonObject], kind: str) -> JsonObject:
    """One of several conditions, empty when it is not among them."""
    return next((condition for condition in conditions if condition.get("type") == kind), {})


def holds(document: JsonObject, kind: str) -> bool:
    """Whether a condition is True."""
    return condition_of(document, kind).get("status") == "True"


def with_condition(
    conditions: Iterable[JsonObject], kind: str, status: bool, at: datetime, reason: str = "", message: str = "",
    more: JsonObject | None = None,
) -> list[JsonObject]:  # fmt: skip
    """The conditions with one of them set; it keeps its transition time while its status stays."""
    kept = list(conditions)
    before = find_condition(kept, kind)
    written = "True" if status else "False"
    since = text(before, "lastTransitionTime") if before.get("status") == written else timestamp(at)
    said = {"reason": reason, "message": message}
    condition: JsonObject = {
        "type": kind, "status": written, "lastTransitionTime": since or timestamp(at),
        **{key: value for key, value in said.items() if value}, **(more or {}),
    }  # fmt: skip
    if not before:
        return [*kept, condition]
    return [condition if known is before else known for known in kept]


def without_condition(conditions: Iterable[JsonObject], kind: str) -> list[JsonObject]:
    """The conditions but one."""
    return [condition for condition in conditions if condition.get("type") != kind]
