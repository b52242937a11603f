"""What the component tests of the HTTP routes share: requests through the gateway to the real handler, on moto."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from functions.catalog.tables import instance_types, quota_codes
from functions.core import runtime
from functions.core.groups import ADMINISTRATORS
from functions.core.ledger import queries
from functions.core.ledger.items import item_of
from functions.core.ledger.tables import CLUSTERS, listing_marks
from functions.entry import api, catalog, diagnostics, kubernetes
from functions.entry.domains import DECLARATIONS
from infra.local.gateway import HttpGateway, local_authorizer
from infra.local.messages import HttpRequest
from infra.release import function_role
from mcp_gateway.wording import Speech
from tests.component.test_ledger_support import ACCOUNT, ENVIRONMENT, Account, account, cluster_records
from tests.component.test_privilege_support import PLACE, acting_as, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from botocore.model import OperationModel
    from pydantic import JsonValue

__all__ = ["account", "edge"]

# moto would make 2,600 machine images for each test that looks at a zone.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

ZONES: Final = ["us-west-2a", "us-west-2b", "us-west-2c"]
OFFERED: Final = {kind.removeprefix("ml."): ZONES for kind in instance_types()}
_ROUTE: Final = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE) /api/\w+")
QUOTAS: Final = [
    f"{kind} for cluster {usage}" for kind in instance_types() for usage in ("usage", "spot instance usage")
]
# The quotas of networks, by their codes, as AWS sets them.
NETWORK_QUOTAS: Final = {
    "L-F678F1CE": ("VPCs per Region", 5.0),
    "L-0263D0A3": ("EC2-VPC Elastic IPs", 5.0),
    "L-DF5E4CA3": ("Network interfaces per Region", 5000.0),
}
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


def routes_left(value: JsonValue, member: str = "") -> Iterator[str]:
    """Walk through the routes that the gateway would tell an agent of; in the audit's entries a route is data."""
    if member == "entries":
        return
    if isinstance(value, dict):
        yield from (text for name, each in value.items() for text in routes_left(each, name))
    elif isinstance(value, list):
        yield from (text for each in value for text in routes_left(each, member))
    elif isinstance(value, str) and _ROUTE.search(value):
        yield f"{member}: {value}"


@dataclass
class Edge:
    """A client of the API: requests become events, the handler's answers become responses."""

    account: Account
    context: Context = field(default_factory=Context)
    surroundings: Surroundings = field(default_factory=lambda: Surroundings())  # noqa: PLW0108  # it is defined below

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
        groups: Sequence[str] = (),
        client: str = "test",
    ) -> Answer:
        headers = {"content-type": "application/json"} | ({"idempotency-key": key} if key else {})
        content = b"" if body is None else json.dumps(body).encode()
        clock = self.account.clock
        routes = [route for declaration in DECLARATIONS for route in declaration.routes]
        gateway = HttpGateway(routes, self.invoke, clock.now, ACCOUNT, "us-west-2")
        request = HttpRequest(method, path, query, headers, content)
        response = gateway.handle(request, "192.0.2.1", authorizer(caller, scopes, groups, client))
        answer = Answer(response.status, response.headers, json.loads(response.body or b"{}"))
        assert [*routes_left(Speech().told(answer.body))] == [], "an agent is told of a route where it knows tools"
        return answer

    def invoke(self, function: str, event: dict[str, JsonValue]) -> JsonValue:
        handlers = {
            "api": api.handler,
            "catalog": catalog.handler,
            "diagnostics": diagnostics.handler,
            "kubernetes": kubernetes.handler,
        }
        handler = handlers[function]
        with acting_as(PLACE.global_name(function_role(function))):
            return handler(event, cast("LambdaContext", self.context))

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


def authorizer(
    caller: str, scopes: Sequence[str], groups: Sequence[str] = (), client: str = "test"
) -> Callable[[HttpRequest, Sequence[str]], dict[str, JsonValue]]:
    def verified(request: HttpRequest, wanted: Sequence[str]) -> dict[str, JsonValue]:
        identity = local_authorizer(request, wanted)
        token = identity["jwt"]
        assert isinstance(token, dict)
        claims: dict[str, JsonValue] = {
            "sub": caller,
            "client_id": client,
            # This group holds every scope, so those that the token names are those that count.
            "cognito:groups": f"[{' '.join((*groups, ADMINISTRATORS))}]",
            "scope": " ".join(f"instantstart/{scope}" for scope in scopes),
        }
        return {"jwt": token | {"claims": claims}}

    return verified


@dataclass
class Surroundings:
    """What AWS says of the account when a request about capacity is checked; tests change it before they send one."""

    offerings: dict[str, list[str]] = field(default_factory=lambda: dict(OFFERED))
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    quotas: dict[str, float] = field(default_factory=dict)
    clusters: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    security_groups: list[dict[str, Any]] = field(default_factory=list)
    failing: dict[str, Exception] = field(default_factory=dict)
    """What operations raise, by their names, or with the service's before where two have one of the name."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long operations take."""

    def install(self, account: Account) -> None:
        """Answer in place of moto, which has none of this."""
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "ec2.DescribeInstanceTypeOfferings": self._offerings,
            "ec2.DescribeSecurityGroups": lambda _: {"SecurityGroups": self.security_groups},
            "sagemaker.DescribeTrainingPlan": self._plan,
            "sagemaker.ListClusters": lambda _: {"ClusterSummaries": [{"ClusterName": n} for n in self.clusters]},
            "sagemaker.DescribeCluster": self._cluster,
            "service-quotas.ListServiceQuotas": lambda _: {"Quotas": [self._quota(name) for name in self._names()]},
            "service-quotas.GetServiceQuota": self._quota_by_code,
        }
        for event, answer in answers.items():
            self.answer(account, event, answer)

    def answer(self, account: Account, event: str, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Answer one more operation, such as `sagemaker.ListClusterNodes`."""
        account.runtime.session.register(f"before-call.{event}", self._answering(account, answer))

    def _answering(self, account: Account, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[..., None]:
        def reply(*, model: OperationModel, params: dict[str, Any], **_: object) -> object:
            account.calls.append(model.name)
            denied = judged(model, params)
            if denied is not None:
                return denied
            account.clock.advance(seconds=self.seconds.get(model.name, 0))
            for name in (model.name, f"{model.service_model.service_name}.{model.name}"):
                if name in self.failing:
                    raise self.failing[name]
            sent = params["body"]
            parsed = answer(sent if isinstance(sent, dict) else json.loads(sent or b"{}"))
            return SimpleNamespace(status_code=400 if "Error" in parsed else 200), parsed

        # What a handler of this event gives is the answer; the stubs know only of handlers that give nothing.
        return cast("Callable[..., None]", reply)

    def _offerings(self, _: dict[str, Any]) -> dict[str, Any]:
        found = [(kind, zone) for kind, zones in self.offerings.items() for zone in zones]
        return {"InstanceTypeOfferings": [{"InstanceType": kind, "Location": zone} for kind, zone in found]}

    def _plan(self, body: dict[str, Any]) -> dict[str, Any]:
        arn = body["TrainingPlanName"]
        if arn not in self.plans:
            return {"Error": {"Code": "ResourceNotFound", "Message": f"{arn} does not exist"}}
        return {"TrainingPlanArn": arn, "TrainingPlanName": arn.rpartition("/")[2], **self.plans[arn]}

    def _cluster(self, body: dict[str, Any]) -> dict[str, Any]:
        name = body["ClusterName"]
        if name not in self.clusters:
            return {"Error": {"Code": "ResourceNotFound", "Message": f"Cluster with name {name} not found"}}
        arn = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/{name}"
        eks = f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/eks-cluster-{name.removeprefix('hp-cluster-')}"
        known = {"ClusterName": name, "ClusterArn": arn, "ClusterStatus": "InService"}
        known |= {"Orchestrator": {"Eks": {"ClusterArn": eks}}}
        return {**known, "InstanceGroups": self.clusters[name]}

    def _names(self) -> list[str]:
        return [*self.quotas, *(name for name in QUOTAS if name not in self.quotas)]

    def _quota(self, name: str) -> dict[str, Any]:
        code = quota_codes().get(name, f"L-{name}")
        return {"QuotaName": name, "QuotaCode": code, "Value": self.quotas.get(name, 100.0)}

    def _quota_by_code(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["ServiceCode"] != "sagemaker":
            name, usual = NETWORK_QUOTAS[body["QuotaCode"]]
            quota = {"QuotaName": name, "QuotaCode": body["QuotaCode"], "Value": self.quotas.get(name, usual)}
            return {"Quota": quota}
        names = {code: name for name, code in quota_codes().items()}
        return {"Quota": self._quota(names.get(body["QuotaCode"], body["QuotaCode"].removeprefix("L-")))}


@pytest.fixture
def edge(account: Account) -> Edge:
    made = Edge(account)
    made.surroundings.install(account)
    return made


def set_condition(tag: str, condition: str, status: str = "True", message: str = "as asked") -> None:
    record = f"condition#{condition}"
    item = {"cluster_tag": tag, "record": record, "status": status, "message": message, **listing_marks(tag, record)}
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
