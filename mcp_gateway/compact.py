"""Makes answers small enough to be read: what says nothing goes, then rows, then the longest of what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import JsonValue

# What a client's model reads at once without losing sight of the rest.
LARGEST_ANSWER: Final = 20_000
# What is left of a long text or list that has to be cut, at first; it is halved until everything fits.
_FIRST_CUT: Final = 4_096
# A digest, a token or a remedy is whole.
_SHORTEST_TEXT: Final = 256


def size_of(value: JsonValue) -> int:
    """Give the bytes of a value as it is written into an answer."""
    return len(written(value).encode())


def written(value: JsonValue) -> str:
    """Write a value as an answer has it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def without_blanks(value: JsonValue) -> JsonValue:
    """Leave out members that are null or empty."""
    if isinstance(value, dict):
        kept = {name: without_blanks(each) for name, each in value.items()}
        return {name: each for name, each in kept.items() if each not in (None, "", [], {})}
    if isinstance(value, list):
        return [without_blanks(each) for each in value]
    return value


def fitting(rows: Sequence[JsonValue], room: int) -> int:
    """Count the first rows that fit into so many bytes; one at least, or nobody would ever get past it."""
    used = 0
    for count, row in enumerate(rows):
        used += size_of(row) + 1
        if used > room:
            return max(count, 1)
    return len(rows)


def cut_members(value: dict[str, JsonValue], room: int) -> dict[str, JsonValue]:
    """Leave out what is blank, then shorten texts and lists until the rest fits; each says how much of it is gone."""
    fitted, limit = without_blanks(value), _FIRST_CUT
    while size_of(fitted) > room and limit >= 1:
        fitted, limit = _limited(fitted, limit), limit // 2
    return fitted if isinstance(fitted, dict) else {}


def _limited(value: JsonValue, limit: int) -> JsonValue:
    if isinstance(value, str):
        return _shortened(value, max(limit, _SHORTEST_TEXT))
    if isinstance(value, list):
        kept = [_limited(each, limit) for each in value[:limit]]
        left = len(value) - len(kept)
        return [*kept, f"… and {left} more"] if left else kept
    if isinstance(value, dict):
        return dict(_limited_members(value, limit))
    return value


def _limited_members(value: dict[str, JsonValue], limit: int) -> Iterator[tuple[str, JsonValue]]:
    for count, (name, each) in enumerate(value.items()):
        if count == max(limit, _SHORTEST_TEXT):
            yield "…", f"{len(value) - count} more"
            return
        yield name, _limited(each, limit)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… {len(text) - limit} characters more"
