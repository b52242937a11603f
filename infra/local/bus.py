"""The default event bus: AWS services publish, rules match, functions hear of it asynchronously, at least once.

Source: EventBridge user guide, "AWS service event metadata" and "Event patterns"; Lambda developer guide, "How Lambda
handles errors and retries with asynchronous invocation": twice more, after one minute and after two.
"""

from __future__ import annotations

import itertools
import random
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

from infra.local.clock import Clock
from infra.local.functions import Outcome
from infra.local.patterns import check, matches
from infra.local.simulators.bus_event import BusEvent
from infra.triggers import EventRule

Json = dict[str, object]
Invoke = Callable[[str, object], Outcome]

# "Near real time": half a second is what is usually seen.
LATENCY_SECONDS = 0.5
RETRY_SECONDS = (60.0, 120.0)


@dataclass(frozen=True)
class Delivery:
    """An event on its way to a function."""

    function: str
    event: Json
    due: float
    attempt: int = 1


@dataclass(frozen=True)
class DeadLetter:
    """An event that a function has refused three times, with its last error."""

    function: str
    event: Json
    error: str


@dataclass(frozen=True)
class _Disorder:
    """Each event comes `copies` times, each time up to `spread` seconds late."""

    copies: int
    spread: float
    source: random.Random


class Bus:
    """The default event bus of one account and region."""

    def __init__(self, rules: Sequence[EventRule], invoke: Invoke, clock: Clock, account: str, region: str) -> None:
        for rule in rules:
            check(rule.pattern)
        self._rules = rules
        self._invoke = invoke
        self._clock = clock
        self._account = account
        self._region = region
        self._lock = threading.Lock()
        self._keys = itertools.count()
        self._pending: dict[int, Delivery] = {}
        self._disorder: _Disorder | None = None
        self.dead_letters: list[DeadLetter] = []

    def publish(self, event: BusEvent) -> Json:
        """Take in an event of a service and give it as its rules' functions get it; never waits for them."""
        envelope: Json = {
            "version": "0",
            "id": str(uuid.uuid4()),
            "detail-type": event.detail_type,
            "source": event.source,
            "account": self._account,
            "time": f"{event.time:%Y-%m-%dT%H:%M:%SZ}",
            "region": self._region,
            "resources": [*event.resources],
            "detail": event.detail,
        }
        self.send(envelope)
        return envelope

    def send(self, envelope: Mapping[str, object]) -> None:
        """Send an event, perhaps one that was sent before, to whoever has a rule for it."""
        for function in dict.fromkeys(rule.function for rule in self._rules if matches(rule.pattern, envelope)):
            for late in self._delays():
                due = self._clock.time() + LATENCY_SECONDS + late
                self._schedule(Delivery(function, {**envelope}, due))

    @contextmanager
    def disordered(self, copies: int = 2, spread: float = 60.0, seed: int = 0) -> Iterator[None]:
        """Let events come several times and in any order while a block runs, as the service may."""
        self._disorder = _Disorder(copies, spread, random.Random(seed))
        try:
            yield
        finally:
            self._disorder = None

    def losing(self) -> AbstractContextManager[None]:
        """Let every event get lost while a block runs."""
        return self.disordered(copies=0)

    def snapshot(self) -> list[Delivery]:
        """Give what is not delivered yet."""
        with self._lock:
            return [*self._pending.values()]

    def restore(self, kept: Sequence[Delivery]) -> None:
        """Go back to what was not delivered at that moment."""
        with self._lock:
            self._pending.clear()
        self.dead_letters.clear()
        for delivery in kept:
            self._schedule(delivery)

    def _delays(self) -> list[float]:
        disorder = self._disorder
        if disorder is None:
            return [0.0]
        return [disorder.source.uniform(0, disorder.spread) for _ in range(disorder.copies)]

    def _schedule(self, delivery: Delivery) -> None:
        key = next(self._keys)
        with self._lock:
            self._pending[key] = delivery
        self._clock.call_at(delivery.due, lambda: self._deliver(key))

    def _deliver(self, key: int) -> None:
        with self._lock:
            delivery = self._pending.get(key)
        if delivery is None:
            return  # a restored host has forgotten it
        outcome = self._invoke(delivery.function, delivery.event)
        with self._lock:
            if self._pending.pop(key, None) is None:
                return
        if outcome.error:
            self._again(delivery, outcome.payload)

    def _again(self, delivery: Delivery, error: str) -> None:
        if delivery.attempt > len(RETRY_SECONDS):
            self.dead_letters.append(DeadLetter(delivery.function, delivery.event, error))
            return
        due = self._clock.time() + RETRY_SECONDS[delivery.attempt - 1]
        self._schedule(replace(delivery, due=due, attempt=delivery.attempt + 1))
