"""The broken rules of built-in kinds as causes, in the API server's wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from infra.local.kubernetes.documents import JsonObject, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.structural import shown


def required(field: str, why: str = "") -> Cause:
    """A field that must be set is not."""
    return Cause("FieldValueRequired", field, f"Required value: {why}" if why else "Required value")


def invalid(field: str, value: object, why: str) -> Cause:
    """A field's value breaks a rule."""
    return Cause("FieldValueInvalid", field, f"Invalid value: {shown(value)}: {why}")


def unsupported(field: str, value: object, supported: Iterable[str]) -> Cause:
    """A field's value is none of those allowed."""
    listed = ", ".join(f'"{choice}"' for choice in supported)
    return Cause("FieldValueNotSupported", field, f"Unsupported value: {shown(value)}: supported values: {listed}")


def duplicate(field: str, value: object) -> Cause:
    """A field's value stands elsewhere already."""
    return Cause("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}")


def forbidden(field: str, why: str) -> Cause:
    """A field may not be set, or not like this."""
    return Cause("FieldValueForbidden", field, f"Forbidden: {why}")


def not_found(field: str, value: object) -> Cause:
    """A field names something that is not there."""
    return Cause("FieldValueNotFound", field, f"Not found: {shown(value)}")


def too_long(field: str, limit: int) -> Cause:
    """A field is larger than it may be."""
    return Cause("FieldValueTooLong", field, f"Too long: may not be more than {limit} bytes")


def one_of(field: str, value: object, supported: Iterable[str]) -> Iterator[Cause]:
    """A field that is set must be one of some values."""
    choices = list(supported)
    if value is not None and value not in choices:
        yield unsupported(field, value, choices)


def not_negative(field: str, value: object) -> Iterator[Cause]:
    """A number that is set must not be below zero."""
    if isinstance(value, int) and value < 0:
        yield invalid(field, value, "must be greater than or equal to 0")


def port_number(field: str, value: object) -> Iterator[Cause]:
    """A number must be a port's."""
    if isinstance(value, int) and not 1 <= value <= 65535:
        yield invalid(field, value, "must be between 1 and 65535, inclusive")


def unchanged(field: str, before: object, after: object, *path: str) -> Iterator[Cause]:
    """A field must stay as it was created."""
    value = value_at(after, *path)
    if value_at(before, *path) != value:
        yield invalid(field, value, "field is immutable")


def repeated(field: str, items: Iterable[tuple[str, object]]) -> Iterator[Cause]:
    """Values, each with the field it stands in, must differ."""
    seen: list[object] = []
    for suffix, value in items:
        if value in seen:
            yield duplicate(f"{field}{suffix}", value)
        seen.append(value)


def named(items: list[JsonObject], key: str = "name") -> list[tuple[str, object]]:
    """The names of a list's items, each with its place."""
    return [(f"[{index}].{key}", item.get(key)) for index, item in enumerate(items) if item.get(key) is not None]
