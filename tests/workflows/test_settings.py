"""A change of company tags reaches the clusters that cost money."""

from __future__ import annotations

from tests.host.driver import Driver


def test_company_tags_come_and_go_on_the_clusters_of_eks_and_hyperpod(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    driver.run("/api/clusters/ready", {"company_tags": {"cost-center": "42", "team": "ml"}}, method="PATCH")
    driver.run("/api/clusters/ready", {"company_tags": {"team": "research"}}, method="PATCH")

    eks = driver.host.client("eks").describe_cluster(name="eks-cluster-ready")["cluster"]["tags"]
    arn = driver.host.client("sagemaker").describe_cluster(ClusterName="hp-cluster-ready")["ClusterArn"]
    hyperpod = {tag["Key"]: tag["Value"] for tag in driver.host.client("sagemaker").list_tags(ResourceArn=arn)["Tags"]}
    for tags in (eks, hyperpod):
        assert (tags["team"], tags["instantstart:cluster"]) == ("research", "ready")
        assert "cost-center" not in tags


def test_what_is_made_later_has_the_company_tags_from_the_beginning(driver_of_ready: Driver) -> None:
    spec = driver_of_ready.get("/api/clusters/ready")["spec"]
    assert (spec["company_tags"], spec["owner_groups"], spec["origin"]) == ({}, [], "created")
