"""What functions write goes to a file: the terminal belongs to the person at it.

As on Lambda, the standard output of an invocation is its log. Loggers keep the stream they first saw, so the streams
themselves decide at each write whose words they hear.
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final, TextIO

from infra.local import functions, invocation

FILE_NAME: Final = "functions.log"


class _Stream(io.TextIOBase):
    """A standard stream that sends what an invocation writes to its log."""

    def __init__(self, terminal: TextIO, log: TextIO) -> None:
        self._terminal = terminal
        self._log = log

    def write(self, text: str) -> int:
        """Write where the writer's words belong."""
        return self._target().write(text)

    def flush(self) -> None:
        """Flush where the writer's words belong."""
        self._target().flush()

    def isatty(self) -> bool:
        """Say whether a person reads along."""
        return self._terminal.isatty()

    def _target(self) -> TextIO:
        return self._log if invocation.current.get() else self._terminal


@contextmanager
def functions_log_to(directory: Path) -> Iterator[Path]:
    """Keep functions' output in a file while a block runs, what made them fail included; give the file's path.

    To be entered before the functions are loaded.
    """
    path = directory / FILE_NAME
    with (
        path.open("w", encoding="utf-8", buffering=1) as log,
        _failures_to(log),
        redirect_stdout(_Stream(sys.stdout, log)),
        redirect_stderr(_Stream(sys.stderr, log)),
    ):
        yield path


@contextmanager
def _failures_to(log: TextIO) -> Iterator[None]:
    handler = logging.StreamHandler(log)
    functions.logger.addHandler(handler)
    functions.logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        functions.logger.removeHandler(handler)
