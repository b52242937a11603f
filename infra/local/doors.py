"""The plain HTTP ports of a host: the public API with its WebSockets, the AWS endpoint, the door of roles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from infra.host.addresses import mcp_url
from infra.local import sockets
from infra.local.host import LocalHost
from infra.local.listener import Listener, application
from infra.local.messages import HttpRequest, HttpResponse


@dataclass(frozen=True)
class Doors:
    """Where a host is reached."""

    api: str
    aws: str
    internal: str

    @property
    def mcp(self) -> str:
        """Say where agents connect."""
        return mcp_url(self.api)

    @property
    def mcp_signed(self) -> str:
        """Say where agents connect that sign with a role."""
        return mcp_url(self.internal)

    @property
    def ws(self) -> str:
        """Say where WebSockets are opened."""
        return f"{self.api.replace('http', 'ws', 1)}{sockets.PATH}"


@contextmanager
def opened(host: LocalHost, port: int = 0) -> Iterator[Doors]:
    """Serve the API at `port`, AWS at the next one, the internal door at the third after it; or all at free ones."""

    def aws(request: HttpRequest, _: str) -> HttpResponse:
        answer = host.endpoint.handle(request)
        host.on_visit()
        return answer

    api = application(host.handle, sockets.route(host.sockets))
    internal = application(host.handle_internal)
    listeners = (
        Listener(api, port),
        Listener(application(aws), port and port + 1),
        Listener(internal, port and port + 3),
    )
    host.found_at(f"http://localhost:{listeners[0].port}")
    for listener in listeners:
        listener.start()
    try:
        yield Doors(*(f"http://localhost:{listener.port}" for listener in listeners))
    finally:
        host.sockets.drop_all()
        for listener in listeners:
            listener.stop()
