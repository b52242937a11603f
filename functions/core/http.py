"""One HTTP API request as the application sees it, and what it refuses before a handler looks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from functions.core import settings
from functions.core.documents import member
from functions.core.errors import FieldError, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.event_handler.api_gateway import Route as MatchedRoute
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

    from functions.core.caller import Caller

JSON: Final = "application/json"
_ROOT: Final = "/api/"


@dataclass
class Invocation:
    """One request being answered; `notes` are Powertools'."""

    request_id: str
    event: dict[str, JsonValue]
    context: LambdaContext
    proxy: APIGatewayProxyEventV2
    caller: Caller | None = None
    route: str | None = None
    operation_id: str | None = None
    notes: dict[str, object] = field(default_factory=dict)


def json_object(text: str) -> dict[str, JsonValue]:
    """Parse a body; raise InvalidRequest unless it is one JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise _unreadable(f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _unreadable("is nested too deeply") from error
    if not isinstance(value, dict):
        raise _unreadable("is not a JSON object")
    return value


def invocation_of(event: Mapping[str, JsonValue], context: LambdaContext) -> Invocation:
    """Read one request from its event."""
    rooted = _rooted(event)
    request_id = str(member(event, "requestContext")["requestId"])
    return Invocation(request_id, rooted, context, APIGatewayProxyEventV2(rooted, json_object))


def _rooted(event: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Take off what a named stage or a custom domain's base path puts in front of the routes' own root."""
    path = str(event["rawPath"])
    own = path[max(path.find(_ROOT), 0) :]
    return {**event, "rawPath": own, "requestContext": {**member(event, "requestContext"), "stage": "$default"}}


def refuse_unknown_parameters(matched: MatchedRoute, proxy: APIGatewayProxyEventV2) -> None:
    """Raise InvalidRequest for a query parameter that the route does not have."""
    known = [parameter.alias for parameter in matched.dependant.query_params]
    unknown = [name for name in proxy.query_string_parameters if name not in known]
    if unknown:
        errors = [FieldError(field=name, message="is not a parameter of this route", allowed=known) for name in unknown]
        raise InvalidRequest(f"{unknown[0]}: {errors[0].message}", errors=errors)


def refuse_unreadable_body(matched: MatchedRoute, proxy: APIGatewayProxyEventV2) -> None:
    """Raise InvalidRequest for a body that is not JSON by its type or not text."""
    if not (matched.dependant.body_params and proxy.body):
        return
    media = proxy.headers.get("content-type", JSON)
    if not media.startswith(JSON):
        error = FieldError(field="content-type", message=f"is {media}", allowed=[JSON])
        raise InvalidRequest(f"content-type: is {media}; send {JSON}", errors=[error])
    try:
        _ = proxy.decoded_body
    except ValueError as error:
        raise _unreadable("is not UTF-8 text") from error


def _unreadable(message: str) -> InvalidRequest:
    return InvalidRequest(f"The body {message}.", errors=[FieldError(field="body", message=message)])


def response_headers(invocation: Invocation) -> dict[str, str]:
    """Give the headers of every answer; an allowed origin may read it from its own pages."""
    always = {"cache-control": "no-store", "x-request-id": invocation.request_id}
    origin = invocation.proxy.headers.get("origin")
    if origin is None or origin not in settings.allowed_origins():
        return always
    return always | {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": (
            "authorization, content-type, idempotency-key, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
        ),
        "access-control-expose-headers": (
            "idempotent-replayed, location, mcp-session-id, retry-after, www-authenticate, x-request-id"
        ),
        "vary": "origin",
    }
