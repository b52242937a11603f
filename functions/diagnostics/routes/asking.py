"""What a gathering came to, as rules take it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from functions.diagnostics.models.facts import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from functions.core.gathering import Asked, Gathering

Value = TypeVar("Value")


def seen(asked: Asked[Value | None]) -> Seen[Value]:
    """Give what calls came to: a value, nothing, or why not."""
    return Seen(asked.value, asked.why, asked.made)


def few(
    around: Gathering, names: Iterable[str], look: Callable[[str], Value | None], most: int
) -> Callable[[], dict[str, Seen[Value]]]:
    """Ask about each of the first few of some things by itself; the answers are there once all calls are made.

    What is beyond them is unread, and says so.
    """
    listed = [*names]
    asked = {name: around.ask(name, partial(look, name)) for name in listed[:most]}
    beyond = dict.fromkeys(listed[most:], Seen[Value](why=f"only the first {most} of {len(listed)} are looked at"))
    return lambda: {name: seen(one) for name, one in asked.items()} | beyond


def first_reason(asked: Iterable[Asked[object]]) -> str | None:
    """Say why one of several calls, all of which are needed, did not come to an end."""
    return next((one.why for one in asked if one.why), None)
