"""From a signed request to the operation that it asks for, and its parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from infra.local.simulators import moto_codec
from infra.local.simulators.protocol import Protocol, UnknownOperation

if TYPE_CHECKING:
    from infra.local.messages import HttpRequest

# Signing names that are not botocore's name of the service.
_NAMES: Final = {
    "states": "stepfunctions",
    "servicequotas": "service-quotas",
    "execute-api": "apigatewaymanagementapi",
}
_CONNECTIONS: Final = "/@connections/"
_BUCKET_HOST: Final = re.compile(r"(?P<bucket>[a-z0-9.-]+)\.s3[.-].*")


class Unreadable(Exception):
    """A request that is no operation of its service, or not one that can be read."""


@dataclass(frozen=True)
class Call:
    """An operation of a service, by its signing name, and the parameters as botocore's model names them."""

    service: str
    operation: str
    parameters: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Give a parameter, empty when it was not sent."""
        value = self.parameters.get(name)
        return "" if value is None else str(value)

    def rows(self, name: str) -> list[Mapping[str, Any]]:
        """Give a parameter that is a list of structures, empty when it was not sent."""
        return list(self.parameters.get(name) or [])


def read(service: str, request: HttpRequest) -> Call:
    """Read a request to a service, by its signing name; raises Unreadable."""
    try:
        if service == "s3":
            return _of_s3(request)
        target = request.headers.get("x-amz-target", "")
        if target:
            return Call(service, target.rpartition(".")[2], json.loads(request.body or b"{}"))
        return _of_model(service, request)
    except (UnknownOperation, ValueError, TypeError, AttributeError, KeyError) as error:
        raise Unreadable(f"{service} {request.method} {request.path}: {error}") from error


@cache
def _protocol(name: str) -> Protocol:
    return Protocol(name)


def _of_model(service: str, request: HttpRequest) -> Call:
    name = _NAMES.get(service, service)
    protocol = str(moto_codec.service_model(name).protocol)
    return _of_rest(service, name, request) if protocol == "rest-json" else _of_form(service, name, request)


def _of_rest(service: str, name: str, request: HttpRequest) -> Call:
    # A WebSocket API has its management below its stage, which the model leaves out.
    stage, found, connection = request.path.partition(_CONNECTIONS)
    path = found + connection if found else request.path
    operation, labels = _protocol(name).match(type(request)(request.method, path))
    values = parse_qsl(request.query, keep_blank_values=True)
    body = b"" if found else request.body
    read_in = moto_codec.decode(operation, labels=labels, values=values, headers=request.headers, body=body)
    return Call(service, operation.name, {**read_in, "Stage": stage.strip("/")} if found else read_in)


def _of_form(service: str, name: str, request: HttpRequest) -> Call:
    text = "&".join(filter(None, (request.query, request.body.decode())))
    values = parse_qsl(text, keep_blank_values=True)
    operation = moto_codec.service_model(name).operation_model(dict(values)["Action"])
    read_in = moto_codec.decode(operation, labels={}, values=values, headers=request.headers, body=b"")
    return Call(service, operation.name, read_in)


@dataclass(frozen=True)
class _S3Route:
    """How an operation of S3 is told from others: its method, what it is on, what its query has at least."""

    operation: str
    method: str
    depth: int
    marks: frozenset[tuple[str, str]]

    def is_for(self, method: str, depth: int, query: Mapping[str, str]) -> bool:
        """Say whether a request may be this operation."""
        marked = all(name in query and value in ("", query[name]) for name, value in self.marks)
        return (self.method, self.depth) == (method, depth) and marked


@cache
def _s3_routes() -> tuple[_S3Route, ...]:
    model = moto_codec.service_model("s3")
    found = [_s3_route(name, model.operation_model(name).http) for name in model.operation_names]
    # The first one that fits is the one: what marks an operation most closely comes first.
    return tuple(sorted(found, key=lambda route: -len(route.marks)))


def _s3_route(name: str, http: Mapping[str, Any]) -> _S3Route:
    path, _, query = str(http["requestUri"]).partition("?")
    marks = {*parse_qsl(query, keep_blank_values=True), *_S3_PARAMETERS.get(name, ())}
    return _S3Route(name, str(http["method"]), len(path.strip("/").split("/")) if path != "/" else 0, frozenset(marks))


# Operations that share method and path with others, and are told by a parameter that they require.
_S3_PARAMETERS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "AbortMultipartUpload": (("uploadId", ""),),
    "CompleteMultipartUpload": (("uploadId", ""),),
    "ListParts": (("uploadId", ""),),
    "UploadPart": (("uploadId", ""), ("partNumber", "")),
    "UploadPartCopy": (("uploadId", ""), ("partNumber", ""), ("x-copy", "")),
    "CopyObject": (("x-copy", ""),),
}
# Those of S3's list that are answered elsewhere, or look like another one.
_S3_LIKE: Final = {"ListObjects": "ListObjectsV2", "ListDirectoryBuckets": "ListBuckets"}


def _of_s3(request: HttpRequest) -> Call:
    bucket, key = _s3_place(request)
    query = dict(parse_qsl(request.query, keep_blank_values=True))
    source = request.headers.get("x-amz-copy-source", "")
    told = query | ({"x-copy": ""} if source else {})
    depth = 2 if key else int(bool(bucket))
    found = next((route for route in _s3_routes() if route.is_for(request.method, depth, told)), None)
    if found is None:
        raise Unreadable(f"s3 {request.method} {request.path}?{request.query}")
    operation = _S3_LIKE.get(found.operation, found.operation)
    body = request.body.decode() if operation == "DeleteObjects" else ""
    version = query.get("versionId", "")
    return Call(
        "s3", operation, {"Bucket": bucket, "Key": key, "CopySource": source, "VersionId": version, "Body": body}
    )


def _s3_place(request: HttpRequest) -> tuple[str, str]:
    host = request.headers.get("host", "").partition(":")[0]
    path = request.path.removeprefix("/")
    found = _BUCKET_HOST.fullmatch(host)
    if found:
        return found["bucket"], path
    bucket, _, key = path.partition("/")
    return bucket, key
