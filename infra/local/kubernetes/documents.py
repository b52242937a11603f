"""Typed access to JSON documents.

A Kubernetes object is an open-ended JSON document, so it stays a plain `dict` (picklable, comparable, what clients
send). Its values are `object` rather than `Any`: every read goes through these functions, which check the shape.
"""

from __future__ import annotations

from typing import TypeAlias

JsonObject: TypeAlias = dict[str, object]


def copy_of(document: JsonObject) -> JsonObject:
    """A copy of a document that shares nothing with it; faster than `deepcopy`, which every read would pay for."""
    return {key: _copied(value) for key, value in document.items()}


def _copied(value: object) -> object:
    if isinstance(value, dict):
        return copy_of(value)
    return [_copied(item) for item in value] if isinstance(value, list) else value


def value_at(document: object, *path: str) -> object:
    """The value at a path of keys, `None` when any step is missing."""
    for key in path:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


def mapping(document: object, *path: str) -> JsonObject:
    """The mapping at a path; an empty one (not stored) when there is none."""
    found = value_at(document, *path)
    return found if isinstance(found, dict) else {}


def ensure_mapping(document: JsonObject, *path: str) -> JsonObject:
    """The mapping at a path, stored there first when there is none."""
    for key in path:
        inner = document.get(key)
        if not isinstance(inner, dict):
            inner = {}
            document[key] = inner
        document = inner
    return document


def text(document: object, *path: str) -> str:
    """The string at a path, empty when there is none."""
    found = value_at(document, *path)
    return found if isinstance(found, str) else ""


def integer(document: object, *path: str) -> int:
    """The whole number at a path, 0 when there is none."""
    found = value_at(document, *path)
    return found if isinstance(found, int) else 0


def objects(document: object, *path: str) -> list[JsonObject]:
    """The mappings in the list at a path, none when there is no list."""
    found = value_at(document, *path)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def strings(document: object, *path: str) -> list[str]:
    """The strings in the list at a path, none when there is no list."""
    found = value_at(document, *path)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def string_map(document: object, *path: str) -> dict[str, str]:
    """The string-to-string mapping at a path (labels, annotations), empty when there is none."""
    return {key: value for key, value in mapping(document, *path).items() if isinstance(value, str)}


def name_of(document: JsonObject) -> str:
    """The object's metadata.name."""
    return text(document, "metadata", "name")


def namespace_of(document: JsonObject) -> str:
    """The object's metadata.namespace, empty when cluster-scoped."""
    return text(document, "metadata", "namespace")
