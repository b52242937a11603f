"""Keeps a serving host on disk: soon after something changed, and at the end.

A write costs tens of milliseconds and a host that creates a cluster changes all the time, so there is a pause between
two writes: what a killed host loses is what happened in its last second or so, and that is done again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from infra.local import kept
from infra.local.faults import Call
from infra.local.host import LocalHost

logger = logging.getLogger(__name__)
PAUSE_SECONDS: Final = 1.0
# Also without a call time passes, and with it what the simulators do.
_AT_LEAST_EVERY_SECONDS: Final = 60.0
_READING: Final = ("Describe", "List", "Get", "Head", "Query", "Scan", "BatchGet", "Invoke", "AssumeRole")


class Keeper:
    """Writes a host's image to a folder when there is something new."""

    def __init__(self, host: LocalHost, directory: Path) -> None:
        self._host = host
        self._directory = directory
        self._changed = threading.Event()
        self._ended = threading.Event()

    def heard(self, call: Call) -> None:
        """Note a call; one that only reads changes nothing."""
        if call.service != "kubernetes" and not call.operation.startswith(_READING):
            self.note()

    def note(self) -> None:
        """Note that something may have changed."""
        self._changed.set()

    def keep(self) -> None:
        """Write the host as it is."""
        kept.write(self._directory, self._host.image())

    def run(self) -> None:
        """Write after changes, until the end."""
        while not self._ended.is_set():
            self._changed.wait(_AT_LEAST_EVERY_SECONDS)
            if self._ended.is_set():
                return
            self._changed.clear()
            try:
                self.keep()
            except Exception:
                # The next one may succeed; a host that serves must not end because it cannot be kept.
                logger.exception("the local host could not be kept")
            self._ended.wait(PAUSE_SECONDS)

    def end(self) -> None:
        """Write no more."""
        self._ended.set()
        self._changed.set()


@contextmanager
def keeping(host: LocalHost, directory: Path) -> Iterator[None]:
    """Keep a host while a block runs, and once more as it is at the end."""
    keeper = Keeper(host, directory)
    worker = threading.Thread(target=keeper.run, name="keeper", daemon=True)
    host.on_visit = keeper.note
    with host.faults.overheard(keeper.heard):
        worker.start()
        try:
            yield
        finally:
            keeper.end()
            worker.join()
            keeper.keep()
