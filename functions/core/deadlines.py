"""Until when calls to AWS and to clusters may begin, where somebody waits for what they come to."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_until: ContextVar[datetime | None] = ContextVar("until", default=None)


class TimeOver(Exception):
    """A look was left before its end, because time was up."""


@contextmanager
def until(moment: datetime) -> Iterator[None]:
    """Let no call of a block of code begin from `moment` on, but the ledger's: it raises TimeOver instead."""
    token = _until.set(moment)
    try:
        yield
    finally:
        _until.reset(token)


def check(now: datetime) -> None:
    """Raise TimeOver when there is no time for another call."""
    moment = _until.get()
    if moment is not None and now >= moment:
        raise TimeOver
