"""Faults of calls to clusters: service `kubernetes`, operation `<METHOD> <plural>`, the role that a function assumed.

What a client asks in order to know the API itself is `GET discovery`.

The door answers for the API server. What ends a call without an answer is done by the caller, at the door's word: so a
function's Kubernetes client waits on the host's clock. A program such as helm does not know the word: whoever runs it
ends it then (`programs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kubernetes.client.rest import RESTClientObject, RESTResponse
from urllib3.exceptions import ReadTimeoutError

from infra.local import invocation
from infra.local.clock import Clock
from infra.local.engine.patching import wrap
from infra.local.faults import Fault, Faults, Kind
from infra.local.messages import HttpRequest, HttpResponse

SERVICE: Final = "kubernetes"
Answer = Callable[[HttpRequest], HttpResponse]
Timeouts = tuple[float, float]
"""Of the connection and of the answer, in seconds."""

_send: Callable[..., RESTResponse] = RESTClientObject.request
_UNANSWERED: Final = 598
_WORD: Final = "x-local-fault"
# A client that sets no timeout waits for as long as the operating system lets it.
_FOREVER: Final[Timeouts] = (3_600.0, 3_600.0)
_PLURAL: Final = re.compile(r"/(?:api/v1|apis/[^/]+/[^/]+)(?:/namespaces/[^/]+)?/(?P<plural>[^/]+)")
_DISCOVERY: Final = ("/api", "/openapi", "/version")
_REASONS: Final = {
    Kind.THROTTLE: ("TooManyRequests", "too many requests, please try again later"),
    Kind.FAIL_BEFORE: ("InternalError", "Internal error occurred: etcdserver: request timed out"),
    Kind.FAIL_AFTER: ("InternalError", "Internal error occurred: etcdserver: request timed out"),
    Kind.DENY: ("Forbidden", "the action is not allowed"),
}
_CODES: Final = {
    "Unauthorized": 401,
    "Forbidden": 403,
    "Conflict": 409,
    "Expired": 410,
    "TooManyRequests": 429,
    "InternalError": 500,
    "ServiceUnavailable": 503,
}


def operation_of(request: HttpRequest) -> str:
    """Name a request as faults do, such as `GET nodes`."""
    found = _PLURAL.match(request.path)
    discovery = request.path.startswith(_DISCOVERY)
    return f"{request.method} {found['plural'] if found else 'discovery' if discovery else request.path}"


def answer(faults: Faults, role: str, request: HttpRequest, handle: Answer, session: str = "") -> HttpResponse:
    """Answer a request of a role, or play the fault that strikes it."""
    fault = faults.strike(SERVICE, operation_of(request), role, session)
    if fault is None:
        return handle(request)
    if fault.kind in (Kind.FAIL_AFTER, Kind.KILL_AFTER):
        handle(request)
    if fault.kind in (Kind.HANG, Kind.KILL_BEFORE, Kind.KILL_AFTER):
        return HttpResponse(_UNANSWERED, {_WORD: fault.kind.value})
    return _refusal(fault)


def word_of(response: HttpResponse) -> Kind | None:
    """Give the fault that an answer stands for, if it is none of the API server's."""
    return Kind(response.headers[_WORD]) if response.status == _UNANSWERED else None


def _refusal(fault: Fault) -> HttpResponse:
    reason, message = _REASONS.get(fault.kind, fault.refusal)
    code = _CODES[reason]
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}
    return HttpResponse.of_json(code, {**status, "metadata": {}, "message": message})


def install(clock: Clock) -> None:
    """Let the Kubernetes client of this process hang and die as planned, and no dead worker send anything."""

    def request(
        client: RESTClientObject, method: str, url: str, _request_timeout: Timeouts | None = None, **content: object
    ) -> RESTResponse:
        invocation.check_alive()
        response = _send(client, method, url, _request_timeout=_request_timeout, **content)
        word = _word_of(response)
        if word == Kind.HANG:
            clock.sleep((_request_timeout or _FOREVER)[1])
            invocation.check_alive()
            raise ReadTimeoutError(client.pool_manager.connection_from_url(url), url, "Read timed out.")
        if word is not None:
            invocation.kill()
        invocation.check_alive()
        return response

    wrap(RESTClientObject, "request", lambda _: request)


def _word_of(response: RESTResponse) -> str | None:
    if response.status != _UNANSWERED:
        return None
    # What is not read to its end keeps its connection.
    response.response.read()
    word: str | None = response.headers.get(_WORD)
    return word
