"""Sessions named after operations: what a stage calls is found in CloudTrail under the id of its operation.

A function that acts for operations assumes its own role once more, with the operation's id as the session's name.
Source: AWS STS API reference, AssumeRole; a role assumed by a role's session serves for an hour at most.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from botocore.credentials import Credentials

from functions.core import runtime, settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

# A call that begins before this is over has come in before the session has ended.
_MARGIN: Final = timedelta(minutes=5)
_NO_OPERATION: Final = "instantstart"

_operation: ContextVar[str | None] = ContextVar("operation", default=None)


@dataclass(frozen=True)
class _Session:
    credentials: Credentials
    renewed_at: datetime


@dataclass
class _Sessions:
    """The sessions that a function has while it is warm, by operation."""

    by_operation: dict[str, _Session] = field(default_factory=dict)

    def of(self, operation_id: str) -> Credentials:
        """Give the credentials of an operation's session; raises STS's refusal, and never falls back on others."""
        known = self.by_operation.get(operation_id)
        if known is None or known.renewed_at <= runtime.now():
            known = _assumed(operation_id)
            # Others that have run out are of operations that have ended, or ask again.
            current = {key: each for key, each in self.by_operation.items() if each.renewed_at > runtime.now()}
            self.by_operation = {**current, operation_id: known}
        return known.credentials


@contextmanager
def acting_for(operation_id: str) -> Iterator[None]:
    """Make the AWS calls of a block of code in a session named after an operation; the ledger's own stay as they are.

    The session begins with the first call. A refusal of STS is raised by the call that needed it.
    """
    token = _operation.set(operation_id)
    try:
        with runtime.signing_as(lambda: runtime.kept(_Sessions).of(operation_id)):
            yield
    finally:
        _operation.reset(token)


def session_name() -> str:
    """Name the session of whatever role this invocation assumes: after the operation, where there is one."""
    return _operation.get() or _NO_OPERATION


def _assumed(operation_id: str) -> _Session:
    with runtime.signing_as(None):
        answer = runtime.client("sts").assume_role(RoleArn=settings.required("ROLE_ARN"), RoleSessionName=operation_id)[
            "Credentials"
        ]
    credentials = Credentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])
    return _Session(credentials, answer["Expiration"] - _MARGIN)
