"""What the component tests of the HTTP routes share: requests through the gateway to the real handler, on moto."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from functions.core import runtime
from functions.core.ledger import queries
from functions.core.ledger.items import item_of
from functions.core.ledger.tables import CLUSTERS
from functions.entry import api
from functions.entry.domains import DECLARATIONS
from infra.local.gateway import HttpGateway, local_authorizer
from infra.local.messages import HttpRequest
from tests.component.test_ledger_support import ACCOUNT, ENVIRONMENT, Account, account, cluster_records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from pydantic import JsonValue

__all__ = ["account", "edge"]

# moto would make 2,600 machine images for each test that looks at a zone.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

HYPERPOD: Final[dict[str, JsonValue]] = {
    "availability_zone": "us-west-2c",
    "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
}


@dataclass
class Context:
    """Lambda's context, with as much time left as the test says."""

    seconds: float = 29

    def get_remaining_time_in_millis(self) -> int:
        return int(self.seconds * 1000)


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def fields(self) -> list[str]:
        """The fields that a problem blames."""
        return [error["field"] for error in self.body["errors"]]


@dataclass
class Edge:
    """A client of the API: requests become events, the handler's answers become responses."""

    account: Account
    context: Context = field(default_factory=Context)

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: str = "",
        key: str | None = None,
        caller: str = "local",
        scopes: Sequence[str] = ("read", "operate", "admin"),
    ) -> Answer:
        headers = {"content-type": "application/json"} | ({"idempotency-key": key} if key else {})
        content = b"" if body is None else json.dumps(body).encode()
        clock = self.account.clock
        routes = [route for declaration in DECLARATIONS for route in declaration.routes]
        gateway = HttpGateway(routes, self.invoke, clock.now, ACCOUNT, "us-west-2")
        request = HttpRequest(method, path, query, headers, content)
        response = gateway.handle(request, "192.0.2.1", authorizer(caller, scopes))
        return Answer(response.status, response.headers, json.loads(response.body or b"{}"))

    def invoke(self, function: str, event: dict[str, JsonValue]) -> JsonValue:
        assert function == "api"
        return api.handler(event, cast("LambdaContext", self.context))

    def create(
        self,
        tag: str | None = "t1",
        *,
        key: str | None = None,
        caller: str = "local",
        scopes: Sequence[str] = ("read", "operate", "admin"),
    ) -> Answer:
        body: dict[str, object] = {"hyperpod": HYPERPOD} | ({"tag": tag} if tag else {})
        return self.send("POST", "/api/clusters", body, key=key, caller=caller, scopes=scopes)

    def counting(self, method: str, path: str, body: object = None, *, query: str = "") -> dict[str, int]:
        """The AWS calls that one request makes, by name."""
        with self.account.counted() as calls:
            assert self.send(method, path, body, query=query).status < 300
        return dict(Counter(calls))


def authorizer(caller: str, scopes: Sequence[str]) -> Callable[[HttpRequest, Sequence[str]], dict[str, JsonValue]]:
    def verified(request: HttpRequest, wanted: Sequence[str]) -> dict[str, JsonValue]:
        identity = local_authorizer(request, wanted)
        token = identity["jwt"]
        assert isinstance(token, dict)
        claims: dict[str, JsonValue] = {
            "sub": caller,
            "client_id": "test",
            "scope": " ".join(f"instantstart/{scope}" for scope in scopes),
        }
        return {"jwt": token | {"claims": claims}}

    return verified


@pytest.fixture
def edge(account: Account) -> Edge:
    return Edge(account)


def set_condition(tag: str, condition: str, status: str = "True", message: str = "as asked") -> None:
    item = {"cluster_tag": tag, "record": f"condition#{condition}", "status": status, "message": message}
    runtime.client("dynamodb").put_item(TableName=ENVIRONMENT[CLUSTERS.variable], Item=item_of(item))


def free_leases(tag: str) -> None:
    for record in cluster_records(tag):
        if record.startswith("lease#"):
            key = item_of({"cluster_tag": tag, "record": record})
            runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT[CLUSTERS.variable], Key=key)


def standing(edge: Edge, tag: str, *conditions: str) -> None:
    """A cluster whose creation has got as far as these conditions."""
    edge.create(tag)
    free_leases(tag)
    for condition in conditions:
        set_condition(tag, condition)


def stages_of(operation_id: str) -> list[tuple[str, str]]:
    """The phases and names of an operation's stages."""
    return [(stage.phase, stage.name) for stage in queries.get(operation_id).stages]
