"""What an invocation has from the outside: its environment, its credentials, its clients and its clock.

The one module that builds AWS clients, reads the process environment or asks for the time; everything else asks
here. On Lambda the runtime is the process; another host binds its own with `bound`.
"""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar, cast, overload

import botocore.session
from botocore.config import Config
from botocore.exceptions import NoCredentialsError
from botocore.model import ServiceId
from botocore.signers import RequestSigner

from functions.core import deadlines
from functions.core.threads import SystemThreads, Task, Threads
from functions.core.web import SystemWeb, Web

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from botocore.awsrequest import AWSRequest
    from botocore.client import BaseClient
    from botocore.credentials import Credentials
    from botocore.model import OperationModel
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_ec2 import EC2Client
    from types_boto3_eks import EKSClient
    from types_boto3_iam import IAMClient
    from types_boto3_s3 import S3Client
    from types_boto3_sagemaker import SageMakerClient
    from types_boto3_stepfunctions import SFNClient
    from types_boto3_sts import STSClient

    from functions.core.clients import (
        ConnectionsClient,
        LogsClient,
        SecretsClient,
        ServiceQuotasClient,
        TopicsClient,
    )


Kept = TypeVar("Kept")
Result = TypeVar("Result")


class Clock(Protocol):
    """Time as an invocation sees it."""

    def now(self) -> datetime:
        """Give the present instant, in UTC."""

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """Give the present instant, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        time.sleep(seconds)


@dataclass(frozen=True)
class Completed:
    """How a program ended, and what it wrote."""

    status: int
    output: str
    errors: str


class Processes(Protocol):
    """Programs as an invocation runs them."""

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Completed:
        """Run a program to its end; raises TimeoutError when that takes longer than `seconds`."""


class SystemProcesses:
    """The machine's own programs."""

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Completed:
        """Run a program to its end; raises TimeoutError when that takes longer than `seconds`."""
        try:
            ended = subprocess.run(
                command, env=dict(environment), capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as expired:
            raise TimeoutError(f"{command[0]} took longer than {seconds:g} s") from expired
        return Completed(ended.returncode, ended.stdout, ended.stderr)


class Patience(StrEnum):
    """How long a client waits: a request's edge must answer within seconds, a stage may retry."""

    EDGE = "edge"
    STAGE = "stage"


_CONFIGURATIONS = {
    # Three calls that hang one after the other (zones, the ledger and its resend) still leave an answer within 5 s.
    Patience.EDGE: Config(connect_timeout=1, read_timeout=1.5, retries={"mode": "standard", "total_max_attempts": 1}),
    Patience.STAGE: Config(connect_timeout=3, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 4}),
}


_CONNECTIONS: Final = "apigatewaymanagementapi"
# What the ledger and its signatures need: these calls are the function's own, whatever it works on.
_ALWAYS_OWN: Final = frozenset({"dynamodb", "secretsmanager", "stepfunctions", _CONNECTIONS})


@dataclass
class Runtime:
    """One function's execution environment; clients are made on first use and kept while it is warm."""

    environment: Mapping[str, str]
    session: botocore.session.Session
    clock: Clock
    processes: Processes = field(default_factory=SystemProcesses)
    threads: Threads = field(default_factory=SystemThreads)
    web: Web = field(default_factory=SystemWeb)
    _clients: dict[tuple[str, Patience], BaseClient] = field(default_factory=dict)
    _kept: dict[type, object] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def patience(self) -> Patience:
        """Say how long the function's calls may take: `AWS_PATIENCE`, a stage's unless told otherwise."""
        return Patience(self.environment.get("AWS_PATIENCE") or Patience.STAGE)

    def client(self, service: str, patience: Patience) -> BaseClient:
        """Give the cached client of a service."""
        with self._lock:
            key = (service, patience)
            if key not in self._clients:
                made = self.session.create_client(
                    service,
                    region_name=self.environment["AWS_REGION"],
                    # Only the gateway of this deployment knows its connections.
                    endpoint_url=self.environment["CONNECTIONS_ENDPOINT"] if service == _CONNECTIONS else None,
                    config=_CONFIGURATIONS[patience],
                )
                made.meta.events.register("after-call", _name_service)
                if service not in _ALWAYS_OWN:
                    made.meta.events.register("before-sign", _sign_as_told)
                    made.meta.events.register("before-parameter-build", _begin_in_time)
                self._clients[key] = made
            return self._clients[key]

    def kept(self, kind: type[Kept]) -> Kept:
        """Give the one object of a kind, made on first use."""
        with self._lock:
            return cast("Kept", self._kept.setdefault(kind, kind()))


def _name_service(model: OperationModel, parsed: dict[str, dict[str, object]], **_: object) -> None:
    """Let an error say which service gave it: botocore's own names the call only."""
    parsed.setdefault("ResponseMetadata", {})["Service"] = model.service_model.signing_name


def _sign_as_told(request: AWSRequest, **_: object) -> None:
    """Sign with other credentials than the function's own, where the invocation says so; botocore looks for them."""
    if (credentials := _signing.get()) is not None:
        request.context.setdefault("signing", {})["request_credentials"] = credentials()


def _begin_in_time(**_: object) -> None:
    """Begin no call that there is no time left for; raises TimeOver."""
    deadlines.check(now())


_signing: ContextVar[Callable[[], Credentials] | None] = ContextVar("signing", default=None)
_bound: ContextVar[Runtime | None] = ContextVar("runtime", default=None)


@cache
def _process() -> Runtime:
    """Make the runtime of the process: one execution environment, one runtime."""
    return Runtime(os.environ, botocore.session.get_session(), SystemClock())


def current() -> Runtime:
    """Give the runtime of this invocation: the bound one, else the process."""
    return _bound.get() or _process()


@contextmanager
def bound(runtime: Runtime) -> Iterator[None]:
    """Run a block of code under `runtime`."""
    token = _bound.set(runtime)
    try:
        yield
    finally:
        _bound.reset(token)


@contextmanager
def signing_as(credentials: Callable[[], Credentials] | None) -> Iterator[None]:
    """Sign each call of a block of code, but the ledger's, with what `credentials` gives; None is the function's own.

    What `credentials` raises, the call raises. Clients are kept as they are: the credentials are those of the call.
    """
    token = _signing.set(credentials)
    try:
        yield
    finally:
        _signing.reset(token)


def run(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Completed:
    """Run a program to its end; raises TimeoutError when that takes longer than `seconds`."""
    return current().processes.run(command, environment, seconds)


def together(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Make calls at once, each under this invocation's runtime, and give their results in order.

    All of them end before the first error, in that order, is raised.
    """
    tasks = [Task(call) for call in calls]
    current().threads.run([task.make for task in tasks])
    return [task.result() for task in tasks]


def signer(service: str, credentials: Credentials) -> RequestSigner:
    """Give a signer of a service's requests with other credentials than the function's own."""
    runtime = current()
    emitter = runtime.session.get_component("event_emitter")
    return RequestSigner(ServiceId(service), runtime.environment["AWS_REGION"], service, "v4", credentials, emitter)


def web() -> Web:
    """Give what sends this invocation's HTTP requests to other addresses than those of AWS services."""
    return current().web


def credentials() -> Credentials:
    """Give the function's own credentials; raises NoCredentialsError where there are none."""
    found = current().session.get_credentials()
    if found is None:
        raise NoCredentialsError
    return found


def environment() -> Mapping[str, str]:
    """Give the function's environment variables."""
    return current().environment


def kept(kind: type[Kept]) -> Kept:
    """Give the one object of a kind that this execution environment keeps while it is warm."""
    return current().kept(kind)


def now() -> datetime:
    """Give the present instant, in UTC."""
    return current().clock.now()


def sleep(seconds: float) -> None:
    """Let `seconds` pass."""
    current().clock.sleep(seconds)


@overload
def client(service: Literal["cloudformation"], patience: Patience | None = ...) -> CloudFormationClient: ...
@overload
def client(service: Literal["dynamodb"], patience: Patience | None = ...) -> DynamoDBClient: ...
@overload
def client(service: Literal["ec2"], patience: Patience | None = ...) -> EC2Client: ...
@overload
def client(service: Literal["eks"], patience: Patience | None = ...) -> EKSClient: ...
@overload
def client(service: Literal["iam"], patience: Patience | None = ...) -> IAMClient: ...
@overload
def client(service: Literal["s3"], patience: Patience | None = ...) -> S3Client: ...
@overload
def client(service: Literal["sagemaker"], patience: Patience | None = ...) -> SageMakerClient: ...
@overload
def client(service: Literal["logs"], patience: Patience | None = ...) -> LogsClient: ...
@overload
def client(service: Literal["secretsmanager"], patience: Patience | None = ...) -> SecretsClient: ...
@overload
def client(service: Literal["service-quotas"], patience: Patience | None = ...) -> ServiceQuotasClient: ...
@overload
def client(service: Literal["sns"], patience: Patience | None = ...) -> TopicsClient: ...
@overload
def client(service: Literal["stepfunctions"], patience: Patience | None = ...) -> SFNClient: ...
@overload
def client(service: Literal["sts"], patience: Patience | None = ...) -> STSClient: ...
def client(service: str, patience: Patience | None = None) -> object:
    """Give this invocation's client of an AWS service, with the function's own credentials and patience."""
    runtime = current()
    return runtime.client(service, patience or runtime.patience)


def connections_client() -> ConnectionsClient:
    """Give this invocation's client of the connections of the deployment's WebSocket gateway."""
    runtime = current()
    return cast("ConnectionsClient", runtime.client(_CONNECTIONS, runtime.patience))
