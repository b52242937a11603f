"""One clock for everything the local host does, in two modes.

*Jump*: time stands while anything runs (a request, a function, a delivery, an executing state) and moves to the
earliest deadline as soon as everything waits. *Run*: real time times a speed; see `pace.py`.

Each running thread holds a token. Waiting on the clock gives the token up; whoever ends the wait hands a
token back before the waiter wakes, so there is no instant in which time could slip by between the two.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum

from infra.local.clock_primitives import Event, Lock, Thread, Waiter
from infra.local.pace import Pace

logger = logging.getLogger(__name__)
_FEW = 64


class Mode(StrEnum):
    """How time passes."""

    JUMP = "jump"
    RUN = "run"


class _Held(threading.local):
    """Whether this thread holds a token."""

    value = False


class Clock:
    """Simulated time, and the primitives that block on it."""

    def __init__(self, mode: Mode, *, speed: float = 60.0, start: datetime | None = None) -> None:
        self.mode = mode
        self.speed = speed
        self._jumped = (start or datetime.now(UTC)).timestamp()
        self._pace = Pace(self._jumped, speed)
        self._lock = threading.Lock()
        self._running = 0
        self._waiting = 0
        self._deadlines: list[tuple[float, int, Waiter]] = []
        self._sweep_at = _FEW
        self._order = itertools.count()
        self._held = _Held()
        self._timers = threading.Condition(self._lock)
        self._timer_thread: threading.Thread | None = None

    # -- reading

    def time(self) -> float:
        """Give the present instant in seconds since the epoch."""
        if self.mode is Mode.JUMP:
            return self._jumped
        return self._pace.time()

    def now(self) -> datetime:
        """Give the present instant, in UTC."""
        return datetime.fromtimestamp(self.time(), UTC)

    # -- holding time still

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep time standing while a block runs (jump mode)."""
        if self.holds():
            yield
            return
        self.take()
        with self.adopted():
            yield

    def take(self) -> None:
        """Take a token, for this thread or for one about to start."""
        with self._lock:
            self._count(1)

    def give(self) -> None:
        """Give a token back; time may move."""
        with self._lock:
            self._count(-1)
            self._advance()

    @contextmanager
    def adopted(self) -> Iterator[None]:
        """Run a block with a token that was taken for this thread, and give it back at the end."""
        self._held.value = True
        try:
            yield
        finally:
            self._held.value = False
            self.give()

    def holds(self) -> bool:
        """Say whether this thread is one that the clock knows as running."""
        return self._held.value

    def _count(self, change: int) -> None:
        was_busy = self._running > 0
        self._running += change
        if was_busy != (self._running > 0):
            self._pace.change(busy=not was_busy)

    # -- waiting

    def sleep(self, seconds: float) -> None:
        """Let `seconds` of simulated time pass."""
        self.event().wait(seconds)

    def event(self) -> Event:
        """Make an event whose waits are on this clock."""
        return Event(self)

    def lock(self) -> Lock:
        """Make a reentrant lock whose waiters let time move."""
        return Lock(self)

    def thread(self, target: Callable[[], object], name: str | None = None) -> Thread:
        """Make a thread that holds a token from its start to its end."""
        return Thread(self, target=target, name=name)

    def wait(self, waiters: list[Waiter], is_set: Callable[[], bool], timeout: float | None) -> bool:
        """Wait for an event; give whether it was set. The primitive under `Event`."""
        with self.busy():
            waiter = Waiter()
            with self._lock:
                if is_set() or (timeout is not None and timeout <= 0):
                    return is_set()
                waiters.append(waiter)
                deadline = None if timeout is None else self.time() + timeout
                if deadline is not None:
                    self._push(deadline, waiter)
                self._count(-1)
                self._waiting += 1
                self._advance()
            self._block(waiter, deadline)
            with self._lock:
                if waiter in waiters:
                    waiters.remove(waiter)
                return waiter.by_event or is_set()

    def _block(self, waiter: Waiter, deadline: float | None) -> None:
        if self.mode is Mode.JUMP or deadline is None:
            waiter.signal.wait()
            return
        while not waiter.done and (ahead := deadline - self.time()) > 0:
            waiter.signal.wait(self._pace.real_seconds(ahead))
        with self._lock:
            self._wake(waiter)

    def wake_all(self, waiters: list[Waiter], mark: Callable[[], None]) -> None:
        """Mark an event as set and wake who waits for it."""
        with self._lock:
            mark()
            for waiter in waiters:
                waiter.by_event = waiter.by_event or not waiter.done
                self._wake(waiter)
            waiters.clear()

    def _wake(self, waiter: Waiter) -> None:
        if waiter.done:
            return
        waiter.done = True
        self._count(1)
        self._waiting -= 1
        self._halt_at_first_deadline()
        waiter.signal.set()

    # -- moving time

    def call_at(self, when: float, callback: Callable[[], object]) -> Waiter:
        """Run a callback in a thread of its own at an instant; time stands while it runs."""
        timer = Waiter(callback)
        with self._lock:
            self._push(when, timer)
            if self.mode is Mode.RUN:
                self._ensure_timer_thread()
                self._timers.notify_all()
            else:
                self._advance()
        return timer

    def cancel(self, timer: Waiter) -> None:
        """Forget a timer that has not fired."""
        with self._lock:
            timer.done = True
            self._halt_at_first_deadline()

    def next_deadline(self) -> float | None:
        """Give the instant of the earliest pending deadline."""
        with self._lock:
            self._drop_done()
            return self._deadlines[0][0] if self._deadlines else None

    def _push(self, when: float, waiter: Waiter) -> None:
        # Long timeouts of short waits would pile up: their deadlines are far behind the top of the heap.
        if len(self._deadlines) >= self._sweep_at:
            self._deadlines = [entry for entry in self._deadlines if not entry[2].done]
            heapq.heapify(self._deadlines)
            self._sweep_at = 2 * len(self._deadlines) + _FEW
        heapq.heappush(self._deadlines, (when, next(self._order), waiter))
        self._halt_at_first_deadline()

    def _halt_at_first_deadline(self) -> None:
        if self.mode is Mode.RUN:
            self._drop_done()
            self._pace.halt_at(self._deadlines[0][0] if self._deadlines else None)

    def _drop_done(self) -> None:
        while self._deadlines and self._deadlines[0][2].done:
            heapq.heappop(self._deadlines)

    def _advance(self) -> None:
        if self.mode is not Mode.JUMP:
            return
        while self._running == 0 and self._waiting > 0:
            self._drop_done()
            if not self._deadlines:
                return
            when, _, waiter = heapq.heappop(self._deadlines)
            self._jumped = max(self._jumped, when)
            self._expire(waiter)

    def _expire(self, waiter: Waiter) -> None:
        if waiter.callback is None:
            self._wake(waiter)
            return
        waiter.done = True
        self._count(1)
        self._halt_at_first_deadline()
        threading.Thread(target=self._deliver, args=(waiter.callback,), daemon=True).start()

    def _deliver(self, callback: Callable[[], object]) -> None:
        with self.adopted():
            try:
                callback()
            except Exception:
                logger.exception("a timer of the local host failed")

    def _ensure_timer_thread(self) -> None:
        if self._timer_thread is None:
            self._timer_thread = threading.Thread(target=self._run_timers, name="clock-timers", daemon=True)
            self._timer_thread.start()

    def _run_timers(self) -> None:
        with self._lock:
            while True:
                self._drop_done()
                if not self._deadlines:
                    self._timers.wait()
                    continue
                ahead = self._deadlines[0][0] - self.time()
                if ahead > 0:
                    self._timers.wait(self._pace.real_seconds(ahead))
                    continue
                self._expire(heapq.heappop(self._deadlines)[2])
