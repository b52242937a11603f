"""One clock for everything the local host does, in two modes.

*Jump*: time stands while anything runs (a request, a function, a delivery, an executing state) and moves to the
earliest deadline as soon as everything waits. *Run*: real time times a speed.

In jump mode each running thread holds a token. Waiting on the clock gives the token up; whoever ends the wait hands a
token back before the waiter wakes, so there is no instant in which time could slip by between the two.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum


class Mode(StrEnum):
    """How time passes."""

    JUMP = "jump"
    RUN = "run"


class _Waiter:
    """A thread that waits, or a timer; it ends once, by its deadline or by an event."""

    __slots__ = ("callback", "done", "held", "signal")

    def __init__(self, *, held: bool, callback: Callable[[], None] | None = None) -> None:
        self.held = held
        self.callback = callback
        self.done = False
        self.signal = threading.Event()


class Clock:
    """Simulated time, and the primitives that block on it."""

    def __init__(self, mode: Mode, *, speed: float = 60.0, start: datetime | None = None) -> None:
        self.mode = mode
        self.speed = speed
        self._start = (start or datetime.now(UTC)).timestamp()
        self._real_start = time.monotonic()
        self._jumped = self._start
        self._lock = threading.Lock()
        self._running = 0
        self._movers = 0
        self._deadlines: list[tuple[float, int, _Waiter]] = []
        self._order = itertools.count()
        self._thread = threading.local()
        self._timers = threading.Condition(self._lock)
        self._timer_thread: threading.Thread | None = None

    # -- reading

    def time(self) -> float:
        """Give the present instant in seconds since the epoch."""
        if self.mode is Mode.JUMP:
            return self._jumped
        return self._start + (time.monotonic() - self._real_start) * self.speed

    def now(self) -> datetime:
        """Give the present instant, in UTC."""
        return datetime.fromtimestamp(self.time(), UTC)

    # -- holding time still

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep time standing while a block runs (jump mode)."""
        if self._holds():
            yield
            return
        self.take()
        self._thread.held = True
        try:
            yield
        finally:
            self._thread.held = False
            self.give()

    def take(self) -> None:
        """Take a token, for this thread or for one about to start."""
        with self._lock:
            self._running += 1

    def give(self) -> None:
        """Give a token back; time may move."""
        with self._lock:
            self._running -= 1
            self._advance()

    def adopt(self) -> None:
        """Say that this thread runs with a token its starter took for it."""
        self._thread.held = True

    def _holds(self) -> bool:
        return getattr(self._thread, "held", False)

    # -- waiting

    def sleep(self, seconds: float) -> None:
        """Let `seconds` of simulated time pass."""
        if seconds > 0:
            self.event().wait(seconds)

    def event(self) -> Event:
        """Make an event whose waits are on this clock."""
        return Event(self)

    def wait(self, waiters: list[_Waiter], is_set: Callable[[], bool], timeout: float | None) -> bool:
        """Wait for an event; give whether it was set. The primitive under `Event`."""
        with self.busy():
            waiter = _Waiter(held=True)
            with self._lock:
                if is_set():
                    return True
                waiters.append(waiter)
                deadline = None if timeout is None else self.time() + max(timeout, 0)
                if deadline is not None and self.mode is Mode.JUMP:
                    heapq.heappush(self._deadlines, (deadline, next(self._order), waiter))
                self._running -= 1
                self._movers += 1
                self._advance()
            self._block(waiter, timeout)
            with self._lock:
                if waiter in waiters:
                    waiters.remove(waiter)
                return is_set()

    def _block(self, waiter: _Waiter, timeout: float | None) -> None:
        if self.mode is Mode.JUMP:
            waiter.signal.wait()
            return
        waiter.signal.wait(None if timeout is None else max(timeout, 0) / self.speed)
        with self._lock:
            self._wake(waiter)

    def wake_all(self, waiters: list[_Waiter], mark: Callable[[], None]) -> None:
        """Mark an event as set and wake who waits for it."""
        with self._lock:
            mark()
            for waiter in waiters:
                self._wake(waiter)
            waiters.clear()

    def _wake(self, waiter: _Waiter) -> None:
        if waiter.done:
            return
        waiter.done = True
        if waiter.held:
            self._running += 1
            self._movers -= 1
        waiter.signal.set()

    # -- moving time

    def call_at(self, when: float, callback: Callable[[], None]) -> _Waiter:
        """Run a callback in a thread of its own at an instant; time stands while it runs."""
        timer = _Waiter(held=False, callback=callback)
        with self._lock:
            heapq.heappush(self._deadlines, (when, next(self._order), timer))
            if self.mode is Mode.RUN:
                self._ensure_timer_thread()
                self._timers.notify_all()
            else:
                self._advance()
        return timer

    def cancel(self, timer: _Waiter) -> None:
        """Forget a timer that has not fired."""
        with self._lock:
            timer.done = True

    def next_deadline(self) -> float | None:
        """Give the instant of the earliest pending deadline."""
        with self._lock:
            self._drop_done()
            return self._deadlines[0][0] if self._deadlines else None

    def _drop_done(self) -> None:
        while self._deadlines and self._deadlines[0][2].done:
            heapq.heappop(self._deadlines)

    def _advance(self) -> None:
        if self.mode is not Mode.JUMP:
            return
        while self._running == 0 and self._movers > 0:
            self._drop_done()
            if not self._deadlines:
                return
            when, _, waiter = heapq.heappop(self._deadlines)
            self._jumped = max(self._jumped, when)
            self._expire(waiter)

    def _expire(self, waiter: _Waiter) -> None:
        if waiter.callback is None:
            self._wake(waiter)
            return
        waiter.done = True
        self._running += 1
        threading.Thread(target=self._deliver, args=(waiter.callback,), daemon=True).start()

    def _deliver(self, callback: Callable[[], None]) -> None:
        self.adopt()
        try:
            callback()
        finally:
            self._thread.held = False
            self.give()

    def _ensure_timer_thread(self) -> None:
        if self._timer_thread is None:
            self._timer_thread = threading.Thread(target=self._run_timers, daemon=True)
            self._timer_thread.start()

    def _run_timers(self) -> None:
        with self._lock:
            while True:
                self._drop_done()
                if not self._deadlines:
                    self._timers.wait()
                    continue
                ahead = (self._deadlines[0][0] - self.time()) / self.speed
                if ahead > 0:
                    self._timers.wait(ahead)
                    continue
                self._expire(heapq.heappop(self._deadlines)[2])

    # -- threads

    def thread(self, target: Callable[[], None], name: str | None = None) -> Thread:
        """Make a thread that holds a token from its start to its end."""
        return Thread(self, target=target, name=name)


class Event:
    """`threading.Event`, with waits on a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._flag = False
        self._waiters: list[_Waiter] = []

    def is_set(self) -> bool:
        """Say whether the event is set."""
        return self._flag

    def set(self) -> None:
        """Set the event and wake who waits for it."""
        self._clock.wake_all(self._waiters, self._mark)

    def _mark(self) -> None:
        self._flag = True

    def clear(self) -> None:
        """Unset the event."""
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the event is set or `timeout` simulated seconds have passed; give whether it is set."""
        return self._clock.wait(self._waiters, self.is_set, timeout)


class Thread(threading.Thread):
    """`threading.Thread`, holding a token of a clock while it runs; joins wait on the clock."""

    def __init__(
        self,
        clock: Clock,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
        daemon: bool | None = True,
    ) -> None:
        super().__init__(group=group, target=target, name=name, args=args, kwargs=kwargs, daemon=daemon)
        self._clock = clock
        self._finished = Event(clock)

    def start(self) -> None:
        """Start the thread with a token of its own."""
        self._clock.take()
        super().start()

    def run(self) -> None:
        """Run the target, then give the token back."""
        self._clock.adopt()
        try:
            super().run()
        finally:
            self._finished.set()
            self._clock.give()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end, at most `timeout` simulated seconds."""
        self._finished.wait(timeout)

    def is_alive(self) -> bool:
        """Say whether the target is still running."""
        return super().is_alive() and not self._finished.is_set()
