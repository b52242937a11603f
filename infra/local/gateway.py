"""API Gateway's HTTP API as a pure function: a request in, the function's event (payload format 2.0), an answer out.

No sockets here, and no functions either: `invoke` runs one by its name. Limits, default answers and the mapping of a
function's answer are the service's own.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from functions.core.caller import SCOPE_PREFIX
from functions.core.declaration import Scope
from functions.core.groups import ADMINISTRATORS
from infra.local import cors
from infra.local.messages import HttpResponse
from infra.local.sign_in.clients import IDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from functions.core.declaration import Route
    from infra.local.messages import HttpRequest

    JsonObject = dict[str, JsonValue]
    Authorizer = Callable[[HttpRequest, Sequence[str]], JsonObject]

MAX_BODY_BYTES: Final = 10 * 1024 * 1024
MAX_HEADER_BYTES: Final = 10_240
OPTIONS: Final = "OPTIONS"
# Browsers say it of what a page asks of its own origin, and no page can (Fetch Metadata Request Headers, W3C).
_SENT_BY: Final = "sec-fetch-site"
_API_ID: Final = "instantstart"
_STAGE: Final = "$default"
# Bodies of other media reach the function in base64.
_TEXT: Final = re.compile(r"text/|application/([\w.-]+\+)?(json|xml|javascript)\b")


class IntegrationTimeout(Exception):
    """The function did not answer within the 30 seconds that the service waits."""


class FunctionError(Exception):
    """The function raised, or was stopped."""


class Refused(Exception):
    """The authoriser's answer: 401 without a valid token, 403 without the route's scope."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


@dataclass(frozen=True)
class _Match:
    route: Route
    parameters: dict[str, str]

    @property
    def key(self) -> str:
        return f"{self.route.method} {self.route.path}"


def scope_of_api(route: Route) -> str:
    """Name the scope that a token needs for a route under /api."""
    return f"{SCOPE_PREFIX}{route.scope}"


class HttpGateway:
    """One HTTP API with its routes; `origins` are those whose pages may call it, `scope_of` is what a route asks for.

    Routes for OPTIONS are open: a browser asks with it before it sends a token.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        invoke: Callable[[str, JsonObject], JsonValue],
        now: Callable[[], datetime],
        account: str,
        region: str,
        *,
        origins: Sequence[str] = (),
        scope_of: Callable[[Route], str] = scope_of_api,
    ) -> None:
        self._origins = origins
        self._scope_of = scope_of
        self._routes = sorted(((_pattern(route.path), route) for route in routes), key=lambda pair: _rank(pair[1]))
        self._invoke = invoke
        self._now = now
        self._account = account
        self._region = region

    def handle(self, request: HttpRequest, source_ip: str, authorizer: Authorizer) -> HttpResponse:
        """Answer one request as the service does."""
        request_id = base64.b64encode(secrets.token_bytes(11)).decode()
        response = self._preflight(request) or self._answer(request, source_ip, authorizer, request_id)
        if self._origins:
            response.headers = cors.shared(response.headers, request, self._origins)
        response.headers["apigw-requestid"] = request_id
        return response

    def _preflight(self, request: HttpRequest) -> HttpResponse | None:
        """Answer a browser's question whether it may call; where a route is for OPTIONS, that answers."""
        asked = cors.is_preflight(request) and bool(self._origins)
        match = self._match(request) if asked else None
        return HttpResponse(204) if asked and not (match and match.route.method == OPTIONS) else None

    def _answer(self, request: HttpRequest, source_ip: str, authorizer: Authorizer, request_id: str) -> HttpResponse:
        if _header_bytes(request) > MAX_HEADER_BYTES:
            return _plain(431, "Request Header Fields Too Large")
        if len(request.body) > MAX_BODY_BYTES:
            return _plain(413, "Request Entity Too Large")
        match = self._match(request)
        if match is None:
            return _plain(404, "Not Found")
        try:
            is_open = match.route.method == OPTIONS
            identity = None if is_open else authorizer(request, [self._scope_of(match.route)])
            event = self._event(request, match, source_ip, identity, request_id)
            return response_of(self._invoke(match.route.function, event))
        except Refused as refused:
            answer = _plain(refused.status, refused.message)
            answer.headers |= refused.headers
            return answer
        except IntegrationTimeout:
            return _plain(503, "Service Unavailable")
        except (FunctionError, BadAnswer):
            return _plain(500, "Internal Server Error")

    def _match(self, request: HttpRequest) -> _Match | None:
        for pattern, route in self._routes:
            found = pattern.fullmatch(request.path)
            if found and route.method in (request.method, "ANY"):
                return _Match(route, found.groupdict())
        return None

    def _event(
        self, request: HttpRequest, match: _Match, source_ip: str, identity: JsonObject | None, request_id: str
    ) -> JsonObject:
        headers = {name.lower(): value for name, value in request.headers.items()}
        cookies = [cookie.strip() for cookie in headers.pop("cookie", "").split(";") if cookie.strip()]
        headers |= {"x-forwarded-for": source_ip, "x-forwarded-port": "443", "x-forwarded-proto": "https"}
        event: JsonObject = {
            "version": "2.0",
            "routeKey": match.key,
            "rawPath": request.path,
            "rawQueryString": request.query,
            "headers": {**headers},
            "requestContext": self._context(request, match, source_ip, identity, request_id),
            "isBase64Encoded": False,
        }
        if cookies:
            event["cookies"] = [*cookies]
        if query := _joined(parse_qsl(request.query, keep_blank_values=True)):
            event["queryStringParameters"] = {**query}
        if match.parameters:
            event["pathParameters"] = {**match.parameters}
        return event | _body(request)

    def _context(
        self, request: HttpRequest, match: _Match, source_ip: str, identity: JsonObject | None, request_id: str
    ) -> JsonObject:
        now = self._now()
        default_domain = f"{_API_ID}.execute-api.{self._region}.amazonaws.com"
        domain = request.headers.get("host", default_domain).partition(":")[0]
        return {
            "accountId": self._account,
            "apiId": _API_ID,
            **({} if identity is None else {"authorizer": identity}),
            "domainName": domain,
            "domainPrefix": domain.partition(".")[0],
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": source_ip,
                "userAgent": request.headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "routeKey": match.key,
            "stage": _STAGE,
            "time": f"{now:%d/%b/%Y:%H:%M:%S} +0000",
            "timeEpoch": int(now.timestamp() * 1000),
        }


class BadAnswer(Exception):
    """The function's answer is not one that the service can send."""


def local_authorizer(request: HttpRequest, scopes: Sequence[str]) -> JsonObject:
    """Let everyone in as `local`, in the shape that a JWT authoriser gives a caller who holds every scope.

    Nobody has a token here that names a client, so the console is known by what its browser says of its requests. That
    is no guard: any program can send such a header. It counts on this host only, where everybody has every right.
    """
    every = [f"{SCOPE_PREFIX}{scope}" for scope in Scope]
    claims: JsonObject = {
        "sub": "local",
        "username": "local",
        "client_id": IDS.console if request.headers.get(_SENT_BY) == "same-origin" else "local",
        "token_use": "access",
        "scope": " ".join(every),
        "cognito:groups": f"[{ADMINISTRATORS}]",
    }
    # The service names only those scopes of the token that the route asks for.
    held: list[JsonValue] = [scope for scope in scopes if scope in every]
    return {"jwt": {"claims": claims, "scopes": held or None}}


def response_of(answer: JsonValue) -> HttpResponse:
    """Map a function's answer to a response; raise BadAnswer for one that the service refuses."""
    if not isinstance(answer, dict) or "statusCode" not in answer:
        body = answer if isinstance(answer, str) else json.dumps(answer)
        return HttpResponse(200, {"content-type": "application/json"}, body.encode())
    headers = {"content-type": "text/plain;charset=UTF-8"} | _response_headers(answer.get("headers"))
    cookies = answer.get("cookies")
    if isinstance(cookies, list) and cookies:
        # Several cookies stay several: the server sends a line for each.
        headers["set-cookie"] = "\n".join(str(cookie) for cookie in cookies)
    return HttpResponse(_status(answer["statusCode"]), headers, _response_body(answer))


def _status(value: JsonValue) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
        return value
    raise BadAnswer(f"{value!r} is no status code")


def _response_headers(value: JsonValue) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadAnswer("headers are no object")
    return {name.lower(): each if isinstance(each, str) else json.dumps(each) for name, each in value.items()}


def _response_body(answer: JsonObject) -> bytes:
    body = answer.get("body") or ""
    if not isinstance(body, str):
        raise BadAnswer("the body is no text")
    if answer.get("isBase64Encoded") is not True:
        return body.encode()
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise BadAnswer("the body is no base64") from error


def _body(request: HttpRequest) -> JsonObject:
    if not request.body:
        return {}
    if _TEXT.match(request.headers.get("content-type", "application/json")):
        try:
            return {"body": request.body.decode()}
        except UnicodeDecodeError:
            pass  # not the text its type says: it goes on as what it is
    return {"body": base64.b64encode(request.body).decode(), "isBase64Encoded": True}


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _header_bytes(request: HttpRequest) -> int:
    line = f"{request.method} {request.path}?{request.query}"
    return len(line.encode()) + sum(len(name.encode()) + len(value.encode()) for name, value in request.headers.items())


def _pattern(path: str) -> re.Pattern[str]:
    literal = re.escape(path).replace(r"\{", "{").replace(r"\}", "}").replace(r"\+}", "+}")
    greedy = re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", literal)
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", greedy))


def _rank(route: Route) -> tuple[bool, int, bool]:
    # A full match comes before a greedy one, fixed segments before parameters, a method before ANY.
    return "+}" in route.path, route.path.count("{"), route.method == "ANY"


def _plain(status: int, message: str) -> HttpResponse:
    return HttpResponse.of_json(status, {"message": message})
