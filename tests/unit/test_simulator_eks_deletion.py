"""What the simulated EKS puts into a VPC, takes away with its cluster or leaves behind, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.test_simulator_eks_helpers import World, eks_world
from tests.unit.test_simulator_service_helpers import refused


@pytest.fixture
def world() -> Iterator[World]:
    with eks_world() as made:
        yield made


def interfaces(world: World) -> list[tuple[str, str]]:
    found = world.ec2.describe_network_interfaces()["NetworkInterfaces"]
    return sorted((each["Description"], each["SubnetId"]) for each in found)


def gone(world: World) -> None:
    world.client.delete_cluster(name="demo")
    world.clock.advance(120)
    assert world.client.list_clusters()["clusters"] == []


def test_a_control_plane_has_an_interface_in_each_of_its_subnets_for_as_long_as_it_lives(world: World) -> None:
    world.create()
    world.clock.advance(539)
    world.client.list_clusters()
    assert interfaces(world) == []
    world.clock.advance(1)
    world.client.list_clusters()
    assert interfaces(world) == sorted(("Amazon EKS demo", subnet) for subnet in world.subnets)
    gone(world)
    assert interfaces(world) == []


def test_a_control_plane_can_be_made_to_leave_its_interfaces_behind(world: World) -> None:
    world.active()
    world.client.list_clusters()
    world.eks.records.forgets_interfaces = True
    gone(world)
    assert [description for description, _ in interfaces(world)] == ["Amazon EKS demo"] * 2


def test_a_deletion_under_a_hyperpod_cluster_is_refused_as_unverified(world: World) -> None:
    world.active()
    state = world.eks._state
    state.host = replace(state.host, hyperpod_on=lambda _: "hp")
    assert "HyperPod cluster hp" in refused("UnverifiedOperation", world.client.delete_cluster, name="demo")
