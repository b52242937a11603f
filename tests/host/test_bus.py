"""The event bus: what AWS tells of a cluster is kept once, revises its conditions, and survives disorder."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from functions.clusters.events.routes import bus
from functions.core.ledger import cluster_events
from functions.core.observations import ClusterEvent
from infra.local.bus import RETRY_SECONDS
from infra.local.faults import Fault, Kind
from infra.local.simulators.bus_event import BusEvent
from tests.host.driver import Driver, Json

STATE_CHANGE = "SageMaker HyperPod Cluster State Change"
NODE_HEALTH = "SageMaker HyperPod Cluster Node Health Event"
CLUSTER_EVENT = "SageMaker HyperPod Cluster Event"
CLUSTER = "hp-cluster-base"
# Long enough for everything that is on its way.
SETTLED = 5.0


def sagemaker(kind: str, at: datetime, detail: dict[str, Any]) -> BusEvent:
    return BusEvent("aws.sagemaker", kind, detail, (f"arn:aws:sagemaker:us-west-2:123456789012:cluster/{CLUSTER}",), at)


def status(at: datetime, word: str, cluster: str = CLUSTER) -> BusEvent:
    return sagemaker(STATE_CHANGE, at, {"ClusterName": cluster, "ClusterStatus": word, "FailureMessage": ""})


def health(at: datetime, instance: str, word: str) -> BusEvent:
    summary = {"HealthStatus": word, "HealthStatusReason": f"{instance} failed a check", "RepairAction": "Replace"}
    return sagemaker(NODE_HEALTH, at, {"ClusterName": CLUSTER, "InstanceId": instance, "HealthSummary": summary})


def logged(at: datetime, number: int) -> BusEvent:
    entry = {
        "EventId": f"entry-{number}",
        "ClusterName": CLUSTER,
        "ResourceType": "Cluster",
        "EventTime": int(at.timestamp() * 1000),
        "EventLevel": "Info",
        "Description": f"number {number}",
    }
    return sagemaker(CLUSTER_EVENT, at, {"EventDetails": entry})


def conditions(driver: Driver) -> dict[str, Json]:
    return {each["type"]: each for each in driver.get("/api/clusters/base")["conditions"]}


def told(driver: Driver, query: str = "") -> list[str]:
    return [event["message"] for event in driver.get(f"/api/clusters/base/events{query}")["events"]]


def test_a_state_change_is_kept_and_becomes_a_condition_of_the_cluster(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    at = host.clock.now().replace(microsecond=0)
    host.bus.publish(status(at, "InService"))
    driver.sleep(SETTLED)
    found = conditions(driver)["HyperPodInService"]
    assert (found["status"], found["reason"]) == ("True", "InService")
    assert datetime.fromisoformat(found["since"]) == at
    [event] = driver.get("/api/clusters/base/events")["events"]
    assert (event["kind"], event["level"], event["message"]) == ("state_change", "Info", f"{CLUSTER} is InService")
    assert datetime.fromisoformat(event["at"]) == at
    # What pipelines found out about the cluster is left as it is.
    assert conditions(driver)["FoundationReady"]["status"] == "True"


def test_an_older_event_is_kept_and_overwrites_nothing(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    now = host.clock.now()
    host.bus.publish(status(now, "InService"))
    driver.sleep(SETTLED)
    host.bus.publish(status(now - timedelta(minutes=9), "Creating"))
    driver.sleep(SETTLED)
    assert conditions(driver)["HyperPodInService"]["status"] == "True"
    assert told(driver) == [f"{CLUSTER} is InService", f"{CLUSTER} is Creating"]


def test_a_repeat_is_kept_once(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    envelope = host.bus.publish(status(host.clock.now(), "InService"))
    for _ in range(3):
        host.bus.send(envelope)
        driver.sleep(SETTLED)
    assert len(told(driver)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_disorder_and_repeats_lead_to_the_same_end(driver_of_base: Driver, seed: int) -> None:
    driver, host = driver_of_base, driver_of_base.host
    begin = host.clock.now().replace(microsecond=0)
    words = ["Creating", "InService", "Updating", "InService", "Failed"]
    with host.bus.disordered(copies=3, spread=3600, seed=seed):
        for minute, word in enumerate(words):
            host.bus.publish(status(begin + timedelta(minutes=minute), word))
        for minute, word in enumerate(["Unhealthy", "Healthy", "Unhealthy", "Healthy"]):
            host.bus.publish(health(begin + timedelta(minutes=minute), "i-1", word))
        host.bus.publish(health(begin, "i-2", "Unhealthy"))
    driver.sleep(3700)
    found = conditions(driver)
    assert (found["HyperPodInService"]["status"], found["HyperPodInService"]["reason"]) == ("False", "Failed")
    assert (found["NodesHealthy"]["status"], found["NodesHealthy"]["message"]) == ("False", "i-2 (i-2 failed a check)")
    assert len(told(driver)) == len(words) + 5
    assert host.bus.dead_letters == []


def test_events_at_one_moment_are_taken_in_at_once_without_loss(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    now = host.clock.now()
    for number in range(6):
        host.bus.publish(health(now, f"i-{number}", "Unhealthy"))
    driver.sleep(SETTLED)
    assert conditions(driver)["NodesHealthy"]["message"].endswith(" and 1 more")


def test_what_is_told_of_others_clusters_leaves_no_trace(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    before = host.client("dynamodb").scan(TableName="instantstart-clusters")["Items"]
    host.bus.publish(status(host.clock.now(), "InService", cluster="somebody-elses"))
    stack = "arn:aws:cloudformation:us-west-2:123456789012:stack/somebody-elses/1"
    detail = {"stack-id": stack, "status-details": {"status": "CREATE_COMPLETE", "status-reason": ""}}
    kind = "CloudFormation Stack Status Change"
    host.bus.publish(BusEvent("aws.cloudformation", kind, detail, (stack,), host.clock.now()))
    driver.sleep(SETTLED)
    assert host.client("dynamodb").scan(TableName="instantstart-clusters")["Items"] == before
    assert host.client("dynamodb").scan(TableName="instantstart-cluster_events")["Items"] == []
    assert host.bus.dead_letters == []


def test_what_no_rule_wants_reaches_no_function(driver_of_base: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver, host = driver_of_base, driver_of_base.host
    reached: list[str] = []
    monkeypatch.setattr(bus, "receive", lambda event: reached.append(event.detail_type))
    host.bus.publish(BusEvent("aws.sagemaker", "SageMaker Endpoint State Change", {}, (), host.clock.now()))
    for word, machine in (("SUCCEEDED", "instantstart-create_cluster"), ("FAILED", "of-somebody-else")):
        arn = f"arn:aws:states:us-west-2:123456789012:stateMachine:{machine}"
        detail = {"status": word, "stateMachineArn": arn}
        host.bus.publish(BusEvent("aws.states", "Step Functions Execution Status Change", detail, (), host.clock.now()))
    driver.sleep(SETTLED)
    assert reached == []
    host.bus.publish(status(host.clock.now(), "InService"))
    driver.sleep(SETTLED)
    assert reached == [STATE_CHANGE]


def test_an_event_that_meets_a_fault_is_delivered_again_and_at_last_put_aside(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    denied = Fault("dynamodb", "TransactWriteItems", Kind.DENY, times=1, role="function-events")
    with host.faults.planned(denied):
        host.bus.publish(status(host.clock.now(), "InService"))
        driver.sleep(RETRY_SECONDS[0] + SETTLED)
    assert len(told(driver)) == 1
    with host.faults.planned(Fault("dynamodb", "TransactWriteItems", Kind.DENY, times=99, role="function-events")):
        host.bus.publish(status(host.clock.now(), "Failed"))
        driver.sleep(sum(RETRY_SECONDS) + 2 * SETTLED)
    [letter] = host.bus.dead_letters
    assert (letter.function, letter.event["detail-type"]) == ("events", STATE_CHANGE)
    assert "AccessDenied" in letter.error
    assert len(told(driver)) == 1


def test_whoever_hears_of_an_event_finds_what_follows_from_it(
    driver_of_base: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, host = driver_of_base, driver_of_base.host
    found = list[str]()
    record = cluster_events.record

    def heard(event: ClusterEvent) -> None:
        record(event)
        found.extend(each["message"] for each in conditions(driver).values() if each["type"] == "NodesHealthy")
        found.extend(each["reason"] for each in conditions(driver).values() if each["type"] == "HyperPodInService")

    monkeypatch.setattr(cluster_events, "record", heard)
    host.bus.publish(status(host.clock.now(), "InService"))
    driver.sleep(SETTLED)
    host.bus.publish(health(host.clock.now(), "i-1", "Unhealthy"))
    driver.sleep(SETTLED)
    assert found == ["InService", "i-1 (i-1 failed a check)", "InService"]


def test_a_delivery_that_dies_between_a_condition_and_its_event_is_done_again(
    driver_of_base: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, host = driver_of_base, driver_of_base.host
    record, attempts = cluster_events.record, list[str]()

    def dying(event: ClusterEvent) -> None:
        attempts.append(event.message)
        if len(attempts) == 1:
            raise TimeoutError(event.message)
        record(event)

    monkeypatch.setattr(cluster_events, "record", dying)
    host.bus.publish(status(host.clock.now(), "InService"))
    driver.sleep(RETRY_SECONDS[0] + 2 * SETTLED)
    assert len(attempts) == 2
    assert told(driver) == [f"{CLUSTER} is InService"]
    assert conditions(driver)["HyperPodInService"]["status"] == "True"


def test_a_clusters_events_are_listed_page_by_page_newest_first(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    for number in range(5):
        host.bus.publish(logged(host.clock.now() + timedelta(seconds=number), number))
    driver.sleep(SETTLED)
    seen, query = list[str](), "?limit=2"
    while query:
        page = driver.get(f"/api/clusters/base/events{query}")
        assert len(page["events"]) <= 2
        seen += [event["message"] for event in page["events"]]
        query = f"?limit=2&next_token={page['next_token']}" if page["next_token"] else ""
    assert seen == [f"number {number}" for number in (4, 3, 2, 1, 0)]
    assert driver.send("GET", "/api/clusters/none/events").body["code"] == "not_found"
    assert driver.send("GET", "/api/clusters/base/events?limit=0").body["code"] == "invalid_request"


def test_events_are_forgotten_after_ninety_days(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    host.bus.publish(logged(host.clock.now() - timedelta(days=90), 1))
    host.bus.publish(logged(host.clock.now() - timedelta(days=89), 2))
    driver.sleep(SETTLED)
    assert told(driver) == ["number 2"]
    [kept, _] = host.client("dynamodb").scan(TableName="instantstart-cluster_events")["Items"]
    assert kept["expires_at"]["N"].isdigit()


def test_what_is_on_its_way_belongs_to_a_snapshot(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    host.bus.publish(status(host.clock.now(), "InService"))
    kept = host.snapshot()
    driver.sleep(SETTLED)
    assert len(told(driver)) == 1
    host.restore(kept)
    assert told(driver) == []
    driver.sleep(SETTLED)
    assert len(told(driver)) == 1


def test_a_cause_that_cannot_be_asked_for_does_not_cost_the_event(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    event = logged(host.clock.now(), 1)
    event.detail["EventDetails"]["EventLevel"] = "Error"
    with host.faults.planned(Fault("sagemaker", "DescribeClusterEvent", Kind.DENY, role="function-events")):
        host.bus.publish(event)
        driver.sleep(SETTLED)
    assert told(driver) == ["number 1"]


def test_a_waiting_stage_that_this_release_does_not_know_is_left_alone(driver_of_base: Driver) -> None:
    driver, host = driver_of_base, driver_of_base.host
    operation_id = driver.post("/api/clusters/base/dependencies")["operation_id"]
    host.client("dynamodb").put_item(
        TableName="instantstart-operations",
        Item={
            "operation_id": {"S": operation_id},
            "record": {"S": "stage#990#verify#of-an-earlier-release"},
            "await_token": {"S": "token"},
        },
    )
    host.bus.publish(status(host.clock.now(), "InService"))
    driver.sleep(SETTLED)
    assert len(told(driver)) == 1
    assert [delivery for delivery in host.bus.snapshot() if delivery.attempt > 1] == []
    driver.stop_everything()
