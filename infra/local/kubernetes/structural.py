"""Checking values against a structural schema, in the API server's wording."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject, mapping, strings
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.formats import FORMATS
from infra.local.kubernetes.schema import EMBEDDED, INT_OR_STRING, items_of, list_keys, property_of, resolved

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


@dataclass(frozen=True)
class Place:
    """A value somewhere in a document, and what is asked of it."""

    schema: JsonObject
    value: object
    path: str

    def invalid(self, rule: str, reason: str = "FieldValueInvalid") -> Cause:
        """The value breaks a rule."""
        return Cause(reason, self.path, f"Invalid value: {shown(self.value)}: {self.path} in body {rule}")


def broken_rules(schema: JsonObject, value: object, path: str = "") -> Iterator[Cause]:
    """Every rule of a schema that a value breaks, deepest last."""
    place = Place(resolved(schema), value, path)
    if value is None and place.schema.get("nullable"):
        return
    if (wrong := _wrong_type(place)) is not None:
        yield wrong
        return
    for check in _CHECKS:
        yield from check(place)
    if isinstance(value, dict):
        yield from _in_mapping(place, value)
    elif isinstance(value, list):
        items = items_of(place.schema)
        for index, item in enumerate(value):
            yield from broken_rules(items, item, f"{path}[{index}]")


def shown(value: object) -> str:
    """A value as messages quote it."""
    if isinstance(value, dict):
        return '"object"' if len(json.dumps(value)) > 400 else json.dumps(value, separators=(",", ":"))
    return json.dumps(value, separators=(",", ":"))


def _wrong_type(place: Place) -> Cause | None:
    value = place.value
    if place.schema.get(INT_OR_STRING):
        fits = isinstance(value, (int, str)) and not isinstance(value, bool)
        wanted = "integer,string"
    else:
        wanted = str(place.schema.get("type", ""))
        fits = not wanted or is_of_type(value, wanted)
    if fits:
        return None
    found = _type_name(value)
    rule = f'{place.path} in body must be of type {wanted}: "{found}"'
    return Cause("FieldValueTypeInvalid", place.path or "<nil>", f'Invalid value: "{found}": {rule}')


def is_of_type(value: object, wanted: str) -> bool:
    """Whether a JSON value is of an OpenAPI type; a whole float is an integer."""
    if isinstance(value, bool) and wanted != "boolean":
        return False
    if wanted == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(wanted, (object,)))


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    return next(
        name for name in ("boolean", "object", "array", "string", "integer", "number") if is_of_type(value, name)
    )


def _in_mapping(place: Place, value: JsonObject) -> Iterator[Cause]:
    for key in strings(place.schema, "required"):
        if key not in value:
            yield Cause("FieldValueRequired", _join(place.path, key), "Required value")
    if place.schema.get(EMBEDDED):
        for key in ("apiVersion", "kind"):
            if not value.get(key):
                yield Cause("FieldValueRequired", _join(place.path, key), "Required value: must not be empty")
    for key, inner in value.items():
        schema = property_of(place.schema, key)
        if schema is not None:
            yield from broken_rules(schema, inner, _join(place.path, key))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _check_enum(place: Place) -> Iterator[Cause]:
    allowed = place.schema.get("enum")
    if isinstance(allowed, list) and place.value not in allowed:
        listed = ", ".join(shown(choice) for choice in allowed)
        message = f"Unsupported value: {shown(place.value)}: supported values: {listed}"
        yield Cause("FieldValueNotSupported", place.path, message)


def _check_text(place: Place) -> Iterator[Cause]:
    value, schema = place.value, place.schema
    if not isinstance(value, str):
        return
    pattern, longest, shortest = schema.get("pattern"), schema.get("maxLength"), schema.get("minLength")
    if isinstance(pattern, str) and not re.search(pattern, value):
        yield place.invalid(f"should match '{pattern}'")
    if isinstance(longest, int) and len(value) > longest:
        yield Cause("FieldValueTooLong", place.path, f"Too long: may not be more than {longest} bytes")
    if isinstance(shortest, int) and len(value) < shortest:
        yield place.invalid(f"should be at least {shortest} chars long")
    wanted = schema.get("format")
    if isinstance(wanted, str) and wanted in FORMATS and not FORMATS[wanted](value):
        yield place.invalid(f"must be of type {wanted}: {shown(value)}")


def _check_number(place: Place) -> Iterator[Cause]:
    value, schema = place.value, place.schema
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return
    least, most, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
    if isinstance(least, (int, float)) and (value <= least if schema.get("exclusiveMinimum") else value < least):
        bound = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
        yield place.invalid(f"should be {bound} {least}")
    if isinstance(most, (int, float)) and (value >= most if schema.get("exclusiveMaximum") else value > most):
        bound = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
        yield place.invalid(f"should be {bound} {most}")
    if isinstance(step, (int, float)) and step and value % step:
        yield place.invalid(f"should be a multiple of {step}")


def _check_size(place: Place) -> Iterator[Cause]:
    value, schema = place.value, place.schema
    least, most = ("minItems", "maxItems") if isinstance(value, list) else ("minProperties", "maxProperties")
    what = "items" if isinstance(value, list) else "properties"
    if not isinstance(value, (list, dict)):
        return
    size, fewest, limit = len(value), schema.get(least), schema.get(most)
    if isinstance(limit, int) and size > limit:
        yield Cause("FieldValueTooMany", place.path, f"Too many: {size}: must have at most {limit} {what}")
    if isinstance(fewest, int) and size < fewest:
        yield place.invalid(f"should have at least {fewest} {what}")


def _check_unique(place: Place) -> Iterator[Cause]:
    value, schema = place.value, place.schema
    if not isinstance(value, list) or schema.get("x-kubernetes-list-type") not in ("map", "set"):
        return
    keys = list_keys(schema)
    seen: list[object] = []
    for index, item in enumerate(value):
        identity = {key: item[key] for key in keys if key in item} if isinstance(item, dict) and keys else item
        if identity in seen:
            yield Cause("FieldValueDuplicate", f"{place.path}[{index}]", f"Duplicate value: {shown(identity)}")
        seen.append(identity)


def _check_combinations(place: Place) -> Iterator[Cause]:
    matching = {key: _matching(place, key) for key in ("allOf", "anyOf", "oneOf") if key in place.schema}
    if "anyOf" in matching and matching["anyOf"] == 0:
        yield place.invalid("must validate at least one schema (anyOf)")
    if "oneOf" in matching and matching["oneOf"] != 1:
        yield place.invalid("must validate one and only one schema (oneOf)")
    if "allOf" in matching and matching["allOf"] != len(_options(place, "allOf")):
        yield place.invalid("must validate all the schemas (allOf)")
    refused = place.schema.get("not")
    if isinstance(refused, dict) and not any(broken_rules(refused, place.value, place.path)):
        yield place.invalid("must not validate the schema (not)")


def _options(place: Place, key: str) -> Sequence[JsonObject]:
    listed = place.schema.get(key)
    return [option for option in listed if isinstance(option, dict)] if isinstance(listed, list) else []


def _matching(place: Place, key: str) -> int:
    return sum(not any(broken_rules(option, place.value, place.path)) for option in _options(place, key))


_CHECKS: tuple[Callable[[Place], Iterator[Cause]], ...] = (
    _check_enum, _check_text, _check_number, _check_size, _check_unique, _check_combinations,
)  # fmt: skip


def wrong_type(schema: JsonObject, value: object, path: str = "") -> tuple[str, str, str] | None:
    """The first value of another type than its schema's, as path, type found and type wanted."""
    schema = resolved(schema)
    wanted = str(schema.get("type", ""))
    if value is None:
        return None
    if schema.get(INT_OR_STRING):
        fits = isinstance(value, (int, float, str)) and not isinstance(value, bool)
        return None if fits else (path, _type_name(value), "int-or-string")
    if wanted and not is_of_type(value, wanted):
        return path, _type_name(value), wanted
    inner: list[tuple[JsonObject, object, str]] = []
    if isinstance(value, dict):
        found = ((property_of(schema, key), item, _join(path, key)) for key, item in value.items())
        inner = [(known, item, at) for known, item, at in found if known is not None]
    elif isinstance(value, list):
        inner = [(items_of(schema), item, path) for item in value]
    return next(filter(None, (wrong_type(known, item, at) for known, item, at in inner)), None)


def leaves(schema: JsonObject, value: object, path: str = "") -> Iterator[tuple[JsonObject, object, str]]:
    """Every value that is no mapping or list, with its schema and path."""
    schema = resolved(schema)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(property_of(schema, key) or {}, inner, _join(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(items_of(schema), item, f"{path}[{index}]")
    elif value is not None:
        yield schema, value, path


def required_fields(schema: JsonObject, value: object, path: str = "") -> Iterator[Cause]:
    """The fields that a schema requires and a value lacks, an empty list or text counting as lacking.

    A missing mapping is not lacking itself: the API server takes it as an empty one, and misses what that must hold.
    """
    schema = resolved(schema)
    if isinstance(value, list):
        items = items_of(schema)
        for index, item in enumerate(value):
            yield from required_fields(items, item, f"{path}[{index}]")
    if not isinstance(value, dict):
        return
    needed = strings(schema, "required")
    for key, written in mapping(schema, "properties").items():
        known = resolved(mapping({"": written}, ""))
        missing = value.get(key) in (None, "", [])
        if key in needed and missing and known.get("type") != "object":
            yield Cause("FieldValueRequired", _join(path, key), "Required value")
        elif key in value or key in needed:
            yield from required_fields(known, {} if missing else value[key], _join(path, key))
