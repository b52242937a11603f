from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from moto import mock_aws

from tests.unit.test_simulator_cloudformation_helpers import (
    ARTIFACTS,
    EIP_QUOTA,
    World,
    bucket,
    nested,
    network,
    new_world,
    own_vpcs,
    vpc_kept,
)
from tests.unit.test_simulator_service_helpers import ACCOUNT, REGION, make_role, refused, zone_of


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")


@pytest.fixture
def world() -> Iterator[World]:
    with mock_aws():
        yield new_world()


@pytest.fixture
def world_with_managed_policies() -> Iterator[World]:
    """Loading them takes moto most of a second."""
    with mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        yield new_world()


def test_a_foundation_from_creation_to_deletion(world_with_managed_policies: World) -> None:
    world = world_with_managed_policies
    stack_id = world.foundation()
    assert world.stack("instantstart-demo")["StackStatus"] == "CREATE_IN_PROGRESS"
    assert world.run("instantstart-demo") == "CREATE_COMPLETE"
    stack = world.stack("instantstart-demo")
    outputs = {item["OutputKey"]: item["OutputValue"] for item in stack["Outputs"]}
    assert (stack["StackId"], outputs["BucketName"]) == (stack_id, f"sagemaker-demo-{ACCOUNT}-{REGION}")
    assert_control_plane(world, outputs)
    assert_subnet_tags(world)
    world.client.delete_stack(StackName="instantstart-demo")
    assert world.run(stack_id) == "DELETE_COMPLETE"
    assert own_vpcs(world) == world.ec2.describe_addresses()["Addresses"] == []
    assert world.eks.list_clusters()["clusters"] == []
    assert world.s3.head_bucket(Bucket=outputs["BucketName"])
    assert world.history("Bucket", stack_id)[-1][0] == "DELETE_SKIPPED"


def assert_control_plane(world: World, outputs: dict[str, str]) -> None:
    cluster = world.eks.describe_cluster(name=outputs["EksClusterName"])["cluster"]
    assert (cluster["status"], cluster["accessConfig"]["authenticationMode"]) == ("ACTIVE", "API")
    assert cluster["resourcesVpcConfig"]["securityGroupIds"] == [outputs["ComputeSecurityGroupId"]]
    assert sorted(world.eks.list_addons(clusterName="eks-cluster-demo")["addons"]) == ["kube-proxy", "vpc-cni"]
    assert len(world.eks.list_access_entries(clusterName="eks-cluster-demo")["accessEntries"]) == 2
    seconds = dict(world.history("EksCluster", "instantstart-demo"))
    assert 540 <= seconds["CREATE_COMPLETE"] - seconds["CREATE_IN_PROGRESS"] <= 600


def assert_subnet_tags(world: World) -> None:
    """By the stack's tag, load balancers' roles, and the owner."""
    tags = [
        {tag["Key"]: tag["Value"] for tag in subnet["Tags"]}
        for subnet in world.ec2.describe_subnets(Filters=[{"Name": "tag:team", "Values": ["ml"]}])["Subnets"]
    ]
    roles = sorted(key for found in tags for key in found if key.startswith("kubernetes.io/"))
    assert roles == ["kubernetes.io/role/elb"] * 2 + ["kubernetes.io/role/internal-elb"] * 2
    assert {found["instantstart:cluster"] for found in tags} == {"demo"}


def test_a_bucket_kept_from_an_earlier_stack_is_in_the_way_by_name(world: World) -> None:
    world.s3.create_bucket(Bucket="sagemaker-demo")
    world.create(network(Data=bucket()))
    assert world.run() == "ROLLBACK_COMPLETE"
    assert "HandlerErrorCode: AlreadyExists" in world.reasons()["Data"]
    assert world.s3.head_bucket(Bucket="sagemaker-demo")


def test_a_zone_without_room_for_control_planes_takes_the_stack_back_and_names_the_usable_ones(world: World) -> None:
    zone, other = zone_of(world.ec2, "use1-az3"), zone_of(world.ec2, "use1-az1")
    subnets = {"SubnetIds": [{"Ref": "Subnet0"}, {"Ref": "Subnet1"}]}
    properties = {"RoleArn": make_role("eks", "eks.amazonaws.com"), "ResourcesVpcConfig": subnets}
    world.create(network(zone, other, Cluster={"Type": "AWS::EKS::Cluster", "Properties": properties}))
    assert world.run() == "ROLLBACK_COMPLETE"
    reason = world.reasons()["Cluster"]
    assert zone in reason
    assert other in reason.partition("these availability zones:")[2]
    assert "HandlerErrorCode: InvalidRequest" in reason


def test_resources_follow_each_other_at_the_instants_they_are_due_however_far_time_jumps(world: World) -> None:
    world.create(network("us-east-1a"))
    world.clock.advance(3600)
    assert world.stack()["StackStatus"] == "CREATE_COMPLETE"
    assert world.history("Vpc") == [("CREATE_IN_PROGRESS", 0), ("CREATE_IN_PROGRESS", 0), ("CREATE_COMPLETE", 12)]
    assert world.history("Subnet0")[-1] == ("CREATE_COMPLETE", 17)
    assert world.history("Address")[-1] == ("CREATE_COMPLETE", 27)
    assert world.history("demo") == [("CREATE_IN_PROGRESS", 0), ("CREATE_COMPLETE", 27)]
    times = [event["Timestamp"] for event in world.events()]
    assert times == sorted(set(times))


def test_settling_again_changes_nothing_and_a_snapshot_brings_a_stack_back(world: World) -> None:
    world.create(network())
    before = world.simulator.snapshot()
    assert len(world.events()) == len(world.events()) == 3
    assert world.simulator.next_change() == world.clock() + timedelta(seconds=12)
    world.run()
    world.simulator.restore(before)
    assert [stack.status for stack in world.simulator.records.stacks.values()] == ["CREATE_IN_PROGRESS"]


def test_a_failure_cancels_what_is_under_way_and_is_rolled_back(world: World) -> None:
    stack_id = world.create(network("us-east-1a", Kept=bucket("RetainExceptOnCreate"), Held=vpc_kept()))
    world.simulator.fail_next("AWS::EC2::EIP", EIP_QUOTA)
    world.clock.advance(12)
    stack = world.stack()
    assert stack["StackStatus"] == "ROLLBACK_IN_PROGRESS"
    assert stack["StackStatusReason"].endswith("Rollback requested by user.")
    assert stack["StackStatusReason"].startswith("The following resource(s) failed to create: [")
    reasons = world.reasons()
    assert reasons["Address"].startswith(f'Resource handler returned message: "{EIP_QUOTA}" (RequestToken: ')
    assert reasons["Subnet0"] == reasons["Kept"] == "Resource creation cancelled"
    assert world.run() == "ROLLBACK_COMPLETE"
    assert world.stack()["StackId"] == stack_id
    assert "failed to create" in world.stack()["StackStatusReason"]
    assert [found["CidrBlock"] for found in own_vpcs(world)] == ["10.9.0.0/16"]
    refused("404", world.s3.head_bucket, Bucket="sagemaker-demo")
    assert world.history("Held")[-1][0] == "DELETE_SKIPPED"


@pytest.mark.parametrize(
    ("choice", "status"),
    [({"OnFailure": "DO_NOTHING"}, "CREATE_FAILED"), ({"DisableRollback": True}, "CREATE_FAILED")],
)
def test_a_failure_that_is_not_taken_back_leaves_what_was_made(
    world: World, choice: dict[str, object], status: str
) -> None:
    world.create(network(), **choice)
    world.simulator.fail_next("Address", EIP_QUOTA)
    assert world.run() == status
    assert len(own_vpcs(world)) == 1
    world.client.delete_stack(StackName="demo")
    world.clock.advance(60)
    refused("ValidationError", world.client.describe_stacks, StackName="demo")
    assert own_vpcs(world) == []


def test_a_failure_may_delete_the_stack(world: World) -> None:
    stack_id = world.create(network(), OnFailure="DELETE")
    world.simulator.fail_next("Address", EIP_QUOTA)
    assert world.run(stack_id) == "DELETE_COMPLETE"


def test_what_a_service_refuses_is_the_reason_of_the_resource(world: World) -> None:
    subnet = {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "192.168.0.0/24"}
    world.create(network(Outside={"Type": "AWS::EC2::Subnet", "Properties": subnet}))
    assert world.run() == "ROLLBACK_COMPLETE"
    reason = world.reasons()["Outside"]
    assert "(Service: Ec2, Status Code: 400, Request ID: " in reason
    assert reason.endswith("HandlerErrorCode: InvalidRequest)")


def test_a_nested_failure_is_found_by_walking_down_while_the_top_shows_the_wrapper(world: World) -> None:
    url = world.put("network.json", network("us-east-1a"))
    world.create(nested(url))
    world.simulator.fail_next("Address", EIP_QUOTA)
    assert world.run() == "ROLLBACK_COMPLETE"
    child_id = next(
        event["PhysicalResourceId"]
        for event in world.events()
        if event["PhysicalResourceId"] and event["LogicalResourceId"] == "Network"
    )
    expected = f"Embedded stack {child_id} was not successfully created: The following resource(s) failed to create: ["
    assert world.reasons()["Network"].startswith(expected)
    failed = [event for event in world.events(child_id) if event["ResourceStatus"] == "CREATE_FAILED"]
    assert failed[0]["ResourceType"] == "AWS::EC2::EIP"
    assert EIP_QUOTA in failed[0]["ResourceStatusReason"]
    assert world.stack(child_id)["StackStatus"] == "DELETE_COMPLETE"
    assert world.stack(child_id)["RootId"] == world.stack()["StackId"]
    assert own_vpcs(world) == []


def test_a_nested_stack_hands_up_its_outputs_and_is_deleted_with_its_parent(world: World) -> None:
    stack_id = world.create(nested(world.put("network.json", network())))
    assert world.run() == "CREATE_COMPLETE"
    assert world.stack()["Outputs"] == [{"OutputKey": "VpcId", "OutputValue": own_vpcs(world)[0]["VpcId"]}]
    world.client.delete_stack(StackName="demo")
    assert world.run(stack_id) == "DELETE_COMPLETE"
    assert own_vpcs(world) == []
    assert world.client.describe_stacks()["Stacks"] == []


def test_a_nested_template_that_is_missing_fails_the_parent(world: World) -> None:
    world.create(nested(f"{ARTIFACTS}/nowhere.json"))
    assert world.run() == "ROLLBACK_COMPLETE"
    assert world.reasons()["Network"].startswith("S3 error: The specified key does not exist.")


@pytest.mark.parametrize("url", [ARTIFACTS, "https://s3.us-east-1.amazonaws.com/artifacts"])
def test_a_missing_template_is_refused_before_there_is_a_stack(world: World, url: str) -> None:
    message = refused(
        "ValidationError", world.client.create_stack, StackName="demo", TemplateURL=f"{url}/v9/foundation.yaml"
    )
    assert message == (
        "S3 error: The specified key does not exist.\n"
        "For more information check http://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"
    )
    assert world.client.describe_stacks()["Stacks"] == []
