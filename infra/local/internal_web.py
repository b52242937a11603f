"""The network as the gateway's function sees it: the internal door of the host, in this process.

A socket would do as well, but the clock does not see who waits at one: time would stand while the API waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from functions.core.web import Unreachable, WebAnswer, WebRequest
from infra.local import invocation
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Callable

INTERNAL_URL: Final = "http://internal.localhost"


@dataclass(frozen=True)
class InternalWeb:
    """Sends what is for the internal door there; nothing else is reached from here."""

    door: Callable[[HttpRequest], HttpResponse]

    def send(self, request: WebRequest, seconds: float) -> WebAnswer:
        """Send a request; how long it may take, the door's own functions know."""
        if not request.url.startswith(f"{INTERNAL_URL}/"):
            raise Unreachable(f"nothing else than {INTERNAL_URL} is known here")
        if seconds <= 0:
            raise Unreachable("no time is left")
        invocation.check_alive()
        parts = urlsplit(request.url)
        headers = {name.lower(): value for name, value in request.headers.items()} | {"host": parts.netloc}
        answer = self.door(HttpRequest(request.method, unquote(parts.path), parts.query, headers, request.body))
        invocation.check_alive()
        return WebAnswer(answer.status, answer.headers, answer.body)
