"""The list of clusters: its summaries, filters and pages, through HTTP events."""

from __future__ import annotations

from collections import Counter
from typing import Any

from functions.core import runtime
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.items import item_of
from functions.core.ledger.tables import CLUSTERS, listing_marks
from tests.component.test_http_support import Edge, account, edge, free_leases, set_condition
from tests.component.test_ledger_support import ENVIRONMENT

__all__ = ["account", "edge"]

MANY = 500


def fill(edge: Edge, count: int) -> list[str]:
    """Many clusters, written as the ledger writes them: every tenth is DEGRADED, every seventh imported."""
    edge.create("pattern")
    spec = spec_of("pattern").model_dump(mode="json", exclude_none=True)
    tags = [f"c{number:03}" for number in range(count)]
    items = [
        {**content, "cluster_tag": tag, "record": record, **listing_marks(tag, record)}
        for number, tag in enumerate(tags)
        for record, content in {
            "spec": spec | {"tag": tag, "origin": "created" if number % 7 else "imported"},
            "condition#FoundationReady": {"status": "True", "reason": "Stands"},
            "condition#HyperPodReady": {"status": "True" if number % 10 else "False", "reason": "Stands"},
        }.items()
    ]
    table = ENVIRONMENT[CLUSTERS.variable]
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item_of(item)}} for item in items[start : start + 25]]
        runtime.client("dynamodb").batch_write_item(RequestItems={table: puts})  # type: ignore[dict-item]
    return tags


def listed(edge: Edge, query: str) -> tuple[list[dict[str, Any]], list[dict[str, int]]]:
    """All pages of a list, and the calls that each page took."""
    found, calls, token = list[dict[str, Any]](), list[dict[str, int]](), None
    while token is not None or not calls:
        with edge.account.counted() as made:
            page = edge.send("GET", "/api/clusters", query=f"{query}&next_token={token}" if token else query).body
        found += page["clusters"]
        calls.append(dict(Counter(made)))
        token = page["next_token"]
    return found, calls


def test_each_page_of_500_clusters_takes_one_call(edge: Edge) -> None:
    tags = fill(edge, MANY)
    found, calls = listed(edge, "limit=50")
    assert [each["tag"] for each in found] == [*tags, "pattern"]
    assert calls == [{"Query": 1}] * 11
    assert {len(each["conditions"]) for each in found[:-1]} == {2}


def test_a_filtered_list_finds_all_in_pages_of_a_bounded_number_of_calls(edge: Edge) -> None:
    fill(edge, 120)
    found, calls = listed(edge, "status=DEGRADED&origin=imported&limit=1")
    assert [each["tag"] for each in found] == ["c000", "c070"]
    assert max(made["Query"] for made in calls) <= 10
    assert listed(edge, "contains=c11&limit=200")[0][3]["tag"] == "c113"


def test_a_token_goes_on_with_the_same_filters_only(edge: Edge) -> None:
    fill(edge, 12)
    token = edge.send("GET", "/api/clusters", query="limit=2&origin=created").body["next_token"]
    refused = edge.send("GET", "/api/clusters", query=f"limit=2&next_token={token}")
    assert (refused.status, refused.body["code"]) == (400, "invalid_page_token")


def test_the_summary_of_a_cluster_is_the_worst_that_is_known_of_it(edge: Edge) -> None:
    edge.send("POST", "/api/clusters", {"tag": "t1", "owner_groups": ["ml"]})
    told, message = [], ""
    for condition, status in ((None, ""), ("FoundationReady", "True"), ("InSync", "Unknown"), ("InSync", "False")):
        if condition:
            free_leases("t1")
            set_condition("t1", condition, status, message="a route is gone")
        (each,) = edge.send("GET", "/api/clusters", query="owner_group=ml").body["clusters"]
        assert each["summary"] == edge.send("GET", "/api/clusters/t1").body["summary"]
        told.append((each["summary"]["status"], bool(each["active_operation_ids"])))
        message = each["summary"]["message"]
    assert told == [("CHANGING", True), ("READY", False), ("UNKNOWN", False), ("DEGRADED", False)]
    assert message == "a route is gone"


def test_nobody_s_cluster_is_not_in_a_group_s_list(edge: Edge) -> None:
    edge.create("t1")
    assert edge.send("GET", "/api/clusters", query="owner_group=ml").body["clusters"] == []
