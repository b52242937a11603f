"""What the bus does for running operations: stages are woken, lost executions closed, disorder is harmless."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from infra.local.bus import LATENCY_SECONDS
from infra.local.simulators.bus_event import BusEvent
from tests.host.driver import Driver, Json, cluster_request, hyperpod_request, stage_of, statuses

# An event's way to its function, and the turn of the stage that it wakes.
SOON = timedelta(seconds=LATENCY_SECONDS + 1)


def ended_at(operation: Json, stage: str) -> datetime:
    return datetime.fromisoformat(stage_of(operation, stage)["finished_at"])


def stack_completed_at(driver: Driver, tag: str) -> datetime:
    name = f"instantstart-{tag}"
    events = driver.host.client("cloudformation").describe_stack_events(StackName=name)["StackEvents"]
    return next(e["Timestamp"] for e in events if e.get("PhysicalResourceId", "").split("/")[1:2] == [name])


def state_change(driver: Driver, cluster: str, status: str = "InService") -> BusEvent:
    detail: dict[str, Any] = {"ClusterName": cluster, "ClusterStatus": status, "FailureMessage": ""}
    return BusEvent("aws.sagemaker", "SageMaker HyperPod Cluster State Change", detail, (), driver.host.clock.now())


def turns(driver: Driver, operation_id: str) -> int:
    return driver.states("stage", operation_id).count("Observe")


def test_a_stage_sees_its_stack_complete_at_once_and_without_the_bus_at_its_next_look(driver: Driver) -> None:
    woken = driver.create({"tag": "woken"})
    assert ended_at(woken, "foundation") - stack_completed_at(driver, "woken") < SOON
    with driver.host.bus.losing():
        polled = driver.create({"tag": "polled"})
    assert ended_at(polled, "foundation") - stack_completed_at(driver, "polled") > SOON
    assert statuses(woken) == statuses(polled)


def test_a_state_change_wakes_the_stage_that_waits_for_hyperpod(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    operation_id = driver.post("/api/clusters/base/hyperpod", hyperpod_request())["operation_id"]
    driver.until(operation_id, "hyperpod_cluster")
    driver.sleep(5)
    before = turns(driver, operation_id)
    driver.sleep(SOON.total_seconds())
    assert turns(driver, operation_id) == before
    driver.host.bus.publish(state_change(driver, "hp-cluster-base", "Creating"))
    driver.sleep(SOON.total_seconds())
    assert turns(driver, operation_id) == before + 1
    assert driver.finish(operation_id)["status"] == "SUCCEEDED"
    # Who waits for nothing any more is not disturbed.
    driver.host.bus.publish(state_change(driver, "hp-cluster-base"))
    driver.sleep(SOON.total_seconds())
    assert driver.host.bus.dead_letters == []


def test_a_stage_sees_its_last_instance_ready_at_once(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    # The second instance is ready five seconds after the first, far from any look of the stage.
    operation = driver.run("/api/clusters/base/hyperpod", hyperpod_request(count=2))
    told = driver.get("/api/clusters/base/events")["events"]
    ready = [event["at"] for event in told if event["message"].startswith("Instance creation i-")]
    assert len(ready) == 2
    assert ended_at(operation, "hyperpod_cluster") - datetime.fromisoformat(max(ready)) < SOON


def test_what_is_told_of_hyperpod_wakes_no_stage_that_waits_for_its_stack(driver: Driver) -> None:
    operation_id = driver.post("/api/clusters", cluster_request("t1"))["operation_id"]
    driver.until_said(operation_id, "foundation", "CREATE_IN_PROGRESS", every=2)
    before = turns(driver, operation_id)
    driver.host.bus.publish(state_change(driver, "hp-cluster-t1", "Creating"))
    driver.sleep(SOON.total_seconds())
    assert turns(driver, operation_id) == before


def test_repeated_and_disordered_events_lead_to_the_same_cluster(driver_of_prepared: Driver) -> None:
    driver, bus = driver_of_prepared, driver_of_prepared.host.bus
    with bus.disordered(copies=3, spread=120, seed=1):
        operation_id = driver.post("/api/clusters/base/hyperpod", hyperpod_request())["operation_id"]
        for minute in range(5):
            bus.publish(state_change(driver, "hp-cluster-base", "InService" if minute else "Creating"))
            driver.sleep(60)
        operation = driver.finish(operation_id)
        stopped = driver.post("/api/clusters", {"tag": "stopped"})["operation_id"]
        driver.until_said(stopped, "foundation", "CREATE_IN_PROGRESS")
        driver.stop(driver.executions("create_foundation", "RUNNING")[0])
    assert set(statuses(operation).values()) == {"SUCCEEDED"}
    assert driver.made("base")["hyperpod"] == 1
    driver.sleep(300)
    assert bus.dead_letters == []
    assert driver.operation(operation_id) == operation
    assert driver.operation(stopped)["status"] == "FAILED"


def test_an_aborted_execution_ends_its_operation_at_once(driver: Driver) -> None:
    operation_id = driver.post("/api/clusters", {"tag": "t1"})["operation_id"]
    driver.until_said(operation_id, "foundation", "CREATE_IN_PROGRESS")
    at = driver.host.clock.now()
    [execution] = driver.executions("create_foundation")
    driver.stop(execution)
    driver.sleep(SOON.total_seconds())
    operation = driver.operation(operation_id)
    assert (operation["status"], operation["reason"]) == ("FAILED", "ABORTED")
    assert datetime.fromisoformat(operation["finished_at"]) - at < SOON
    assert operation["error"]["cause"]["resource"] == execution["executionArn"]
    assert driver.get("/api/clusters/t1")["active_operation_ids"] == []
    assert driver.retry(operation_id)["status"] == "SUCCEEDED"


def test_an_event_cannot_end_an_operation_whose_execution_runs(driver: Driver) -> None:
    operation_id = driver.post("/api/clusters", {"tag": "t1"})["operation_id"]
    driver.until_said(operation_id, "foundation", "CREATE_IN_PROGRESS")
    [execution] = driver.executions("create_foundation")
    arn = execution["executionArn"]
    machine = execution["stateMachineArn"]
    for name in (operation_id, "unknown"):
        detail = {"executionArn": arn, "stateMachineArn": machine, "name": name, "status": "FAILED"}
        event = BusEvent("aws.states", "Step Functions Execution Status Change", detail, (), driver.host.clock.now())
        driver.host.bus.publish(event)
    driver.sleep(SOON.total_seconds())
    assert driver.operation(operation_id)["status"] == "RUNNING"
    assert driver.host.bus.dead_letters == []
    assert driver.finish(operation_id)["status"] == "SUCCEEDED"


def test_a_nodes_illness_and_recovery_become_a_condition(driver_of_ready: Driver) -> None:
    driver, host = driver_of_ready, driver_of_ready.host
    [node] = host.client("sagemaker").list_cluster_nodes(ClusterName="hp-cluster-ready")["ClusterNodeSummaries"]
    found = list[str]()
    for recovery in ("Reboot", "Replace"):
        host.world.hyperpod.conditions.break_node(node["InstanceId"], recovery=recovery)
        for _ in range(2):
            driver.sleep(40)
            [condition] = [c for c in driver.get("/api/clusters/ready")["conditions"] if c["type"] == "NodesHealthy"]
            found.append(condition["status"])
            driver.sleep(600)
    assert found == ["False", "True", "False", "True"]
    kinds = [event["kind"] for event in driver.get("/api/clusters/ready/events?limit=200")["events"]]
    assert kinds.count("node_health") == 3
    assert host.bus.dead_letters == []


def test_a_failure_is_kept_with_the_cause_that_the_bus_leaves_out(driver_of_prepared: Driver) -> None:
    driver, host = driver_of_prepared, driver_of_prepared.host
    host.world.hyperpod.conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", 0)
    driver.post("/api/clusters/base/hyperpod", hyperpod_request())
    driver.sleep(300)
    failed = [event for event in driver.get("/api/clusters/base/events")["events"] if event["level"] == "Error"]
    assert failed
    assert any("sufficient capacity" in (event["cause"] or "") for event in failed)
