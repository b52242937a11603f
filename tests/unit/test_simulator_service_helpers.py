"""botocore clients whose requests go to a simulator in this process, and a clock that moves when told."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import unquote, urlsplit

import botocore.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.core.models import botocore_stubber

from infra.local.messages import HttpRequest
from infra.local.simulators.service import Principal, Service, ServiceRequest

if TYPE_CHECKING:
    from botocore.client import BaseClient

ACCOUNT = "123456789012"
REGION = "us-east-1"
SESSION = botocore.session.Session()  # one, because it keeps the service models it has read
_answering: dict[str, tuple[Service, Principal]] = {}
ADMIN = Principal("AKIDADMIN", f"arn:aws:sts::{ACCOUNT}:assumed-role/admin/session", ACCOUNT)


class Clock:
    """Time that stands until it is advanced."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class _Body(io.BytesIO):
    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


class AwsClient(Protocol):
    """A client as its callers see it: methods by name."""

    def __getattr__(self, name: str) -> Callable[..., Any]: ...


def client_of(service: Service, principal: Principal = ADMIN) -> AwsClient:
    """The client of a service's kind, which from now on calls this service as this principal."""
    _answering[service.name] = (service, principal)
    return _simulator_client(service.name)


@functools.cache
def _simulator_client(name: str) -> AwsClient:
    """A client whose parameters are not validated on its own side."""
    client = _client(name)

    def send(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        service, principal = _answering[name]
        answer = service.handle(ServiceRequest(http_request(request), service.region, principal))
        return AWSResponse(request.url, answer.status, cast("Any", answer.headers), _Body(answer.body))

    # Every handler of the event runs, so moto's would simulate the call a second time.
    events = cast("Any", client.meta.events)
    events.unregister("before-send", botocore_stubber)
    events.register("before-send.*.*", send)
    return cast("AwsClient", client)


@functools.cache
def moto_client(service: str) -> AwsClient:
    """A client of a service that moto simulates."""
    return cast("AwsClient", _client(service))


@cache
def _client(service: str) -> BaseClient:
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    return SESSION.create_client(
        service, region_name=REGION, aws_access_key_id="test", aws_secret_access_key="test", config=config
    )


def trust(service: str) -> str:
    """A trust policy for one service."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def make_role(name: str, service: str, path: str = "/") -> str:
    """A role that a service may assume; gives its ARN."""
    iam = moto_client("iam")
    return str(iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust(service))["Role"]["Arn"])


def zone_of(ec2: AwsClient, zone_id: str) -> str:
    """The name of a zone by its id."""
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    return next(str(zone["ZoneName"]) for zone in zones if zone["ZoneId"] == zone_id)


def refused(code: str, call: Callable[..., Any], **params: object) -> str:
    """The message of the error a call must end with."""
    with pytest.raises(ClientError) as caught:
        call(**params)
    found, message = error_of(caught.value)
    assert found == code, message
    return message


def http_request(request: AWSPreparedRequest) -> HttpRequest:
    """The request as the local endpoint hands it on."""
    parts = urlsplit(request.url)
    headers = {name.lower(): _text(value) for name, value in request.headers.items()}
    body = request.body or b""
    content = body.encode() if isinstance(body, str) else body
    assert isinstance(content, bytes | bytearray)
    return HttpRequest(request.method, unquote(parts.path), parts.query, headers, bytes(content))


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def error_of(error: ClientError) -> tuple[str, str]:
    """Code and message of a client error."""
    return str(error.response["Error"]["Code"]), str(error.response["Error"]["Message"])
