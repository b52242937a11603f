"""Gathers the facts that a request is checked by, all at once and within the time that there is.

Each check asks in a thread of its own, one call after the other: a service that does not answer, or refuses, leaves its
own checks undone and holds up no other. No call begins after the time is over.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import quotas
from functions.core import runtime
from functions.core.failures import DENIED, code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import timedelta

    from functions.core.runtime import Patience

Result = TypeVar("Result", covariant=True)

_NO_TIME: Final = "there was no time left for it"
_logger: Final = logging.getLogger(__name__)


class Asked(Generic[Result]):
    """The calls of one check, and what they came to: None when they did not come to an end."""

    def __init__(self, check: str, call: Callable[[], Result]) -> None:
        self.check = check
        self.value: Result | None = None
        self._call = call
        self.why: str | None = None
        self.again = False

    def ask(self) -> None:
        """Make the calls; note why they did not come to an end, and whether they may when they are made again."""
        try:
            self.value = self._call()
        except quotas.Unfinished:
            self.why, self.again = _NO_TIME, True
        except ClientError as error:
            self.why, self.again = f"AWS answered {error.operation_name} with {code_of(error)}", not _denied(error)
            _logger.warning("%s is unchecked: %s", self.check, self.why)
        except BotoCoreError as error:
            self.why, self.again = f"AWS did not answer ({type(error).__name__})", True
            _logger.warning("%s is unchecked: %s", self.check, self.why)


def _denied(error: ClientError) -> bool:
    return code_of(error) in DENIED


class Gathering:
    """One look around: what is asked is collected first, then asked all at once."""

    def __init__(self, patience: Patience, time: timedelta) -> None:
        self.patience = patience
        self._until = runtime.now() + time
        self._asked: list[Asked[object]] = []

    def in_time(self) -> bool:
        """Say whether there is time for another call."""
        return runtime.now() < self._until

    def ask(self, check: str, call: Callable[[], Result], *, wanted: bool = True) -> Asked[Result]:
        """Collect the calls of a check; those that are not `wanted` are never made."""
        asked = Asked(check, call)
        if wanted:
            self._asked.append(asked)
        return asked

    def each(self, names: Iterable[str], call: Callable[[str], Result]) -> dict[str, Result]:
        """Make a call for each name, one after the other; raises Unfinished when the time is over before the last."""
        found: dict[str, Result] = {}
        for name in names:
            if not self.in_time():
                raise quotas.Unfinished
            found[name] = call(name)
        return found

    def make(self) -> None:
        """Make all calls, each check's in a thread of its own."""
        runtime.together([asked.ask for asked in self._asked])

    @property
    def unchecked(self) -> dict[str, str]:
        """Say for each check that did not come to an end why."""
        return {asked.check: asked.why for asked in self._asked if asked.why}

    @property
    def unanswered(self) -> frozenset[str]:
        """Name the checks that may come to an end when they are made again."""
        return frozenset(asked.check for asked in self._asked if asked.again)
