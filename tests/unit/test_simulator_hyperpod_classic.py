"""Clusters without a provisioning mode: all instances or none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.test_simulator_hyperpod_helpers import GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import refused

NO_CAPACITY = f"We currently do not have sufficient capacity to launch new {GPU} instances. Please try again."


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def create(world: World, *groups: dict[str, object]) -> None:
    world.create(*groups, NodeProvisioningMode=None)


def limit(world: World, count: int) -> None:
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[0], count)
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[1], 0)


def seen(world: World) -> tuple[str, str | None, list[tuple[int, int, str]]]:
    """Status, failure message, and each group's counts and status."""
    cluster = world.describe()
    groups = [(each["CurrentCount"], each["TargetCount"], each["Status"]) for each in cluster["InstanceGroups"]]
    return cluster["ClusterStatus"], cluster.get("FailureMessage"), groups


def test_a_classic_cluster_is_in_service_when_all_its_instances_run(world: World) -> None:
    create(world, world.group(count=2), world.group("other", 1))
    world.clock.advance(424)
    assert seen(world) == ("Creating", None, [(1, 2, "Creating"), (1, 1, "Creating")])
    world.clock.advance(1)
    assert seen(world) == ("InService", None, [(2, 2, "InService"), (1, 1, "InService")])
    assert [change["ClusterStatus"] for change in world.told("Cluster State Change")] == ["Creating", "InService"]


def test_one_missing_instance_rolls_everything_back(world: World) -> None:
    limit(world, 1)
    create(world, world.group(count=2))
    world.clock.advance(60)
    assert seen(world)[:2] == ("RollingBack", NO_CAPACITY)
    world.clock.advance(180)
    assert seen(world) == ("Failed", NO_CAPACITY, [(0, 0, "Failed")])
    assert world.nodes() == []
    assert [change["ClusterStatus"] for change in world.told("Cluster State Change")] == [
        "Creating",
        "RollingBack",
        "Failed",
    ]
    world.client.delete_cluster(ClusterName="demo")
    world.clock.advance(300)
    refused("ResourceNotFound", world.client.describe_cluster, ClusterName="demo")


def test_a_failing_script_fails_the_creation_with_its_reason(world: World) -> None:
    world.hyperpod.conditions.fail_lifecycle_scripts("demo", "gpu")
    create(world)
    world.clock.advance(600)
    status, failure, _ = seen(world)
    assert (status, "Lifecycle scripts did not run successfully" in (failure or "")) == ("Failed", True)


def test_an_update_is_seen_in_the_status_and_is_rolled_back_as_a_whole(world: World) -> None:
    create(world, world.group(count=1))
    world.clock.advance(600)
    world.client.update_cluster(ClusterName="demo", InstanceGroups=[world.group(count=2)])
    assert seen(world) == ("Updating", None, [(1, 2, "Updating")])
    refused("ConflictException", world.client.update_cluster, ClusterName="demo", NodeRecovery="None")
    world.clock.advance(600)
    assert seen(world) == ("InService", None, [(2, 2, "InService")])
    limit(world, 3)
    labelled = world.group(count=4, KubernetesConfig={"Labels": {"team": "a"}})
    world.client.update_cluster(ClusterName="demo", InstanceGroups=[labelled])
    assert world.gpu()["KubernetesConfig"]["DesiredLabels"] == {"team": "a"}
    world.clock.advance(60)
    assert seen(world)[0] == "RollingBack"
    world.clock.advance(240)
    assert seen(world) == ("InService", NO_CAPACITY, [(2, 2, "InService")])
    assert "KubernetesConfig" not in world.gpu()
    assert [node.labels for node in world.hyperpod.node_facts("demo-eks")] == [{}, {}]


def test_classic_clusters_have_no_events_and_no_logical_ids(world: World) -> None:
    create(world, world.group(count=1))
    world.clock.advance(600)
    says = "NodeProvisioningMode Continuous"
    assert says in refused("ValidationException", world.client.list_cluster_events, ClusterName="demo")
    listing = {"ClusterName": "demo", "IncludeNodeLogicalIds": True}
    assert says in refused("ValidationException", world.client.list_cluster_nodes, **listing)
    assert "NodeLogicalId" not in world.nodes()[0]
    assert world.told("Cluster Event") == []
