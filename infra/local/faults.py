"""Faults on demand: the n-th call of an operation throttles, fails, hangs, is denied or kills its worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from infra.local.messages import HttpResponse
from infra.local.refusals import refusal

HOST_ROLE: Final = "local-host"


class Kind(StrEnum):
    """What happens to the call."""

    THROTTLE = "throttle"
    FAIL_BEFORE = "fail_before"
    FAIL_AFTER = "fail_after"
    HANG = "hang"
    DENY = "deny"
    REFUSE = "refuse"
    KILL_BEFORE = "kill_before"
    KILL_AFTER = "kill_after"


class Call(NamedTuple):
    """A call as faults know it: service, operation, the ARN of the role that makes it, the name of its session."""

    service: str
    operation: str
    role: str
    session: str = ""


@dataclass
class Fault:
    """A fault of calls `first` to `first + times - 1` of one operation (of one caller, if `role` names a role).

    `refusal` is the code and message of a REFUSE. Calls that simulated services make of each other are the host's
    own, and struck only when `role` names it.
    """

    service: str
    operation: str
    kind: Kind
    first: int = 1
    times: int = 1
    role: str | None = None
    refusal: tuple[str, str] = ("", "")
    seen: int = field(default=0)

    def hits(self, service: str, operation: str, role: str) -> bool:
        """Count a call and say whether the fault strikes it."""
        if (service, operation) != (self.service, self.operation) or (self.role or "") not in role:
            return False
        if HOST_ROLE in role and self.role is None:
            return False
        self.seen += 1
        return self.first <= self.seen < self.first + self.times


class Faults:
    """The plan of faults of a host; empty unless somebody asks for one."""

    def __init__(self) -> None:
        self._plan: list[Fault] = []
        self._listeners: list[Callable[[Call], object]] = []
        self._lock = threading.Lock()

    @contextmanager
    def planned(self, *faults: Fault) -> Iterator[None]:
        """Let faults strike while a block runs."""
        with self._lock:
            self._plan.extend(faults)
        try:
            yield
        finally:
            with self._lock:
                self._plan = [each for each in self._plan if not any(each is fault for fault in faults)]

    @contextmanager
    def overheard(self, listener: Callable[[Call], object]) -> Iterator[None]:
        """Tell a listener every call while a block runs, in the threads that make them and one at a time."""
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)

    def strike(self, service: str, operation: str, role: str, session: str = "") -> Fault | None:
        """Say which fault strikes a call, if any."""
        with self._lock:
            for listener in self._listeners:
                listener(Call(service, operation, role, session))
            struck = [fault for fault in self._plan if fault.hits(service, operation, role)]
        return struck[0] if struck else None


_ANSWERS = {
    Kind.THROTTLE: ("ThrottlingException", "Rate exceeded", 400),
    Kind.FAIL_BEFORE: ("InternalFailure", "An internal error occurred", 500),
    Kind.FAIL_AFTER: ("InternalFailure", "An internal error occurred", 500),
    Kind.DENY: ("AccessDeniedException", "User is not authorized to perform the action", 403),
}


def answer(fault: Fault) -> HttpResponse:
    """Give the error answer of a fault in the service's own protocol."""
    code, message, status = _ANSWERS.get(fault.kind, (*fault.refusal, 400))
    return refusal(fault.service, code, message, status)
