from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.test_simulator_eks_helpers import World, eks_world
from tests.unit.test_simulator_service_helpers import refused

READINESS = {"categories": ["UPGRADE_READINESS"]}


@pytest.fixture
def world() -> Iterator[World]:
    with eks_world() as made:
        made.active(version="1.33")
        yield made


def update(world: World, version: str = "1.34", **changes: object) -> dict[str, object]:
    begun: dict[str, object] = world.client.update_cluster_version(name="demo", version=version, **changes)["update"]
    return begun


def status(world: World) -> tuple[str, str]:
    cluster = world.client.describe_cluster(name="demo")["cluster"]
    return cluster["status"], cluster["version"]


def test_a_version_update_takes_ten_minutes_and_the_cluster_is_updating_meanwhile(world: World) -> None:
    begun = update(world)
    assert (begun["status"], begun["type"]) == ("InProgress", "VersionUpdate")
    world.clock.advance(599)
    assert status(world) == ("UPDATING", "1.33")
    world.clock.advance(1)
    assert status(world) == ("ACTIVE", "1.34")
    [update_id] = world.client.list_updates(name="demo")["updateIds"]
    assert world.client.describe_update(name="demo", updateId=update_id)["update"]["status"] == "Successful"


def test_a_repeated_token_is_the_same_update(world: World) -> None:
    assert update(world, clientRequestToken="once")["id"] == update(world, clientRequestToken="once")["id"]
    refused("ResourceInUseException", world.client.update_cluster_version, name="demo", version="1.34")


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("1.35", "Unsupported Kubernetes minor version update from 1.33 to 1.35"),
        ("1.32", "Unsupported Kubernetes minor version update from 1.33 to 1.32"),
        ("1.33", "already at the desired configuration"),
        ("1.99", "unsupported Kubernetes version"),
    ],
)
def test_a_version_moves_by_one_minor_and_up(world: World, version: str, says: str) -> None:
    said = refused("InvalidParameterException", world.client.update_cluster_version, name="demo", version=version)
    assert says in said


def test_a_failed_update_leaves_the_version_and_says_why(world: World) -> None:
    world.eks.updates.fail_next("demo", "EniLimitReached", "no interface is left")
    begun = update(world)
    world.clock.advance(600)
    assert status(world) == ("ACTIVE", "1.33")
    ended = world.client.describe_update(name="demo", updateId=begun["id"])["update"]
    assert (ended["status"], ended["errors"][0]["errorCode"]) == ("Failed", "EniLimitReached")
    update(world)
    world.clock.advance(600)
    assert status(world) == ("ACTIVE", "1.34")


def test_an_insight_in_error_blocks_the_update_until_it_passes(world: World) -> None:
    details = {"usage": "/apis/x/v1beta1", "replacedWith": "/apis/x/v1", "stopServingVersion": "1.34"}
    world.eks.insights.put("demo", "Deprecated APIs removed in 1.34", "ERROR", "in use", deprecations=[details])
    blocking = {**READINESS, "statuses": ["ERROR"]}
    [found] = world.client.list_insights(clusterName="demo", filter=blocking)["insights"]
    assert (found["kubernetesVersion"], found["insightStatus"]["status"]) == ("1.34", "ERROR")
    insight = world.client.describe_insight(clusterName="demo", id=found["id"])["insight"]
    assert insight["categorySpecificSummary"]["deprecationDetails"] == [details]
    refused("InvalidStateException", world.client.update_cluster_version, name="demo", version="1.34")
    world.eks.insights.put("demo", "Deprecated APIs removed in 1.34", "PASSING", "no longer in use")
    update(world)


def test_nodes_that_would_be_more_than_three_minors_behind_block_the_update(world: World) -> None:
    world.eks._state.host = replace(world.eks._state.host, node_versions=lambda _: ["1.30", "1.33"])
    [found] = world.client.list_insights(clusterName="demo", filter={**READINESS, "statuses": ["ERROR"]})["insights"]
    assert found["name"] == "Kubelet version skew"
    refused("InvalidStateException", world.client.update_cluster_version, name="demo", version="1.34")
