"""The HTTP application: declared routes, the handlers of the same names, one door for errors.

Powertools matches and validates; this module adds what it leaves out. Authorisation comes before validation, so that
nobody learns a route's fields without its scope. Every error leaves as a problem body. What belongs to one request is
held per context, because one process may serve several invocations at once (Powertools keeps it on a class).
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Final

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Route as MatchedRoute
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import OpenAPIRequestValidationMiddleware
from aws_lambda_powertools.event_handler.openapi.params import Header, Query

from functions.core import settings
from functions.core.caller import SCOPE_PREFIX, Caller, caller_of
from functions.core.errors import MethodNotAllowed, NotFound, Unauthenticated
from functions.core.headers import REPLAYED_HEADER
from functions.core.http import (
    JSON,
    Invocation,
    invocation_of,
    refuse_unknown_parameters,
    refuse_unreadable_body,
    response_headers,
)
from functions.core.ledger.queries import advised
from functions.core.problems import answer_of, problem_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
    from aws_lambda_powertools.event_handler.types import EventHandlerInstance
    from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

    from functions.core.declaration import Declaration, Route
    from functions.core.ledger.models import Operation
    from functions.core.previews import Previewed

    Handler = Callable[..., object]

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="A key of the caller's own: the same key with the same request gives the same operation.",
    ),
]
PageLimit = Annotated[int | None, Query(description="Entries per page: 50, at most 200.")]
PageToken = Annotated[str | None, Query(description="The `next_token` of the page before.", max_length=4096)]
SECURITY_SCHEME: Final = "token"
_logger = Logger(service="instantstart-api", log_uncaught_exceptions=False)


_current: ContextVar[Invocation] = ContextVar("invocation")


def caller() -> Caller:
    """Give the verified caller of this request."""
    found = _current.get().caller
    if found is None:
        raise Unauthenticated("The request has no verified caller.")
    return found


def route() -> str:
    """Name the route of this request: its method and its path as declared."""
    invocation = _current.get()
    return f"{invocation.proxy.http_method} {invocation.route}"


def path() -> str:
    """Give the path of this request: the resource that it is about."""
    return _current.get().proxy.path


def warn(message: str, error: Exception) -> None:
    """Log what this request does without."""
    _logger.warning(message, exc_info=error, extra={"request_id": _current.get().request_id})


def seconds_left() -> float:
    """Give the seconds until this invocation is stopped."""
    return _current.get().context.get_remaining_time_in_millis() / 1000


def accepted(operation: Operation, *, replayed: bool = False) -> Response[Operation | Previewed]:
    """Answer 202 with an operation, where it is found and when to look again.

    `replayed` says that an earlier request had begun it.
    """
    _current.get().operation_id = operation.operation_id
    body = advised(operation)
    headers: dict[str, str | list[str]] = {"location": f"/api/operations/{operation.operation_id}"}
    if body.retry_after_seconds is not None:
        headers["retry-after"] = str(body.retry_after_seconds)
    if replayed:
        headers[REPLAYED_HEADER] = "true"
    return Response(status_code=202, content_type=JSON, body=body, headers=headers)


class Edge(OpenAPIRequestValidationMiddleware):
    """Powertools' validation with authorisation in front, and without what it lets pass in silence."""

    def __init__(self, declared: Mapping[str, Route]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._declared = declared

    def handler(self, app: EventHandlerInstance, next_middleware: NextMiddleware) -> Response[str]:
        """Authorise, refuse what the route does not know, then validate."""
        matched: MatchedRoute = app.context["_route"]
        if route := self._declared.get(matched.operation_id):
            invocation = _current.get()
            invocation.route = route.path
            invocation.caller = caller_of(
                invocation.event,
                settings.console_client_id(),
                settings.gateway_role_arn(),
                settings.machine_client_id(),
            )
            invocation.caller.require(route.scope)
            invocation.operation_id = app.context["_route_args"].get("operation_id")
            refuse_unknown_parameters(matched, invocation.proxy)
            refuse_unreadable_body(matched, invocation.proxy)
        return super().handler(app, next_middleware)


class Application(APIGatewayHttpResolver):
    """The declared routes behind one handler; `handle` never raises."""

    def __init__(
        self, declarations: Iterable[Declaration], handlers: Mapping[str, Handler], function: str | None
    ) -> None:
        super().__init__(enable_validation=True, response_validation_error_http_code=500)
        every = [(declaration.domain, route) for declaration in declarations for route in declaration.routes]
        declared = [(domain, route) for domain, route in every if function in (None, route.function)]
        # Of all functions: the gateway sends here what no route is for, be its path another function's.
        self._paths = [(_pattern(route.path), route.method) for _, route in every]
        self._request_validation_middleware = Edge({route.operation_id: route for _, route in declared})
        self.exception_handler(Exception)(self._answer_error)
        for domain, route in declared:
            self._register(domain, route, handlers[route.operation_id])
        # Powertools builds a route's stack at its first call; two first calls at once would build it twice.
        for registered in self._routes:
            registered._build_middleware_stack(router_middlewares=[], app=self)

    @property
    def _routes(self) -> list[MatchedRoute]:
        return self._static_routes + self._dynamic_routes

    @property
    def current_event(self) -> APIGatewayProxyEventV2:  # type: ignore[override]
        """Give the event of this request."""
        return _current.get().proxy

    @property
    def context(self) -> dict[str, object]:
        """Give Powertools' notes on this request."""
        return _current.get().notes

    @context.setter
    def context(self, value: dict[str, object]) -> None:
        """Leave Powertools' first, shared notes aside."""

    def _register(self, domain: str, route: Route, handler: Handler) -> None:
        self.route(
            route.path.replace("{", "<").replace("}", ">"),
            route.method,
            summary=route.summary,
            tags=[domain],
            operation_id=route.operation_id,
            security=[{SECURITY_SCHEME: [f"{SCOPE_PREFIX}{route.scope}"]}],
            status_code=route.success,
        )(handler)

    def handle(self, event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
        """Answer one HTTP API event."""
        invocation = invocation_of(event, context)
        token = _current.set(invocation)
        try:
            answer = self.resolve(invocation.event, context)
        except Exception as error:  # the last door: what Powertools' own handling lets through
            answer = {**_answer_of_fault(error, invocation)}
        finally:
            _current.reset(token)
        answer["headers"].update(response_headers(invocation))
        _log(invocation, answer["statusCode"])
        return answer

    def _answer_error(self, error: Exception) -> Response[str]:
        invocation = _current.get()
        if isinstance(error, NotFoundError):
            return self._answer_unmatched(invocation)
        problem = problem_of(error, _body_type(self.context["_route"]))
        invocation.operation_id = problem.operation_id or invocation.operation_id
        if problem.status >= 500:
            _logger.error(problem.detail, exc_info=error, extra={"request_id": invocation.request_id})
        return answer_of(problem, invocation.request_id)

    def _answer_unmatched(self, invocation: Invocation) -> Response[str]:
        method, path = invocation.proxy.http_method, invocation.proxy.path
        taken = sorted({each for pattern, each in self._paths if pattern.fullmatch(path)})
        if method == "OPTIONS" and taken:
            return Response(status_code=204, body="", headers={"allow": ", ".join(taken)})
        unmatched = MethodNotAllowed(method, path, taken) if taken else NotFound(f"There is no route {method} {path}.")
        return answer_of(unmatched, invocation.request_id)


def build(
    declarations: Iterable[Declaration], handlers: Mapping[str, Handler], function: str | None = None
) -> Application:
    """Make the application of declared routes, or of those that one Lambda function answers.

    `handlers` has a function for every operation id.
    """
    return Application(declarations, handlers, function)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile("/".join("[^/]+" if part.startswith("{") else re.escape(part) for part in path.split("/")))


def _body_type(matched: object) -> object:
    parameters = matched.dependant.body_params if isinstance(matched, MatchedRoute) else []
    return parameters[0].type_ if parameters else None


def _answer_of_fault(error: Exception, invocation: Invocation) -> dict[str, JsonValue]:
    _logger.error("unexpected fault", exc_info=error, extra={"request_id": invocation.request_id})
    answer = answer_of(problem_of(error), invocation.request_id)
    headers: dict[str, JsonValue] = {
        name.lower(): value if isinstance(value, str) else [*value] for name, value in answer.headers.items()
    }
    return {"statusCode": answer.status_code, "headers": headers, "body": answer.body, "isBase64Encoded": False}


def _log(invocation: Invocation, status: int) -> None:
    # Names and numbers only: bodies and queries may hold what a log must not.
    facts = {
        "request_id": invocation.request_id,
        "operation_id": invocation.operation_id,
        "method": invocation.proxy.http_method,
        "route": invocation.route,
        "status": status,
        "caller": invocation.caller.id if invocation.caller else None,
        "channel": invocation.caller.channel if invocation.caller else None,
    }
    _logger.info("request", extra=facts)
