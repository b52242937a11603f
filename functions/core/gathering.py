"""Gathers the facts that a request is checked by, all at once and within the time that there is.

Each check asks in a thread of its own, one call after the other: a service that does not answer, or refuses, leaves its
own checks undone and holds up no other. No call begins after the time is over: the clients themselves see to that. What
did not come to an end is told as findings, here and nowhere else.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import deadlines, runtime
from functions.core.deadlines import TimeOver
from functions.core.errors import PreconditionFailed, Problem, StageFailed, Unavailable
from functions.core.failures import DENIED, code_of, problem_of
from functions.core.findings import unchecked
from functions.core.runtime import Patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.core.findings import Finding

Result = TypeVar("Result", covariant=True)

# For all that one request has to know. With the last call, the ledger and its resend an answer comes far before the
# gateway's 29 s.
EDGE_TIME: Final = timedelta(seconds=8)
# The last call and its retries still end within the function's time.
STAGE_TIME: Final = timedelta(seconds=60)
_NO_TIME: Final = "there was no time left for it"
_logger: Final = logging.getLogger(__name__)


class Asked(Generic[Result]):
    """The calls of one check, and what they came to: None when they did not come to an end."""

    def __init__(self, check: str, call: Callable[[], Result]) -> None:
        self.check = check
        self.value: Result | None = None
        self._call = call
        self._error: ClientError | BotoCoreError | Problem | None = None
        self.why: str | None = None
        self.again = False
        self._made = False

    def ask(self) -> None:
        """Make the calls; note why they did not come to an end, and whether they may when they are made again."""
        self._made = True
        try:
            self.value = self._call()
        except TimeOver:
            self.why, self.again = _NO_TIME, True
        except ClientError as error:
            self._refused(error, f"AWS answered {error.operation_name} with {code_of(error)}", again=not _denied(error))
        except BotoCoreError as error:
            self._refused(error, f"AWS did not answer ({type(error).__name__})", again=True)
        except (PreconditionFailed, StageFailed, Unavailable) as error:
            # So a cluster says that it does not answer, or does not let us in.
            self._refused(error, error.detail, again=isinstance(error, Unavailable))

    @property
    def made(self) -> bool:
        """Say whether the calls were made, whatever they came to."""
        return self._made

    @property
    def answered(self) -> bool:
        """Say whether the calls were made and came to an end."""
        return self._made and self.why is None

    @property
    def denied(self) -> str | None:
        """Say what AWS answered where a permission is lacking: that passes by itself never."""
        return self.why if isinstance(self._error, ClientError) and _denied(self._error) else None

    def required(self, resource: str) -> Result:
        """Give what nothing can be said without; raises the problem that kept it from coming to an end."""
        if isinstance(self._error, Problem):
            raise self._error
        if self._error is not None:
            raise problem_of(self._error, resource) from self._error
        if self.why is not None:
            raise Unavailable(f"{self.check} of {resource}: {self.why}.", remedy="Send the request again in a moment.")
        return cast("Result", self.value)

    def _refused(self, error: ClientError | BotoCoreError | Problem, why: str, *, again: bool) -> None:
        self._error, self.why, self.again = error, why, again
        _logger.warning("%s is unchecked: %s", self.check, why)


def _denied(error: ClientError) -> bool:
    return code_of(error) in DENIED


class Gathering:
    """One look around: what is asked is collected first, then asked all at once; later questions share its time."""

    def __init__(self, patience: Patience, time: timedelta) -> None:
        self.patience = patience
        self._until = runtime.now() + time
        self._asked: list[Asked[object]] = []
        self._waiting: list[Asked[object]] = []

    def in_time(self) -> bool:
        """Say whether there is time for another call."""
        return runtime.now() < self._until

    def ask(self, check: str, call: Callable[[], Result], *, wanted: bool = True) -> Asked[Result]:
        """Collect the calls of a check; those that are not `wanted` are never made."""
        asked = Asked(check, call)
        if wanted:
            self._waiting.append(asked)
        return asked

    def make(self) -> None:
        """Make all calls that were collected, each check's in a thread of its own."""
        waiting, self._waiting = self._waiting, []
        self._asked += waiting
        with deadlines.until(self._until):
            runtime.together([asked.ask for asked in waiting])

    @property
    def findings(self) -> list[Finding]:
        """Say for each check that did not come to an end why."""
        return [unchecked(check, why) for check, why in self.unfinished.items()]

    @property
    def unanswered(self) -> frozenset[str]:
        """Name the checks that may come to an end when they are made again."""
        return frozenset(asked.check for asked in self._asked if asked.again)

    @property
    def unfinished(self) -> dict[str, str]:
        """Say of each check that did not come to an end why, by its name."""
        return {asked.check: asked.why for asked in self._asked if asked.why}


def at_edge() -> Gathering:
    """Begin the one look around that a request has time for while its caller waits."""
    return Gathering(Patience.EDGE, EDGE_TIME)


def in_stage() -> Gathering:
    """Begin one look around of a stage."""
    return Gathering(Patience.STAGE, STAGE_TIME)
