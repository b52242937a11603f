"""UpdateCluster with its documented habits, through the real wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.test_simulator_hyperpod_helpers import GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import error_of, make_role, refused

NOISE = "Request to service failed. If failure persists after retry, contact customer support."


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def running(world: World, *groups: dict[str, object], **changes: object) -> None:
    """A cluster whose instances all run."""
    world.create(*groups, **{"name": "demo", **changes})  # type: ignore[arg-type]
    world.clock.advance(600)


def update(world: World, *groups: dict[str, object], **members: object) -> dict[str, Any]:
    listed = {"InstanceGroups": list(groups)} if groups else {}
    answer: dict[str, Any] = world.client.update_cluster(ClusterName="demo", **listed, **members)
    return answer


def not_updated(world: World, code: str, *groups: dict[str, object], **members: object) -> str:
    with pytest.raises(ClientError) as caught:
        update(world, *groups, **members)
    found, message = error_of(caught.value)
    assert found == code, message
    return message


def groups(world: World) -> dict[str, tuple[int, int, str]]:
    return {
        group["InstanceGroupName"]: (group["CurrentCount"], group["TargetCount"], group["Status"])
        for group in world.describe()["InstanceGroups"]
    }


def test_a_group_is_scaled_up_and_down_while_the_cluster_stays_in_service(world: World) -> None:
    running(world, world.group(count=2), world.group("other", 1))
    assert update(world, world.group(count=3))["ClusterArn"] == world.describe()["ClusterArn"]
    assert (world.describe()["ClusterStatus"], groups(world)) == (
        "InService",
        {"gpu": (2, 3, "InService"), "other": (1, 1, "InService")},
    )
    assert world.gpu()["ActiveOperations"] == {"Scaling": 1}
    world.clock.advance(600)
    assert groups(world)["gpu"] == (3, 3, "InService")
    logical_id = next(node["NodeLogicalId"] for node in world.nodes() if node["InstanceGroupName"] == "gpu")
    update(world, world.group(count=0))
    listed = [node["InstanceStatus"]["Status"] for node in world.nodes() if node["InstanceGroupName"] == "gpu"]
    assert listed == ["ShuttingDown"] * 3
    assert sum(1 for node in world.hyperpod.node_facts("demo-eks") if node.running) == 1
    world.clock.advance(60)
    assert (len(world.nodes()), groups(world)["gpu"]) == (1, (3, 0, "InService"))
    world.clock.advance(120)
    assert groups(world)["gpu"] == (0, 0, "InService")
    gone = world.client.describe_cluster_node(ClusterName="demo", NodeLogicalId=logical_id)["NodeDetails"]
    assert gone["InstanceStatus"] == {"Status": "NotFound"}


def test_scaling_warns_of_what_is_no_failure(world: World) -> None:
    running(world)
    update(world, world.group(count=1))
    [warning] = [event for event in world.events() if event["EventLevel"] == "Warn"]
    assert warning["Description"] == (
        "1 node(s) lost orchestration-ready status. Current: 1/1 orchestration-ready across 1 instance group(s)."
    )
    assert (warning["ResourceType"], world.failure_of(warning)) == ("Cluster", NOISE)


def test_what_an_update_leaves_out_is_lost(world: World) -> None:
    config = {"Labels": {"team": "a"}, "Taints": [{"Key": "gpu", "Value": "yes", "Effect": "NoSchedule"}]}
    running(world, world.group(count=1, MinInstanceCount=1, KubernetesConfig=config))
    update(world, world.group(count=1, ThreadsPerCore=None))
    group = world.gpu()
    assert (group["ThreadsPerCore"], group["MinCount"]) == (1, 0)
    assert group["KubernetesConfig"] == {
        "CurrentLabels": {"team": "a"},
        "DesiredLabels": {},
        "CurrentTaints": config["Taints"],
        "DesiredTaints": [],
    }
    world.clock.advance(60)
    assert "KubernetesConfig" not in world.gpu()
    [node] = world.hyperpod.node_facts("demo-eks")
    assert (node.labels, node.taints, "team" in node.former_labels) == ({}, [], True)
    instance = world.nodes()[0]["InstanceId"]
    assert world.events()[0]["Description"] == (
        f"Successfully updated Kubernetes config for instance {instance} in Cluster demo and IG gpu"
    )


def test_a_node_keeps_its_threads_and_the_next_one_has_the_new_ones(world: World) -> None:
    running(world, world.group(count=1))
    update(world, world.group(count=2, ThreadsPerCore=None))
    world.clock.advance(600)
    world.hyperpod.settle()
    assert [node.vcpus for node in world.hyperpod.node_facts("demo-eks")] == [32, 16]


@pytest.mark.parametrize(
    "member, value",
    [
        ("InstanceType", "ml.g5.16xlarge"),
        ("OverrideVpcConfig", None),
        ("CapacityRequirements", {"Spot": {}}),
        ("ThreadsPerCore", 1),
        ("NetworkInterface", {"InterfaceType": "efa-only"}),
    ],
)
def test_some_members_cannot_change_nor_be_left_out(world: World, member: str, value: object) -> None:
    group = world.group(count=1, OverrideVpcConfig=world.network)
    running(world, group)
    changed = {key: each for key, each in {**group, member: value}.items() if each is not None}
    message = not_updated(world, "ValidationException", {**changed, "InstanceCount": 2})
    assert message == f"Updating fields {member} on an InstanceGroup not supported"
    assert groups(world) == {"gpu": (1, 1, "InService")}


def test_an_execution_role_cannot_change(world: World) -> None:
    running(world)
    other = make_role("other", "sagemaker.amazonaws.com")
    message = not_updated(world, "ValidationException", world.group(ExecutionRole=other))
    assert message == "Updating fields ExecutionRole on an InstanceGroup not supported"


def test_a_list_of_types_may_grow_but_not_become_one_type(world: World) -> None:
    kinds = ["ml.g6.12xlarge", "ml.g6e.12xlarge"]
    running(world, world.group(InstanceType=None, InstanceRequirements={"InstanceTypes": kinds[:1]}))
    update(world, world.group(InstanceType=None, InstanceRequirements={"InstanceTypes": kinds}))
    assert world.gpu()["InstanceRequirements"]["DesiredInstanceTypes"] == kinds
    message = not_updated(world, "ValidationException", world.group(InstanceType=kinds[0]))
    assert message.startswith("Updating fields Instance")


def test_what_documentation_does_not_say_is_refused(world: World) -> None:
    running(world)
    storage = [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}]
    assert "unverified" in not_updated(world, "UnverifiedOperation", world.group(InstanceStorageConfigs=storage))
    assert "unverified" in refused("UnverifiedOperation", world.client.batch_delete_cluster_nodes, ClusterName="demo")


def test_groups_are_added_and_deleted_by_name(world: World) -> None:
    running(world)
    update(world, world.group("more", 1), InstanceGroupsToDelete=["gpu"])
    assert groups(world) == {"gpu": (2, 0, "Deleting"), "more": (0, 1, "Creating")}
    world.clock.advance(180)
    assert groups(world) == {"more": (0, 1, "InService")}
    world.clock.advance(600)
    assert groups(world) == {"more": (1, 1, "InService")}
    texts = [event["Description"] for event in world.events(ResourceType="InstanceGroup")]
    assert "InstanceGroup more creation started successfully in Cluster demo" in texts
    assert "InstanceGroup gpu deletion started successfully in Cluster demo" in texts


def test_a_new_group_takes_the_image_of_the_earliest(world: World) -> None:
    image = world.ec2.register_image(Name="nodes", RootDeviceName="/dev/xvda")["ImageId"]
    running(world, world.group(count=0, ImageId=image))
    update(world, world.group("more", 0))
    assert [group["CurrentImageId"] for group in world.describe()["InstanceGroups"]] == [image, image]


def test_an_update_must_name_groups_well(world: World) -> None:
    running(world)
    cases: list[tuple[list[dict[str, object]], list[str], str]] = [
        ([], ["none"], "does not exist"),
        ([world.group()], ["gpu"], "cannot be in both"),
        ([], ["gpu"], "At least one instance group must remain"),
        ([world.group(), world.group()], [], "must be unique"),
    ]
    for listed, deleted, says in cases:
        members = {"InstanceGroupsToDelete": deleted} if deleted else {}
        assert says in not_updated(world, "ValidationException", *listed, **members)


def test_a_cluster_that_is_being_created_or_deleted_is_in_conflict(world: World) -> None:
    world.create()
    assert "is in status Creating" in not_updated(world, "ConflictException", world.group(count=3))
    world.clock.advance(60)
    world.client.delete_cluster(ClusterName="demo")
    assert "is in status Deleting" in not_updated(world, "ConflictException", world.group(count=3))
    refused("ResourceNotFound", world.client.update_cluster, ClusterName="none")


def test_a_group_that_waits_for_its_minimum_can_only_be_deleted(world: World) -> None:
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(GPU, zone, 0)
    running(world, world.group(MinInstanceCount=2), world.group("other", 0))
    assert "waits for its MinInstanceCount" in not_updated(world, "ConflictException", world.group(count=1))
    update(world, InstanceGroupsToDelete=["gpu"])
    world.clock.advance(1)
    assert set(groups(world)) == {"other"}


def test_an_update_that_misses_its_minimum_goes_back_to_what_was(world: World) -> None:
    running(world, world.group(count=1))
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(GPU, zone, 1)
    update(world, world.group(count=4, MinInstanceCount=4))
    world.clock.advance(600)
    assert groups(world) == {"gpu": (2, 4, "Updating")}
    world.clock.advance(3 * 3600)
    world.clock.advance(180)
    assert (groups(world), world.gpu()["MinCount"]) == ({"gpu": (1, 1, "InService")}, 0)


def test_a_group_under_deep_health_check_is_in_conflict(world: World) -> None:
    checked = world.group(count=1, OnStartDeepHealthChecks=["InstanceStress"])
    running(world, checked)
    message = not_updated(world, "ConflictException", {**checked, "InstanceCount": 2})
    assert "while deep health checks are in progress" in message


def test_an_update_counts_towards_quotas_with_what_there_is(world: World) -> None:
    world.hyperpod.conditions.set_quota(f"{GPU} for cluster usage", 3)
    running(world)
    message = not_updated(world, "ResourceLimitExceeded", world.group(count=4))
    assert "is 3 Instances, with current utilization of 2 Instances and a request delta of 2 Instances" in message
    update(world, world.group(count=3))


def test_recovery_that_is_switched_on_heals_what_is_known_to_be_faulty(world: World) -> None:
    running(world, world.group(count=1), NodeRecovery="None")
    instance = world.nodes()[0]["InstanceId"]
    world.hyperpod.conditions.break_node(instance)
    world.clock.advance(3600)
    assert world.nodes()[0]["InstanceStatus"]["Status"] == "Running"
    update(world, NodeRecovery="Automatic")
    world.clock.advance(60)
    assert world.describe()["NodeRecovery"] == "Automatic"
    assert instance in [node["InstanceId"] for node in world.nodes() if node["InstanceStatus"]["Status"] != "Running"]


def test_autoscaling_is_ready_after_twenty_minutes(world: World) -> None:
    role = make_role("scaler", "hyperpod.sagemaker.amazonaws.com")
    scaling = {"AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}, "ClusterRole": role}
    with pytest.raises(ClientError, match="AutoScaling requires a ClusterRole"):
        world.create(AutoScaling=scaling["AutoScaling"])
    running(world, world.group(count=0), **scaling)
    assert world.describe()["AutoScaling"] == {**scaling["AutoScaling"], "Status": "Creating"}  # type: ignore[dict-item]
    other = make_role("other", "hyperpod.sagemaker.amazonaws.com")
    assert "ClusterRole cannot be changed" in not_updated(world, "ValidationException", ClusterRole=other)
    world.clock.advance(600)
    assert world.describe()["AutoScaling"]["Status"] == "InService"
    assert [event["Description"] for event in world.events()][:2] == [
        "AutoScaling Enable Completed successfully in Cluster demo",
        "CustomResourceDefinition installation completed successfully in EKS Cluster demo-eks",
    ]
    update(world, AutoScaling={"Mode": "Disable"})
    assert "AutoScaling" not in world.describe()
