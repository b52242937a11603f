"""What the catalog says of clusters that could be imported, and of Kubernetes versions."""

from __future__ import annotations

from typing import Any

import pytest

from functions.core.ledger.items import item_of
from infra.local.faults import Kind
from tests.host.catalog import asked, unknown_parts, without
from tests.host.driver import Driver

ALL = "importable_clusters"


def forget(driver: Driver, tag: str) -> None:
    """Let the ledger not know a cluster that stands."""
    name = next(name for name in driver.host.client("dynamodb").list_tables()["TableNames"] if "clusters" in name)
    key = item_of({"cluster_tag": tag, "record": "spec"})
    driver.host.client("dynamodb").delete_item(TableName=name, Key=key)


def make_legacy(driver: Driver) -> None:
    """Make an EKS cluster of somebody else, beside that of `ready`."""
    eks = driver.host.client("eks")
    ours = eks.describe_cluster(name="eks-cluster-ready")["cluster"]
    eks.create_cluster(
        name="legacy",
        version="1.31",
        roleArn=ours.get("roleArn", ""),
        resourcesVpcConfig={"subnetIds": ours.get("resourcesVpcConfig", {}).get("subnetIds", [])},
        accessConfig={"authenticationMode": "CONFIG_MAP"},
    )


@pytest.mark.case(11)
def test_clusters_that_the_ledger_does_not_know_are_listed_here_and_nowhere_else(driver_of_ready: Driver) -> None:
    assert asked(driver_of_ready, ALL)[0]["importable_clusters"] == []
    make_legacy(driver_of_ready)
    body, calls = asked(driver_of_ready, ALL)
    [found] = body["importable_clusters"]
    assert (found.pop("arn").endswith(":cluster/legacy"), bool(found.pop("vpc_id"))) == (True, True)
    assert found.pop("created_at")
    assert found == {
        "name": "legacy",
        "kubernetes_version": "1.31",
        "status": "CREATING",
        "authentication_mode": "CONFIG_MAP",
        "public_endpoint": True,
        "has_hyperpod_cluster": False,
        "hyperpod_cluster": None,
    }
    assert calls == {"ListClusters": 2, "Scan": 2, "DescribeCluster": 1}
    assert [cluster["tag"] for cluster in driver_of_ready.get("/api/clusters")["clusters"]] == ["ready"]


def test_a_cluster_with_hyperpod_on_it_names_it(driver_of_ready: Driver) -> None:
    forget(driver_of_ready, "ready")
    body, calls = asked(driver_of_ready, ALL)
    [found] = body["importable_clusters"]
    members = ("name", "status", "authentication_mode", "has_hyperpod_cluster", "hyperpod_cluster")
    assert [found[member] for member in members] == ["eks-cluster-ready", "ACTIVE", "API", True, "hp-cluster-ready"]
    assert calls == {"ListClusters": 2, "Scan": 2, "DescribeCluster": 2}


def test_what_aws_does_not_tell_of_a_cluster_is_unknown(driver_of_ready: Driver) -> None:
    forget(driver_of_ready, "ready")

    def known(service: str, operation: str) -> tuple[Any, list[str]]:
        body = without(driver_of_ready, service, operation, ALL, Kind.DENY)
        return body["importable_clusters"], unknown_parts(body)

    assert known("eks", "ListClusters") == (None, [ALL])
    [bare], parts = known("eks", "DescribeCluster")
    assert (bare["name"], bare["status"], parts) == ("eks-cluster-ready", None, [f"{ALL}.eks-cluster-ready"])
    [found], parts = known("sagemaker", "ListClusters")
    assert (found["status"], found["has_hyperpod_cluster"], parts) == ("ACTIVE", None, [f"{ALL}.hyperpod_cluster"])


def test_the_versions_of_a_new_cluster_are_those_that_eks_offers_and_hyperpod_supports(driver: Driver) -> None:
    body, calls = asked(driver, "kubernetes_versions")
    assert (calls, body["source"], body["unknown"]) == ({"DescribeClusterVersions": 1}, "run_time", [])
    found = body["kubernetes_versions"]
    assert [(each["version"], each["support"], each["default"]) for each in found] == [
        ("1.34", "standard", True),
        ("1.33", "standard", False),
        ("1.32", "standard", False),
        ("1.31", "extended", False),
        ("1.30", "extended", False),
    ]
    assert [each["control_plane_price"]["per_hour"] for each in found] == [0.1, 0.1, 0.1, 0.6, 0.6]
    assert found[0]["standard_support_ends_at"].startswith("2026-12-02")


def test_versions_that_eks_does_not_tell_come_from_hyperpods_table_without_a_default(driver: Driver) -> None:
    body = without(driver, "eks", "DescribeClusterVersions", "kubernetes_versions")
    assert (body["source"], unknown_parts(body)) == ("shipped", ["kubernetes_versions"])
    found = body["kubernetes_versions"]
    assert [each["version"] for each in found][:2] == ["1.34", "1.33"]
    assert {(each["support"], each["default"], each["control_plane_price"]) for each in found} == {(None, False, None)}
