"""Events, locks, timers and joins on the clock at their edges."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime

import pytest

from infra.local.clock import Clock, Mode
from infra.local.engine.interpreter_time import Generation
from infra.local.tokens import TOKEN_SECONDS, SeenTokens

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(Mode.JUMP, start=START)


@pytest.mark.parametrize("timeout", [0, -1.5])
def test_a_wait_without_patience_only_looks(clock: Clock, timeout: float) -> None:
    other = clock.thread(lambda: clock.sleep(60))
    with clock.busy():
        other.start()
        event = clock.event()
        assert not event.wait(timeout)
        event.set()
        assert event.wait(timeout)
        assert clock.now() == START


def test_who_was_woken_saw_the_event_even_when_it_is_cleared_at_once(clock: Clock) -> None:
    event, seen = clock.event(), list[bool]()

    def pulse() -> None:
        clock.sleep(1)
        event.set()
        event.clear()

    with clock.busy():
        waiter = clock.thread(lambda: seen.append(event.wait(60)))
        waiter.start()
        clock.thread(pulse).start()
        waiter.join()
    assert seen == [True]
    assert not event.is_set()
    assert clock.time() == START.timestamp() + 1


def test_two_threads_that_wait_for_each_other_leave_no_gap_for_time(clock: Clock) -> None:
    turns = [clock.event() for _ in range(200)]

    def play(first: int) -> None:
        for turn in range(first, len(turns), 2):
            if turn:
                turns[turn - 1].wait()
            turns[turn].set()

    with clock.busy():
        players = [clock.thread(lambda n=n: play(n)) for n in (0, 1)]  # type: ignore[misc]  # bound by its default
        clock.call_at(START.timestamp() + 1, lambda: None)
        for player in players:
            player.start()
        for player in players:
            player.join()
    assert clock.now() == START


def test_a_failing_timer_says_so_and_the_next_one_fires(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    fired: list[float] = []

    def fail() -> None:
        raise ValueError("broken")

    clock.call_at(START.timestamp() + 1, fail)
    clock.call_at(START.timestamp() + 2, lambda: fired.append(clock.time()))
    with caplog.at_level(logging.ERROR):
        clock.sleep(3)
    assert fired == [START.timestamp() + 2]
    assert "broken" in caplog.text


def test_a_failing_timer_of_run_mode_does_not_stop_the_others() -> None:
    clock = Clock(Mode.RUN, speed=100_000, start=START)
    fired = clock.event()

    def fail() -> None:
        raise ValueError("broken")

    clock.call_at(clock.time() + 1, fail)
    clock.call_at(clock.time() + 2, fired.set)
    assert fired.wait(1_000_000)


def test_ended_waits_do_not_pile_up(clock: Clock) -> None:
    for _ in range(1_000):
        event = clock.event()
        with clock.busy():
            clock.thread(event.set).start()
            event.wait(31_536_000)
    assert len(clock._deadlines) < 100


def test_the_holder_of_a_lock_may_sleep_while_others_want_it(clock: Clock) -> None:
    lock, order = clock.lock(), list[str]()

    def hold(name: str, seconds: float) -> None:
        with lock, lock:
            clock.sleep(seconds)
            order.append(f"{name} at {clock.time() - START.timestamp():.0f}")

    with clock.busy():
        threads = [clock.thread(lambda: hold("slow", 20)), clock.thread(lambda: hold("quick", 0))]
        for thread in threads:
            thread.start()
            clock.sleep(1)
        for thread in threads:
            thread.join()
    assert order == ["slow at 20", "quick at 20"]


def test_a_lock_admits_one_at_a_time(clock: Clock) -> None:
    lock, inside, most = clock.lock(), list[int](), list[int]()

    def work() -> None:
        for _ in range(50):
            with lock:
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [clock.thread(work) for _ in range(8)]
    with clock.busy():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert max(most) == 1
    assert len(most) == 400


def test_a_joined_thread_is_no_longer_alive(clock: Clock) -> None:
    thread = clock.thread(lambda: clock.sleep(5))
    with clock.busy():
        thread.start()
        thread.join(1)
        assert thread.is_alive()
        thread.join(10)
        assert not thread.is_alive()
    assert clock.time() == START.timestamp() + 5


def test_a_thread_knows_whether_it_runs_on_the_clock(clock: Clock) -> None:
    assert not clock.holds()
    with clock.busy():
        assert clock.holds()
        outside: list[bool] = []
        stranger = threading.Thread(target=lambda: outside.append(clock.holds()))
        stranger.start()
        stranger.join()
    assert outside == [False]


def test_a_change_between_look_and_wait_is_not_missed(clock: Clock) -> None:
    generation = Generation(clock)
    with clock.busy():
        generation.wait_for_change()  # the first look of a thread
        generation.bump()
        generation.wait_for_change()  # sees it at once
        clock.thread(generation.bump).start()
        generation.wait_for_change()
    assert clock.now() == START


def test_a_token_expires_fifteen_minutes_after_it_was_first_seen() -> None:
    now = [0.0]
    tokens = SeenTokens(lambda: now[0])
    assert tokens.valid("one")
    now[0] = TOKEN_SECONDS - 1
    assert tokens.valid("one")
    now[0] = TOKEN_SECONDS
    assert not tokens.valid("one")
    assert tokens.valid("two")


def test_only_so_many_tokens_are_remembered() -> None:
    tokens = SeenTokens(lambda: 0.0)
    for number in range(1_500):
        assert tokens.valid(str(number))
    assert len(tokens._first_seen) == 1_000
