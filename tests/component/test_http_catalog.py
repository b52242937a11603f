"""What the catalog keeps, what it never keeps, and what its answers cost however large the account is."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core import runtime
from functions.core.ledger.items import item_of
from functions.core.ledger.tables import CLUSTERS
from infra.local.engine import ec2_catalog
from tests.component.test_http_support import Edge, account, edge
from tests.component.test_ledger_support import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["account", "edge"]

ROOT = "/api/catalog"
SILENCE = ReadTimeoutError(endpoint_url="https://aws.example")
THROTTLED = ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, "Describe")
CREATED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _paged() -> Iterator[None]:
    ec2_catalog.install()
    yield


def get(edge: Edge, path: str) -> dict[str, Any]:
    route, _, query = path.partition("?")
    answer = edge.send("GET", f"{ROOT}/{route}", query=query)
    assert answer.status == 200, answer.body
    return answer.body


def unknown(body: dict[str, Any]) -> list[str]:
    return [each["part"] for each in body["unknown"]]


@pytest.mark.parametrize("error", [SILENCE, THROTTLED], ids=["silence", "throttled"])
def test_a_failure_to_read_hardware_is_told_and_not_kept(edge: Edge, error: Exception) -> None:
    failing = {"on": True}

    def fail(**_: object) -> None:
        if failing["on"]:
            raise error

    edge.account.runtime.session.register("before-call.ec2.DescribeInstanceTypes", fail)
    body = get(edge, "instance_types?limit=5")
    assert (body["source"], unknown(body)) == ("shipped", ["hardware"])
    assert {each["source"] for each in body["instance_types"]} == {"shipped"}
    failing["on"] = False
    after = get(edge, "instance_types?limit=5")
    assert (after["source"], unknown(after)) == ("run_time", [])


def test_hardware_is_kept_for_a_day_and_offerings_never(edge: Edge) -> None:
    def calls() -> dict[str, int]:
        return edge.counting("GET", f"{ROOT}/instance_types")

    offered = {"DescribeInstanceTypeOfferings": 1}
    assert calls() == offered | {"DescribeInstanceTypes": 3}
    assert calls() == offered
    edge.account.clock.advance(hours=25)
    assert calls() == offered | {"DescribeInstanceTypes": 3}


def test_one_type_read_first_does_not_stand_for_all(edge: Edge) -> None:
    assert get(edge, "instance_types/ml.g6.4xlarge")["source"] == "run_time"
    listed = get(edge, "instance_types?limit=5")
    assert {each["source"] for each in listed["instance_types"]} == {"run_time"}


def remember(numbers: range) -> None:
    """Write what the ledger keeps of clusters' names, as their creation does."""
    table = ENVIRONMENT[CLUSTERS.variable]
    tags = [f"t{number:03}" for number in numbers]
    items = [
        item_of(
            {
                "cluster_tag": tag,
                "record": "spec",
                "eks_cluster": f"eks-cluster-{tag}",
                "hyperpod_cluster": f"hp-cluster-{tag}",
            }
        )
        for tag in tags
    ]
    for start in range(0, len(items), 25):
        written = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        runtime.client("dynamodb").batch_write_item(RequestItems={table: cast("Any", written)})


def populate(edge: Edge, known: range, foreign: list[str], names: list[str]) -> None:
    """Make an account with so many clusters of ours, and others."""
    remember(known)
    for number in known:
        edge.surroundings.clusters[f"hp-cluster-t{number:03}"] = []
    names[:] = sorted([*(f"eks-cluster-t{number:03}" for number in range(known.stop)), *foreign])


def list_clusters(edge: Edge, names: list[str]) -> None:
    """Let EKS list its clusters by name, as many a page as it is asked for."""

    def page(*, params: dict[str, Any], **_: object) -> object:
        edge.account.calls.append("ListClusters")
        asked = params["query_string"]
        start = int(asked.get("nextToken", 0))
        end = start + int(asked["maxResults"])
        following = {"nextToken": str(end)} if end < len(names) else {}
        return SimpleNamespace(status_code=200), {"clusters": names[start:end], **following}

    edge.account.runtime.session.register("before-call.eks.ListClusters", cast("Any", page))


def described(_: dict[str, Any]) -> dict[str, Any]:
    cluster = {"name": "x", "arn": "arn:x", "version": "1.33", "status": "ACTIVE", "createdAt": CREATED}
    return {"cluster": cluster | {"accessConfig": {"authenticationMode": "API"}}}


@pytest.mark.case(11)
def test_foreign_clusters_are_found_among_five_hundred_with_as_few_calls_a_page_as_among_three(edge: Edge) -> None:
    edge.surroundings.answer(edge.account, "eks.DescribeCluster", described)
    names: list[str] = []
    list_clusters(edge, names)
    foreign = ["billing-prod", "eks-cluster-of-others", "research"]
    populate(edge, range(3), foreign, names)
    few, body = counted(edge)
    assert [each["name"] for each in body["importable_clusters"]] == foreign
    assert body["next_token"] is None
    # One to list, one to know ours; where there are others two more, and one for each to describe it.
    assert few == {"ListClusters": 2, "Scan": 2, "DescribeCluster": 3}
    populate(edge, range(3, 500), foreign, names)
    first, body = counted(edge)
    assert [each["name"] for each in body["importable_clusters"]] == foreign[:2]
    assert first == few | {"DescribeCluster": 2}
    assert counted(edge, body["next_token"])[0] == {"ListClusters": 1, "Scan": 1}


def counted(edge: Edge, token: str = "") -> tuple[dict[str, int], dict[str, Any]]:
    """One page, and the calls that it took."""
    with edge.account.counted() as calls:
        body = get(edge, f"importable_clusters?{token and f'next_token={token}'}")
    return dict(Counter(calls)), body


def test_a_quota_that_the_account_does_not_have_is_unknown(edge: Edge) -> None:
    """Service Quotas has some quotas only once AWS Support has added them."""
    missing = ClientError({"Error": {"Code": "NoSuchResourceException", "Message": "none"}}, "GetServiceQuota")
    edge.surroundings.failing["GetServiceQuota"] = missing
    body = get(edge, "quotas")
    assert {each["value"] for each in body["quotas"]} == {None}
    parts = {"quotas.sagemaker.value": 3, "quotas.vpc.value": 2, "quotas.ec2.value": 1}
    assert Counter(unknown(body)) == parts
    assert "VPCs per Region" in " ".join(each["reason"] for each in body["unknown"])


def test_routes_of_the_catalog_are_for_readers(edge: Edge) -> None:
    for path in ("regions", "kubernetes_versions", "quotas", "cidr_suggestion", "importable_clusters"):
        assert edge.send("GET", f"{ROOT}/{path}", scopes=[]).status == 403
        assert edge.send("GET", f"{ROOT}/{path}", query="region=eu-west-1").fields == ["region"]


def test_codes_that_take_long_to_learn_leave_the_other_quotas_known_and_are_learnt_later(edge: Edge) -> None:
    """SageMaker has thousands of quotas at a hundred a page; the listing goes on where it stopped."""
    name = "ml.c5.large for cluster usage"
    pages = iter(range(100))

    def slow(**_: object) -> object:
        edge.account.clock.advance(seconds=3)
        number = next(pages)
        listed = [{"QuotaName": name, "QuotaCode": f"L-{name}", "Value": 7.0}] if number == 3 else []
        following = {} if number == 3 else {"NextToken": str(number)}
        return SimpleNamespace(status_code=200), {"Quotas": listed, **following}

    emitter = edge.account.runtime.session.get_component("event_emitter")
    emitter.register_first("before-call.service-quotas.ListServiceQuotas", slow)
    first = get(edge, "quotas?instance_types=ml.c5.large")
    assert unknown(first) == ["quotas.cluster_usage.value"]
    known = {each["name"]: each["value"] for each in first["quotas"]}
    assert (known[name], known["VPCs per Region"] is None) == (None, False)
    second = get(edge, "quotas?instance_types=ml.c5.large")
    assert {each["name"]: each["value"] for each in second["quotas"]}[name] == 100.0
