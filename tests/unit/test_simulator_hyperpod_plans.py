"""Training plans: search, purchase, windows and zones, through the real wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.test_simulator_hyperpod_helpers import GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import ACCOUNT, REGION, refused

P5 = "ml.p5.48xlarge"
NO_CAPACITY = f"We currently do not have sufficient capacity to launch new {P5} instances. Please try again."


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def plan(world: World, name: str) -> dict[str, Any]:
    described: dict[str, Any] = world.client.describe_training_plan(TrainingPlanName=name)
    return described


def counts(described: dict[str, Any]) -> tuple[int, int, int]:
    return described["TotalInstanceCount"], described["AvailableInstanceCount"], described["InUseInstanceCount"]


def on_plan(world: World, arn: str, count: int = 1, name: str = "gpu") -> dict[str, object]:
    return world.group(name, count, InstanceType=P5, TrainingPlanArn=arn)


def last_failure(world: World) -> str:
    return world.failure_of(next(event for event in world.events() if event["EventLevel"] == "Error"))


def test_an_offering_is_found_bought_and_runs_its_course(world: World) -> None:
    start = world.clock() + world.hours(2)
    world.hyperpod.conditions.offer_training_plan(P5, 4, world.zones[0], starts_at=start, hours=48)
    world.hyperpod.conditions.offer_training_plan("ml.p4d.24xlarge", 4, world.zones[0], starts_at=start, hours=48)
    search = {"InstanceType": P5, "InstanceCount": 4, "DurationHours": 48, "TargetResources": ["hyperpod-cluster"]}
    [offering] = world.client.search_training_plan_offerings(**search)["TrainingPlanOfferings"]
    [capacity] = offering["ReservedCapacityOfferings"]
    assert (capacity["AvailabilityZone"], capacity["StartTime"]) == (world.zones[0], start)
    bought = {"TrainingPlanName": "plan", "TrainingPlanOfferingId": offering["TrainingPlanOfferingId"]}
    arn = world.client.create_training_plan(**bought)["TrainingPlanArn"]
    assert arn == f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-plan/plan"
    seen = [plan(world, arn)["Status"]]
    for seconds in (60, 7140, 48 * 3600):
        world.clock.advance(seconds)
        seen.append(plan(world, "plan")["Status"])
    assert seen == ["Pending", "Scheduled", "Active", "Expired"]
    refused("ResourceNotFound", world.client.create_training_plan, **bought)


def test_an_offering_is_gone_an_hour_after_it_was_shown(world: World) -> None:
    start = world.clock() + world.hours(20)
    offering = world.hyperpod.conditions.offer_training_plan(P5, 4, world.zones[0], starts_at=start, hours=48)
    world.clock.advance(7200)
    for _ in range(2):
        assert len(world.client.search_training_plan_offerings()["TrainingPlanOfferings"]) == 1
        world.clock.advance(1800)
    assert world.client.search_training_plan_offerings()["TrainingPlanOfferings"] == []
    bought = {"TrainingPlanName": "plan", "TrainingPlanOfferingId": offering}
    refused("ResourceNotFound", world.client.create_training_plan, **bought)


def test_plans_are_listed_by_status(world: World) -> None:
    later = world.clock() + world.hours(100)
    world.hyperpod.conditions.make_training_plan("now", P5, 4, world.zones[0])
    world.hyperpod.conditions.make_training_plan("later", P5, 4, world.zones[0], starts_at=later)
    world.clock.advance(60)
    active = world.client.list_training_plans(Filters=[{"Name": "Status", "Value": "Active"}])
    assert [each["TrainingPlanName"] for each in active["TrainingPlanSummaries"]] == ["now"]
    everything = world.client.list_training_plans(SortBy="StartTime", SortOrder="Descending")["TrainingPlanSummaries"]
    assert [each["TrainingPlanName"] for each in everything] == ["later", "now"]
    [capacity] = everything[0]["ReservedCapacitySummaries"]
    assert (capacity["AvailabilityZoneId"], capacity["InstanceType"]) == ("use1-az1", P5)


def test_a_group_on_a_plan_needs_no_other_capacity_and_is_counted(world: World) -> None:
    arn = world.hyperpod.conditions.make_training_plan("plan", P5, 3, world.zones[1])
    other = world.hyperpod.conditions.make_training_plan("other", P5, 1, world.zones[1])
    world.hyperpod.conditions.set_quota(f"{P5} for cluster usage", 0)
    for zone in world.zones:
        world.hyperpod.conditions.limit_capacity(P5, zone, 0)
    world.create(on_plan(world, arn, 2))
    assert counts(plan(world, "plan")) == (3, 1, 2)
    world.clock.advance(600)
    group = world.gpu()
    assert (group["CurrentCount"], group["TrainingPlanArn"], group["TrainingPlanStatus"]) == (2, arn, "Active")
    node = world.client.describe_cluster_node(ClusterName="demo", NodeId=world.nodes()[0]["InstanceId"])["NodeDetails"]
    assert (node["Placement"]["AvailabilityZone"], node["CapacityType"]) == (world.zones[1], "OnDemand")
    [summary] = world.client.list_clusters(TrainingPlanArn=arn)["ClusterSummaries"]
    assert summary["TrainingPlanArns"] == [arn]
    assert world.client.list_clusters(TrainingPlanArn=other)["ClusterSummaries"] == []


def test_a_plan_whose_zone_has_no_subnet_of_the_group_gives_no_instance(world: World) -> None:
    arn = world.hyperpod.conditions.make_training_plan("plan", P5, 4, world.zones[1])
    world.create(on_plan(world, arn), VpcConfig={**world.network, "Subnets": world.network["Subnets"][:1]})
    world.clock.advance(600)
    assert (world.describe()["ClusterStatus"], world.gpu()["CurrentCount"]) == ("InService", 0)
    assert last_failure(world) == "No subnets in the capacity AZ"


def test_a_group_waits_for_its_plan_and_loses_its_instances_an_hour_before_the_end(world: World) -> None:
    start = world.clock() + world.hours(5)
    arn = world.hyperpod.conditions.make_training_plan("plan", P5, 1, world.zones[0], starts_at=start, hours=24)
    world.clock.advance(60)
    world.create(on_plan(world, arn))
    world.clock.advance(4 * 3600)
    assert (world.nodes(), [event for event in world.events() if event["EventLevel"] == "Error"]) == ([], [])
    world.clock.advance(3600 + 360)
    assert world.gpu()["CurrentCount"] == 1
    world.clock.time = start + world.hours(23)
    assert [node["InstanceStatus"]["Status"] for node in world.nodes()] == ["ShuttingDown"]
    world.clock.advance(180)
    assert (world.gpu()["CurrentCount"], world.gpu()["TargetCount"]) == (0, 1)
    assert last_failure(world) == NO_CAPACITY
    before = len(world.events())
    world.clock.advance(7200)
    assert (len(world.events()), world.gpu()["TrainingPlanStatus"]) == (before, "Expired")


def test_groups_that_do_not_fit_a_plan_are_refused(world: World) -> None:
    conditions = world.hyperpod.conditions
    arn = conditions.make_training_plan("plan", P5, 2, world.zones[0])
    jobs = conditions.make_training_plan("jobs", P5, 2, world.zones[0], targets=["training-job"])
    short = conditions.make_training_plan("short", P5, 2, world.zones[0], hours=1)
    cases: list[tuple[dict[str, object], str]] = [
        (on_plan(world, arn.replace("/plan", "/none")), "does not exist"),
        (world.group(count=1, TrainingPlanArn=arn), f"reserves {P5}, not {GPU}"),
        (on_plan(world, arn, 3), "exceeds the 2 instances available"),
        (on_plan(world, jobs), "is not for hyperpod-cluster"),
        ({**on_plan(world, arn), "CapacityRequirements": {"Spot": {}}}, "cannot use Spot capacity together"),
    ]
    for group, says in cases:
        with pytest.raises(ClientError, match=says):
            world.create(group)
    with pytest.raises(ClientError, match="exceeds the 1 instances available"):
        world.create(on_plan(world, arn, 1, "a"), on_plan(world, arn, 2, "b"))
    world.clock.advance(3600)
    with pytest.raises(ClientError, match="is in status Expired"):
        world.create(on_plan(world, short))
    world.create(on_plan(world, arn, 1, "a"), on_plan(world, arn, 1, "b"))


def test_a_group_on_a_plan_grows_within_the_plan_and_may_shrink_when_it_is_over(world: World) -> None:
    arn = world.hyperpod.conditions.make_training_plan("plan", P5, 3, world.zones[0], hours=24)
    world.create(on_plan(world, arn, 2))
    world.clock.advance(600)
    update = world.client.update_cluster
    message = refused("ValidationException", update, ClusterName="demo", InstanceGroups=[on_plan(world, arn, 4)])
    assert "exceeds the 3 instances available" in message
    update(ClusterName="demo", InstanceGroups=[on_plan(world, arn, 3)])
    world.clock.advance(600)
    assert (world.gpu()["CurrentCount"], counts(plan(world, "plan"))) == (3, (3, 0, 3))
    world.clock.advance(24 * 3600)
    message = refused("ValidationException", update, ClusterName="demo", InstanceGroups=[on_plan(world, arn, 4)])
    assert "is in status Expired" in message
    update(ClusterName="demo", InstanceGroups=[on_plan(world, arn, 0)])
    assert world.gpu()["TargetCount"] == 0
