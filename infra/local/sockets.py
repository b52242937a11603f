"""WebSockets on the network: frames of a Starlette connection on one side, the WebSocket gateway on the other."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from infra.local.websocket import NORMAL, Connection, ConnectionRefused, WebSocketGateway

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

PATH = "/ws"
WORKERS = 64


def route(gateway: WebSocketGateway) -> WebSocketRoute:
    """Make the route that serves a gateway."""
    limiter = CapacityLimiter(WORKERS)

    async def serve(websocket: WebSocket) -> None:
        await _Served(websocket, gateway, limiter).run()

    return WebSocketRoute(PATH, serve)


class _Served:
    """One client's connection."""

    def __init__(self, websocket: WebSocket, gateway: WebSocketGateway, limiter: CapacityLimiter) -> None:
        self._websocket = websocket
        self._gateway = gateway
        self._limiter = limiter
        self._loop = asyncio.get_running_loop()
        self._outgoing: asyncio.Queue[str | int] = asyncio.Queue()

    async def run(self) -> None:
        """Let the client connect or refuse it, then carry messages both ways until one side closes."""
        websocket = self._websocket
        source = websocket.client.host if websocket.client else "127.0.0.1"
        connect = partial(
            self._gateway.connect, websocket.url.query, dict(websocket.headers), source, self._put, self._put
        )
        try:
            connection = await to_thread.run_sync(connect, limiter=self._limiter)
        except ConnectionRefused as refused:
            await websocket.send_denial_response(Response(refused.body, refused.status))
            return
        await websocket.accept()
        writing = asyncio.create_task(self._write())
        code = NORMAL
        try:
            code = await self._read(connection)
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            await to_thread.run_sync(partial(self._gateway.disconnect, connection, code), limiter=self._limiter)

    def _put(self, item: str | int) -> None:
        with suppress(RuntimeError):  # the listener has stopped: nobody is there to hear it
            self._loop.call_soon_threadsafe(self._outgoing.put_nowait, item)

    async def _read(self, connection: Connection) -> int:
        """Hand messages on until the client is gone; give its close code."""
        try:
            while True:
                text = await self._websocket.receive_text()
                await to_thread.run_sync(partial(self._gateway.receive, connection, text), limiter=self._limiter)
        except (WebSocketDisconnect, RuntimeError) as gone:
            return gone.code if isinstance(gone, WebSocketDisconnect) else NORMAL

    async def _write(self) -> None:
        """Send what is put, until a close code, or until the client is gone: whoever reads notices that."""
        with suppress(WebSocketDisconnect, RuntimeError):
            while not isinstance(item := await self._outgoing.get(), int):
                await self._websocket.send_text(item)
            await self._websocket.close(item)
