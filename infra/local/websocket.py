"""API Gateway's WebSocket API: connections, the routes of their messages, and what may be sent to them.

No sockets here: whoever carries the frames opens a connection with a way to send text and a way to close it. Source:
API Gateway developer guide, "Working with WebSocket APIs" and "Quotas for WebSocket APIs".
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from infra.local.clock import Clock
from infra.local.functions import Outcome
from infra.triggers import SocketRoute

Json = dict[str, object]
Invoke = Callable[[str, object], Outcome]

API_ID: Final = "instantstart-sockets"
STAGE: Final = "live"
MAX_FRAME_BYTES: Final = 32 * 1024
IDLE_SECONDS: Final = 600
LIFETIME_SECONDS: Final = 7200
TOO_BIG: Final = 1009
GOING_AWAY: Final = 1001
NORMAL: Final = 1000


class ConnectionRefused(Exception):
    """The function behind `$connect` refused; `body` is what it answered."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


@dataclass
class Connection:
    """One open WebSocket; `send` takes text, `close` a close code, and neither waits."""

    connection_id: str
    send: Callable[[str], None]
    close: Callable[[int], None]
    source_ip: str
    user_agent: str
    domain: str
    connected_at: float
    active_at: float = field(default=0.0)


class WebSocketGateway:
    """One WebSocket API with its routes; messages are told apart by `$request.body.action`."""

    def __init__(self, routes: Sequence[SocketRoute], invoke: Invoke, clock: Clock, region: str) -> None:
        self._routes = {route.key: route.function for route in routes}
        self._invoke = invoke
        self._clock = clock
        self._domain = f"{API_ID}.execute-api.{region}.amazonaws.com"
        self._lock = threading.Lock()
        self._connections: dict[str, Connection] = {}

    @property
    def endpoint(self) -> str:
        """Give the address of the management API."""
        return f"https://{self._domain}/{STAGE}"

    # -- clients

    def connect(
        self,
        query: str,
        headers: Mapping[str, str],
        source_ip: str,
        send: Callable[[str], None],
        close: Callable[[int], None],
    ) -> Connection:
        """Open a connection; raise ConnectionRefused when the function behind `$connect` does not let it in."""
        connection = Connection(
            connection_id=base64.urlsafe_b64encode(secrets.token_bytes(11)).decode(),
            send=send,
            close=close,
            source_ip=source_ip,
            user_agent=headers.get("user-agent", ""),
            domain=headers.get("host", self._domain).partition(":")[0],
            connected_at=self._clock.time(),
            active_at=self._clock.time(),
        )
        event: Json = {"headers": {**headers}, "multiValueHeaders": {name: [each] for name, each in headers.items()}}
        if parameters := dict(parse_qsl(query, keep_blank_values=True)):
            event["queryStringParameters"] = parameters
            event["multiValueQueryStringParameters"] = {name: [each] for name, each in parameters.items()}
        with self._clock.busy():
            self._admit(self._call("$connect", connection, "CONNECT", event))
        with self._lock:
            self._connections[connection.connection_id] = connection
        self._watch(connection)
        return connection

    def receive(self, connection: Connection, text: str) -> None:
        """Take one message of a client."""
        size = len(text.encode())
        if size > MAX_FRAME_BYTES:
            # Clients send a message as one frame, and no frame may be larger.
            self.disconnect(connection, TOO_BIG)
            connection.close(TOO_BIG)
            return
        connection.active_at = self._clock.time()
        route = self._route_of(text)
        with self._clock.busy():
            outcome = self._call(route, connection, "MESSAGE", {"body": text})
        if outcome.error:
            refusal = {"message": "Internal server error", "connectionId": connection.connection_id}
            connection.send(json.dumps(refusal | {"requestId": _request_id()}))

    def disconnect(self, connection: Connection, code: int = NORMAL) -> None:
        """Note that a connection is closed; told once."""
        with self._lock:
            if self._connections.pop(connection.connection_id, None) is None:
                return
        with self._clock.busy():
            reason = {"disconnectStatusCode": code, "disconnectReason": ""}
            self._call("$disconnect", connection, "DISCONNECT", {}, reason)

    def forget(self, connection: Connection) -> None:
        """Lose a connection whose client vanished; the function behind `$disconnect` is not told, as may happen."""
        with self._lock:
            self._connections.pop(connection.connection_id, None)

    def drop_all(self) -> None:
        """Break every connection without telling anybody, as the end of a host does."""
        with self._lock:
            connections = [*self._connections.values()]
            self._connections.clear()
        for connection in connections:
            connection.close(GOING_AWAY)

    # -- the management API

    def look(self, connection_id: str) -> Connection | None:
        """Give a connection, None when it is gone."""
        with self._lock:
            return self._connections.get(connection_id)

    def post(self, connection_id: str, data: bytes) -> bool:
        """Send to a connection, and say whether it is there."""
        connection = self.look(connection_id)
        if connection is None:
            return False
        connection.active_at = self._clock.time()
        connection.send(data.decode())
        return True

    def delete(self, connection_id: str) -> bool:
        """Close a connection from this side, and say whether it was there."""
        connection = self.look(connection_id)
        if connection is None:
            return False
        self._end(connection, NORMAL)
        return True

    # -- inside

    def _route_of(self, text: str) -> str:
        try:
            document = json.loads(text)
        except ValueError:
            return "$default"
        action = document.get("action") if isinstance(document, dict) else None
        return action if isinstance(action, str) and action in self._routes else "$default"

    def _admit(self, outcome: Outcome) -> None:
        answer = json.loads(outcome.payload)
        if outcome.error or not isinstance(answer, dict):
            raise ConnectionRefused(502, "")
        status = answer.get("statusCode", 200)
        if not 200 <= status < 300:
            raise ConnectionRefused(status, str(answer.get("body", "")))

    def _call(
        self, route: str, connection: Connection, kind: str, event: Json, more: Mapping[str, object] | None = None
    ) -> Outcome:
        now, request_id = self._clock.now(), _request_id()
        context: Json = {
            "routeKey": route,
            "eventType": kind,
            "extendedRequestId": request_id,
            "requestTime": f"{now:%d/%b/%Y:%H:%M:%S} +0000",
            "messageDirection": "IN",
            "stage": STAGE,
            "connectedAt": int(connection.connected_at * 1000),
            "requestTimeEpoch": int(now.timestamp() * 1000),
            "identity": {"sourceIp": connection.source_ip, "userAgent": connection.user_agent},
            "requestId": request_id,
            "domainName": connection.domain,
            "connectionId": connection.connection_id,
            "apiId": API_ID,
            **(more or {}),
        }
        if kind == "MESSAGE":
            context["messageId"] = _request_id()
        return self._invoke(self._routes[route], {**event, "requestContext": context, "isBase64Encoded": False})

    def _watch(self, connection: Connection) -> None:
        """Come back when the connection may have been silent, or open, for too long."""
        end = min(connection.active_at + IDLE_SECONDS, connection.connected_at + LIFETIME_SECONDS)
        self._clock.call_at(end, lambda: self._end_if_due(connection))

    def _end_if_due(self, connection: Connection) -> None:
        with self._lock:
            if self._connections.get(connection.connection_id) is not connection:
                return
        now = self._clock.time()
        if now >= connection.active_at + IDLE_SECONDS or now >= connection.connected_at + LIFETIME_SECONDS:
            self._end(connection, GOING_AWAY)
        else:
            self._watch(connection)

    def _end(self, connection: Connection, code: int) -> None:
        connection.close(code)
        self.disconnect(connection, code)


def _request_id() -> str:
    return base64.b64encode(secrets.token_bytes(11)).decode()
