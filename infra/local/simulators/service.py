"""Base of every simulated AWS service: parse, validate strictly, dispatch, serialise; state is plain records.

A simulator keeps no threads. `settle` brings its records up to the clock, so what it answers depends on nothing but the
records and `now()`.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from infra.local.simulators.protocol import InvalidParameters, MalformedRequest, Protocol, UnknownOperation
from infra.local.simulators.validation import detected

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from infra.local.messages import HttpRequest, HttpResponse

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Principal:
    """Who signed a request; for sessions `arn` is the assumed-role ARN, and `role_arn` the role with its path."""

    access_key: str
    arn: str
    account_id: str
    role_arn: str = ""


@dataclass(frozen=True)
class ServiceRequest:
    """An AWS API request whose signature was judged at the endpoint."""

    http: HttpRequest
    region: str
    principal: Principal


class ServiceError(Exception):
    """An AWS error answer; `members` are further fields of a modelled error."""

    def __init__(self, code: str, message: str, status: int = 400, **members: object) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.members = members


def unverified(what: str) -> ServiceError:
    """The refusal of behaviour that the simulator cannot vouch for."""
    return ServiceError("UnverifiedOperation", f"unverified: {what} is not simulated", status=501)


def refuse_unverified(params: Mapping[str, object], allowed: Collection[str]) -> None:
    """Refuse members that would change behaviour on AWS and are not simulated."""
    unknown = sorted(name for name, value in params.items() if value is not None and name not in allowed)
    if unknown:
        raise unverified(f"input member {', '.join(unknown)}")


class Service(ABC):
    """One AWS service of one account and region, simulated in process."""

    name: ClassVar[str]
    """botocore service name."""
    scope_name: ClassVar[str] = ""
    """Name in the credential scope, where that is another one."""
    validation_code: ClassVar[str] = "ValidationException"
    """Error code for a request that breaks the model's constraints."""

    records: object
    """Everything the service remembers, picklable."""

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str) -> None:
        self.now = now
        self.account_id = account_id
        self.region = region
        self._protocol = Protocol(self.name)

    @property
    @abstractmethod
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """Operation name → method; what is not listed is refused as unverified."""

    def handle(self, request: ServiceRequest) -> HttpResponse:
        """Answer one request."""
        try:
            return self._answer(request)
        except ServiceError as error:
            return self._protocol.error(error.code, error.message, error.status, error.members)
        except InvalidParameters as error:
            return self._protocol.error(self.validation_code, detected(str(error)), 400, {})
        except MalformedRequest as error:
            return self._protocol.error("SerializationException", str(error), 400, {})
        except UnknownOperation as error:
            return self._protocol.error("UnknownOperationException", f"{self.name} has no operation {error}", 404, {})

    def _answer(self, request: ServiceRequest) -> HttpResponse:
        operation, labels = self._protocol.match(request.http)
        method = self.operations.get(operation.name)
        if method is None:
            raise unverified(f"{self.name} operation {operation.name}")
        params = self._protocol.read(operation, labels, request.http)
        self.settle()
        return self._protocol.answer(operation, method(params, request))

    def settle(self) -> None:  # noqa: B027 - a service without transitions has nothing to do
        """Bring the records up to the clock; calling it twice changes nothing."""

    def deadlines(self) -> Iterable[datetime]:
        """Moments, past and future, at which something changes by itself: where a jumping clock may stop."""
        return ()

    def snapshot(self) -> bytes:
        """Everything the service remembers."""
        return pickle.dumps(self.records)

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot, taken in this process or an earlier one of the same code."""
        self.records = pickle.loads(state)
