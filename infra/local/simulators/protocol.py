"""AWS wire protocols for simulated services: which operation a request is, its parameters, errors as documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from uuid import uuid4
from xml.sax.saxutils import escape

from botocore.model import StructureShape
from botocore.serialize import create_serializer

from infra.local.messages import HttpResponse
from infra.local.simulators import moto_codec
from infra.local.simulators.validation import constraint_fault, document_fault, fault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botocore.model import OperationModel, Shape

    from infra.local.messages import HttpRequest


class UnknownOperation(Exception):
    """The request names no operation of the service's model."""


class MalformedRequest(Exception):
    """The request cannot be read as parameters of its operation."""


class InvalidParameters(Exception):
    """The parameters break a constraint of the model; the text is AWS's."""


@dataclass(frozen=True)
class Route:
    """One REST operation: its method and the pattern of its percent-decoded path."""

    method: str
    pattern: re.Pattern[str]
    literal_length: int
    operation: str


class Protocol:
    """Reads and writes the messages of one service by its botocore model."""

    def __init__(self, service: str) -> None:
        self._model = moto_codec.service_model(service)
        self._kind = str(self._model.protocol)
        self._routes = self._rest_routes() if self._kind == "rest-json" else []

    def match(self, request: HttpRequest) -> tuple[OperationModel, Mapping[str, str]]:
        """Find the request's operation and the labels in its path."""
        name, labels = self._matched(request)
        if name not in self._model.operation_names:
            raise UnknownOperation(name or f"{request.method} {request.path}")
        return self._model.operation_model(name), labels

    def read(self, operation: OperationModel, labels: Mapping[str, str], request: HttpRequest) -> dict[str, Any]:
        """Parse the parameters and check them against the model, strictly."""
        shape = operation.input_shape
        if shape is None:
            return {}
        self._check_document(shape, request)
        try:
            params = moto_codec.decode(
                operation, labels=labels, values=self._values(request), headers=request.headers, body=request.body
            )
        except (ValueError, TypeError, AttributeError) as error:
            raise MalformedRequest(str(error)) from error
        self._check_form(operation, params, request)
        _refuse(constraint_fault(shape, params))
        return params

    def answer(self, operation: OperationModel, result: Mapping[str, object]) -> HttpResponse:
        """Serialise a result."""
        request_id = str(uuid4())
        encoded = moto_codec.encode(operation, result, request_id)
        return HttpResponse(encoded.status, {**encoded.headers, "x-amzn-requestid": request_id}, encoded.body)

    def error(self, code: str, message: str, status: int, members: Mapping[str, object]) -> HttpResponse:
        """Serialise an error, modelled or not; a modelled one has the model's HTTP status."""
        request_id = str(uuid4())
        headers = {"x-amzn-requestid": request_id}
        status = self._modelled_statuses().get(code, status)
        if self._kind == "query":
            namespace = self._model.metadata.get("xmlNamespace", "")
            kind = "Sender" if status < 500 else "Receiver"
            body = (
                f'<ErrorResponse xmlns="{namespace}"><Error><Type>{kind}</Type><Code>{escape(code)}</Code>'
                f"<Message>{escape(message)}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>"
            )
            return HttpResponse(status, {**headers, "content-type": "text/xml"}, body.encode())
        document = {"__type": code, "message": message, **members}
        content_type = "application/json" if self._kind == "rest-json" else "application/x-amz-json-1.1"
        response = HttpResponse.of_json(status, document, content_type)
        response.headers.update(headers, **{"x-amzn-errortype": code})
        return response

    def _matched(self, request: HttpRequest) -> tuple[str, Mapping[str, str]]:
        if self._kind == "json":
            prefix, _, name = request.headers.get("x-amz-target", "").partition(".")
            return (name if prefix == self._model.metadata.get("targetPrefix") else ""), {}
        if self._kind == "query":
            return dict(self._values(request)).get("Action", ""), {}
        for route in self._routes:
            found = route.pattern.fullmatch(request.path.rstrip("/") or "/")
            if found and route.method == request.method:
                return route.operation, found.groupdict()
        return "", {}

    def _rest_routes(self) -> list[Route]:
        routes = [_route(self._model.operation_model(name)) for name in self._model.operation_names]
        return sorted(routes, key=lambda route: -route.literal_length)

    def _values(self, request: HttpRequest) -> Sequence[tuple[str, str]]:
        text = request.query
        if self._kind == "query":
            text = "&".join(filter(None, (text, request.body.decode())))
        return parse_qsl(text, keep_blank_values=True)

    def _modelled_statuses(self) -> dict[str, int]:
        shapes = {shape.name: shape.metadata.get("error", {}) for shape in self._model.error_shapes}
        named = {traits.get("code", name): traits for name, traits in shapes.items()} | shapes
        return {name: int(traits["httpStatusCode"]) for name, traits in named.items() if "httpStatusCode" in traits}

    def _check_document(self, shape: Shape, request: HttpRequest) -> None:
        body_shape = _body_shape(shape)
        if self._kind not in ("json", "rest-json") or not request.body or body_shape is None:
            return
        try:
            document = json.loads(request.body)
        except ValueError as error:
            raise MalformedRequest(f"The body is not JSON: {error}") from error
        _refuse(document_fault(body_shape, document))

    def _check_form(self, operation: OperationModel, params: dict[str, Any], request: HttpRequest) -> None:
        """A form field that the parameters do not account for is unknown to the model."""
        if self._kind != "query":
            return
        serializer = create_serializer("query", include_validation=False)
        known = serializer.serialize_to_request(params, operation)["body"]
        for name, value in self._values(request):
            if value and name not in known and not name.startswith("X-Amz-"):
                raise InvalidParameters(fault(value, name, "be a member of the request"))


def _route(operation: OperationModel) -> Route:
    uri = str(operation.http["requestUri"]).partition("?")[0].rstrip("/") or "/"
    parts = re.split(r"\{([^}]+)\}", uri)
    labels = (f"(?P<{label.rstrip('+')}>{'.+' if _spans(label) else '[^/]+'})" for label in parts[1::2])
    literals = [re.escape(part) for part in parts[0::2]]
    pattern = "".join(part for pair in zip(literals, [*labels, ""], strict=True) for part in pair)
    return Route(str(operation.http["method"]), re.compile(pattern), len("".join(parts[0::2])), operation.name)


def _spans(label: str) -> bool:
    """Whether a path label may hold slashes once decoded: greedy ones and ARNs."""
    return label.endswith(("+", "Arn", "ARN"))


def _body_shape(shape: Shape) -> Shape | None:
    """The part of the input that travels as the JSON body."""
    if not isinstance(shape, StructureShape):
        return shape
    payload = shape.serialization.get("payload")
    if payload:
        member = shape.members[payload]
        return member if isinstance(member, StructureShape) else None
    return shape


def _refuse(found: str | None) -> None:
    if found:
        raise InvalidParameters(found)
