"""Who hears which statements of which roles were needed: whoever measures what is granted and never used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Use(NamedTuple):
    """A statement of a role that allowed an action, which no other statement of the role did."""

    role: str
    sid: str
    action: str


_LISTENERS: list[Callable[[Use], None]] = []


@contextmanager
def heard(listener: Callable[[Use], None]) -> Iterator[None]:
    """Tell a listener every use in this process while a block runs."""
    _LISTENERS.append(listener)
    try:
        yield
    finally:
        _LISTENERS.remove(listener)


def note(use: Use) -> None:
    """Tell all who listen."""
    for listener in _LISTENERS:
        listener(use)
