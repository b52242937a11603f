"""The tables' streams and Lambda's polling of them: what changed reaches a function in order, in batches, maybe twice.

Source: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB", "Configuring partial batch response" and
"Retain discarded records". One shard a table, which each of its functions reads at its own pace: while a batch fails,
what comes after it waits.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from infra.local.clock import Clock
from infra.local.engine.dynamodb_streams import ItemChange
from infra.local.functions import Outcome
from infra.local.patterns import check, matches
from infra.triggers import Stream

Json = dict[str, object]
Invoke = Callable[[str, object], Outcome]

# A change is seen by its function within about a quarter of a second (measured by many, promised by nobody).
LATENCY_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 60.0
_FIRST_SEQUENCE = 100_000_000_000_000_000_000


@dataclass(frozen=True)
class Undelivered:
    """The records that a function has not taken yet, by table and function, and the number of the latest one."""

    sequence: int
    pending: Mapping[tuple[str, str], list[Json]]


@dataclass
class _Shard:
    """The changes of one table, by its deployed name, that one of its functions has not taken yet."""

    stream: Stream
    table: str
    pending: list[Json] = field(default_factory=list)
    failures: int = 0
    armed: bool = False
    lost: list[Json] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """Tell it from those of other tables and other functions."""
        return self.table, self.stream.function


class Streams:
    """Every stream of the topology; `tables` gives the deployed name of a declared table."""

    def __init__(
        self, declared: Sequence[Stream], tables: Mapping[str, str], invoke: Invoke, clock: Clock, arn_prefix: str
    ) -> None:
        for stream in declared:
            for pattern in stream.patterns:
                check(pattern)
        self._shards = [_Shard(stream, tables[stream.table]) for stream in declared]
        self._invoke = invoke
        self._clock = clock
        self._arn_prefix = arn_prefix
        self._region = arn_prefix.split(":")[3]
        self._lock = threading.Lock()
        self._sequence = _FIRST_SEQUENCE

    def note(self, change: ItemChange) -> None:
        """Take in one change of a table; it is delivered later, by a thread of the clock."""
        wanting = [shard for shard in self._shards if shard.table == change.table and _wanted(shard.stream, change)]
        if not wanting:
            return
        with self._lock:
            self._sequence += 1
            record = self._record(change)
            for shard in wanting:
                shard.pending.append(record)
                self._arm(shard, LATENCY_SECONDS)

    def lost(self, table: str) -> list[Json]:
        """Give the records that a function refused until its last retry."""
        return [record for shard in self._shards if shard.table == table for record in shard.lost]

    def snapshot(self) -> Undelivered:
        """Give what is not delivered yet."""
        with self._lock:
            return Undelivered(self._sequence, {shard.key: [*shard.pending] for shard in self._shards})

    def restore(self, kept: Undelivered) -> None:
        """Go back to what was not delivered at that moment; numbers do not go back."""
        with self._lock:
            self._sequence = max(self._sequence, kept.sequence)
            for shard in self._shards:
                shard.pending, shard.failures, shard.lost = [*kept.pending.get(shard.key, [])], 0, []
                if shard.pending:
                    self._arm(shard, LATENCY_SECONDS)

    def _record(self, change: ItemChange) -> Json:
        stored: Json = {
            "ApproximateCreationDateTime": int(self._clock.time()),
            "Keys": change.keys,
            "SequenceNumber": str(self._sequence),
            "SizeBytes": change.size,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        }
        images = {"NewImage": change.new, "OldImage": change.old}
        return {
            "eventID": uuid.uuid4().hex,
            "eventName": change.name,
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self._region,
            "dynamodb": stored | {name: image for name, image in images.items() if image is not None},
            "eventSourceARN": f"{self._arn_prefix}{change.table}/stream/2026-01-01T00:00:00.000",
        }

    def _arm(self, shard: _Shard, seconds: float) -> None:
        if not shard.armed:
            shard.armed = True
            self._clock.call_at(self._clock.time() + seconds, lambda: self._deliver(shard))

    def _deliver(self, shard: _Shard) -> None:
        with self._lock:
            batch = shard.pending[: shard.stream.batch_size]
        taken = self._taken(shard, batch) if batch else 0
        with self._lock:
            shard.armed = False
            # A restored host has forgotten this batch.
            if batch and shard.pending[:1] != batch[:1]:
                return
            del shard.pending[:taken]
            shard.failures = 0 if taken == len(batch) else shard.failures + 1
            if shard.failures > shard.stream.maximum_retries:
                left = len(batch) - taken
                shard.lost += shard.pending[:left]
                del shard.pending[:left]
                shard.failures = 0
            if shard.pending:
                self._arm(shard, _pause(shard.failures))

    def _taken(self, shard: _Shard, batch: Sequence[Json]) -> int:
        """Invoke the function, and say how many records from the first on are done with."""
        outcome = self._invoke(shard.stream.function, {"Records": [*batch]})
        if outcome.error:
            return 0
        failures = (json.loads(outcome.payload) or {}).get("batchItemFailures") or []
        failed = {failure.get("itemIdentifier") for failure in failures}
        numbers = [_sequence_of(record) for record in batch]
        if failed - {*numbers}:
            return 0  # an answer that names no record of the batch fails all of it
        return next((place for place, number in enumerate(numbers) if number in failed), len(batch))


def _wanted(stream: Stream, change: ItemChange) -> bool:
    images = {"NewImage": change.new or {}, "OldImage": change.old or {}}
    seen = {"eventName": change.name, "dynamodb": {"Keys": change.keys, **images}}
    return any(matches(pattern, seen) for pattern in stream.patterns)


def _sequence_of(record: Json) -> object:
    stored = record["dynamodb"]
    return stored.get("SequenceNumber") if isinstance(stored, dict) else None


def _pause(failures: int) -> float:
    return min(LATENCY_SECONDS * 2.0**failures, _LONGEST_PAUSE_SECONDS)
