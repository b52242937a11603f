"""The clock moves only when everything waits, and never past a deadline."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from functools import partial

import pytest

from infra.local.clock import Clock, Mode

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(Mode.JUMP, start=START)


def test_time_stands_while_a_block_runs(clock: Clock) -> None:
    woken: list[float] = []

    def sleep() -> None:
        clock.sleep(10)
        woken.append(clock.time())

    sleeper = clock.thread(sleep)
    with clock.busy():
        sleeper.start()
        assert clock.now() == START
        assert woken == []
    sleeper.join(60)
    assert woken == [START.timestamp() + 10]


def test_sleepers_wake_in_the_order_of_their_deadlines(clock: Clock) -> None:
    woken: list[tuple[str, float]] = []

    def sleep(name: str, seconds: float) -> None:
        clock.sleep(seconds)
        woken.append((name, clock.time() - START.timestamp()))

    with clock.busy():
        threads = [clock.thread(partial(sleep, n, s)) for n, s in (("c", 30), ("a", 10), ("b", 20))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert woken == [("a", 10), ("b", 20), ("c", 30)]


def test_an_event_set_by_another_thread_ends_a_wait_without_time_passing(clock: Clock) -> None:
    event = clock.event()
    with clock.busy():
        clock.thread(event.set).start()
        assert event.wait(3600)
    assert clock.now() == START


def test_a_wait_ends_at_its_timeout(clock: Clock) -> None:
    assert not clock.event().wait(90)
    assert clock.time() == START.timestamp() + 90


def test_a_thread_that_never_waits_keeps_time_standing_for_the_others(clock: Clock) -> None:
    release, slept = threading.Event(), clock.event()

    def sleep() -> None:
        clock.sleep(1)
        slept.set()

    with clock.busy():
        worker = clock.thread(lambda: release.wait(5))
        sleeper = clock.thread(sleep)
        worker.start()
        sleeper.start()
    assert clock.now() == START
    release.set()
    assert slept.wait(10)


def test_timers_fire_only_when_time_moves_past_them(clock: Clock) -> None:
    fired: list[float] = []
    clock.call_at(START.timestamp() + 60, lambda: fired.append(clock.time()))
    assert fired == []
    clock.sleep(120)
    assert fired == [START.timestamp() + 60]
    assert clock.time() == START.timestamp() + 120


def test_a_cancelled_timer_does_not_fire(clock: Clock) -> None:
    fired: list[int] = []
    clock.cancel(clock.call_at(START.timestamp() + 1, lambda: fired.append(1)))
    clock.sleep(5)
    assert fired == []


def test_run_mode_passes_time_at_its_speed() -> None:
    clock = Clock(Mode.RUN, speed=100_000, start=START)
    fired = clock.event()
    clock.call_at(clock.time() + 100, fired.set)
    assert fired.wait(100_000)
    assert clock.time() >= START.timestamp() + 100


def test_run_mode_counts_work_in_real_seconds_so_that_no_timeout_strikes_it() -> None:
    clock = Clock(Mode.RUN, speed=100_000, start=START)
    worked = threading.Event()
    with clock.busy():
        worker = clock.thread(lambda: worked.wait(0.05))
        worker.start()
        worker.join(30)
        assert not worker.is_alive()
        assert clock.time() < START.timestamp() + 30
    clock.sleep(1000)
    assert clock.time() >= START.timestamp() + 1000
