from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.unit.test_simulator_cloudformation_helpers import World, bucket, network, new_world, own_vpcs
from tests.unit.test_simulator_service_helpers import refused


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")


@pytest.fixture
def world() -> Iterator[World]:
    with mock_aws():
        yield new_world()


def test_a_name_is_taken_until_its_stack_is_deleted(world: World) -> None:
    first = world.create(network(), ClientRequestToken="operation-1")
    assert world.create(network(), ClientRequestToken="operation-1") == first
    assert refused("AlreadyExistsException", world.create, template=network()) == "Stack [demo] already exists"
    world.client.delete_stack(StackName="demo")
    world.clock.advance(60)
    assert world.create(network()) != first
    assert world.stack(first)["StackStatus"] == "DELETE_COMPLETE"
    assert world.events(first)[-1]["ResourceStatus"] == "DELETE_COMPLETE"


def test_deletion_runs_backwards_and_a_stack_under_way_is_stopped(world: World) -> None:
    stack_id = world.create(network("us-east-1a"))
    world.clock.advance(13)
    world.client.delete_stack(StackName="demo")
    assert world.run(stack_id) == "DELETE_COMPLETE"
    order = [event["LogicalResourceId"] for event in world.events(stack_id) if "DELETE_COMP" in event["ResourceStatus"]]
    assert order[-2:] == ["Vpc", "demo"]
    assert world.reasons(stack_id)["Subnet0"] == "Resource creation cancelled"


def test_a_bucket_that_is_not_empty_stops_the_deletion_until_it_is_retained(world: World) -> None:
    stack_id = world.create(network(Data=bucket()))
    world.run()
    world.s3.put_object(Bucket="sagemaker-demo", Key="model", Body=b"x")
    refused("ValidationError", world.client.delete_stack, StackName="demo", RetainResources=["Data"])
    world.client.delete_stack(StackName="demo")
    assert world.run() == "DELETE_FAILED"
    assert world.stack()["StackStatusReason"] == "The following resource(s) failed to delete: [Data]. "
    assert "HandlerErrorCode: GeneralServiceException" in world.reasons()["Data"]
    world.client.delete_stack(StackName="demo", RetainResources=["Data"])
    assert world.run(stack_id) == "DELETE_COMPLETE"
    assert world.s3.head_bucket(Bucket="sagemaker-demo")


def test_what_others_still_use_is_refused_and_can_be_deleted_later(world: World) -> None:
    stack_id = world.create(network())
    world.run()
    vpc_id = own_vpcs(world)[0]["VpcId"]
    subnet = world.ec2.create_subnet(VpcId=vpc_id, CidrBlock="10.0.9.0/24")["Subnet"]["SubnetId"]
    world.client.delete_stack(StackName="demo")
    assert world.run() == "DELETE_FAILED"
    assert "dependencies" in world.reasons()["Vpc"]
    world.ec2.delete_subnet(SubnetId=subnet)
    world.client.delete_stack(StackName="demo")
    assert world.run(stack_id) == "DELETE_COMPLETE"


def test_a_protected_stack_is_not_deleted(world: World) -> None:
    world.create(network(), EnableTerminationProtection=True)
    refused("ValidationError", world.client.delete_stack, StackName="demo")


def test_resources_and_stacks_are_listed_as_they_are(world: World) -> None:
    world.create(network(), Tags=[{"Key": "team", "Value": "ml"}])
    listed = world.client.list_stack_resources(StackName="demo")["StackResourceSummaries"]
    assert [item["LogicalResourceId"] for item in listed] == ["Vpc"]
    world.run()
    found = world.client.describe_stack_resources(StackName="demo", LogicalResourceId="Vpc")["StackResources"]
    assert [item["PhysicalResourceId"] for item in found] == [own_vpcs(world)[0]["VpcId"]]
    by_resource = world.client.describe_stack_resources(PhysicalResourceId=found[0]["PhysicalResourceId"])
    assert {item["StackName"] for item in by_resource["StackResources"]} == {"demo"}
    summaries = world.client.list_stacks(StackStatusFilter=["CREATE_COMPLETE"])["StackSummaries"]
    assert [item["StackName"] for item in summaries] == ["demo"]
    assert world.client.get_template(StackName="demo")["TemplateBody"] == json.loads(network())
    assert world.stack()["Tags"] == [{"Key": "team", "Value": "ml"}]


def test_events_come_in_pages_that_new_events_do_not_shift(world: World) -> None:
    stack_id = world.create(network(*["us-east-1a"] * 40))
    world.run()
    before = {event["EventId"] for event in world.events()}
    first = world.client.describe_stack_events(StackName=stack_id)
    assert first["StackEvents"][0]["ResourceStatus"] == "CREATE_COMPLETE"
    world.client.delete_stack(StackName="demo")
    rest = world.client.describe_stack_events(StackName=stack_id, NextToken=first["NextToken"])
    ids = [event["EventId"] for event in first["StackEvents"] + rest["StackEvents"]]
    assert len(ids) == len(set(ids)) == len(before) > 100
    assert set(ids) == before
    refused("ValidationError", world.client.describe_stack_events, StackName=stack_id, NextToken="before-x")


def test_what_does_not_exist_is_said_in_each_operations_words(world: World) -> None:
    assert refused("ValidationError", world.client.describe_stacks, StackName="x") == "Stack with id x does not exist"
    assert refused("ValidationError", world.client.describe_stack_events, StackName="x") == "Stack [x] does not exist"
    assert world.client.delete_stack(StackName="x")["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert "unverified" in refused("UnverifiedOperation", world.client.cancel_update_stack, StackName="x")
