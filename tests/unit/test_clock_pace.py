"""Time in run mode: it never passes a deadline whose waiter has not woken."""

from __future__ import annotations

import threading

from infra.local.clock import Clock, Mode
from infra.local.pace import Pace

RUSHING = 1e12


def held_at(pace: Pace, deadline: float) -> float:
    """Let time rush towards a deadline; give what it says once it is there."""
    pace.halt_at(deadline)
    pace.change(busy=False)
    while pace.time() < deadline:
        pass
    return pace.time()


def test_time_halts_at_a_deadline_and_goes_on_from_there() -> None:
    pace = Pace(0.0, RUSHING)
    pace.change(busy=True)
    now = pace.time()
    assert held_at(pace, now + 5) == now + 5
    assert held_at(pace, now + 7) == now + 7
    pace.halt_at(None)
    while pace.time() <= now + 8:
        pass


def test_a_deadline_that_has_passed_turns_no_time_back() -> None:
    pace = Pace(10.0, 1.0)
    before = pace.time()
    pace.halt_at(3.0)
    assert pace.time() >= before


def test_a_sleeper_wakes_at_its_deadline_however_fast_time_runs() -> None:
    clock = Clock(Mode.RUN, speed=RUSHING)
    slept: list[float] = []
    ended = threading.Event()

    def sleep() -> None:
        began = clock.time()
        clock.call_at(began + 1000.0, ended.set)
        clock.sleep(20.0)
        slept.append(clock.time() - began)

    clock.thread(sleep).start()
    assert ended.wait(10)
    assert 20.0 <= slept[0] < 1000.0
