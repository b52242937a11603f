"""The local HTTP gateway against API Gateway's payload format 2.0 and its limits."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from functions.core.declaration import Route, Scope
from infra.host.cors import CORS_REQUEST_HEADERS, CORS_RESPONSE_HEADERS
from infra.local.gateway import (
    MAX_BODY_BYTES,
    FunctionError,
    HttpGateway,
    IntegrationTimeout,
    Refused,
    local_authorizer,
)
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

NOW = datetime(2026, 5, 10, 12, 0, 0, 250_000, tzinfo=UTC)
ROUTES = [
    Route("any", "ANY", "/api/{proxy+}", Scope.READ, "", function="fallback"),
    Route("get", "GET", "/api/things/{name}", Scope.READ, ""),
    Route("new", "POST", "/api/things", Scope.OPERATE, "", 201),
    Route("fixed", "GET", "/api/things/default", Scope.READ, ""),
    Route("document", "GET", "/open.json", Scope.READ, ""),
    Route("mcp", "ANY", "/mcp", Scope.READ, "", function="mcp"),
]
PAGE = "https://ui.example"
PREFLIGHT = Route("preflight", "OPTIONS", "/api/{proxy+}", Scope.READ, "", function="fallback")


@dataclass
class Host:
    """A gateway whose functions answer what the test says and whose events can be looked at."""

    answer: JsonValue = "ok"
    error: Exception | None = None
    origins: tuple[str, ...] = ()
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def invoke(self, function: str, event: dict[str, JsonValue]) -> JsonValue:
        self.calls.append((function, json.loads(json.dumps(event))))
        if self.error:
            raise self.error
        return self.answer

    def send(self, method: str, path: str, query: str = "", body: bytes = b"", **headers: str) -> HttpResponse:
        routes = [*ROUTES, PREFLIGHT] if self.origins else ROUTES
        gateway = HttpGateway(routes, self.invoke, lambda: NOW, "123456789012", "us-west-2", origins=self.origins)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return gateway.handle(HttpRequest(method, path, query, named, body), "192.0.2.1", local_authorizer)

    def event(self, method: str, path: str, query: str = "", body: bytes = b"", **headers: str) -> dict[str, Any]:
        self.send(method, path, query, body, **headers)
        return self.calls[-1][1]


@pytest.fixture
def host() -> Host:
    return Host()


def test_the_event_is_payload_format_two(host: Host) -> None:
    event = host.event(
        "GET",
        "/api/things/a b",
        "x=1&y=%20&x=2&z",
        host="localhost:3099",
        user_agent="curl",
        cookie="a=1; b=2",
        accept="a,b",
    )
    request_id = event["requestContext"].pop("requestId")
    assert len(base64.b64decode(request_id)) == 11
    assert event == {
        "version": "2.0",
        "routeKey": "GET /api/things/{name}",
        "rawPath": "/api/things/a b",
        "rawQueryString": "x=1&y=%20&x=2&z",
        "cookies": ["a=1", "b=2"],
        "headers": {
            "accept": "a,b",
            "host": "localhost:3099",
            "user-agent": "curl",
            "x-forwarded-for": "192.0.2.1",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "queryStringParameters": {"x": "1,2", "y": " ", "z": ""},
        "pathParameters": {"name": "a b"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "instantstart",
            "authorizer": {
                "jwt": {
                    "claims": {
                        "sub": "local",
                        "username": "local",
                        "client_id": "local",
                        "token_use": "access",
                        "scope": "instantstart/read instantstart/operate instantstart/admin",
                        "cognito:groups": "[instantstart-administrators]",
                    },
                    "scopes": ["instantstart/read"],
                }
            },
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": {
                "method": "GET",
                "path": "/api/things/a b",
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "curl",
            },
            "routeKey": "GET /api/things/{name}",
            "stage": "$default",
            "time": "10/May/2026:12:00:00 +0000",
            "timeEpoch": 1778414400250,
        },
        "isBase64Encoded": False,
    }


def test_what_a_request_lacks_is_not_in_the_event(host: Host) -> None:
    event = host.event("POST", "/api/things")
    absent = ("body", "cookies", "queryStringParameters", "pathParameters", "stageVariables")
    assert [name for name in absent if name in event] == []
    assert event["requestContext"]["domainName"] == "instantstart.execute-api.us-west-2.amazonaws.com"


@pytest.mark.parametrize(
    ("media", "body", "expected", "encoded"),
    [
        ("application/json", '{"ä": 1}'.encode(), '{"ä": 1}', False),
        ("text/plain; charset=utf-8", b"hello", "hello", False),
        ("application/problem+json", b"{}", "{}", False),
        ("application/octet-stream", b"abc", "YWJj", True),
        ("application/x-www-form-urlencoded", b"a=1", "YT0x", True),
        ("application/json", b"\xff", "/w==", True),
    ],
)
def test_text_arrives_as_text_and_the_rest_in_base64(
    host: Host, media: str, body: bytes, expected: str, encoded: bool
) -> None:
    event = host.event("POST", "/api/things", "", body, content_type=media)
    assert (event["body"], event["isBase64Encoded"]) == (expected, encoded)


@pytest.mark.parametrize(
    ("method", "path", "key", "function"),
    [
        ("GET", "/api/things/default", "GET /api/things/default", "api"),
        ("GET", "/api/things/other", "GET /api/things/{name}", "api"),
        ("PUT", "/api/things/other", "ANY /api/{proxy+}", "fallback"),
        ("GET", "/api/things/other/parts", "ANY /api/{proxy+}", "fallback"),
    ],
)
def test_the_most_specific_route_wins(host: Host, method: str, path: str, key: str, function: str) -> None:
    event = host.event(method, path)
    assert (event["routeKey"], host.calls[-1][0]) == (key, function)


def test_the_rest_of_a_greedy_path_is_its_parameter(host: Host) -> None:
    assert host.event("PUT", "/api/a/b")["pathParameters"] == {"proxy": "a/b"}


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("GET", "/api"), ("GET", "/open.json/"), ("GET", "/openXjson")]
)
def test_an_unknown_route_reaches_no_function(host: Host, method: str, path: str) -> None:
    answered(host.send(method, path), 404, "Not Found")
    assert host.calls == []


def answered(response: HttpResponse, status: int, message: str) -> None:
    assert (response.status, json.loads(response.body)) == (status, {"message": message})
    assert response.headers["apigw-requestid"]


def test_a_payload_over_ten_megabytes_is_refused(host: Host) -> None:
    answered(host.send("POST", "/api/things", "", b"x" * (MAX_BODY_BYTES + 1)), 413, "Request Entity Too Large")
    assert host.send("POST", "/api/things", "", b"x" * MAX_BODY_BYTES).status == 200


def test_headers_over_ten_kilobytes_are_refused(host: Host) -> None:
    answered(host.send("GET", "/open.json", x_big="x" * 10_240), 431, "Request Header Fields Too Large")
    assert host.send("GET", "/open.json", x_big="x" * 10_000).status == 200


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (IntegrationTimeout(), 503, "Service Unavailable"),
        (FunctionError("raised"), 500, "Internal Server Error"),
    ],
)
def test_a_function_that_fails_is_answered_for(host: Host, error: Exception, status: int, message: str) -> None:
    host.error = error
    answered(host.send("GET", "/open.json"), status, message)


@pytest.mark.parametrize(
    "answer",
    [
        {"statusCode": "fine"},
        {"statusCode": True},
        {"statusCode": 99},
        {"statusCode": 200, "body": {"not": "text"}},
        {"statusCode": 200, "headers": "none"},
        {"statusCode": 200, "body": "no base64!", "isBase64Encoded": True},
    ],
)
def test_an_answer_that_cannot_be_sent_is_an_internal_error(host: Host, answer: JsonValue) -> None:
    host.answer = answer
    answered(host.send("GET", "/open.json"), 500, "Internal Server Error")


@pytest.mark.parametrize(
    ("answer", "status", "media", "body"),
    [
        ({"message": "hi"}, 200, "application/json", b'{"message": "hi"}'),
        ("hello", 200, "application/json", b"hello"),
        ([1], 200, "application/json", b"[1]"),
        ({"statusCode": 204}, 204, "text/plain;charset=UTF-8", b""),
        ({"statusCode": 201, "body": "{}", "headers": {"Content-Type": "a/b"}}, 201, "a/b", b"{}"),
        ({"statusCode": 200, "body": "/w==", "isBase64Encoded": True}, 200, "text/plain;charset=UTF-8", b"\xff"),
    ],
)
def test_an_answer_is_mapped_as_the_service_does(
    host: Host, answer: JsonValue, status: int, media: str, body: bytes
) -> None:
    host.answer = answer
    response = host.send("GET", "/open.json")
    assert (response.status, response.headers["content-type"], response.body) == (status, media, body)


def test_headers_and_cookies_of_an_answer_are_sent(host: Host) -> None:
    host.answer = {"statusCode": 200, "headers": {"Retry-After": 5, "X-Y": "z"}, "cookies": ["a=1", "b=2"]}
    headers = host.send("GET", "/open.json").headers
    assert (headers["retry-after"], headers["x-y"], headers["set-cookie"]) == ("5", "z", "a=1\nb=2")


def test_what_the_authoriser_refuses_reaches_no_function(host: Host) -> None:
    def refuse(_: HttpRequest, scopes: Sequence[str]) -> dict[str, JsonValue]:
        assert scopes == ["instantstart/operate"]
        raise Refused(401, "Unauthorized")

    gateway = HttpGateway(ROUTES, host.invoke, lambda: NOW, "123456789012", "us-west-2")
    answered(gateway.handle(HttpRequest("POST", "/api/things"), "192.0.2.1", refuse), 401, "Unauthorized")
    assert host.calls == []


def test_what_the_authoriser_says_of_the_token_is_sent_along(host: Host) -> None:
    challenge = 'Bearer scope="" error="invalid_token"'

    def refuse(_: HttpRequest, __: Sequence[str]) -> dict[str, JsonValue]:
        raise Refused(401, "Unauthorized", {"www-authenticate": challenge})

    gateway = HttpGateway(ROUTES, host.invoke, lambda: NOW, "123456789012", "us-west-2")
    answer = gateway.handle(HttpRequest("GET", "/open.json"), "192.0.2.1", refuse)
    answered(answer, 401, "Unauthorized")
    assert answer.headers["www-authenticate"] == challenge


def sharing(response: HttpResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name.startswith("access-control-")}


def ask(host: Host, path: str, origin: str = PAGE) -> HttpResponse:
    return host.send("OPTIONS", path, origin=origin, access_control_request_method="POST")


@pytest.mark.case(70)
def test_a_preflight_is_answered_by_the_open_route_without_anybody_being_let_in(host: Host) -> None:
    host.origins, host.answer = (PAGE,), {"statusCode": 204}
    answer = ask(host, "/api/things")
    assert answer.status == 204
    assert "authorizer" not in host.calls[-1][1]["requestContext"]
    assert sharing(answer) == {
        "access-control-allow-origin": PAGE,
        "access-control-allow-methods": "GET,POST,PUT,PATCH,DELETE",
        "access-control-allow-headers": ",".join(CORS_REQUEST_HEADERS),
        "access-control-expose-headers": ",".join(CORS_RESPONSE_HEADERS),
    }
    assert {"mcp-protocol-version", "mcp-session-id"} <= {*CORS_REQUEST_HEADERS}
    assert {"mcp-session-id", "www-authenticate"} <= {*CORS_RESPONSE_HEADERS}


@pytest.mark.case(70)
def test_a_preflight_that_no_route_is_for_is_answered_by_the_gateway(host: Host) -> None:
    host.origins = (PAGE,)
    answer = ask(host, "/open.json")
    assert (answer.status, sharing(answer)["access-control-allow-origin"], host.calls) == (204, PAGE, [])


@pytest.mark.case(70)
@pytest.mark.parametrize("origin", ["https://evil.example", "https://ui.example.evil.example", "null"])
def test_no_other_page_is_told_that_it_may_call(host: Host, origin: str) -> None:
    host.origins, host.answer = (PAGE,), {"statusCode": 200, "headers": {"access-control-allow-origin": "*"}}
    assert sharing(ask(host, "/api/things", origin)) == {}
    assert sharing(host.send("GET", "/api/things/a", origin=origin)) == {}


@pytest.mark.case(70)
def test_a_page_may_read_what_went_wrong(host: Host) -> None:
    host.origins, host.error = (PAGE,), FunctionError("raised")
    answer = host.send("GET", "/api/things/a", origin=PAGE)
    assert (answer.status, sharing(answer)["access-control-allow-origin"]) == (500, PAGE)
    assert sharing(host.send("GET", "/nothing", origin=PAGE))["access-control-allow-origin"] == PAGE


def test_without_configured_origins_the_functions_say_who_may_read(host: Host) -> None:
    host.answer = {"statusCode": 200, "headers": {"access-control-allow-origin": PAGE}}
    assert sharing(host.send("GET", "/api/things/a", origin=PAGE)) == {"access-control-allow-origin": PAGE}


def test_a_route_without_scopes_names_none_in_the_event() -> None:
    jwt = local_authorizer(HttpRequest("GET", "/"), [])["jwt"]
    assert isinstance(jwt, dict)
    assert jwt["scopes"] is None
