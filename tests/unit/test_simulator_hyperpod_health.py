"""Lifecycle scripts, deep health checks and node faults, through the real wire."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.simulators.hyperpod.facts import NodeFacts
from tests.unit.test_simulator_hyperpod_helpers import GPU, World, hyperpod_world

HEALTH = "sagemaker.amazonaws.com/node-health-status"
CHECK = "sagemaker.amazonaws.com/deep-health-check-status"
FAULT = "sagemaker.amazonaws.com/fault-types"
TAINT = {"Key": HEALTH, "Value": "Unschedulable", "Effect": "NoSchedule"}
CHECKS = ["InstanceStress", "InstanceConnectivity"]


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def node(world: World) -> NodeFacts:
    world.hyperpod.settle()
    [facts] = [each for each in world.hyperpod.node_facts("demo-eks") if each.running]
    return facts


def status(world: World) -> dict[str, str]:
    return {each["InstanceId"]: each["InstanceStatus"]["Status"] for each in world.nodes()}


def run(world: World, **of_cluster: str) -> str:
    """Create a cluster of one node and wait until it runs; gives the instance."""
    world.create(world.group(count=1), name="demo", **of_cluster)
    world.clock.advance(420)
    return str(world.nodes()[0]["InstanceId"])


def test_a_failing_lifecycle_script_is_named_with_its_log(world: World) -> None:
    world.hyperpod.conditions.fail_lifecycle_scripts("demo", "gpu", exit_code=127, times=1)
    arn = world.create(world.group(count=1))
    world.clock.advance(300)
    [listed] = world.nodes()
    instance = listed["InstanceId"]
    place = f"log group '/aws/sagemaker/Clusters/demo/{arn.rpartition('/')[2]}' and log stream"
    message = (
        f'Instance `{instance}` failed to provision with the following error: "Lifecycle scripts did not run'
        f" successfully. To view lifecycle script logs, visit {place} 'LifecycleConfig/gpu/{instance}'.\""
        " Note that multiple instances may be impacted."
    )
    assert listed["InstanceStatus"] == {"Status": "Failure", "Message": message}
    errors = [event for event in world.events() if event["EventLevel"] == "Error"]
    assert [event["Description"] for event in errors] == [
        "Instance creation in Cluster demo and InstanceGroup gpu failed",
        f"Instance lifecycle script execution for EC2 Instance {instance} has Failed",
    ]
    assert {world.failure_of(event) for event in errors} == {message}
    world.clock.advance(720)
    assert world.nodes()[0]["InstanceStatus"] == {"Status": "Running", "Message": message}


def test_a_script_that_never_ends_is_given_up_after_an_hour(world: World) -> None:
    world.hyperpod.conditions.hang_lifecycle_scripts("demo", "*")
    world.create(world.group(count=1))
    world.clock.advance(3899)
    assert set(status(world).values()) == {"Pending"}
    world.clock.advance(1)
    assert set(status(world).values()) == {"Failure"}
    world.hyperpod.conditions.mend_lifecycle_scripts("demo", "*")
    world.clock.advance(720)
    assert set(status(world).values()) == {"Running"}


def test_a_group_needs_no_lifecycle_script(world: World) -> None:
    world.create(world.group(count=1, LifeCycleConfig=None))
    world.clock.advance(420)
    assert set(status(world).values()) == {"Running"}
    assert not [event for event in world.events() if "lifecycle script" in event["Description"]]


def test_deep_health_checks_hold_a_node_back_for_their_time(world: World) -> None:
    world.create(world.group(count=1, OnStartDeepHealthChecks=CHECKS))
    world.clock.advance(420)
    assert (set(status(world).values()), world.gpu()["CurrentCount"]) == ({"DeepHealthCheckInProgress"}, 0)
    assert (node(world).health, node(world).labels[CHECK]) == ("Unschedulable", "InProgress")
    assert node(world).taints == [TAINT]
    world.clock.advance(75 * 60)
    assert (set(status(world).values()), world.gpu()["CurrentCount"]) == ({"Running"}, 1)
    assert (node(world).health, node(world).labels[CHECK], node(world).taints) == ("Schedulable", "Passed", [])
    assert world.gpu()["OnStartDeepHealthChecks"] == CHECKS


def test_a_node_that_fails_its_deep_health_check_is_replaced(world: World) -> None:
    world.hyperpod.conditions.fail_deep_health_checks("demo", "gpu")
    world.create(world.group(count=1, OnStartDeepHealthChecks=CHECKS))
    world.clock.advance(420 + 75 * 60)
    first = world.nodes()[0]["InstanceId"]
    assert (node(world).health, node(world).labels[CHECK]) == ("UnschedulablePendingReplacement", "Failed")
    world.clock.advance(60)
    assert status(world)[first] == "ShuttingDown"
    world.clock.advance(360 + 75 * 60)
    [second] = world.nodes()
    assert (second["InstanceId"] == first, second["InstanceStatus"]["Status"]) == (False, "Running")


def test_a_fault_is_labelled_and_healed_by_a_reboot(world: World) -> None:
    instance = run(world)
    world.hyperpod.conditions.break_node(instance, recovery="Reboot", fault="NvidiaErrorReboot")
    assert node(world).health == "Schedulable"
    world.clock.advance(30)
    faulty = node(world)
    assert (faulty.health, faulty.taints) == ("UnschedulablePendingReboot", [TAINT])
    assert faulty.labels[FAULT] == "NvidiaErrorReboot"
    world.clock.advance(60)
    assert not node(world).reachable
    world.clock.advance(120)
    healed = node(world)
    assert (healed.instance_id, healed.health, healed.reachable, healed.taints) == (instance, "Schedulable", True, [])
    assert FAULT in healed.former_labels
    assert [event["Description"] for event in world.events(NodeId=instance)][:2] == [
        f"Instance reboot {instance} in Cluster demo and IG gpu completed successfully",
        f"Reboot of EC2 Instance {instance} is currently in progress on Cluster demo and IG gpu",
    ]


def test_a_fault_that_a_reboot_does_not_cure_gives_another_instance(world: World) -> None:
    instance = run(world)
    world.hyperpod.conditions.break_node(instance)
    world.clock.advance(90)
    assert status(world)[instance] == "ShuttingDown"
    world.clock.advance(360)
    assert list(status(world).values()) == ["Running"]
    assert instance not in status(world)


def test_without_recovery_a_fault_is_only_labelled(world: World) -> None:
    instance = run(world, NodeRecovery="None")
    world.hyperpod.conditions.break_node(instance)
    world.clock.advance(86_400)
    assert (node(world).instance_id, node(world).health) == (instance, "UnschedulablePendingReplacement")
    [told] = world.told("Cluster Node Health Event")
    assert told["HealthSummary"]["RepairAction"] == "None"


def test_nothing_notices_a_fault_of_a_node_without_accelerators(world: World) -> None:
    world.create(world.group(count=1, InstanceType="ml.c5.large"))
    world.clock.advance(420)
    world.hyperpod.conditions.break_node(world.nodes()[0]["InstanceId"])
    world.clock.advance(86_400)
    assert (node(world).health, world.told("Cluster Node Health Event")) == ("Schedulable", [])


def test_an_instance_can_run_without_becoming_a_node(world: World) -> None:
    world.hyperpod.conditions.keep_from_joining("demo", "gpu")
    world.create(world.group(count=2))
    world.clock.advance(600)
    assert list(status(world).values()) == ["Running", "Running"]
    assert len([each for each in world.hyperpod.node_facts("demo-eks") if each.running]) == 1


def test_what_happens_goes_to_the_event_bus_in_the_shapes_of_aws(world: World) -> None:
    instance = run(world)
    world.client.add_tags(ResourceArn=world.describe()["ClusterArn"], Tags=[{"Key": "team", "Value": "a"}])
    arn = world.describe()["ClusterArn"]
    changes = world.told("Cluster State Change")
    assert [change["ClusterStatus"] for change in changes] == ["Creating", "InService"]
    assert changes[1]["CreationTime"] == int(world.describe()["CreationTime"].timestamp() * 1000)
    assert [group["InstanceGroupName"] for group in changes[1]["InstanceGroups"]] == ["gpu"]
    details = world.told("Cluster Event")[-1]["EventDetails"]
    newest = world.events()[0]
    assert (details["EventId"], details["EventTime"], details["ResourceType"]) == (
        newest["EventId"],
        int(newest["EventTime"].timestamp() * 1000),
        "Instance",
    )
    assert "NodeLogicalId" in details["EventDetails"]["EventMetadata"]["Instance"]
    world.hyperpod.conditions.break_node(instance, fault="NvidiaErrorTerminate")
    world.clock.advance(30)
    world.hyperpod.settle()
    assert world.told("Cluster Node Health Event") == [
        {
            "ClusterName": "demo",
            "ClusterArn": arn,
            "InstanceId": instance,
            "Tags": {"team": "a"},
            "HealthSummary": {
                "HealthStatus": "Unhealthy",
                "HealthStatusReason": (
                    "HyperPod Health Monitoring Agent (HMA) has detected fault type NvidiaErrorTerminate on this node"
                    " and is unhealthy."
                ),
                "RepairAction": "Replace",
                "Recommendation": "Please Replace the Faulty Node.",
            },
        }
    ]
    assert {(event.source, event.resources) for event in world.published} == {("aws.sagemaker", (arn,))}
    assert world.published[-1].time == world.clock()


def test_the_bus_does_not_carry_failure_messages(world: World) -> None:
    world.hyperpod.conditions.fail_lifecycle_scripts("demo", "gpu")
    world.create(world.group(count=1))
    world.clock.advance(300)
    world.hyperpod.settle()
    failed = [
        each["EventDetails"] for each in world.told("Cluster Event") if each["EventDetails"]["EventLevel"] == "Error"
    ]
    assert failed
    assert not any("FailureMessage" in each["EventDetails"]["EventMetadata"]["Instance"] for each in failed)


def test_everything_planned_and_begun_is_in_a_snapshot(world: World) -> None:
    conditions = world.hyperpod.conditions
    conditions.make_training_plan("plan", "ml.p5.48xlarge", 1, world.zones[0])
    conditions.fail_lifecycle_scripts("demo", "late", times=1)
    conditions.fail_deep_health_checks("demo", "checked")
    conditions.limit_capacity("ml.c5.large", world.zones[0], 0, at=world.clock() + world.hours(1))
    world.create(
        world.group(count=1),
        world.group("late", 1, InstanceType="ml.c5.large"),
        world.group("checked", 1, OnStartDeepHealthChecks=CHECKS),
        world.group("spot", 1, CapacityRequirements={"Spot": {}}, MinInstanceCount=1),
    )
    world.clock.advance(450)
    by_group = {each["InstanceGroupName"]: each["InstanceId"] for each in world.nodes()}
    conditions.break_node(by_group["gpu"])
    conditions.interrupt_spot(by_group["spot"])
    kept, start = world.hyperpod.snapshot(), world.clock.time
    courses = []
    for pace in (10_000, 97):
        world.hyperpod.restore(kept)
        world.clock.time = start
        del world.published[:]
        while world.clock.time < start + world.hours(3):
            world.clock.advance(pace)
            world.hyperpod.settle()
        world.clock.time = start + world.hours(4)
        world.hyperpod.settle()
        told = [(event.time, event.detail_type, event.detail.get("ClusterStatus")) for event in world.published]
        courses.append((status(world), told, [(event["EventTime"], event["Description"]) for event in world.events()]))
    assert courses[0] == courses[1]
    assert len(world.published) > 20


def test_a_replacement_takes_the_capacity_that_the_faulty_instance_gives_back(world: World) -> None:
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[0], 1)
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[1], 0)
    world.hyperpod.conditions.break_node(run(world))
    world.clock.advance(90 + 360)
    assert list(status(world).values()) == ["Running"]
    assert not [event for event in world.events() if event["EventLevel"] == "Error"]


def test_a_faulty_node_that_is_scaled_away_is_not_replaced(world: World) -> None:
    instance = run(world)
    world.hyperpod.conditions.break_node(instance)
    world.clock.advance(10)
    world.client.update_cluster(ClusterName="demo", InstanceGroups=[world.group(count=0)])
    world.clock.advance(3600)
    assert world.nodes() == []
    texts = [event["Description"] for event in world.events(NodeId=instance)]
    assert len([text for text in texts if text.startswith("Termination of")]) == 1
