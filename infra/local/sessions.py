"""AWS sessions whose calls reach the host's endpoint in process, signed with an identity's own keys."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Protocol
from urllib.parse import unquote, urlsplit

import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.client import BaseClient
from botocore.exceptions import ReadTimeoutError

from infra.local import faults, invocation
from infra.local.clock import Clock
from infra.local.faults import Fault, Faults, Kind
from infra.local.identities import Identity
from infra.local.messages import HttpRequest, HttpResponse


class Endpoint(Protocol):
    """The one AWS endpoint."""

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one signed request."""


class Sessions:
    """Makes the sessions of the host: for functions, state machines, service roles and the host itself."""

    def __init__(self, endpoint: Endpoint, clock: Clock, plan: Faults, region: str) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._plan = plan
        self._region = region
        self._loader = botocore.session.get_session().get_component("data_loader")

    def of(self, identity: Identity) -> LocalSession:
        """Give a session that signs as `identity`."""
        session = LocalSession(self._wire(identity.role_arn))
        session.set_credentials(identity.access_key, identity.secret_key, identity.session_token)
        session.set_config_variable("region", self._region)
        session.set_config_variable("account_id_endpoint_mode", "disabled")
        session.register_component("data_loader", self._loader)
        return session

    def _wire(self, role: str) -> Callable[[BaseClient], None]:
        def wire(client: BaseClient) -> None:
            service = client.meta.service_model.service_name
            timeout = client.meta.config.read_timeout

            def send(request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse:
                return self._send(request, service, event_name.rpartition(".")[2], role, timeout)

            client.meta.events.register_last("before-send", send)

        return wire

    def _send(
        self, request: AWSPreparedRequest, service: str, operation: str, role: str, timeout: float
    ) -> AWSResponse:
        invocation.check_alive()
        fault = self._plan.strike(service, operation, role)
        if fault is None:
            response = self._endpoint.handle(_sent(request))
        else:
            response = self._faulty(fault, request, timeout)
        invocation.check_alive()
        return _received(request, response)

    def _faulty(self, fault: Fault, request: AWSPreparedRequest, timeout: float) -> HttpResponse:
        if fault.kind is Kind.HANG:
            self._clock.sleep(timeout)
            invocation.check_alive()
            raise ReadTimeoutError(endpoint_url=request.url)
        if fault.kind is Kind.KILL_BEFORE:
            _kill()
        if fault.kind in (Kind.KILL_AFTER, Kind.FAIL_AFTER):
            self._endpoint.handle(_sent(request))
        if fault.kind is Kind.KILL_AFTER:
            _kill()
        return faults.answer(fault)


class LocalSession(botocore.session.Session):
    """A botocore session that wires each client it makes to the host."""

    def __init__(self, wire: Callable[[BaseClient], None]) -> None:
        super().__init__()
        self._wire_client = wire

    def create_client(self, *args: object, **kwargs: object) -> BaseClient:
        """Make a client whose calls stay in this process."""
        client = super().create_client(*args, **kwargs)
        self._wire_client(client)
        return client


def _kill() -> None:
    alive = invocation.current.get()
    if alive is not None:
        alive.kill()


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
    content = body.read()  # type: ignore[attr-defined]
    return content if isinstance(content, bytes) else str(content).encode()


class _Raw(io.BytesIO):
    """What botocore reads an in-process answer from, as it would from urllib3."""

    def stream(self, amt: int = 65536, **_: object) -> object:
        while chunk := self.read(amt):
            yield chunk


def _received(request: AWSPreparedRequest, response: HttpResponse) -> AWSResponse:
    return AWSResponse(request.url, response.status, response.headers, _Raw(response.body))
