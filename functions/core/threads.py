"""Several calls at once, for whoever has to answer within seconds and asks many services."""

from __future__ import annotations

from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")


class Threads(Protocol):
    """Threads as an invocation has them."""

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        """Make calls at once, each in a thread of its own; return when all have ended."""


class SystemThreads:
    """The machine's own threads."""

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        """Make calls at once, each in a thread of its own; return when all have ended."""
        threads = [Thread(target=call, daemon=True) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Task(Generic[Result]):
    """One of the calls: it sees what its maker's context holds, and keeps its outcome for the maker."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._call = call
        self._context = copy_context()
        self._error: BaseException | None = None
        self._result: Result | None = None

    def make(self) -> None:
        """Make the call; whatever ends it is kept."""
        try:
            self._result = self._context.run(self._call)
        except BaseException as error:  # what ends a worker ends its invocation, not one of its threads
            self._error = error

    def result(self) -> Result:
        """Give what the call gave, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return cast("Result", self._result)
