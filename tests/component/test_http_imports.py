"""Imported clusters through HTTP events: what another look at one refuses, and what it only tells."""

from __future__ import annotations

from typing import Any

import pytest

from functions.core import runtime
from functions.core.ledger.tables import CLUSTERS
from tests.component.test_http_reuse_support import OTHERS, Own, listed, own
from tests.component.test_http_support import Edge, account, edge, free_leases
from tests.component.test_ledger_support import ENVIRONMENT

__all__ = ["account", "edge", "own"]

REDETECT = "/api/clusters/t1/redetect"
OWNERS = "reused_of_another_cluster"


@pytest.fixture
def using(edge: Edge, own: Own) -> Edge:
    """An imported cluster whose bucket, read off its groups, is the one that was made for another cluster."""
    assert edge.send("POST", "/api/clusters", {"tag": "other"}).status == 202
    theirs = edge.send("GET", "/api/clusters/other").body["spec"]["names"]["bucket"]
    s3 = runtime.client("s3")
    s3.create_bucket(Bucket=theirs, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    assert edge.send("POST", "/api/clusters", {"tag": "t1"}).status == 202
    free_leases("t1")
    runtime.client("dynamodb").update_item(
        TableName=ENVIRONMENT[CLUSTERS.variable],
        Key={"cluster_tag": {"S": "t1"}, "record": {"S": "spec"}},
        UpdateExpression="SET origin = :imported, #names.#bucket = :theirs",
        ExpressionAttributeNames={"#names": "names", "#bucket": "bucket"},
        ExpressionAttributeValues={":imported": {"S": "imported"}, ":theirs": {"S": theirs}},
    )
    return edge


def told(edge: Edge, body: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The level, check and field of each finding of a dry run."""
    answer = edge.send("POST", REDETECT, body, query="dry_run=true")
    assert answer.status == 200, answer.body
    return [(each["level"], each["check"], each["field"]) for each in answer.body["findings"]]


@pytest.mark.parametrize("tagged", [True, False], ids=["by its tags", "by the record"])
def test_a_bucket_of_another_cluster_that_is_used_already_is_told_and_refuses_nothing(
    using: Edge, *, tagged: bool
) -> None:
    theirs = using.send("GET", "/api/clusters/t1").body["spec"]["names"]["bucket"]
    if tagged:
        runtime.client("s3").put_bucket_tagging(Bucket=theirs, Tagging={"TagSet": listed(OTHERS)})
    assert told(using, {}) == [("warning", OWNERS, "bucket")]
    begun = using.send("POST", REDETECT, {})
    assert begun.status == 202, begun.body
    [finding] = begun.body["findings"]
    assert theirs in finding["message"] and "another bucket" in finding["remedy"]


def test_a_bucket_of_another_cluster_that_is_named_is_refused(using: Edge) -> None:
    theirs = using.send("GET", "/api/clusters/t1").body["spec"]["names"]["bucket"]
    refused = using.send("POST", REDETECT, {"bucket": theirs})
    assert (refused.status, refused.body["cause"]["code"], refused.fields) == (409, OWNERS.upper(), ["bucket"])


def test_a_role_that_is_named_has_to_read_the_bucket_that_is_used(using: Edge, own: Own) -> None:
    body = {"execution_role_arn": own.members["execution_role_arn"]}
    assert told(using, body) == [
        ("error", "reused_bucket_access", "execution_role_arn"),
        ("warning", OWNERS, "bucket"),
    ]
    assert using.send("POST", REDETECT, body).status == 409
