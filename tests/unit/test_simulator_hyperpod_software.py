"""UpdateClusterSoftware: batches, scripts that fail, alarms, and what is seen of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.test_simulator_hyperpod_helpers import EKS_ARN, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import refused

ONE_BY_ONE = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}


@pytest.fixture
def world() -> Iterator[World]:
    """A cluster with two instances, whose EKS cluster has moved on and for which there is a newer image."""
    with hyperpod_world() as made:
        made.create()
        made.clock.advance(600)
        made.eks[EKS_ARN] = replace(made.eks[EKS_ARN], version="1.34")
        made.hyperpod.conditions.release_image("1.1.0")
        yield made


def update(world: World, **changes: object) -> None:
    world.client.update_cluster_software(ClusterName="demo", **changes)


def statuses(world: World) -> list[str]:
    return sorted(node["InstanceStatus"]["Status"] for node in world.nodes())


def releases(world: World) -> list[str]:
    return sorted(node["CurrentImageReleaseVersion"] for node in world.nodes())


def versions(world: World) -> list[str]:
    return sorted(node.kubernetes_version for node in world.hyperpod.node_facts("demo-eks"))


def seen(world: World) -> tuple[str, str, str]:
    return world.describe()["ClusterStatus"], world.gpu()["Status"], world.gpu()["SoftwareUpdateStatus"]


def test_a_newer_release_is_told_of_before_anybody_updates(world: World) -> None:
    group = world.gpu()
    found = {name: group[name] for name in ("CurrentImageReleaseVersion", "ImageVersionStatus")}
    assert found == {"CurrentImageReleaseVersion": "1.0.0", "ImageVersionStatus": "UpdateAvailable"}
    assert (releases(world), versions(world)) == (["1.0.0", "1.0.0"], ["1.33", "1.33"])


def test_without_a_policy_all_instances_are_updated_at_once(world: World) -> None:
    update(world)
    assert statuses(world) == ["SystemUpdating", "SystemUpdating"]
    assert seen(world) == ("SystemUpdating", "SystemUpdating", "InProgress")
    assert world.gpu()["DesiredImageReleaseVersion"] == "1.1.0"
    assert [fact.reachable for fact in world.hyperpod.node_facts("demo-eks")] == [False, False]
    instances = [node["InstanceId"] for node in world.nodes()]
    world.clock.advance(490)
    assert seen(world) == ("InService", "InService", "Succeeded")
    assert (releases(world), versions(world)) == (["1.1.0", "1.1.0"], ["1.34", "1.34"])
    assert [node["InstanceId"] for node in world.nodes()] == instances
    assert world.gpu()["ImageVersionStatus"] == "UpToDate"
    states = [each["ClusterStatus"] for each in world.told("Cluster State Change")]
    assert states[-2:] == ["SystemUpdating", "InService"]


def test_a_rolling_update_waits_between_its_batches(world: World) -> None:
    update(world, DeploymentConfig={**ONE_BY_ONE, "WaitIntervalInSeconds": 300})
    assert statuses(world) == ["Running", "SystemUpdating"]
    world.clock.advance(485)
    assert (statuses(world), releases(world)) == (["Running", "Running"], ["1.0.0", "1.1.0"])
    assert seen(world)[0] == "SystemUpdating"
    world.clock.advance(300)
    assert statuses(world) == ["Running", "SystemUpdating"]
    world.clock.advance(490)
    assert (seen(world)[2], releases(world)) == ("Succeeded", ["1.1.0", "1.1.0"])


def test_an_instance_whose_script_fails_four_times_takes_the_update_back(world: World) -> None:
    world.hyperpod.conditions.fail_lifecycle_scripts("demo", "gpu", times=4)
    update(world, DeploymentConfig=ONE_BY_ONE)
    world.clock.advance(480 + 17 * 60)
    assert seen(world)[2] == "InProgress"
    world.clock.advance(120)
    assert seen(world) == ("SystemUpdating", "SystemUpdating", "RollbackInProgress")
    world.clock.advance(490)
    assert seen(world) == ("InService", "InService", "RollbackComplete")
    assert (releases(world), versions(world)) == (["1.0.0", "1.0.0"], ["1.33", "1.33"])
    [failed] = [node for node in world.nodes() if node["InstanceStatus"].get("Message")]
    assert "Lifecycle scripts did not run successfully" in failed["InstanceStatus"]["Message"]
    update(world)
    world.clock.advance(490)
    assert (seen(world)[2], releases(world)) == ("Succeeded", ["1.1.0", "1.1.0"])


def test_an_alarm_takes_the_update_back(world: World) -> None:
    update(world, DeploymentConfig={**ONE_BY_ONE, "AutoRollbackConfiguration": [{"AlarmName": "latency"}]})
    world.hyperpod.conditions.raise_alarm("latency")
    world.clock.advance(490)
    assert seen(world)[2] == "RollbackInProgress"
    world.clock.advance(490)
    assert (seen(world)[2], releases(world)) == ("RollbackComplete", ["1.0.0", "1.0.0"])


def test_a_new_instance_has_its_groups_image_whatever_was_released_since(world: World) -> None:
    world.client.update_cluster(ClusterName="demo", InstanceGroups=[world.group(count=3)])
    world.clock.advance(600)
    assert (releases(world), versions(world)) == (["1.0.0"] * 3, ["1.33"] * 3)


def test_an_update_is_refused(world: World) -> None:
    call = world.client.update_cluster_software
    refused("ResourceNotFound", call, ClusterName="other")
    refused("ValidationException", call, ClusterName="demo", InstanceGroups=[{"InstanceGroupName": "none"}])
    odd = [{"InstanceGroupName": "gpu", "ImageReleaseVersion": "9.9.9"}]
    refused("ValidationException", call, ClusterName="demo", InstanceGroups=odd)
    size = {"Type": "CAPACITY_PERCENTAGE", "Value": 101}
    policy = {"RollingUpdatePolicy": {"MaximumBatchSize": size}}
    refused("ValidationException", call, ClusterName="demo", DeploymentConfig=policy)
    refused("UnverifiedOperation", call, ClusterName="demo", ImageId="ami-0123456789abcdef0")
    update(world)
    refused("ConflictException", call, ClusterName="demo")
    refused("ConflictException", world.client.update_cluster, ClusterName="demo", InstanceGroups=[world.group(count=3)])
