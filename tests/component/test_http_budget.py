"""The time that a request has for all that it is checked by: one for the whole of it, and no call begins after it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from functions.core.cluster import AccessRole
from functions.core.gathering import EDGE_TIME
from tests.component.test_http_reuse_support import HYPERPOD, Own, own
from tests.component.test_http_settings import set_choice
from tests.component.test_http_support import Answer, Edge, account, edge, standing
from tests.component.test_http_upgrades import CONDITIONS, ElasticKubernetes, group

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botocore.model import OperationModel


__all__ = ["account", "edge", "own"]

SLOW = timedelta(seconds=1.5)


class OneByOne:
    """Threads that run one after the other: what each call takes adds up."""

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        for call in calls:
            call()


@pytest.fixture
def slow(edge: Edge) -> Edge:
    """An account whose every answer takes a while, asked one call after the other; the ledger's take none."""

    def take_long(*, model: OperationModel, **_: object) -> None:
        if model.service_model.service_name != "dynamodb":
            edge.account.clock.advance(seconds=SLOW.total_seconds())

    edge.account.runtime.threads = OneByOne()
    edge.account.runtime.session.register("after-call", cast("Callable[..., None]", take_long))
    return edge


def unchecked(answer: Answer) -> set[str]:
    return {each["check"] for each in answer.body["findings"] if each["message"].startswith("unchecked: ")}


def timed(
    edge: Edge, path: str, body: dict[str, Any] | None, method: str = "POST", query: str = "dry_run=true"
) -> tuple[Answer, timedelta]:
    """Try a request, and say how long it took."""
    before = edge.account.clock.now()
    answer = edge.send(method, path, body, query=query)
    assert answer.status == 200, answer.body
    return answer, edge.account.clock.now() - before


@pytest.mark.case(71)
def test_what_is_taken_over_is_looked_at_in_the_time_of_all_other_checks(slow: Edge, own: Own) -> None:
    body = {"tag": "t1", "foundation": own.members, "hyperpod": HYPERPOD}
    answer, took = timed(slow, "/api/clusters", body)
    assert EDGE_TIME <= took <= EDGE_TIME + SLOW
    # One after the other the first check alone takes up nearly all of the time.
    assert unchecked(answer) >= {"reused_security_group", "reused_role", "reused_bucket", "cluster_usage_quota"}


@pytest.mark.case(71)
def test_an_upgrade_is_previewed_within_the_same_time(slow: Edge) -> None:
    standing(slow, "t1", *CONDITIONS)
    eks = ElasticKubernetes()
    eks.install(slow)
    slow.surroundings.clusters["hp-cluster-t1"] = [group()]
    slow.surroundings.seconds["DescribeAddonVersions"] = 9
    with slow.account.counted() as calls:
        answer, took = timed(slow, "/api/clusters/t1/upgrade", {})
    assert took <= EDGE_TIME + SLOW + timedelta(seconds=9)
    assert "DescribeAddonVersions" in calls
    assert not {"ListInsights", "DescribeInsight"} & {*calls}
    assert unchecked(answer) == {"upgrade_nodes", "upgrade_insight"}
    assert [each["name"] for each in answer.body["preview"]["changes"]][-1] == "hp-cluster-t1"


@pytest.mark.case(71)
def test_an_import_looks_at_its_role_and_bucket_in_what_time_is_left(slow: Edge, own: Own) -> None:
    parts = {"execution_role_arn": own.members["execution_role_arn"], "bucket": "sagemaker-team"}
    found = {
        "cluster": {"name": "theirs", "status": "ACTIVE", "version": "1.33", "arn": "arn:aws:eks:::cluster/theirs"}
    }
    slow.surroundings.answer(slow.account, "eks.DescribeCluster", lambda _: found)
    slow.surroundings.seconds["DescribeCluster"] = 6
    answer, took = timed(slow, "/api/clusters/import", {"eks_cluster_name": "theirs", **parts})
    assert took <= EDGE_TIME + SLOW
    assert unchecked(answer) == {"reused_role", "reused_bucket"}


@pytest.mark.case(71)
def test_a_deletion_is_previewed_within_the_same_time(slow: Edge) -> None:
    standing(slow, "t1", *CONDITIONS)
    answer, took = timed(slow, "/api/clusters/t1", None, "DELETE")
    assert EDGE_TIME <= took <= EDGE_TIME + SLOW
    assert unchecked(answer) >= {"roles", "bucket", "log groups"}
    assert answer.body["preview"]["digest"]


@pytest.mark.case(71)
def test_a_connection_is_tried_as_far_as_there_is_time(edge: Edge) -> None:
    standing(edge, "t1", *CONDITIONS)
    cluster = {"name": "e", "status": "ACTIVE", "version": "1.34", "resourcesVpcConfig": {"endpointPublicAccess": True}}
    edge.surroundings.answer(edge.account, "eks.DescribeCluster", lambda _: {"cluster": cluster})
    missing = {"Error": {"Code": "ResourceNotFoundException", "Message": "No access entry"}}
    edge.surroundings.answer(edge.account, "eks.DescribeAccessEntry", lambda _: missing)
    for role in AccessRole:
        set_choice(edge, role, "arn:aws:iam::123456789012:role/instantstart/ours")
    edge.surroundings.seconds["DescribeCluster"] = 9
    with edge.account.counted() as calls:
        answer, took = timed(edge, "/api/clusters/t1/connection", None, "GET", "")
    assert took <= EDGE_TIME + SLOW
    assert "DescribeAccessEntry" not in calls
    outcomes = {each["name"]: each["outcome"] for each in answer.body["checks"]}
    assert not answer.body["connected"]
    assert {name for name, outcome in outcomes.items() if outcome == "passed"} == {"control_plane", "endpoint"}
    assert {each["message"] for each in answer.body["checks"] if each["outcome"] == "unknown"} == {"not reached"}
