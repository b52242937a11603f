"""Many clusters behind one TLS listener: `/clusters/<EKS cluster name>/…` is that cluster's API server."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.errors import NotFound
from infra.local.kubernetes.tls import TlsFiles
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from starlette.requests import Request

PREFIX = "/clusters"
WORKERS = 256
"""Worker threads at most; each open watch holds one while it waits for a change."""

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_SHUTDOWN_SECONDS = 5
FindCluster = Callable[[str], KubernetesApi | None]


def application(find_cluster: FindCluster) -> Starlette:
    """An ASGI application that serves the clusters which `find_cluster` knows by their EKS name."""
    limiter = CapacityLimiter(WORKERS)

    async def serve(request: Request) -> Response:
        api = find_cluster(request.path_params["cluster"])
        message = await _message(request)
        response = await to_thread.run_sync(_answer, api, message, limiter=limiter)
        return _response(response, limiter)

    return Starlette(routes=[Route(PREFIX + "/{cluster}{path:path}", serve, methods=_METHODS)])


class LocalServer:
    """The listener on 127.0.0.1, in a background thread; `port` 0 takes a free one."""

    def __init__(self, find_cluster: FindCluster, tls: TlsFiles, port: int = 0) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            application(find_cluster),
            ssl_certfile=tls.certificate,
            ssl_keyfile=tls.key,
            http=H11Protocol,
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        self._server = _AnnouncingServer(config)
        self._thread = threading.Thread(target=self._run, name="kubernetes-endpoint", daemon=True)

    def url(self, cluster: str) -> str:
        """The address of a cluster's API server."""
        return f"https://127.0.0.1:{self.port}{PREFIX}/{cluster}"

    def start(self) -> None:
        """Start to serve; returns once connections are answered.

        Raises RuntimeError when the server ends instead.
        """
        self._thread.start()
        self._server.settled.wait()
        if not self._server.started:
            raise RuntimeError("the Kubernetes endpoint did not start")

    def stop(self) -> None:
        """Stop serving and wait until every connection is closed; close the clusters first, to end their watches."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._server.settled.set()


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


async def _message(request: Request) -> HttpRequest:
    return HttpRequest(
        method=request.method,
        path=request.path_params["path"],
        query=request.url.query,
        headers=dict(request.headers),
        body=await request.body(),
    )


def _answer(api: KubernetesApi | None, message: HttpRequest) -> HttpResponse:
    if api is None:
        return HttpResponse.of_json(404, NotFound().body())
    return api.handle(message)


def _response(response: HttpResponse, limiter: CapacityLimiter) -> Response:
    if response.chunks is None:
        return Response(response.body, response.status, response.headers)
    return StreamingResponse(_stream(response.chunks, limiter), response.status, response.headers)


async def _stream(chunks: Iterator[bytes], limiter: CapacityLimiter) -> AsyncIterator[bytes]:
    while (chunk := await to_thread.run_sync(next, chunks, None, limiter=limiter)) is not None:
        yield chunk
