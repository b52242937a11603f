"""How fast run mode goes: real time times the speed while everything waits, real time while anything runs.

Otherwise a timeout of 30 simulated seconds would leave a function half a second of real time at speed 60, and what is
merely being worked on would look as if it hung.
"""

from __future__ import annotations

import time
from typing import NamedTuple

_SHORTEST_WAIT = 0.001


class _Stretch(NamedTuple):
    """A time of one speed: since when, in simulated and in the machine's time."""

    simulated: float
    real: float
    speed: float

    def at(self, real: float) -> float:
        return self.simulated + max(real - self.real, 0.0) * self.speed


class Pace:
    """Simulated time of run mode; `change` is called under the clock's lock."""

    def __init__(self, start: float, speed: float) -> None:
        self._speed = speed
        self._stretch = _Stretch(start, time.monotonic(), speed)

    def time(self) -> float:
        """Give the present instant."""
        # The machine's time is read first: an older stretch would run ahead of a change between the two reads.
        real = time.monotonic()
        return self._stretch.at(real)

    def change(self, *, busy: bool) -> None:
        """Go on in real time while something runs, at the full speed while nothing does."""
        real = time.monotonic()
        self._stretch = _Stretch(self._stretch.at(real), real, min(1.0, self._speed) if busy else self._speed)

    def real_seconds(self, ahead: float) -> float:
        """Say how soon `ahead` simulated seconds can have passed; whether they have, only the time then tells."""
        return max(ahead / self._speed, _SHORTEST_WAIT)
