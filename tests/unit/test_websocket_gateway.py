"""The local WebSocket gateway against API Gateway's events, routes and limits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.clock import Clock, Mode
from infra.local.functions import Outcome
from infra.local.websocket import MAX_FRAME_BYTES, TOO_BIG, Connection, ConnectionRefused, WebSocketGateway
from infra.triggers import SOCKET_ROUTES, SocketRoute

Json = dict[str, Any]
START = datetime(2026, 5, 10, 12, 0, 0, 250_000, tzinfo=UTC)


@dataclass
class Host:
    """A gateway whose function answers what the test says, and whose events can be looked at."""

    answer: object = field(default_factory=lambda: {"statusCode": 200})
    error: str | None = None
    routes: tuple[SocketRoute, ...] = SOCKET_ROUTES
    events: list[tuple[str, Json]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gateway = WebSocketGateway(self.routes, self.invoke, Clock(Mode.JUMP, start=START), "us-west-2")

    def invoke(self, function: str, event: object) -> Outcome:
        self.events.append((function, json.loads(json.dumps(event))))
        return Outcome(json.dumps(self.answer), self.error)

    def connect(self, query: str = "ticket=t%2F1&x=") -> Connection:
        headers = {"host": "example.org:3099", "user-agent": "browser"}
        return self.gateway.connect(query, headers, "192.0.2.1", self.sent.append, self.closed.append)

    @property
    def event(self) -> Json:
        return self.events[-1][1]


def test_connecting_tells_the_function_who_comes_with_which_query() -> None:
    host = Host()
    connection = host.connect()
    assert host.events[0][0] == "connections"
    assert host.event["queryStringParameters"] == {"ticket": "t/1", "x": ""}
    assert host.event["headers"]["user-agent"] == "browser"
    context = host.event["requestContext"]
    expected = {
        "routeKey": "$connect",
        "eventType": "CONNECT",
        "messageDirection": "IN",
        "stage": "live",
        "connectedAt": 1778414400250,
        "requestTimeEpoch": 1778414400250,
        "requestTime": "10/May/2026:12:00:00 +0000",
        "identity": {"sourceIp": "192.0.2.1", "userAgent": "browser"},
        "domainName": "example.org",
        "connectionId": connection.connection_id,
        "apiId": "instantstart-sockets",
    }
    assert {name: context[name] for name in expected} == expected
    assert "/" not in connection.connection_id


@pytest.mark.parametrize(
    ("answer", "error", "status"),
    [({"statusCode": 401, "body": "no"}, None, 401), ({"statusCode": 500}, None, 500), (None, "Unhandled", 502)],
)
def test_a_function_that_does_not_agree_lets_nobody_in(answer: object, error: str | None, status: int) -> None:
    host = Host(answer, error)
    with pytest.raises(ConnectionRefused) as refused:
        host.connect()
    assert refused.value.status == status
    identifier = host.event["requestContext"]["connectionId"]
    assert host.gateway.look(identifier) is None
    assert host.gateway.post(identifier, b"{}") is False


@pytest.mark.parametrize(
    ("text", "route"),
    [('{"action": "join"}', "join"), ('{"action": "x"}', "$default"), ("plain", "$default"), ("[1]", "$default")],
)
def test_a_message_goes_where_its_action_says_and_else_to_the_default(text: str, route: str) -> None:
    host = Host(routes=(*SOCKET_ROUTES, SocketRoute("join", "joining")))
    connection = host.connect()
    host.gateway.receive(connection, text)
    assert host.event["body"] == text
    assert host.event["requestContext"]["routeKey"] == route
    assert host.event["requestContext"]["eventType"] == "MESSAGE"
    assert host.event["requestContext"]["messageId"]
    assert host.events[-1][0] == ("joining" if route == "join" else "connections")


def test_a_function_that_fails_at_a_message_is_told_to_the_client() -> None:
    host = Host()
    connection = host.connect()
    host.error = "Unhandled"
    host.gateway.receive(connection, "{}")
    told = json.loads(host.sent[0])
    assert (told["message"], told["connectionId"]) == ("Internal server error", connection.connection_id)
    assert host.closed == []


def test_a_frame_of_32_kilobytes_passes_and_a_larger_one_closes_the_connection() -> None:
    host = Host()
    connection = host.connect()
    host.gateway.receive(connection, "x" * MAX_FRAME_BYTES)
    assert host.event["requestContext"]["eventType"] == "MESSAGE"
    host.gateway.receive(connection, "é" * (MAX_FRAME_BYTES // 2) + "x")
    assert host.closed == [TOO_BIG]
    assert host.event["requestContext"]["disconnectStatusCode"] == TOO_BIG


def test_a_connection_ends_once_and_is_gone_then() -> None:
    host = Host()
    connection = host.connect()
    assert host.gateway.post(connection.connection_id, '"é"'.encode())
    assert host.sent == ['"é"']
    assert host.gateway.delete(connection.connection_id)
    host.gateway.disconnect(connection)
    kinds = [event["requestContext"]["eventType"] for _, event in host.events]
    assert kinds == ["CONNECT", "DISCONNECT"]
    assert host.gateway.delete(connection.connection_id) is False
