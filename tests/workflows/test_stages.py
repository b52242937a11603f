"""Stages that fail, wait for capacity, find what others made, and go on with a retry."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, hyperpod_request, stage_of, statuses

ROLE = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-{}-us-west-2"
POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
NAME = "eks-cluster-base"


def remove_policy(driver: Driver, role: str) -> None:
    driver.host.client("eks").disassociate_access_policy(
        clusterName=NAME, principalArn=ROLE.format(role), policyArn=POLICY
    )


def policies(driver: Driver, role: str) -> list[str]:
    client = driver.host.client("eks")
    listed = client.list_associated_access_policies(clusterName=NAME, principalArn=ROLE.format(role))
    return [policy["policyArn"] for policy in listed["associatedAccessPolicies"]]


def compute_routes(driver: Driver) -> tuple[str, list[str]]:
    """The route table of the compute subnet, and where its routes lead to."""
    client, name = driver.host.client("ec2"), "hp-compute-us-west-2c-rt"
    [table] = client.describe_route_tables(Filters=[{"Name": "tag:Name", "Values": [name]}])["RouteTables"]
    return table["RouteTableId"], sorted(route.get("DestinationCidrBlock", "") for route in table["Routes"])


@pytest.mark.case(8)
def test_an_access_entry_that_somebody_made_meanwhile_is_taken_over_with_its_policy(driver_of_base: Driver) -> None:
    driver = driver_of_base
    remove_policy(driver, "admin")
    # The other entry is simply gone.
    driver.host.client("eks").delete_access_entry(clusterName=NAME, principalArn=ROLE.format("operator"))
    with driver.host.faults.planned(
        # The entry comes to be between the look and the creation.
        Fault("eks", "DescribeAccessEntry", Kind.REFUSE, refusal=("ResourceNotFoundException", "No such entry")),
        Fault("eks", "CreateAccessEntry", Kind.REFUSE, refusal=("ResourceInUseException", "Already in use")),
    ):
        operation = driver.run("/api/clusters/base/dependencies")
    assert operation["status"] == "SUCCEEDED"
    assert "already present" in stage_of(operation, "access_entry:admin")["message"]
    assert stage_of(operation, "access_entry:operator")["message"] == "entry created"
    assert (policies(driver, "admin"), policies(driver, "operator")) == ([POLICY], [])


@pytest.mark.case(26)
def test_a_hyperpod_cluster_without_instances_waits_for_capacity_and_says_so(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    place = ("ml.g6.4xlarge", "us-west-2c")
    driver.host.world.hyperpod.capacity[place] = 0
    begun = driver.post("/api/clusters/base/hyperpod", hyperpod_request(count=4))
    operation = driver.until_said(begun["operation_id"], "hyperpod_cluster", "sufficient capacity", every=60)
    stage = stage_of(operation, "hyperpod_cluster")
    described = driver.host.client("sagemaker").describe_cluster(ClusterName="hp-cluster-base")
    assert described["ClusterStatus"] == "InService"
    assert (operation["status"], stage["status"], stage["reason"]) == ("RUNNING", "RUNNING", "WAITING_CAPACITY")
    assert "0/4" in stage["message"]
    driver.host.world.hyperpod.capacity[place] = 3
    operation = driver.until_said(begun["operation_id"], "hyperpod_cluster", "3/4", every=60)
    assert operation["status"] == "RUNNING"
    driver.host.world.hyperpod.capacity[place] = 4
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED"
    assert [(group["count"], group["ready"]) for group in operation["result"]["nodes"]] == [(4, 4)]


def test_a_stage_that_fails_leaves_the_earlier_ones_standing_and_each_retry_goes_on(driver_of_base: Driver) -> None:
    driver = driver_of_base
    refused = Fault("eks", "CreateAddon", Kind.REFUSE, first=2, refusal=("InvalidParameterException", "No such thing"))
    failed = driver.failing("/api/clusters/base/dependencies", {}, refused)
    assert failed["status"] == "FAILED"
    assert (failed["error"]["cause"]["api_call"], failed["error"]["cause"]["code"]) == (
        "CreateAddon",
        "InvalidParameterException",
    )
    assert failed["error"]["cause"]["service"] == "eks"
    assert failed["error"]["remedy"]
    assert failed["error"]["operation_id"] == failed["operation_id"]
    assert [*statuses(failed).values()] == ["SUCCEEDED"] * 5 + ["FAILED"] + ["PENDING"] * 3
    assert "coredns" in driver.host.client("eks").list_addons(clusterName=NAME)["addons"]
    arn = stage_of(failed, "addon:coredns")["resources"][0]
    assert arn in failed["result"]["resources"]
    assert driver.get("/api/clusters/base")["active_operation_ids"] == []
    again = Fault("eks", "CreateAddon", Kind.REFUSE, first=2, refusal=refused.refusal)
    second = driver.failing(f"/api/operations/{failed['operation_id']}/retry", None, again)
    assert (second["status"], second["retry_of"]) == ("FAILED", failed["operation_id"])
    assert [*statuses(second).values()] == ["SKIPPED"] * 5 + ["SUCCEEDED"] * 2 + ["FAILED", "PENDING"]
    assert driver.operation(failed["operation_id"]) == failed
    third = driver.retry(second["operation_id"])
    assert (third["status"], third["retry_of"]) == ("SUCCEEDED", second["operation_id"])
    assert [*statuses(third).values()] == ["SKIPPED"] * 7 + ["SUCCEEDED"] * 2


@pytest.mark.parametrize(
    ("service", "operation", "stage"),
    [
        ("eks", "DescribeAddon", "addon:coredns"),
        ("eks", "CreateAddon", "addon:coredns"),
        ("eks", "ListAssociatedAccessPolicies", "access_entry:admin"),
    ],
)
def test_a_permission_that_is_missing_is_named_and_never_taken_for_absence(
    driver_of_base: Driver, service: str, operation: str, stage: str
) -> None:
    denied = Fault(service, operation, Kind.DENY, times=9, role="stages_cluster")
    failed = driver_of_base.failing("/api/clusters/base/dependencies", {}, denied)
    assert failed["status"] == "FAILED"
    assert statuses(failed)[stage] == "FAILED"
    assert failed["error"]["cause"]["code"] == "AccessDeniedException"
    assert operation in failed["error"]["remedy"]


def test_a_network_that_somebody_damaged_is_repaired_by_the_stage(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    refused = Fault("s3", "CopyObject", Kind.DENY, times=9)
    with driver.host.faults.planned(refused):
        assert driver.run("/api/clusters/base/hyperpod", hyperpod_request())["status"] == "FAILED"
    table_id, routes = compute_routes(driver)
    assert "0.0.0.0/0" in routes
    driver.host.client("ec2").delete_route(RouteTableId=table_id, DestinationCidrBlock="0.0.0.0/0")
    assert driver.run("/api/clusters/base/hyperpod", hyperpod_request())["status"] == "SUCCEEDED"
    assert compute_routes(driver) == (table_id, routes)


def test_a_missing_lifecycle_script_is_the_fault_of_the_deployment(driver_of_prepared: Driver) -> None:
    artifacts = "instantstart-artifacts-123456789012-us-west-2"
    driver_of_prepared.host.client("s3").delete_object(Bucket=artifacts, Key="local/lifecycle/on_create.sh")
    operation = driver_of_prepared.run("/api/clusters/base/hyperpod", hyperpod_request())
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "template_artifact_missing")
    assert driver_of_prepared.made("base")["hyperpod"] == 0
