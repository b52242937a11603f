"""What the conversation prints: who says what, each call with its arguments, and one line of each answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from infra.local.demo.telling import Json, say, span

_LONGEST_VALUE: Final = 48
_ENDS: Final = 12


class Transcript:
    """Writes to the terminal; `now` tells the simulated time, by which each call has its minute."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._began = now()
        self._known: set[str] | None = None
        self._repeated = 0

    def moment(self) -> str:
        """Write how long the conversation has lasted."""
        return span(self._now() - self._began)

    def person(self, words: str) -> None:
        """Write what the person says."""
        say(f"\nperson > {words}")

    def agent(self, words: str) -> None:
        """Write what the agent says."""
        say(f"\nagent  > {words}")

    def call(self, moment: str, tool: str, arguments: Json, answer: str) -> None:
        """Write a call and a line of its answer, or count it where the same was written before."""
        told = f"{tool} {json.dumps({name: _shortened(value) for name, value in arguments.items()})}\n         {answer}"
        if self._known is not None and told in self._known:
            self._repeated += 1
            return
        self._tell_repeated()
        if self._known is not None:
            self._known.add(told)
        say(f"  {moment:>5}  {told}")

    @contextmanager
    def folded(self) -> Iterator[None]:
        """Count what repeats itself while a block runs: an agent that waits asks the same again and again."""
        self._known = set()
        try:
            yield
        finally:
            self._known = None
            self._tell_repeated()

    def _tell_repeated(self) -> None:
        if self._repeated:
            say(f"         ... and {self._repeated} times a call and an answer as above")
        self._repeated = 0


def _shortened(value: object) -> object:
    """Keep both ends of a long text, such as a digest."""
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return f"{value[:_ENDS]}...{value[-_ENDS:]}"
    return value
