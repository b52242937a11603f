"""A port of the local host: an ASGI application served by uvicorn in a background thread."""

from __future__ import annotations

import logging
import socket
import threading
from asyncio import CancelledError
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from infra.local.kubernetes.tls import TlsFiles

WORKERS = 256
"""Worker threads of a listener at most; each open watch or wait holds one."""
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_SHUTDOWN_SECONDS = 1
Answer = Callable[[HttpRequest, str], HttpResponse]


class Listener:
    """Serves on 127.0.0.1; `port` 0 takes a free one."""

    def __init__(self, application: ASGIApp, port: int, tls: TlsFiles | None = None) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        # asyncio sets this only on sockets that name their protocol; without it each answer waits 40 ms for an ACK.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            application,
            ssl_certfile=tls.certificate if tls else None,
            ssl_keyfile=tls.key if tls else None,
            http=H11Protocol,
            ws="websockets-sansio",
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        self._server = _AnnouncingServer(config)
        self._thread = threading.Thread(target=self._run, name=f"listener-{self.port}", daemon=True)

    def start(self) -> None:
        """Start to serve; returns once connections are answered.

        Raises RuntimeError when the server ends instead.
        """
        self._thread.start()
        self._server.settled.wait()
        if not self._server.started:
            raise RuntimeError(f"nothing serves port {self.port}")

    def stop(self) -> None:
        """Stop serving and wait until every connection is closed."""
        # That waits are cut off is meant, and no error to report.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._server.settled.set()


def application(answer: Answer, *more: BaseRoute) -> Starlette:
    """Make an ASGI application of a function from requests and source addresses to responses, and of `more` routes."""
    limiter = CapacityLimiter(WORKERS)

    async def serve(request: Request) -> Response:
        message = await message_of(request)
        source = request.client.host if request.client else "127.0.0.1"
        try:
            response = await to_thread.run_sync(answer, message, source, limiter=limiter)
        except CancelledError:  # the listener stops; whoever still waits gets no answer, and no fault is reported
            return Response(status_code=503)
        return response_of(response, limiter)

    return Starlette(routes=[*more, Route("/{path:path}", serve, methods=METHODS)])


async def message_of(request: Request, path: str | None = None) -> HttpRequest:
    """Read a request; `path` replaces its own, which is decoded from what was sent."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return HttpRequest(
        method=request.method,
        path=path if path is not None else unquote(raw.partition(b"?")[0].decode()),
        query=request.url.query,
        headers=_joined(request),
        body=await request.body(),
    )


def _joined(request: Request) -> dict[str, str]:
    """Join repeated headers by commas, as API Gateway and WSGI do."""
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def response_of(response: HttpResponse, limiter: CapacityLimiter) -> Response:
    """Send a response, streamed where it gives chunks; several cookies stay several lines."""
    headers = dict(response.headers)
    cookies = headers.pop("set-cookie", "")
    if response.chunks is None:
        sent: Response = Response(response.body, response.status, headers)
    else:
        sent = StreamingResponse(_stream(response.chunks, limiter), response.status, headers)
    for cookie in filter(None, cookies.split("\n")):
        sent.headers.append("set-cookie", cookie)
    return sent


async def _stream(chunks: Iterator[bytes], limiter: CapacityLimiter) -> AsyncIterator[bytes]:
    while (chunk := await to_thread.run_sync(next, chunks, None, limiter=limiter)) is not None:
        yield chunk


class _AnnouncingServer(uvicorn.Server):
    """Says when it has started, so that nobody has to poll, and does not wait for idle clients when it ends."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._abort(idle_only=True)
        await super().shutdown(sockets)
        self._abort(idle_only=False)

    def _abort(self, idle_only: bool) -> None:
        # A client that keeps an idle connection pooled never answers the TLS close, so a polite close would hang.
        for connection in list(self.server_state.connections):
            if isinstance(connection, H11Protocol) and not (idle_only and _is_busy(connection)):
                connection.transport.abort()


def _is_busy(connection: H11Protocol) -> bool:
    # uvicorn declares `cycle` as always set, but it is None until the first request.
    return not getattr(connection.cycle, "response_complete", True)
