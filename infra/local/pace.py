"""How fast run mode goes: real time times the speed while everything waits, real time while anything runs.

Otherwise a timeout of 30 simulated seconds would leave a function half a second of real time at speed 60, and what is
merely being worked on would look as if it hung.

Time halts at the earliest deadline until its waiter has woken: at speed 600 a thread that the machine wakes 50
milliseconds late would otherwise have lost half a minute.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

_SHORTEST_WAIT = 0.001


class _Stretch(NamedTuple):
    """A time of one speed: since when, in simulated and in the machine's time, and where it halts."""

    simulated: float
    real: float
    speed: float
    limit: float

    def at(self, real: float) -> float:
        gone = max(real - self.real, 0.0) * self.speed
        return min(self.simulated + gone, max(self.limit, self.simulated))


class Pace:
    """Simulated time of run mode; `change` and `halt_at` are called under the clock's lock."""

    def __init__(self, start: float, speed: float) -> None:
        self._speed = speed
        self._stretch = _Stretch(start, time.monotonic(), speed, math.inf)

    def time(self) -> float:
        """Give the present instant."""
        # The machine's time is read first: an older stretch would run ahead of a change between the two reads.
        real = time.monotonic()
        return self._stretch.at(real)

    def change(self, *, busy: bool) -> None:
        """Go on in real time while something runs, at the full speed while nothing does."""
        real, before = time.monotonic(), self._stretch
        self._stretch = _Stretch(before.at(real), real, min(1.0, self._speed) if busy else self._speed, before.limit)

    def halt_at(self, deadline: float | None) -> None:
        """Go no further than a deadline, until another one is given."""
        limit = math.inf if deadline is None else deadline
        real, before = time.monotonic(), self._stretch
        if limit != before.limit:
            self._stretch = _Stretch(before.at(real), real, before.speed, limit)

    def real_seconds(self, ahead: float) -> float:
        """Say how soon `ahead` simulated seconds can have passed; whether they have, only the time then tells."""
        return max(ahead / self._speed, _SHORTEST_WAIT)
