"""Merging an applied intent into an object, led by the schema's list types."""

from __future__ import annotations

from copy import deepcopy

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.fieldsets import keyed_items
from infra.local.kubernetes.schema import is_atomic, is_set, items_of, property_of, resolved


def merge_objects(schema: JsonObject, live: JsonObject, intent: JsonObject) -> JsonObject:
    """The object after an apply, sharing nothing with what went in."""
    return deepcopy(_merge_mappings(resolved(schema), live, intent))


def merge_applied(schema: JsonObject, live: object, intent: object) -> object:
    """The value after an apply: mappings and keyed lists merge, sets join, everything else is replaced."""
    schema = resolved(schema)
    if isinstance(intent, dict) and isinstance(live, dict) and not is_atomic(schema, intent):
        return _merge_mappings(schema, live, intent)
    if isinstance(intent, list) and isinstance(live, list) and not is_atomic(schema, intent):
        return _merge_lists(schema, live, intent)
    return deepcopy(intent)


def _merge_mappings(schema: JsonObject, live: JsonObject, intent: JsonObject) -> JsonObject:
    merged = dict(live)
    for key, value in intent.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_applied(property_of(schema, key) or {}, live.get(key), value)
    return merged


def _merge_lists(schema: JsonObject, live: list[object], intent: list[object]) -> list[object]:
    if is_set(schema):
        return [*live, *(item for item in intent if item not in live)]
    items = items_of(schema)
    merged = dict(keyed_items(schema, live))
    for step, item in keyed_items(schema, intent):
        merged[step] = merge_applied(items, merged.get(step), item)
    return list(merged.values())
