"""Asks AWS for the parts of an answer, one by one: what it refuses makes that part unknown, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from functions.catalog.answers.models import Unknown
from functions.core import application, deadlines, runtime
from functions.core.deadlines import TimeOver
from functions.core.failures import DENIED, code_of
from functions.core.gathering import EDGE_TIME

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

_AGAIN: Final = "Send the request again in a moment."


class Asking:
    """One answer's questions to AWS, for which there is the time of one look together."""

    def __init__(self) -> None:
        self._deadline = runtime.now() + EDGE_TIME
        self.unknown: list[Unknown] = []

    def in_time(self) -> bool:
        """Say whether there is time for another call."""
        return runtime.now() < self._deadline

    def ask(self, part: str, call: Callable[[], Result]) -> Result | None:
        """Give what AWS says, None when it does not; `part` is the answer's member that is unknown then."""
        if not self.in_time():
            self.note(part, "there was no time left to ask AWS")
            return None
        try:
            with deadlines.until(self._deadline):
                return call()
        except TimeOver:
            self.note(part, "there was no time left to ask AWS to the end")
        except ClientError as error:
            application.warn(f"{part} is unknown", error)
            self.note(part, f"AWS answered {error.operation_name} with {code_of(error)}", _remedy(error))
        except BotoCoreError as error:
            application.warn(f"{part} is unknown", error)
            self.note(part, f"AWS did not answer ({type(error).__name__})")
        return None

    def note(self, part: str, reason: str, remedy: str = _AGAIN) -> None:
        """Note that a part is unknown."""
        self.unknown.append(Unknown(part=part, reason=reason, remedy=remedy))


def _remedy(error: ClientError) -> str:
    if code_of(error) in DENIED:
        return f"Grant the action of {error.operation_name} to the role of the function `catalog`."
    return _AGAIN
