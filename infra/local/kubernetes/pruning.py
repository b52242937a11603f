"""Dropping fields that a schema does not know, and filling in the ones it has defaults for."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from infra.local.kubernetes.documents import JsonObject, mapping
from infra.local.kubernetes.schema import PRESERVE, items_of, names_fields, property_of, resolved


def prune(schema: JsonObject, document: JsonObject) -> list[str]:
    """Drop what the schema does not know, in place; answers with the paths of what was dropped."""
    return list(_prune(resolved(schema), document, ""))


def _prune(schema: JsonObject, value: object, path: str) -> Iterator[str]:
    if isinstance(value, list):
        items = items_of(schema)
        for index, item in enumerate(value):
            yield from _prune(items, item, f"{path}[{index}]")
    elif isinstance(value, dict) and names_fields(schema):
        yield from _prune_mapping(schema, value, path)


def _prune_mapping(schema: JsonObject, value: JsonObject, path: str) -> Iterator[str]:
    for key in list(value):
        at = f"{path}.{key}" if path else key
        inner = property_of(schema, key)
        if inner is not None:
            yield from _prune(inner, value[key], at)
        elif not schema.get(PRESERVE):
            del value[key]
            yield at


def fill_defaults(schema: JsonObject, value: object) -> None:
    """Fill in missing fields that have a default, in place, also inside what was just filled in."""
    schema = resolved(schema)
    if isinstance(value, list):
        items = items_of(schema)
        for item in value:
            fill_defaults(items, item)
    elif isinstance(value, dict):
        _fill_mapping(schema, value)


def _fill_mapping(schema: JsonObject, value: JsonObject) -> None:
    for key, written in mapping(schema, "properties").items():
        if not isinstance(written, dict) or "$ref" in written:
            continue
        missing = key not in value or (value[key] is None and not written.get("nullable"))
        if "default" in written and missing:
            value[key] = deepcopy(written["default"])
        if key in value:
            fill_defaults(written, value[key])
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict) and "$ref" not in rest:
        for key in value.keys() - mapping(schema, "properties").keys():
            fill_defaults(rest, value[key])


def drop_nulls(schema: JsonObject, value: object) -> None:
    """Drop fields that are null where the schema does not allow null, in place."""
    schema = resolved(schema)
    if isinstance(value, list):
        items = items_of(schema)
        for item in value:
            drop_nulls(items, item)
    elif isinstance(value, dict):
        for key in list(value):
            inner = property_of(schema, key)
            if value[key] is None and inner is not None and not inner.get("nullable") and not inner.get(PRESERVE):
                del value[key]
            elif inner is not None:
                drop_nulls(inner, value[key])
