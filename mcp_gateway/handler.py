"""The Lambda function that agents speak to, at `/mcp`: Streamable HTTP without sessions, answered in JSON."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from aws_lambda_powertools import Logger
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST

from functions.core import settings
from functions.core.documents import member
from functions.core.errors import FieldError, Forbidden, InvalidRequest, MethodNotAllowed, Problem
from mcp_gateway import server, serving
from mcp_gateway.callers import audience_of, claim_of
from mcp_gateway.invocation import Invocation, current
from mcp_gateway.selection import selection_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue
    from starlette.types import Scope

    Event = Mapping[str, JsonValue]

_JSON: Final = "application/json"
# The machine itself, where there is no sign-in that knows a better address.
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_LOOPS: Final = serving.Loops(server.build)
_logger = Logger(service="instantstart-mcp", log_uncaught_exceptions=False)


def handler(event: Event, context: LambdaContext) -> dict[str, JsonValue]:
    """Answer one HTTP API event; never raises."""
    return answered(event, context, _LOOPS)


def answered(event: Event, context: LambdaContext, loops: serving.Loops) -> dict[str, JsonValue]:
    """Answer one HTTP API event with what these loops serve; never raises."""
    try:
        answer = _answer(event, context, loops)
    except Problem as problem:
        answer = _refused(problem)
    except Exception as error:  # the last door: a fault of ours is told without its trace
        _logger.error("unexpected fault", exc_info=error)
        answer = _refused(Problem("The gateway met a fault of its own; its log has the cause."))
    headers: dict[str, JsonValue] = {**answer.headers, "cache-control": "no-store"}
    return {"statusCode": answer.status, "headers": headers, "body": answer.body.decode(), "isBase64Encoded": False}


def _answer(event: Event, context: LambdaContext, loops: serving.Loops) -> serving.Answer:
    headers = {name.lower(): str(value) for name, value in member(event, "headers").items()}
    _check_origin(headers.get("origin"), audience_of(event))
    method = str(member(member(event, "requestContext"), "http")["method"])
    if method != "POST":
        # Neither streams nor sessions are here to be opened or ended.
        raise MethodNotAllowed(method, "/mcp", ["POST"])
    query = str(event.get("rawQueryString") or "")
    token = current.set(Invocation(claim_of(event), selection_of(query), context))
    try:
        return loops.answer(_scope(headers, query), _body(event))
    finally:
        current.reset(token)


def _check_origin(origin: str | None, audience: str | None) -> None:
    """Refuse pages of other sites: a browser at this machine must not speak for whoever sits there.

    Source: MCP specification, "Security Warning" of Streamable HTTP.
    """
    if origin is None or origin in settings.allowed_origins():
        return
    if origin == _origin_of(audience) if audience else _host_of(origin) in _LOOPBACK:
        return
    raise Forbidden(f"origin: pages of {origin[:200]} may not call this address.", remedy="Call it from an agent.")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _host_of(origin: str) -> str | None:
    """Give the host of an origin; None for what is none."""
    try:
        parts = urlsplit(origin)
        return parts.hostname if parts.netloc.count("@") == 0 else None
    except ValueError:
        return None


def _scope(headers: Mapping[str, str], query: str) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "https",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()],
        "client": None,
        "server": None,
    }


def _body(event: Event) -> bytes:
    body = str(event.get("body") or "")
    if event.get("isBase64Encoded") is not True:
        return body.encode()
    try:
        return base64.b64decode(body, validate=True)
    except ValueError as error:
        raise InvalidRequest("body: is not text.", errors=[FieldError(field="body", message="is not text")]) from error


def _refused(problem: Problem) -> serving.Answer:
    """Tell a problem as an error of JSON-RPC, of no request in particular."""
    body = problem.body().model_dump(mode="json", exclude_none=True)
    code = INVALID_REQUEST if problem.status < 500 else INTERNAL_ERROR
    content = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": problem.detail, "data": body}}
    headers = {"content-type": _JSON}
    if isinstance(problem, MethodNotAllowed):
        headers["allow"] = ", ".join(problem.allowed)
    return serving.Answer(problem.status, headers, json.dumps(content).encode())
