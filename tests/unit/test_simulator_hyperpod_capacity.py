"""Spot, flexible types, addresses, security groups and quotas, through the real wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.simulators.hyperpod.quotas import ALL_SPOT
from tests.unit.test_simulator_hyperpod_helpers import GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import error_of, refused

P5 = "ml.p5.48xlarge"
CPU = "ml.c5.large"
NO_CAPACITY = f"We currently do not have sufficient capacity to launch new {GPU} instances. Please try again."


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def free(world: World) -> list[int]:
    """Free addresses of the network's subnets."""
    answer = world.ec2.describe_subnets(SubnetIds=world.network["Subnets"])["Subnets"]
    return [subnet["AvailableIpAddressCount"] for subnet in answer]


def failures(world: World) -> list[tuple[str, str]]:
    """Text and failure message of every error event, the oldest first."""
    found = [event for event in reversed(world.events()) if event["EventLevel"] == "Error"]
    return [(event["Description"], world.failure_of(event)) for event in found]


def test_spot_needs_its_own_capacity_and_says_what_it_is(world: World) -> None:
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[0], 0)
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[1], 0)
    world.create(world.group(count=1, CapacityRequirements={"Spot": {}}))
    world.clock.advance(420)
    assert world.gpu()["CapacityRequirements"] == {"Spot": {}}
    node = world.client.describe_cluster_node(ClusterName="demo", NodeId=world.nodes()[0]["InstanceId"])["NodeDetails"]
    assert (node["CapacityType"], node["InstanceStatus"]["Status"]) == ("Spot", "Running")


def test_a_limit_of_the_spot_pool_makes_spot_short(world: World) -> None:
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(GPU, zone, 0, spot=True)
    world.create(world.group(count=1, CapacityRequirements={"Spot": {}}))
    world.clock.advance(60)
    assert [message for _, message in failures(world)] == [NO_CAPACITY, NO_CAPACITY]


def test_capacity_can_come_back_at_a_moment(world: World) -> None:
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(GPU, zone, 0)
    back = world.clock() + world.hours(10)
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[0], None, at=back)
    world.create(world.group(count=1))
    world.clock.advance(10 * 3600 - 1)
    assert world.nodes() == []
    world.clock.advance(1200)
    assert world.gpu()["CurrentCount"] == 1


def test_an_interrupted_spot_instance_is_tainted_then_replaced(world: World) -> None:
    world.create(world.group(count=1, CapacityRequirements={"Spot": {}}))
    world.clock.advance(600)
    first = world.nodes()[0]["InstanceId"]
    world.hyperpod.conditions.interrupt_spot(first)
    facts = world.hyperpod.node_facts("demo-eks")[0]
    assert (facts.health, [taint["Effect"] for taint in facts.taints]) == ("Unschedulable", ["NoExecute"])
    world.clock.advance(120)
    assert {node["InstanceId"]: node["InstanceStatus"]["Status"] for node in world.nodes()}[first] == "ShuttingDown"
    texts = [event["Description"] for event in world.events(NodeId=first)]
    assert texts[0] == f"Termination of EC2 Instance {first} is currently in progress in Cluster demo and IG gpu"
    world.clock.advance(600)
    [second] = world.nodes()
    assert (second["InstanceStatus"]["Status"], second["InstanceId"] == first) == ("Running", False)
    texts = [event["Description"] for event in world.events(NodeId=second["InstanceId"])]
    where = "as part of instance replacement in Cluster demo and IG gpu"
    assert f"Instance {second['InstanceId']} is starting {where}" in texts
    assert texts[0] == f"Instance {second['InstanceId']} creation completed successfully {where}"


def test_spot_and_several_types_need_continuous_provisioning(world: World) -> None:
    cases: list[dict[str, Any]] = [
        {"CapacityRequirements": {"Spot": {}}},
        {"InstanceType": None, "InstanceRequirements": {"InstanceTypes": [GPU]}},
        {"MinInstanceCount": 1},
    ]
    for changes in cases:
        with pytest.raises(ClientError, match="requires NodeProvisioningMode Continuous"):
            world.create(world.group(**changes), NodeProvisioningMode=None)


def test_a_flexible_group_takes_the_first_type_that_has_capacity(world: World) -> None:
    kinds = ["ml.g6.12xlarge", "ml.g6e.12xlarge"]
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(kinds[0], zone, 0)
    world.hyperpod.conditions.limit_capacity(kinds[0], world.zones[0], 1)
    flexible: dict[str, Any] = {"InstanceType": None, "InstanceRequirements": {"InstanceTypes": kinds}}
    world.create(world.group(count=2, **flexible))
    world.clock.advance(600)
    assert sorted(node["InstanceType"] for node in world.nodes()) == kinds
    group = world.gpu()
    assert "InstanceType" not in group
    assert group["InstanceRequirements"] == {"CurrentInstanceTypes": kinds, "DesiredInstanceTypes": kinds}
    assert [(each["InstanceType"], each["CurrentCount"]) for each in group["InstanceTypeDetails"]] == [
        (kinds[0], 1),
        (kinds[1], 1),
    ]


def test_nodes_take_the_addresses_of_their_type_and_give_them_back(world: World) -> None:
    before = free(world)
    world.create(world.group("big", 1, InstanceType=P5), world.group("small", 2, InstanceType=CPU))
    world.clock.advance(60)
    world.hyperpod.settle()
    assert before[0] - free(world)[0] == 81 + 2 * 10
    world.client.delete_cluster(ClusterName="demo")
    world.clock.advance(300)
    world.hyperpod.settle()
    # The cluster is gone, and its instances' interfaces follow.
    assert (world.client.list_clusters()["ClusterSummaries"], free(world) == before) == ([], False)
    world.clock.advance(90)
    world.hyperpod.settle()
    assert free(world) == before


def test_efa_only_interfaces_take_fewer_addresses(world: World) -> None:
    before = free(world)
    world.create(world.group(count=1, InstanceType=P5, NetworkInterface={"InterfaceType": "efa-only"}))
    world.clock.advance(60)
    world.hyperpod.settle()
    assert before[0] - free(world)[0] == 50


def test_efa_only_is_refused_for_a_type_without_efa(world: World) -> None:
    message = refused_group(world, {"InstanceType": CPU, "NetworkInterface": {"InterfaceType": "efa-only"}})
    assert "efa-only of instance group gpu is not supported by ml.c5.large" in message


def refused_group(world: World, changes: dict[str, Any], code: str = "ValidationException") -> str:
    with pytest.raises(ClientError) as caught:
        world.create(world.group(**changes))
    found, message = error_of(caught.value)
    assert found == code, message
    return message


def test_a_full_subnet_is_a_shortage_of_its_own(world: World) -> None:
    one = {**world.network, "Subnets": world.network["Subnets"][:1]}
    world.create(world.group(count=4, InstanceType=P5), VpcConfig=one)
    world.clock.advance(60)
    assert len(world.nodes()) == 3
    message = (
        f"There are not enough free addresses in subnet '{one['Subnets'][0]}' to satisfy the requested number of"
        " instances."
    )
    assert failures(world) == [
        ("Failed to create Customer ENI for instance in Cluster demo and IG gpu", message),
        ("Instance creation in Cluster demo and InstanceGroup gpu failed", message),
    ]


@pytest.mark.parametrize("side", ["ingress", "egress"])
def test_efa_without_traffic_among_the_nodes_fails_before_the_lifecycle_script(world: World, side: str) -> None:
    [group] = world.network["SecurityGroupIds"]
    rule = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    getattr(world.ec2, f"revoke_security_group_{side}")(GroupId=group, IpPermissions=rule)
    world.create(world.group(count=1))
    world.clock.advance(300)
    node = world.nodes()[0]
    message = (
        "EFA health checks did not run successfully. Ensure that your VPC and security groups are properly configured"
        " before attempting to create a new cluster."
    )
    assert node["InstanceStatus"] == {"Status": "Failure", "Message": message}
    assert failures(world) == [("Instance creation in Cluster demo and InstanceGroup gpu failed", message)]
    assert not [event for event in world.events() if "lifecycle script" in event["Description"]]
    getattr(world.ec2, f"authorize_security_group_{side}")(GroupId=group, IpPermissions=rule)
    world.clock.advance(720)
    assert world.nodes()[0]["InstanceStatus"]["Status"] == "Running"


def test_types_without_efa_need_no_such_rules(world: World) -> None:
    [group] = world.network["SecurityGroupIds"]
    rule = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    world.ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=rule)
    world.create(world.group(count=1, InstanceType=CPU))
    world.clock.advance(420)
    assert world.gpu()["CurrentCount"] == 1


def test_a_quota_counts_all_groups_of_a_request(world: World) -> None:
    world.hyperpod.conditions.set_quota("ml.p4d.24xlarge for cluster usage", 1)
    groups = [world.group(name, 1, InstanceType="ml.p4d.24xlarge") for name in ("a", "b")]
    with pytest.raises(ClientError) as caught:
        world.create(*groups)
    assert error_of(caught.value) == (
        "ResourceLimitExceeded",
        "The account-level service limit 'ml.p4d.24xlarge for cluster usage' is 1 Instances, with current utilization"
        " of 0 Instances and a request delta of 2 Instances. Please use AWS Service Quotas to request an increase for"
        " this quota. If AWS Service Quotas is not available, contact AWS support to request an increase for this"
        " quota.",
    )
    refused("ResourceNotFound", world.client.describe_cluster, ClusterName="demo")
    world.create(groups[0])


def test_spot_instances_have_a_quota_of_their_own(world: World) -> None:
    spot: dict[str, Any] = {"CapacityRequirements": {"Spot": {}}}
    world.hyperpod.conditions.set_quota(f"{GPU} for cluster usage", 0)
    world.hyperpod.conditions.set_quota(f"{GPU} for cluster spot instance usage", 1)
    assert f"'{GPU} for cluster usage' is 0 Instances" in refused_group(world, {}, "ResourceLimitExceeded")
    assert f"'{GPU} for cluster spot instance usage' is 1" in refused_group(world, spot, "ResourceLimitExceeded")
    world.hyperpod.conditions.set_quota(f"{GPU} for cluster spot instance usage", 9)
    world.hyperpod.conditions.set_quota(ALL_SPOT, 1)
    assert f"'{ALL_SPOT}' is 1" in refused_group(world, spot, "ResourceLimitExceeded")
    world.create(world.group(count=1, **spot))


def test_a_volume_can_be_too_large(world: World) -> None:
    storage = [{"EbsVolumeConfig": {"VolumeSizeInGB": 2000}}]
    message = refused_group(world, {"InstanceStorageConfigs": storage}, "ResourceLimitExceeded")
    assert "is 1024 GB" in message
