"""WebSockets as the tests of the local host open them, and what they were told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import pytest

from functions.connections import tickets
from functions.core import runtime
from functions.core.caller import Caller
from functions.core.declaration import Scope
from functions.core.ledger.models import Channel
from infra.local.simulators.bus_event import BusEvent
from infra.local.socket_client import SocketClient
from infra.local.websocket import ConnectionRefused
from tests.host.driver import Driver, Json

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import ScanOutputTypeDef

# A change reaches its subscribers within a fraction of a second.
SOON = 1.0


def connect(driver: Driver) -> SocketClient:
    return driver.host.websocket(driver.send("POST", "/api/tickets").body["ticket"])


def connect_as(driver: Driver, caller: str, *scopes: Scope) -> SocketClient:
    """Connect as somebody that the local host's one caller is not."""
    claims = Caller(id=caller, scopes=frozenset(scopes), client="test", channel=Channel.REST)
    with runtime.bound(driver.host.functions.environment("api").runtime):
        ticket = tickets.issue(claims).ticket
    return driver.host.websocket(ticket)


def refusal(call: Callable[[], SocketClient]) -> int:
    with pytest.raises(ConnectionRefused) as refused:
        call()
    return refused.value.status


def operations(client: SocketClient) -> list[tuple[str, int]]:
    """The operations and versions that a client was told of."""
    told = [message for message in client.received if message["type"] == "operation"]
    return [(str(message["operation_id"]), cast("int", message["version"])) for message in told]


def of_type(client: SocketClient, kind: str) -> list[Json]:
    return [dict(message) for message in client.received if message["type"] == kind]


def rows(driver: Driver, table: str) -> ScanOutputTypeDef:
    return driver.host.client("dynamodb").scan(TableName=f"instantstart-{table}")


def begun(driver: Driver, tag: str = "watched") -> str:
    return str(driver.post("/api/clusters", {"tag": tag})["operation_id"])


def hyperpod_event(at: datetime, status: str = "InService", cluster: str = "hp-cluster-base") -> BusEvent:
    detail: dict[str, Any] = {"ClusterName": cluster, "ClusterStatus": status, "FailureMessage": ""}
    return BusEvent("aws.sagemaker", "SageMaker HyperPod Cluster State Change", detail, (), at)
