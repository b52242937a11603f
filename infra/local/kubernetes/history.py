"""The recent changes of a store, and waiting for the next one."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from itertools import takewhile

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import Expired

REMEMBERED = 5000


@dataclass(frozen=True)
class Change:
    """One write: the object before (None: created) and after (None: deleted); both are never mutated."""

    version: int
    key: tuple[str, str]
    before: JsonObject | None
    after: JsonObject | None


class History:
    """The last changes in order; older ones are forgotten and asking for them fails."""

    def __init__(self, lock: threading.RLock) -> None:
        self._changed = threading.Condition(lock)
        self._changes: deque[Change] = deque(maxlen=REMEMBERED)
        self._forgotten = 0
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether watchers should end."""
        return self._closed

    @property
    def forgotten(self) -> int:
        """The version up to which changes are forgotten."""
        return self._forgotten

    def record(self, change: Change) -> None:
        """Remember a change and wake who waits."""
        with self._changed:
            if len(self._changes) == REMEMBERED:
                self._forgotten = self._changes[0].version
            self._changes.append(change)
            self._changed.notify_all()

    def after(self, version: int, timeout: float) -> list[Change]:
        """The changes after a version, waiting up to `timeout` real seconds for the first.

        Raises Expired when some of them are forgotten.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._newest() > version, timeout)
            if version < self._forgotten:
                raise Expired(version, self._forgotten)
            newer = list(takewhile(lambda change: change.version > version, reversed(self._changes)))
            return newer[::-1]

    def forget_until(self, version: int) -> None:
        """Drop every change; whoever watched from before `version` has to list again."""
        with self._changed:
            self._changes.clear()
            self._forgotten = version
            self._changed.notify_all()

    def close(self) -> None:
        """Tell watchers to end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _newest(self) -> int:
        return self._changes[-1].version if self._changes else self._forgotten
