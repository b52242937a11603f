"""A WebSocket client in the host's own process: what tests and demonstrations talk to the WebSocket API with."""

from __future__ import annotations

import json
from collections.abc import Mapping

from infra.local.websocket import NORMAL, Connection, WebSocketGateway

Json = dict[str, object]


class SocketClient:
    """An open WebSocket; `received` has the messages so far, `closed` the close code once it is closed."""

    def __init__(self, gateway: WebSocketGateway, query: str, headers: Mapping[str, str]) -> None:
        self.received: list[Json] = []
        self.closed: int | None = None
        self._gateway = gateway
        self._connection: Connection = gateway.connect(query, headers, "127.0.0.1", self._take, self._end)

    @property
    def connection_id(self) -> str:
        """Give the connection's id."""
        return self._connection.connection_id

    def send(self, message: Mapping[str, object] | str) -> list[Json]:
        """Send a message, and give what came in answer."""
        before = len(self.received)
        self._gateway.receive(self._connection, message if isinstance(message, str) else json.dumps(message))
        return self.received[before:]

    def close(self) -> None:
        """Close the connection."""
        self._gateway.disconnect(self._connection)
        self.closed = NORMAL

    def vanish(self) -> None:
        """Be gone without a word: the gateway knows, and its function is never told."""
        self._gateway.forget(self._connection)
        self.closed = NORMAL

    def _take(self, text: str) -> None:
        self.received.append(json.loads(text))

    def _end(self, code: int) -> None:
        self.closed = code
