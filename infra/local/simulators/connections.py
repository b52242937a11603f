"""The management API of a WebSocket gateway: sending to its connections, looking at them, closing them.

Source: API Gateway Management API reference. It answers below the stage's own path, which botocore's model leaves out.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Protocol

from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from infra.local.messages import HttpResponse

MAX_MESSAGE_BYTES = 128 * 1024


class Connection(Protocol):
    """What is told of a connection; instants in seconds since the epoch."""

    source_ip: str
    user_agent: str
    connected_at: float
    active_at: float


class Gateway(Protocol):
    """Where the connections are; `None` and False stand for one that is gone."""

    def look(self, connection_id: str) -> Connection | None:
        """Give a connection."""

    def post(self, connection_id: str, data: bytes) -> bool:
        """Send to a connection."""

    def delete(self, connection_id: str) -> bool:
        """Close a connection."""


class Connections(Service):
    """The connections of one WebSocket API."""

    name: ClassVar[str] = "apigatewaymanagementapi"
    records: None = None

    def __init__(
        self, now: Callable[[], datetime], account_id: str, region: str, gateway: Callable[[], Gateway]
    ) -> None:
        super().__init__(now, account_id, region)
        self._gateway = gateway

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations simulated."""
        return {
            "PostToConnection": self._post_to_connection,
            "GetConnection": self._get_connection,
            "DeleteConnection": self._delete_connection,
        }

    def handle(self, request: ServiceRequest) -> HttpResponse:
        """Answer one request."""
        path = request.http.path
        own = path[max(path.find("/@connections/"), 0) :]
        return super().handle(replace(request, http=replace(request.http, path=own)))

    def _post_to_connection(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        data: bytes = params["Data"]
        if len(data) > MAX_MESSAGE_BYTES:
            raise ServiceError("PayloadTooLargeException", f"The data has more than {MAX_MESSAGE_BYTES} bytes", 413)
        return _still_there(self._gateway().post(params["ConnectionId"], data))

    def _get_connection(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        connection = self._gateway().look(params["ConnectionId"])
        if connection is None:
            raise _gone()
        return {
            "ConnectedAt": datetime.fromtimestamp(connection.connected_at, UTC),
            "LastActiveAt": datetime.fromtimestamp(connection.active_at, UTC),
            "Identity": {"SourceIp": connection.source_ip, "UserAgent": connection.user_agent},
        }

    def _delete_connection(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        return _still_there(self._gateway().delete(params["ConnectionId"]))


def _still_there(there: bool) -> JsonObject:
    if not there:
        raise _gone()
    return {}


def _gone() -> ServiceError:
    return ServiceError("GoneException", "The connection is not open any more", 410)
