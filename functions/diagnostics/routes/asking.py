"""What a gathering came to, as rules take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from functions.diagnostics.models.facts import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from functions.core.gathering import Asked

Value = TypeVar("Value")


def seen(asked: Asked[Value | None]) -> Seen[Value]:
    """Give what calls came to: a value, nothing, or why not."""
    return Seen(asked.value, asked.why, asked.made)


def each(asked: Mapping[str, Asked[Value | None]]) -> dict[str, Seen[Value]]:
    """Give what the calls about each of several things came to."""
    return {name: seen(one) for name, one in asked.items()}


def first_reason(asked: Iterable[Asked[object]]) -> str | None:
    """Say why one of several calls, all of which are needed, did not come to an end."""
    return next((one.why for one in asked if one.why), None)
