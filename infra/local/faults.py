"""Faults on demand: the n-th call of an operation throttles, fails, hangs, is denied or kills its worker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from infra.local.messages import HttpResponse
from infra.local.simulators.moto_codec import service_model
from infra.local.simulators.protocol import Protocol


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


@dataclass
class Fault:
    """A fault of calls `first` to `first + times - 1` of one operation (of one caller, if `role` names a role).

    `refusal` is the code and message of a REFUSE.
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
        if (service, operation) != (self.service, self.operation) or (self.role and self.role not in role):
            return False
        self.seen += 1
        return self.first <= self.seen < self.first + self.times


class Faults:
    """The plan of faults of a host; empty unless somebody asks for one."""

    def __init__(self) -> None:
        self._plan: list[Fault] = []
        self._lock = threading.Lock()

    @contextmanager
    def planned(self, *faults: Fault) -> Iterator[None]:
        """Let faults strike while a block runs."""
        self._plan.extend(faults)
        try:
            yield
        finally:
            for fault in faults:
                self._plan.remove(fault)

    def strike(self, service: str, operation: str, role: str) -> Fault | None:
        """Say which fault strikes a call, if any."""
        with self._lock:
            struck = [fault for fault in self._plan if fault.hits(service, operation, role)]
        return struck[0] if struck else None


_ANSWERS = {
    Kind.THROTTLE: ("ThrottlingException", "Rate exceeded", 400),
    Kind.FAIL_BEFORE: ("InternalFailure", "An internal error occurred", 500),
    Kind.FAIL_AFTER: ("InternalFailure", "An internal error occurred", 500),
    Kind.DENY: ("AccessDeniedException", "User is not authorized to perform the action", 403),
}
_XML = {
    "ec2": "<Response><Errors><Error>{error}</Error></Errors><RequestID>fault</RequestID></Response>",
    "rest-xml": "<Error>{error}<RequestId>fault</RequestId></Error>",
}


def answer(fault: Fault) -> HttpResponse:
    """Give the error answer of a fault in the service's own protocol."""
    service = fault.service
    code, message, status = _ANSWERS.get(fault.kind, (*fault.refusal, 400))
    shape = _XML.get(str(service_model(service).protocol))
    if shape is None:
        return Protocol(service).error(code, message, status, {})
    body = shape.format(error=f"<Code>{code}</Code><Message>{message}</Message>")
    return HttpResponse(status, {"content-type": "text/xml"}, body.encode())
