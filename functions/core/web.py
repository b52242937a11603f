"""HTTP as an invocation speaks it to addresses that are no AWS service: one pool of connections that stay open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import urllib3

if TYPE_CHECKING:
    from collections.abc import Mapping


_CONNECT_SECONDS: Final = 3.0


@dataclass(frozen=True)
class WebRequest:
    """One request; `url` is whole, with its query."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class WebAnswer:
    """What came back; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unreachable(Exception):
    """No answer came: nothing listens, or it took too long."""


class ConnectionBroken(Unreachable):
    """The connection ended before an answer came, as one does that was left unused for too long."""


class Web(Protocol):
    """What sends requests."""

    def send(self, request: WebRequest, seconds: float) -> WebAnswer:
        """Send a request and wait `seconds` at most for its answer; raises Unreachable."""


@dataclass
class SystemWeb:
    """The network. Nothing is sent twice: whether a repeat is safe, only the sender knows."""

    _pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False))

    def send(self, request: WebRequest, seconds: float) -> WebAnswer:
        """Send a request and wait `seconds` at most for its answer to begin; raises Unreachable."""
        try:
            answer = self._pool.request(
                request.method,
                request.url,
                body=request.body,
                headers=dict(request.headers),
                timeout=urllib3.Timeout(connect=min(_CONNECT_SECONDS, seconds), total=seconds),
                redirect=False,
            )
        except urllib3.exceptions.ProtocolError as error:
            raise ConnectionBroken(type(error).__name__) from error
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(type(error).__name__) from error
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return WebAnswer(answer.status, headers, answer.data)
