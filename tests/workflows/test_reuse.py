"""Clusters that take over a caller's network, roles and bucket: nothing of it is made twice, changed or taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import settings
from infra.local.faults import Fault, Kind
from tests.chaos.inventory import differences, taken
from tests.host.driver import Driver, Json, hyperpod_request, stage_of
from tests.workflows.reused import BUCKET, EGRESS, Own, own
from tests.workflows.subnets import ec2, table_of, where

if TYPE_CHECKING:
    import pytest
    from types_boto3_eks.type_defs import ClusterTypeDef

ALWAYS_MADE = {
    "EksCluster",
    "KubernetesAdminAccess",
    "KubernetesOperatorAccess",
    "OidcProvider",
    "VpcCniAddon",
    "KubeProxyAddon",
}
NAME = "hp-compute-us-west-2c"


def creation(tag: str, foundation: Json) -> Json:
    return {"tag": tag, "foundation": foundation, "hyperpod": hyperpod_request()}


def logical_ids(driver: Driver, tag: str) -> set[str]:
    listed = driver.host.client("cloudformation").describe_stack_resources(StackName=f"instantstart-{tag}")
    return {resource["LogicalResourceId"] for resource in listed["StackResources"]}


def eks(driver: Driver, tag: str) -> ClusterTypeDef:
    return driver.host.client("eks").describe_cluster(name=f"eks-cluster-{tag}")["cluster"]


def delete_stack(driver: Driver, tag: str) -> None:
    client, name = driver.host.client("cloudformation"), f"instantstart-{tag}"
    stack = client.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    client.delete_stack(StackName=name)
    for _ in range(40):
        if client.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE":
            return
        driver.sleep(60)
    raise AssertionError(client.describe_stack_events(StackName=stack)["StackEvents"][:5])


def tags_of_subnets(driver: Driver, mine: Own) -> dict[str, dict[str, str]]:
    found = ec2(driver).describe_subnets(Filters=where("vpc-id", mine.vpc_id))["Subnets"]
    return {each["SubnetId"]: {tag["Key"]: tag["Value"] for tag in each.get("Tags", [])} for each in found}


def until_one_waits(driver: Driver, operation_ids: list[str]) -> str:
    """Wait until the stage of a compute subnet has to wait for another one, and give what it says."""
    driver.until(operation_ids[0], "foundation", "SUCCEEDED", every=60)
    driver.until(operation_ids[0], "addon:coredns", "SUCCEEDED", every=20)
    for _ in range(600):
        for operation_id in operation_ids:
            said = stage_of(driver.operation(operation_id), "compute_subnet:us-west-2c")["message"] or ""
            if "Another operation" in said:
                return str(said)
        driver.sleep(4)
    raise AssertionError("no stage waits for the other")


def test_a_foundation_of_a_callers_own_parts_makes_the_control_plane_alone_and_leaves_them_when_it_goes(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "fixed_egress_addresses", lambda: [EGRESS])
    mine = own(driver)
    before = taken(driver, "t1")
    reach = {"public_access_cidrs": ["203.0.113.0/24"], "tag_subnets": True}
    begun = driver.post("/api/clusters", {"tag": "t1", "foundation": mine.everything | reach})
    # Somebody changes what the edge found right, before the stage looks again; nothing is made.
    ec2(driver).modify_vpc_attribute(VpcId=mine.vpc_id, EnableDnsHostnames={"Value": False})
    refused = driver.finish(begun["operation_id"])
    assert (refused["status"], refused["error"]["cause"]["code"]) == ("FAILED", "REUSED_VPC_DNS")
    assert refused["error"]["errors"][0]["field"] == "foundation.vpc_id"
    assert differences(taken(driver, "t1"), before) == []
    ec2(driver).modify_vpc_attribute(VpcId=mine.vpc_id, EnableDnsHostnames={"Value": True})
    operation = driver.retry(refused["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [stage["name"] for stage in operation["stages"]] == ["reuse", "foundation", "verify"]

    assert logical_ids(driver, "t1") == ALWAYS_MADE
    cluster = eks(driver, "t1")
    network = cluster["resourcesVpcConfig"]
    assert cluster["roleArn"] == mine.roles["control_plane"]
    assert sorted(network["subnetIds"]) == sorted(mine.private)
    assert network["securityGroupIds"] == [mine.security_group]
    assert network["publicAccessCidrs"] == ["203.0.113.0/24", f"{EGRESS}/32"]

    # The tags that the caller wanted, and no others.
    internal = {"kubernetes.io/role/internal-elb": "1"}
    assert tags_of_subnets(driver, mine) == {
        mine.private[0]: internal,
        mine.private[1]: internal,
        mine.public: {"kubernetes.io/role/elb": "1"},
    }

    spec = driver.get("/api/clusters/t1")["spec"]
    assert spec["names"]["bucket"] == BUCKET
    assert spec["names"]["execution_role"] == "team-sagemaker"
    assert spec["reused"]["vpc_id"] == mine.vpc_id
    assert spec["public_access_cidrs"] == ["203.0.113.0/24", f"{EGRESS}/32"]

    delete_stack(driver, "t1")
    assert differences(taken(driver, "t1"), before) == []


def test_two_clusters_made_at_once_in_one_vpc_have_their_own_subnets_and_share_all_else(driver: Driver) -> None:
    mine = own(driver)
    requests = [creation("one", mine.everything), creation("two", mine.network)]
    # The first to make its subnet is held up, so that the other comes by meanwhile.
    with driver.host.faults.planned(Fault("ec2", "CreateSubnet", Kind.HANG, role="stages_network")):
        begun = [driver.post("/api/clusters", request)["operation_id"] for request in requests]
        waiting = until_one_waits(driver, begun)
    assert f"Another operation works on compute_subnets of the VPC {mine.vpc_id}" in waiting
    operations = [driver.finish(operation_id) for operation_id in begun]
    assert [operation["status"] for operation in operations] == ["SUCCEEDED", "SUCCEEDED"], [
        operation["error"] for operation in operations
    ]

    found = ec2(driver).describe_subnets(Filters=where("tag:Name", NAME))["Subnets"]
    owners = {
        tag["Value"]: each["SubnetId"] for each in found for tag in each["Tags"] if tag["Key"].endswith(":cluster")
    }
    assert sorted(owners) == ["one", "two"]
    assert {each["VpcId"] for each in found} == {mine.vpc_id}
    [nat] = ec2(driver).describe_nat_gateways(Filters=where("vpc-id", mine.vpc_id))["NatGateways"]
    for operation in operations:
        result = stage_of(operation, "compute_subnet:us-west-2c")["result"]
        assert result["subnet_id"] == owners[operation["cluster_tag"]]
        table = table_of(driver, result["subnet_id"])
        [default] = [each for each in table["Routes"] if each["DestinationCidrBlock"] == "0.0.0.0/0"]
        assert default["NatGatewayId"] == nat["NatGatewayId"]

    untouched: dict[str, dict[str, str]] = {subnet_id: {} for subnet_id in (*mine.private, mine.public)}
    assert {name: tags for name, tags in tags_of_subnets(driver, mine).items() if name in untouched} == untouched

    first, second = operations
    assert first["result"]["storage"] | {"probed": True} == first["result"]["storage"]
    assert stage_of(first, "mount:s3-claim")["result"]["bucket"] == BUCKET
    assert stage_of(first, "identity_chain:s3-csi-driver")["result"]["role"] == mine.roles["s3_csi"]
    groups = driver.host.client("sagemaker").describe_cluster(ClusterName="hp-cluster-one")["InstanceGroups"]
    assert [group["ExecutionRole"] for group in groups] == [mine.roles["execution"]]
    # What the second did not take over is its own.
    made = logical_ids(driver, "two") - ALWAYS_MADE
    assert made == {
        "ComputeSecurityGroup",
        "ComputeSelfIngress",
        "ComputeSelfEgress",
        "EksClusterRole",
        "ExecutionRole",
        "S3CsiRole",
        "Bucket",
        "BucketPolicy",
    }
    assert second["result"]["node_status"] == first["result"]["node_status"] == "Ready / Schedulable"
