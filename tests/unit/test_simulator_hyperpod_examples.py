"""The requests among the project's collected examples do what they say, once they name what is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore import xform_name

from tests.unit.test_simulator_hyperpod_helpers import BUCKET, EKS_ARN, World, hyperpod_world
from tests.unit.test_simulator_service import FACTS
from tests.unit.test_simulator_service_helpers import make_role, moto_client, refused

EXAMPLES = FACTS / "data" / "examples"
LATER = {"BatchAddClusterNodes", "BatchDeleteClusterNodes", "BatchRebootClusterNodes", "BatchReplaceClusterNodes"}
SHOWN = (
    "create_cluster_continuous",
    "list_events",
    "update_cluster_scale",
    "update_cluster_delete_group",
    "update_software",
)

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared facts are not here")


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        moto_client("s3").put_object(Bucket=BUCKET, Key="hyperpod/on_create.sh", Body=b"#!/bin/bash\n")
        yield made


def example(world: World, name: str) -> tuple[str, dict[str, Any]]:
    """An example's operation and its request, with the names that this world has."""
    text = (EXAMPLES / f"api_{name}.json").read_text()
    names = {
        "arn:aws:eks:us-west-2:111122223333:cluster/demo-eks": EKS_ARN,
        "sg-0123456789abcdef0": world.network["SecurityGroupIds"][0],
        "subnet-0123456789abcdef0": world.network["Subnets"][0],
        "arn:aws:iam::111122223333:role/hp-exec": world.role,
        "arn:aws:iam::111122223333:role/hp-karpenter": "arn:aws:iam::123456789012:role/hp-karpenter",
        "sagemaker-lcs-111122223333-us-west-2": BUCKET,
        "arn:aws:sagemaker:us-west-2:111122223333": "arn:aws:sagemaker:us-east-1:123456789012",
    }
    for theirs, ours in names.items():
        text = text.replace(theirs, ours)
    document = json.loads(text)
    return xform_name(document["operation"]), document["payload"]


def send(world: World, name: str) -> dict[str, Any]:
    method, payload = example(world, name)
    answer: dict[str, Any] = getattr(world.client, method)(**payload)
    return answer


def test_the_examples_of_a_cluster_with_every_kind_of_capacity(world: World) -> None:
    # Twelve p5 nodes and their neighbours do not fit a /24.
    vpc = world.ec2.describe_subnets(SubnetIds=world.network["Subnets"])["Subnets"][0]["VpcId"]
    wide = world.ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.16.0/20", AvailabilityZone=world.zones[0])
    world.network["Subnets"][0] = wide["Subnet"]["SubnetId"]
    world.hyperpod.conditions.make_training_plan("my-plan", "ml.p5.48xlarge", 4, world.zones[0])
    send(world, "create_cluster_continuous")
    world.clock.advance(600 + 75 * 60)
    assert [(group["InstanceGroupName"], group["CurrentCount"]) for group in world.describe()["InstanceGroups"]] == [
        ("system", 2),
        ("gpu-p5", 4),
        ("gpu-tp", 4),
        ("spot-g6", 0),
    ]
    assert world.describe()["TieredStorageConfig"] == {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20}
    assert {event["ResourceType"] for event in send(world, "list_events")["Events"]} == {"Instance"}
    send(world, "update_cluster_scale")
    send(world, "update_cluster_delete_group")
    world.clock.advance(600 + 75 * 60)
    assert [(group["InstanceGroupName"], group["CurrentCount"]) for group in world.describe()["InstanceGroups"]] == [
        ("system", 2),
        ("gpu-p5", 8),
        ("gpu-tp", 4),
    ]
    world.hyperpod.conditions.release_image("1.1.0")
    send(world, "update_software")
    assert [(each["InstanceGroupName"], each["Status"]) for each in world.describe()["InstanceGroups"]] == [
        ("system", "InService"),
        ("gpu-p5", "SystemUpdating"),
        ("gpu-tp", "InService"),
    ]


def test_the_example_of_an_autoscaled_cluster(world: World) -> None:
    make_role("hp-karpenter", "hyperpod.sagemaker.amazonaws.com")
    send(world, "create_cluster_karpenter")
    world.clock.advance(1200)
    assert world.client.describe_cluster(ClusterName="demo-k")["AutoScaling"]["Status"] == "InService"


def test_the_examples_of_training_plans(world: World) -> None:
    start = world.clock() + world.hours(24)
    offering = world.hyperpod.conditions.offer_training_plan(
        "ml.p5.48xlarge", 4, world.zones[0], starts_at=start, hours=168
    )
    [found] = send(world, "search_training_plan")["TrainingPlanOfferings"]
    assert found["TrainingPlanOfferingId"] == offering
    method, payload = example(world, "create_training_plan")
    assert getattr(world.client, method)(**{**payload, "TrainingPlanOfferingId": offering})["TrainingPlanArn"]


def test_no_example_of_these_operations_is_left_out(world: World) -> None:
    shown = {*SHOWN, "create_cluster_karpenter", "search_training_plan", "create_training_plan"}
    for path in sorted(EXAMPLES.glob("api_*.json")):
        document = json.loads(path.read_text())
        name, operation = path.stem.removeprefix("api_"), document["operation"]
        if document["service"] != "sagemaker" or document["side"] != "request" or name in shown:
            continue
        if operation in world.hyperpod.operations:
            raise AssertionError(f"{path.name} is not shown")
        assert operation not in LATER or refused(
            "UnverifiedOperation", getattr(world.client, xform_name(operation)), **document["payload"]
        )
