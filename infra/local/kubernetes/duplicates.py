"""Finding fields that a JSON document names twice."""

from __future__ import annotations

import json
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject


class _Doubled(dict[str, object]):
    """A mapping that remembers which of its fields stood twice."""

    doubled: tuple[str, ...] = ()


def duplicate_fields(body: bytes) -> list[str]:
    """The paths of fields that stand more than once in their mapping; none when the body is no JSON."""
    found: list[_Doubled] = []

    def take(pairs: list[tuple[str, object]]) -> JsonObject:
        names = [name for name, _ in pairs]
        taken = _Doubled(pairs)
        if len(taken) < len(names):
            taken.doubled = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
            found.append(taken)
        return taken

    try:
        document = json.loads(body, object_pairs_hook=take)
    except ValueError:
        return []
    return list(_paths(document, "")) if found else []


def _paths(value: object, path: str) -> Iterator[str]:
    if isinstance(value, _Doubled):
        yield from (f"{path}.{name}" if path else name for name in value.doubled)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, f"{path}[{index}]")
