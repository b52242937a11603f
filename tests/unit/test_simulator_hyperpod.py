from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.test_simulator_hyperpod_helpers import BUCKET, EKS_ARN, GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import (
    moto_client,
    refused,
)


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def test_a_continuous_cluster_is_in_service_before_its_nodes_exist(world: World) -> None:
    arn = world.create()
    first = world.describe()
    assert (first["ClusterArn"], first["ClusterStatus"]) == (arn, "Creating")
    assert (first["InstanceGroups"][0]["Status"], first["InstanceGroups"][0]["CurrentCount"]) == ("Creating", 0)
    assert world.nodes() == []
    world.clock.advance(60)
    assert world.describe()["ClusterStatus"] == "InService"
    group = world.gpu()
    assert (group["Status"], group["CurrentCount"], group["TargetCount"]) == ("InService", 0, 2)
    assert group["ActiveOperations"] == {"Scaling": 1}
    assert [node["InstanceStatus"]["Status"] for node in world.nodes()] == ["Pending", "Pending"]


def test_instances_join_one_after_another(world: World) -> None:
    world.create()
    world.clock.advance(420)
    assert world.gpu()["CurrentCount"] == 1
    world.clock.advance(5)
    group = world.gpu()
    assert group["CurrentCount"] == 2
    assert "ActiveOperations" not in group
    assert world.describe()["ClusterStatus"] == "InService"


def test_the_answer_depends_on_the_time_and_not_on_how_often_it_was_asked(world: World) -> None:
    world.create()
    state, start = world.hyperpod.snapshot(), world.clock.time
    world.clock.advance(1000)
    jumped = world.describe(), world.nodes(), world.events()
    world.hyperpod.restore(state)
    world.clock.time = start
    for _ in range(100):
        world.clock.advance(10)
        world.hyperpod.settle()
    assert without_metadata(jumped) == without_metadata((world.describe(), world.nodes(), world.events()))


def without_metadata(answers: tuple[dict[str, Any], list[Any], list[Any]]) -> tuple[Any, ...]:
    described = {key: value for key, value in answers[0].items() if key != "ResponseMetadata"}
    return described, answers[1], answers[2]


def test_a_node_is_described_with_its_place(world: World) -> None:
    world.create(world.group(KubernetesConfig={"Labels": {"team": "a"}}))
    world.clock.advance(420)
    listed = world.nodes()[0]
    node = world.client.describe_cluster_node(ClusterName="demo", NodeId=listed["InstanceId"])["NodeDetails"]
    assert node["InstanceStatus"]["Status"] == "Running"
    assert node["Placement"] == {"AvailabilityZone": world.zones[0], "AvailabilityZoneId": "use1-az1"}
    assert node["PrivatePrimaryIp"].startswith("10.0.0.")
    assert listed["PrivateDnsHostname"].startswith("ip-10-0-0-")
    assert node["KubernetesConfig"]["CurrentLabels"] == {"team": "a"}
    by_logical_id = {"ClusterName": "demo", "NodeLogicalId": node["NodeLogicalId"]}
    assert world.client.describe_cluster_node(**by_logical_id)["NodeDetails"]["InstanceId"] == listed["InstanceId"]
    refused("ResourceNotFound", world.client.describe_cluster_node, ClusterName="demo", NodeId="i-00000000")
    refused("ValidationException", world.client.describe_cluster_node, ClusterName="demo")


def test_kubernetes_learns_of_instances_and_sees_nodes_once_they_run(world: World) -> None:
    taint = {"Key": "gpu", "Value": "yes", "Effect": "NoSchedule"}
    world.create(world.group(count=1, ThreadsPerCore=None, KubernetesConfig={"Taints": [taint]}))
    world.clock.advance(100)
    world.hyperpod.settle()
    facts = world.hyperpod.node_facts("demo-eks")
    assert [(each.running, each.zone) for each in facts] == [(False, world.zones[0])]
    world.clock.advance(320)
    world.hyperpod.settle()
    node = world.hyperpod.node_facts("demo-eks")[0]
    assert node.running
    assert (node.vcpus, node.memory_mib, node.max_pods) == (16, 128 * 1024, 29)
    assert (node.accelerator_resource, node.accelerator_count) == ("nvidia.com/gpu", 1)
    assert node.taints == [taint]
    assert world.hyperpod.node_facts("other") == []


def test_hyper_threading_doubles_the_vcpus(world: World) -> None:
    world.create(world.group(count=1, ThreadsPerCore=2))
    world.clock.advance(60)
    world.hyperpod.settle()
    assert world.hyperpod.node_facts("demo-eks")[0].vcpus == 32


def test_a_cluster_tells_its_story_in_events(world: World) -> None:
    world.create(world.group(count=1))
    world.clock.advance(500)
    texts = [event["Description"] for event in reversed(world.events())]
    instance = world.nodes()[0]["InstanceId"]
    [group], subnets = world.network["SecurityGroupIds"], world.network["Subnets"]
    assert texts == [
        "Cluster creation started",
        "EKS Access Entries CREATE successful",
        "Cluster creation completed",
        *(
            f"Found Subnet {subnet} in AZ {zone} with SecurityGroupIds {group} for IG gpu in Cluster demo"
            for subnet, zone in zip(subnets, world.zones, strict=True)
        ),
        "Successfully created Customer ENI for instance in Cluster demo and IG gpu",
        f"EC2 Instance {instance} successfully provisioned in Cluster demo and InstanceGroup gpu",
        f"Instance lifecycle script execution for EC2 Instance {instance} has Started",
        f"Instance lifecycle script execution for EC2 Instance {instance} has Completed",
        f"Instance creation {instance} in Cluster demo and IG gpu completed successfully",
    ]
    assert {event["ResourceType"] for event in world.events(ResourceType="Instance")} == {"Instance"}
    assert world.events(EventTimeAfter=world.clock()) == []
    page = world.client.list_cluster_events(ClusterName="demo", MaxResults=6, SortOrder="Ascending")
    rest = world.client.list_cluster_events(
        ClusterName="demo", MaxResults=6, SortOrder="Ascending", NextToken=page["NextToken"]
    )
    assert [event["Description"] for event in page["Events"] + rest["Events"]] == texts


def test_execution_roles_get_access_entries(world: World) -> None:
    world.create(world.group("a", 1), world.group("b", 1))
    assert world.admitted == [("demo-eks", world.role)]


def test_without_capacity_the_group_stays_short_and_says_so_every_ten_minutes(world: World) -> None:
    for zone in world.zones:
        world.hyperpod.capacity[(GPU, zone)] = 1
    world.create(world.group(count=3))
    world.clock.advance(600)
    group = world.gpu()
    assert (group["CurrentCount"], group["TargetCount"], group["ActiveOperations"]) == (2, 3, {"Scaling": 1})
    failures = [event for event in world.events() if event["EventLevel"] == "Error"]
    assert [event["Description"] for event in failures] == [
        "Instance creation in Cluster demo and InstanceGroup gpu failed",
        "Failed to provision EC2 Instance in Cluster demo and InstanceGroup gpu",
    ]
    details = world.client.describe_cluster_event(ClusterName="demo", EventId=failures[0]["EventId"])["EventDetails"]
    assert details["ResourceType"] == "Instance"
    message = details["EventDetails"]["EventMetadata"]["Instance"]["FailureMessage"]
    assert message == f"We currently do not have sufficient capacity to launch new {GPU} instances. Please try again."
    world.clock.advance(60)
    assert len([event for event in world.events() if event["EventLevel"] == "Error"]) == 4
    world.hyperpod.capacity.clear()
    world.clock.advance(1000)
    assert world.gpu()["CurrentCount"] == 3


def test_a_missing_lifecycle_script_fails_the_instance_until_it_is_there(world: World) -> None:
    moto_client("s3").delete_object(Bucket=BUCKET, Key="scripts/on_create.sh")
    world.create(world.group(count=1))
    world.clock.advance(300)
    node = world.nodes()[0]
    assert node["InstanceStatus"]["Status"] == "Failure"
    assert "Lifecycle scripts did not run successfully" in node["InstanceStatus"]["Message"]
    assert f"LifecycleConfig/gpu/{node['InstanceId']}" in node["InstanceStatus"]["Message"]
    assert world.describe()["ClusterStatus"] == "InService"
    moto_client("s3").put_object(Bucket=BUCKET, Key="scripts/on_create.sh", Body=b"")
    world.clock.advance(720)
    assert world.nodes()[0]["InstanceStatus"]["Status"] == "Running"


def test_a_new_group_that_misses_its_minimum_is_rolled_back_after_three_hours(world: World) -> None:
    world.hyperpod.capacity[(GPU, world.zones[0])] = 1
    world.hyperpod.capacity[(GPU, world.zones[1])] = 0
    world.create(world.group(count=2, MinInstanceCount=2))
    world.clock.advance(1000)
    assert (world.gpu()["Status"], world.gpu()["CurrentCount"], world.gpu()["MinCount"]) == ("Creating", 1, 2)
    world.clock.advance(3 * 3600)
    assert (world.gpu()["CurrentCount"], world.gpu()["TargetCount"]) == (0, 0)


def test_a_group_with_a_minimum_is_in_service_once_it_is_met(world: World) -> None:
    world.create(world.group(count=2, MinInstanceCount=1))
    world.clock.advance(300)
    assert world.gpu()["Status"] == "Creating"
    world.clock.advance(120)
    assert world.gpu()["Status"] == "InService"


def test_a_deleted_cluster_blocks_its_eks_cluster_until_it_is_gone(world: World) -> None:
    arn = world.create()
    world.clock.advance(500)
    assert world.client.delete_cluster(ClusterName=arn)["ClusterArn"] == arn
    assert world.describe()["ClusterStatus"] == "Deleting"
    assert {node["InstanceStatus"]["Status"] for node in world.nodes()} == {"ShuttingDown"}
    assert not any(node.running for node in world.hyperpod.node_facts("demo-eks"))
    refused("ConflictException", world.client.delete_cluster, ClusterName="demo")
    with pytest.raises(ClientError, match=f"Specified cluster external resource id {EKS_ARN} already in use"):
        world.create(name="other")
    world.clock.advance(300)
    refused("ResourceNotFound", world.client.describe_cluster, ClusterName="demo")
    world.create()


def test_deadlines_name_the_next_moment_of_change(world: World) -> None:
    world.create(world.group(count=1))
    moments = []
    for _ in range(4):
        due = [moment for moment in world.hyperpod.deadlines() if moment > world.clock()]
        if due:
            moments.append((min(due) - world.clock()).total_seconds())
            world.clock.time = min(due)
            world.hyperpod.settle()
    assert moments == [60, 240, 120]
