"""What threads block on, on a clock: events, locks and joins, with the interfaces of `threading`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.local.clock import Clock


class Waiter:
    """A thread that waits, or a timer; it ends once, by its deadline or by an event."""

    __slots__ = ("by_event", "callback", "done", "signal")

    def __init__(self, callback: Callable[[], object] | None = None) -> None:
        self.callback = callback
        self.done = False
        self.by_event = False
        self.signal = threading.Event()


class Event:
    """`threading.Event`, with waits on a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._flag = False
        self._waiters: list[Waiter] = []

    def is_set(self) -> bool:
        """Say whether the event is set."""
        return self._flag

    def set(self) -> None:
        """Set the event and wake who waits for it."""
        self._clock.wake_all(self._waiters, self._mark)

    def _mark(self) -> None:
        self._flag = True

    def clear(self) -> None:
        """Unset the event; who was woken by `set` before still saw it."""
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the event is set or `timeout` simulated seconds have passed; give whether it was set."""
        return self._clock.wait(self._waiters, self.is_set, timeout)


class Lock:
    """A reentrant lock whose waiters let time move: its holder may sleep on the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._state = threading.Lock()
        self._owner: int | None = None
        self._depth = 0
        self._released = Event(clock)

    def __enter__(self) -> Lock:
        while (released := self._try_take()) is not None:
            released.wait()
        return self

    def __exit__(self, *_: object) -> None:
        with self._state:
            self._depth -= 1
            if self._depth:
                return
            self._owner = None
            released, self._released = self._released, Event(self._clock)
        released.set()

    def _try_take(self) -> Event | None:
        """Take the lock, or give the event of its release."""
        me = threading.get_ident()
        with self._state:
            if self._owner not in (None, me):
                return self._released
            self._owner = me
            self._depth += 1
            return None


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
        try:
            super().start()
        except BaseException:
            self._clock.give()
            raise

    def run(self) -> None:
        """Run the target, then give the token back."""
        with self._clock.adopted():
            try:
                super().run()
            finally:
                self._finished.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end, at most `timeout` simulated seconds."""
        self._finished.wait(timeout)

    def is_alive(self) -> bool:
        """Say whether the target is still running."""
        return super().is_alive() and not self._finished.is_set()
