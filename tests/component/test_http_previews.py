"""Dry runs and confirmations, through HTTP events."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from functions.catalog.prices.rules import price_of
from functions.core.ledger.models import OperationStatus
from tests.component.test_http_support import HYPERPOD, Answer, Edge, account, edge, standing
from tests.component.test_ledger_support import cluster_records, executions, finish_operation, owners

__all__ = ["account", "edge"]

CREATE = {"tag": "t1", "hyperpod": HYPERPOD}


def preview(edge: Edge, **members: object) -> Answer:
    return edge.send("POST", "/api/clusters", CREATE | members, query="dry_run=true")


def begin(edge: Edge, digest: str, *, caller: str = "local", **members: object) -> Answer:
    return edge.send("POST", "/api/clusters", CREATE | members, query=f"confirm={digest}", caller=caller)


def told(answer: Answer, *levels: str) -> list[dict[str, Any]]:
    """The findings of some levels; those that are merely good to know are another test's."""
    return [finding for finding in answer.body["findings"] if finding["level"] in levels]


def test_a_dry_run_says_what_would_be_made_and_makes_nothing(edge: Edge) -> None:
    answer = preview(edge)

    assert (answer.status, told(answer, "error", "warning")) == (200, [])
    assert (answer.body["preview"]["kind"], answer.body["preview"]["cluster_tag"]) == ("create_cluster", "t1")
    changes = {(change["resource"], change["name"]) for change in answer.body["preview"]["changes"]}
    assert {
        ("EKS cluster", "eks-cluster-t1"),
        ("HyperPod cluster", "hp-cluster-t1"),
        ("instance group", "gpu"),
        ("compute subnet", "us-west-2c"),
    } <= changes
    assert {change["action"] for change in answer.body["preview"]["changes"]} == {"create"}
    assert (cluster_records("t1"), owners(), executions()) == ({}, {}, [])


def test_a_preview_adds_up_what_an_hour_costs_and_names_what_has_no_price(edge: Edge) -> None:
    groups = [
        {"name": "two", "instance_type": "ml.g6.4xlarge", "instance_count": 2},
        {"name": "spot", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "capacity_type": "spot"},
    ]
    body = preview(edge, hyperpod=HYPERPOD | {"instance_groups": groups}).body["preview"]
    costs = {(each["resource"], each["name"]): each["cost"] for each in body["changes"] if each["cost"]}
    one = price_of("ml.g6.4xlarge", "on_demand", "us-west-2")
    assert one is not None
    assert costs[("instance group", "two")]["per_hour"] == round(2 * one.per_hour, 4)
    assert body["cost"]["per_hour"] == round(sum(cost["per_hour"] for cost in costs.values()), 4)
    assert {resource for resource, _ in costs} == {"NAT gateway", "EKS cluster", "instance group"}
    assert body["unpriced"] == ["instance group spot"]


def test_a_dry_run_tells_all_that_would_refuse_the_request_and_gives_no_digest(edge: Edge) -> None:
    edge.surroundings.quotas["ml.g6.4xlarge for cluster usage"] = 0
    answer = preview(edge)

    assert [(finding["check"], finding["code"]) for finding in told(answer, "error")] == [
        ("cluster_usage_quota", "quota_exceeded")
    ]
    assert answer.body["preview"]["digest"] is None


def test_a_dry_run_of_a_taken_tag_says_so(edge: Edge) -> None:
    edge.create("t1")
    finding, holder = told(preview(edge), "error")
    assert (finding["field"], finding["code"]) == ("tag", "already_exists")
    assert (holder["code"], holder["resource"]) == ("operation_in_progress", executions()[0])


def test_a_dry_run_without_a_tag_says_which_one_it_made_up(edge: Edge) -> None:
    answer = edge.send("POST", "/api/clusters", {"hyperpod": HYPERPOD}, query="dry_run=true")
    (finding,) = [each for each in told(answer, "info") if each["field"] == "tag"]
    assert answer.body["preview"]["cluster_tag"] in finding["message"]


def test_what_was_previewed_is_begun_by_its_digest(edge: Edge) -> None:
    digest = preview(edge).body["preview"]["digest"]
    assert begin(edge, digest).status == 202


def test_another_request_is_not_what_was_previewed(edge: Edge) -> None:
    digest = preview(edge).body["preview"]["digest"]
    refused = begin(edge, digest, storage=None)
    assert (refused.status, refused.body["code"], refused.fields) == (409, "preview_outdated", ["confirm"])
    assert executions() == []


def test_a_digest_is_outdated_when_the_cluster_has_changed(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    path, body = "/api/clusters/t1/hyperpod", HYPERPOD
    digest = edge.send("POST", path, body, query="dry_run=true").body["preview"]["digest"]
    edge.send("PATCH", "/api/clusters/t1", {"owner_groups": ["ml"]})

    refused = edge.send("POST", path, body, query=f"confirm={digest}")
    assert (refused.status, refused.body["code"]) == (409, "preview_outdated")


def test_a_digest_lasts_for_fifteen_minutes(edge: Edge) -> None:
    answer = preview(edge).body["preview"]
    edge.account.clock.sleep(timedelta(minutes=15).total_seconds())
    refused = begin(edge, answer["digest"])
    assert (refused.status, refused.body["code"]) == (409, "confirmation_required")
    assert "15 minutes" in refused.body["detail"]


@pytest.mark.parametrize(
    "altered",
    [
        lambda digest: digest.replace(digest[:4], "0000" if digest[:4] != "0000" else "1111", 1),
        lambda digest: digest[:-1] + ("A" if digest[-1] != "A" else "B"),
        lambda digest: f"{digest.split('.')[0]}.{int(digest.split('.')[1]) + 900}.{digest.split('.')[2]}",
        lambda _: "t1",
    ],
    ids=["state", "signature", "time", "name"],
)
def test_only_a_digest_of_ours_confirms(edge: Edge, altered: object) -> None:
    assert callable(altered)
    refused = begin(edge, altered(preview(edge).body["preview"]["digest"]))
    assert (refused.status, refused.body["code"]) == (409, "confirmation_required")


def test_a_digest_is_its_caller_s_own(edge: Edge) -> None:
    digest = preview(edge).body["preview"]["digest"]
    refused = begin(edge, digest, caller="mallory")
    assert (refused.status, refused.body["code"]) == (409, "confirmation_required")


@pytest.mark.parametrize(("rotations", "status"), [(1, 202), (2, 409)])
def test_a_digest_of_the_former_key_is_good_and_one_of_the_key_before_that_is_not(
    edge: Edge, rotations: int, status: int
) -> None:
    digest = preview(edge).body["preview"]["digest"]
    for generation in range(2, 2 + rotations):
        edge.account.rotate(generation)
    assert begin(edge, digest).status == status


def test_a_retry_says_which_stages_it_runs(edge: Edge) -> None:
    operation_id = edge.create().body["operation_id"]
    running = edge.send("POST", f"/api/operations/{operation_id}/retry", query="dry_run=true").body
    assert [finding["code"] for finding in running["findings"]] == ["conflict"]

    finish_operation(operation_id, OperationStatus.FAILED)
    answer = edge.send("POST", f"/api/operations/{operation_id}/retry", query="dry_run=true").body
    assert (answer["findings"], {change["action"] for change in answer["preview"]["changes"]}) == ([], {"change"})
    assert len(executions()) == 1


def test_a_cancellation_says_what_it_stops(edge: Edge) -> None:
    operation_id = edge.create().body["operation_id"]
    answer = edge.send("POST", f"/api/operations/{operation_id}/cancel", query="dry_run=true").body
    assert (answer["findings"], {change["action"] for change in answer["preview"]["changes"]}) == ([], {"keep"})
    assert edge.send("GET", f"/api/operations/{operation_id}").body["status"] == "PENDING"


def test_a_dry_run_asked_for_in_the_body_is_refused_with_where_it_belongs(edge: Edge) -> None:
    refused = edge.send("POST", "/api/clusters", CREATE | {"dry_run": True})
    assert (refused.status, refused.fields) == (400, ["dry_run"])
    assert "query" in refused.body["errors"][0]["message"]
