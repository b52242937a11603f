"""Many clusters behind one TLS listener: `/clusters/<EKS cluster name>/…` is that cluster's API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.routing import Route

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.errors import NotFound
from infra.local.kubernetes.tls import TlsFiles
from infra.local.listener import METHODS, WORKERS, Listener, message_of, response_of
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PREFIX = "/clusters"
FindCluster = Callable[[str], KubernetesApi | None]
Answer = Callable[[str, KubernetesApi, HttpRequest], HttpResponse]
"""Lets the API server of a cluster, given by its EKS name, answer a request."""


def plainly(_: str, api: KubernetesApi, request: HttpRequest) -> HttpResponse:
    """Answer as the API server does."""
    return api.handle(request)


def application(find_cluster: FindCluster, answer: Answer = plainly) -> Starlette:
    """An ASGI application that serves the clusters which `find_cluster` knows by their EKS name."""
    limiter = CapacityLimiter(WORKERS)

    async def serve(request: Request) -> Response:
        cluster = request.path_params["cluster"]
        message = await message_of(request, request.path_params["path"])
        response = await to_thread.run_sync(served, cluster, message, limiter=limiter)
        return response_of(response, limiter)

    def served(cluster: str, message: HttpRequest) -> HttpResponse:
        api = find_cluster(cluster)
        return HttpResponse.of_json(404, NotFound().body()) if api is None else answer(cluster, api, message)

    return Starlette(routes=[Route(PREFIX + "/{cluster}{path:path}", serve, methods=METHODS)])


class LocalServer:
    """The listener of the clusters; `port` 0 takes a free one."""

    def __init__(self, find_cluster: FindCluster, tls: TlsFiles, port: int = 0, answer: Answer = plainly) -> None:
        self._listener = Listener(application(find_cluster, answer), port, tls)
        self.port = self._listener.port

    def url(self, cluster: str) -> str:
        """The address of a cluster's API server."""
        return f"https://127.0.0.1:{self.port}{PREFIX}/{cluster}"

    def start(self) -> None:
        """Start to serve; returns once connections are answered."""
        self._listener.start()

    def stop(self) -> None:
        """Stop serving; close the clusters first, to end their watches."""
        self._listener.stop()
