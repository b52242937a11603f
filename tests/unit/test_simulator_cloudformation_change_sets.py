"""Drift detection and change sets in the simulator: order, refusals, and what is left to delete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.unit.test_simulator_cloudformation_drift import change_set, executed
from tests.unit.test_simulator_cloudformation_helpers import World, network, new_world, own_vpcs
from tests.unit.test_simulator_service_helpers import refused


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")


@pytest.fixture
def world() -> Iterator[World]:
    with mock_aws():
        yield new_world()


def test_a_detection_is_one_at_a_time_and_needs_a_stack_at_rest(world: World) -> None:
    world.create(network("us-east-1a"))
    refused("ValidationError", world.client.detect_stack_drift, StackName="demo")
    world.run()
    world.client.detect_stack_drift(StackName="demo")
    assert "already in progress" in refused("ValidationError", world.client.detect_stack_drift, StackName="demo")
    refused("ValidationError", world.client.describe_stack_drift_detection_status, StackDriftDetectionId="x" * 36)


def test_what_is_not_simulated_of_change_sets_is_refused(world: World) -> None:
    world.create(network())
    world.run()
    wanted = {"StackName": "demo", "ChangeSetName": "mine", "UsePreviousTemplate": True}
    for more in ({"ChangeSetType": "IMPORT"}, {"TemplateBody": "{}", "UsePreviousTemplate": False}):
        assert "unverified" in refused("UnverifiedOperation", world.client.create_change_set, **(wanted | more))
    world.client.create_change_set(**wanted)
    refused("AlreadyExistsException", world.client.create_change_set, **wanted)
    world.clock.advance(30)
    found = world.client.describe_change_set(StackName="demo", ChangeSetName="mine")
    assert (found["Status"], found["StatusReason"].partition(".")[0]) == (
        "FAILED",
        "The submitted information didn't contain changes",
    )
    world.client.delete_change_set(StackName="demo", ChangeSetName="mine")
    refused("ChangeSetNotFound", world.client.describe_change_set, StackName="demo", ChangeSetName="mine")
    refused("ValidationError", world.client.describe_change_set, ChangeSetName="mine")


def test_a_stack_whose_resources_were_made_anew_can_be_deleted(world: World) -> None:
    stack_id = world.create(network("us-east-1a"))
    world.run()
    subnet = world.ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [own_vpcs(world)[0]["VpcId"]]}])
    world.ec2.delete_subnet(SubnetId=subnet["Subnets"][0]["SubnetId"])
    change_set(world, stack="demo")
    assert executed(world, "demo") == "UPDATE_COMPLETE"
    world.client.delete_stack(StackName="demo")
    assert world.run(stack_id) == "DELETE_COMPLETE"
    assert own_vpcs(world) == []
