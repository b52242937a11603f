"""AWS sessions whose calls reach the host's endpoint in process, signed with an identity's own keys."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

import botocore.endpoint
import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.exceptions import ReadTimeoutError

from infra.local import faults, invocation
from infra.local.clock import Clock
from infra.local.faults import Fault, Faults, Kind
from infra.local.identities import Identity
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from botocore.client import BaseClient

_READ_SECONDS: Final = 60


class Endpoint(Protocol):
    """The one AWS endpoint."""

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one signed request."""


class Sessions:
    """Makes the sessions of the host: for functions, state machines, service roles and the host itself."""

    def __init__(
        self, endpoint: Endpoint, clock: Clock, plan: Faults, region: str, session_of: Callable[[HttpRequest], str]
    ) -> None:
        self._endpoint = endpoint
        self._session_of = session_of
        self._clock = clock
        self._plan = plan
        self._region = region
        self._loader = botocore.session.get_session().get_component("data_loader")
        _retry_on(clock)

    def of(self, identity: Identity, told_as: str = "") -> LocalSession:
        """Give a session that signs as `identity`; faults know its calls as those of the role `told_as`, if any."""
        session = LocalSession(self._wire(told_as or identity.role_arn))
        session.set_credentials(identity.access_key, identity.secret_key, identity.session_token)
        session.set_config_variable("region", self._region)
        session.set_config_variable("account_id_endpoint_mode", "disabled")
        session.register_component("data_loader", self._loader)
        return session

    def _wire(self, role: str) -> Callable[[BaseClient], None]:
        def wire(client: BaseClient) -> None:
            service = client.meta.service_model.service_name
            timeout = float(vars(client.meta.config)["_user_provided_options"].get("read_timeout", _READ_SECONDS))

            def send(request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse:
                return self._send(request, service, event_name.rpartition(".")[2], role, timeout)

            client.meta.events.register_last("before-send", send)  # type: ignore[arg-type]  # it uses what this returns

        return wire

    def _send(
        self, request: AWSPreparedRequest, service: str, operation: str, role: str, timeout: float
    ) -> AWSResponse:
        invocation.check_alive()
        sent = _sent(request)
        fault = self._plan.strike(service, operation, role, self._session_of(sent))
        response = self._faulty(fault, sent, request.url, timeout) if fault else self._endpoint.handle(sent)
        invocation.check_alive()
        return _received(request, response)

    def _faulty(self, fault: Fault, sent: HttpRequest, url: str, timeout: float) -> HttpResponse:
        if fault.kind is Kind.HANG:
            self._clock.sleep(timeout)
            invocation.check_alive()
            raise ReadTimeoutError(endpoint_url=url)
        if fault.kind is Kind.KILL_BEFORE:
            invocation.kill()
        if fault.kind in (Kind.KILL_AFTER, Kind.FAIL_AFTER):
            self._endpoint.handle(sent)
        if fault.kind is Kind.KILL_AFTER:
            invocation.kill()
        return faults.answer(fault)


class LocalSession(botocore.session.Session):
    """A botocore session that wires each client it makes to the host."""

    def __init__(self, wire: Callable[[BaseClient], None]) -> None:
        super().__init__()
        self._wire_client = wire

    if not TYPE_CHECKING:  # the signature is botocore's

        def create_client(self, *args: object, **kwargs: object) -> BaseClient:
            """Make a client whose calls stay in this process."""
            client = super().create_client(*args, **kwargs)
            self._wire_client(client)
            return client


def _retry_on(clock: Clock) -> None:
    """Let retries of threads that run on the clock sleep on it; all other clients of the process sleep as ever."""
    module = ModuleType("time")
    vars(module).update(vars(time))
    vars(module)["sleep"] = partial(_sleep, clock)
    vars(botocore.endpoint)["time"] = module


def _sleep(clock: Clock, seconds: float) -> None:
    if clock.holds():
        clock.sleep(seconds)
    else:
        time.sleep(seconds)


def _sent(request: AWSPreparedRequest) -> HttpRequest:
    url = urlsplit(request.url)
    headers = {name.lower(): _text(value) for name, value in request.headers.items()}
    headers.setdefault("host", url.netloc)
    return HttpRequest(request.method, unquote(url.path), url.query, headers, _bytes(request.body))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _bytes(body: object) -> bytes:
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    if isinstance(body, _Readable):
        return _bytes(body.read())
    raise TypeError(f"a request body of {type(body).__name__} cannot be sent")


@runtime_checkable
class _Readable(Protocol):
    def read(self) -> object: ...


class _Raw(io.BytesIO):
    """What botocore reads an in-process answer from, as it would from urllib3."""

    def stream(self, amt: int = 65536, **_: object) -> Iterator[bytes]:
        while chunk := self.read(amt):
            yield chunk


def _received(request: AWSPreparedRequest, response: HttpResponse) -> AWSResponse:
    headers = HeadersDict(response.headers)
    return AWSResponse(request.url, response.status, headers, _Raw(response.body))  # type: ignore[arg-type]  # as botocore
