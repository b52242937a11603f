"""The field schemas of served kinds, in one form: structural OpenAPI, with `$ref` among the built-in kinds."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from infra.local.kubernetes.documents import JsonObject, mapping, strings, text, value_at
from infra.local.kubernetes.resources import EVENTS, Resource

_BUILT_IN = Path(__file__).parent / "schemas" / "builtin.json"
PRESERVE = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"
_OBJECT_FIELDS: JsonObject = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"$ref": "V1ObjectMeta"},
}
_ANYTHING: JsonObject = {"type": "object", PRESERVE: True}


@cache
def built_in() -> JsonObject:
    """The schemas of the built-in kinds, read once, when first needed."""
    return mapping(json.loads(_BUILT_IN.read_text(encoding="utf-8")))


def resolved(schema: JsonObject) -> JsonObject:
    """A schema, or the definition it refers to."""
    reference = schema.get("$ref")
    return mapping(built_in(), "definitions", reference) if isinstance(reference, str) else schema


def model_name(resource: Resource) -> str:
    """The definition of a built-in kind as it is stored, empty when there is none."""
    version = EVENTS.api_version if resource.key == EVENTS.key else resource.api_version
    return text(built_in(), "kinds", f"{version}/{resource.kind}")


def schema_of(resource: Resource) -> JsonObject:
    """The schema of a resource's objects; without one every field is allowed."""
    if not resource.custom:
        name = model_name(resource)
        return {"$ref": name} if name else _ANYTHING
    return _with_object_fields(custom_schema(resource))


def custom_schema(resource: Resource) -> JsonObject:
    """The schema a definition gives its version, as written."""
    return mapping(resource.definition, "schema", "openAPIV3Schema")


@cache
def _object_fields() -> JsonObject:
    return dict(_OBJECT_FIELDS)


def _with_object_fields(schema: JsonObject) -> JsonObject:
    if not schema:
        return {**_ANYTHING, "properties": _object_fields()}
    return {**schema, "properties": {**mapping(schema, "properties"), **_object_fields()}}


def property_of(schema: JsonObject, key: str) -> JsonObject | None:
    """The schema of a field, None when the schema does not know it."""
    known = value_at(schema, "properties", key)
    if isinstance(known, dict):
        return resolved(known)
    if schema.get(EMBEDDED) and key in _OBJECT_FIELDS:
        return resolved(mapping(_OBJECT_FIELDS, key))
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        return resolved(rest)
    return {PRESERVE: True} if rest is True or schema.get(PRESERVE) else None


def names_fields(schema: JsonObject) -> bool:
    """Whether a schema says which fields a mapping may have; one that says nothing allows all."""
    said = ("properties" in schema, "additionalProperties" in schema, schema.get("type") == "object")
    return any(said) or bool(schema.get(EMBEDDED))


def items_of(schema: JsonObject) -> JsonObject:
    """The schema of a list's items."""
    return resolved(mapping(schema, "items"))


def list_keys(schema: JsonObject) -> tuple[str, ...]:
    """The fields that identify the items of a list, none when it is no keyed list."""
    is_map = schema.get("x-kubernetes-list-type") == "map"
    return tuple(strings(schema, "x-kubernetes-list-map-keys")) if is_map else ()


def is_set(schema: JsonObject) -> bool:
    """Whether a list's items are its own keys."""
    return schema.get("x-kubernetes-list-type") == "set"


def is_atomic(schema: JsonObject, value: object) -> bool:
    """Whether a list or mapping changes as a whole."""
    if isinstance(value, list):
        return not list_keys(schema) and not is_set(schema)
    return schema.get("x-kubernetes-map-type") == "atomic"
