"""The only door to moto's protocol code: requests to parameters, results to responses.

moto has no public API for this, but it holds complete model-driven parsers and serialisers for every AWS protocol,
which would be a thousand lines to write again. Another moto version must pass the contract tests of this folder first.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, cast

from botocore.model import StructureShape
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.serialize import SerializationContext, get_serializer_class
from moto.core.utils import get_service_model
from werkzeug.datastructures import Headers, MultiDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botocore.model import OperationModel, ServiceModel
    from moto.core.model import OperationModel as MotoOperationModel

VERIFIED_MOTO = "5.2.5"

if metadata.version("moto") != VERIFIED_MOTO:
    raise RuntimeError(f"moto {metadata.version('moto')} is not {VERIFIED_MOTO}: run the simulators' contract tests")


@dataclass(frozen=True)
class Encoded:
    """A serialised result."""

    status: int
    headers: dict[str, str]
    body: bytes


@functools.cache
def service_model(service: str) -> ServiceModel:
    """botocore's model of a service, as the class that moto's codecs expect."""
    return get_service_model(service)


def decode(
    operation: OperationModel,
    *,
    labels: Mapping[str, str],
    values: Sequence[tuple[str, str]],
    headers: Mapping[str, str],
    body: bytes,
) -> dict[str, Any]:
    """Parameters of a request; raises ValueError, TypeError or AttributeError where they do not fit the model."""
    model = cast("MotoOperationModel", operation)
    parsed: dict[str, Any] = PROTOCOL_PARSERS[str(model.service_model.protocol)](model).parse(
        {
            "method": str(operation.http.get("method", "POST")),
            "url_path": "",
            "values": MultiDict(values),
            "headers": Headers(list(headers.items())),
            "body": body,
            "url_params": dict(labels),
        }
    )
    absent = {name for name in _query_lists(operation) if parsed.get(name) == []}
    return {name: _aware(value) for name, value in parsed.items() if name not in absent}


def _aware(value: object) -> object:
    """moto reads timestamps as naive UTC."""
    if isinstance(value, dict):
        return {key: _aware(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_aware(item) for item in value]
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _query_lists(operation: OperationModel) -> set[str]:
    """List members in the query string, which moto reads as empty when they are absent."""
    shape = operation.input_shape
    if not isinstance(shape, StructureShape):
        return set()
    return {name for name, member in shape.members.items() if member.serialization.get("location") == "querystring"}


def encode(operation: OperationModel, result: Mapping[str, object], request_id: str) -> Encoded:
    """Response of an operation's result."""
    model = operation.service_model
    serializer = get_serializer_class(model.service_name, str(model.protocol))(
        cast("MotoOperationModel", operation), context=SerializationContext(request_id)
    )
    answer = serializer.serialize(result)
    body = answer["body"]
    return Encoded(
        status=answer["status_code"],
        headers=dict(answer["headers"]),
        body=body if isinstance(body, bytes) else body.encode(),
    )
