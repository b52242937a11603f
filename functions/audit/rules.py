"""Which days' entries are to be exported, and what the file of a day holds."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import date, datetime

    from pydantic import BaseModel


# A run does no more, so that it ends within its time whatever was missed; the next one goes on.
DAYS_A_RUN: Final = 31
# An entry is written by a worker that has minutes to live, and its index follows within seconds.
SETTLED_AFTER: Final = timedelta(hours=1)


def last_finished_day(now: datetime) -> date:
    """Give the last day of which no entry can come any more."""
    return (now - SETTLED_AFTER).date() - timedelta(days=1)


def days_due(first: date, last: date, written: Collection[date]) -> list[date]:
    """List the days from `first` to `last` that have no file, oldest first, as many as a run does."""
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [day for day in days if day not in written][:DAYS_A_RUN]


def lines(entries: Iterable[BaseModel]) -> bytes:
    """Write entries as JSON lines, the same bytes whenever; a day on which nobody did anything has none."""
    written = (json.dumps(entry.model_dump(mode="json"), sort_keys=True, ensure_ascii=False) for entry in entries)
    return "".join(f"{line}\n" for line in written).encode()
