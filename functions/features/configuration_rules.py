"""Whether a configuration fits the JSON schema that EKS publishes for an add-on.

A validator of JSON Schema would add a native wheel and its imports to every cold start; add-ons' schemas use little of
the language. A keyword that is not judged here is a fault of its own wherever a value depends on it, never a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

Schema = Mapping[str, JsonValue]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_SAYS_NOTHING: Final = frozenset(
    {"$schema", "$id", "$comment", "definitions", "$defs", "title", "description", "default", "examples"}
)
_JUDGED: Final = frozenset(
    {"$ref", "type", "enum", "const", "pattern", "required", "properties", "additionalProperties", "items"}
)


@dataclass(frozen=True)
class _Place:
    root: Schema
    schema: JsonValue
    value: JsonValue
    path: str

    def inner(self, schema: JsonValue, value: JsonValue, step: str) -> _Place:
        return _Place(self.root, schema, value, f"{self.path}{step}")


def faults(schema: Schema, value: JsonValue) -> list[str]:
    """List what is wrong with a configuration, each with its path; empty when the schema allows it."""
    return list(_faults(_Place(schema, dict(schema), value, "$")))


def _faults(place: _Place) -> Iterator[str]:
    place = _resolved(place)
    schema = place.schema
    if schema is True:
        return
    if not isinstance(schema, dict):
        yield f"{place.path} is not allowed" if schema is False else f"{place.path}: its schema cannot be read"
        return
    for keyword in sorted(schema.keys() - _SAYS_NOTHING - _JUDGED):
        yield f"{place.path} cannot be judged: its schema uses {keyword}"
    if wrong := _wrong_type(schema, place):
        yield wrong
        return
    yield from _wrong_value(schema, place)
    if isinstance(place.value, dict):
        yield from _wrong_members(schema, place.value, place)
    elif isinstance(place.value, list):
        for index, item in enumerate(place.value):
            yield from _faults(place.inner(schema.get("items", True), item, f"[{index}]"))


def _resolved(place: _Place) -> _Place:
    """Follow references inside the document; others leave a schema that cannot be read."""
    schema = place.schema
    for _ in range(10):
        if not isinstance(schema, dict) or "$ref" not in schema:
            return place.inner(schema, place.value, "")
        reference = schema["$ref"]
        schema = dict(place.root) if isinstance(reference, str) and reference.startswith("#") else None
        for step in str(reference).split("/")[1:]:
            schema = schema.get(step) if isinstance(schema, dict) else None
    return place.inner(None, place.value, "")


def _wrong_type(schema: Schema, place: _Place) -> str | None:
    wanted = schema.get("type")
    allowed = wanted if isinstance(wanted, list) else [wanted] if wanted is not None else []
    if not allowed or any(_is_a(place.value, str(name)) for name in allowed):
        return None
    return f"{place.path} has to be of type {' or '.join(map(str, allowed))}"


def _is_a(value: JsonValue, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES.get(name, ())) or (
        name == "integer" and isinstance(value, float) and value.is_integer()
    )


def _wrong_value(schema: Schema, place: _Place) -> Iterator[str]:
    allowed, pattern = schema.get("enum"), schema.get("pattern")
    if isinstance(allowed, list) and place.value not in allowed:
        yield f"{place.path} has to be one of {allowed}"
    if "const" in schema and place.value != schema["const"]:
        yield f"{place.path} has to be {schema['const']}"
    if isinstance(pattern, str) and isinstance(place.value, str):
        try:
            fits = re.search(pattern, place.value) is not None
        except re.error:
            yield f"{place.path} cannot be judged: its pattern is none of Python's"
            return
        if not fits:
            yield f"{place.path} has to match {pattern}"


def _wrong_members(schema: Schema, value: Mapping[str, JsonValue], place: _Place) -> Iterator[str]:
    required, known = schema.get("required"), schema.get("properties")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{place.path}.{name} is required"
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        inner = known.get(name, others) if isinstance(known, dict) else others
        yield from _faults(place.inner(inner, item, f".{name}"))
