"""Every exception a request can end with, as a problem; and a problem as an HTTP answer."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, get_args

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as AwsConnectionError
from pydantic import BaseModel

from functions.core.errors import (
    Cause,
    DeploymentFault,
    FieldError,
    InvalidRequest,
    Layer,
    MethodNotAllowed,
    Problem,
    Throttled,
    Unavailable,
)
from functions.core.failures import THROTTLING, cause_of, status_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

PROBLEM_JSON: Final = "application/problem+json"
_RETRY_AFTER_SECONDS: Final = 2
# What every change takes beside its body.
_PARAMETERS: Final = frozenset({"dry_run", "confirm"})
_QUOTED: Final = re.compile(r"'([^']*)'")


def problem_of(error: Exception, body: object = None) -> Problem:
    """Classify an exception; `body` is the type of the route's body, asked for the names of its fields."""
    match error:
        case Problem():
            return error
        case RequestUnsupportedContentType() | RequestValidationError():
            return _invalid([field_error(found, body) for found in error.errors()])
        case ClientError():
            return _refused_by_aws(error)
        case AwsConnectionError() | HTTPClientError():
            return Unavailable(
                "An AWS service did not answer in time.",
                cause=Cause(layer=Layer.AWS, code=type(error).__name__),
                remedy="Send the request again in a moment.",
            )
        case BotoCoreError():
            cause = Cause(layer=Layer.CONTROL_PLANE, code=type(error).__name__)
            return DeploymentFault("The control plane could not call AWS.", cause=cause)
        case _:
            return Problem("The control plane met a fault of its own; its log has the request id and the cause.")


def answer_of(problem: Problem, request_id: str) -> Response[str]:
    """Write a problem as an answer."""
    headers: dict[str, str | list[str]] = {}
    if problem.status in (429, 503):
        headers["retry-after"] = str(_RETRY_AFTER_SECONDS)
    if isinstance(problem, MethodNotAllowed):
        headers["allow"] = ", ".join(problem.allowed)
    body = problem.body(request_id).model_dump_json(exclude_none=True)
    return Response(status_code=problem.status, content_type=PROBLEM_JSON, body=body, headers=headers)


def field_error(found: Mapping[str, JsonValue], body: object = None) -> FieldError:
    """Tell one finding of pydantic in the caller's words: which field, what is wrong, what would be right."""
    location = found["loc"]
    steps = [step for step in location if isinstance(step, str | int)] if isinstance(location, list | tuple) else []
    match found["type"]:
        case "extra_forbidden":
            if steps[1:] and steps[1:][0] in _PARAMETERS:
                return FieldError(field=path_of(steps), message="is a parameter of the query, not of the body")
            allowed = fields_at(body, steps[1:-1])
            return FieldError(field=path_of(steps), message="is not a field of this request", allowed=allowed)
        case "missing":
            return FieldError(field=path_of(steps), message="is required")
        case _:
            return FieldError(field=path_of(steps), message=str(found["msg"]), allowed=_allowed(found))


def path_of(steps: Sequence[str | int]) -> str:
    """Write a location as a dotted path without the part of the request it begins with."""
    inner = steps[1:] or ["body"]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inner)
    return path.removeprefix(".")


def fields_at(annotation: object, steps: Sequence[str | int]) -> list[str] | None:
    """Name the fields of the model at a place below a body type, None when there is none."""
    model = _model_in(annotation)
    for step in steps:
        if isinstance(step, str):
            field = model.model_fields.get(step) if model else None
            model = _model_in(field.annotation) if field else None
    return list(model.model_fields) if model else None


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for inner in get_args(annotation) if (model := _model_in(inner))), None)


def _invalid(errors: list[FieldError]) -> InvalidRequest:
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{first.field}: {first.message}{more}", errors=errors)


def _context(found: Mapping[str, JsonValue], name: str) -> JsonValue:
    context = found.get("ctx")
    return context.get(name) if isinstance(context, dict) else None


def _allowed(found: Mapping[str, JsonValue]) -> list[str] | None:
    allowed = _context(found, "allowed")
    if isinstance(allowed, list):
        return [str(value) for value in allowed]
    expected = _context(found, "expected")
    return _QUOTED.findall(expected) if isinstance(expected, str) else None


def _refused_by_aws(error: ClientError) -> Problem:
    """A request's edge calls AWS for the control plane's own sake: no refusal is the caller's doing."""
    cause = cause_of(error)
    detail = f"AWS answered {error.operation_name} with {cause.code}."
    if cause.code in THROTTLING:
        return Throttled(detail, cause=cause, remedy="Send the request again in a moment.")
    if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable(detail, cause=cause, remedy="Send the request again in a moment.")
    return DeploymentFault(detail, cause=cause, remedy="An administrator finds the refusal in the function's log.")
