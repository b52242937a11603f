"""People are told what they would otherwise have to look for: once each, with a cause and what to do."""

from __future__ import annotations

from infra.local.faults import Fault, Kind
from infra.local.simulators.sns import Message
from infra.release import NOTIFICATIONS
from tests.host.driver import Driver, hyperpod_request

HOUR = 3600
P5 = "ml.p5.48xlarge"
TOPIC = f"arn:aws:sns:us-west-2:123456789012:{NOTIFICATIONS}"


def told(driver: Driver) -> list[Message]:
    """What was told, once all that was on its way has arrived."""
    driver.sleep(30)
    return driver.host.world.topics.records.messages


def subjects(driver: Driver) -> list[str]:
    return [message.subject for message in told(driver)]


def failed_foundation(driver: Driver) -> str:
    with driver.host.faults.planned(Fault("cloudformation", "CreateStack", Kind.DENY, times=9)):
        operation = driver.create({"tag": "t1"})
    assert operation["status"] == "FAILED"
    return str(operation["operation_id"])


def test_an_operation_that_fails_is_told_once_with_its_cause_and_remedy(driver: Driver) -> None:
    operation_id = failed_foundation(driver)
    [message] = told(driver)
    error = driver.operation(operation_id)["error"]
    assert (message.topic_arn, message.subject) == (TOPIC, "create_foundation of cluster t1 failed")
    assert f"Cause: {error['detail']}\n" in message.text
    assert "CreateStack" in message.text
    assert f"Remedy: {error['remedy']}\n" in message.text
    assert f"Look: GET /api/operations/{operation_id}\n" in message.text


def test_one_that_succeeds_and_one_that_is_cancelled_are_told_to_nobody(driver: Driver) -> None:
    cancelled = driver.post("/api/clusters", {"tag": "t2"})["operation_id"]
    driver.until_said(cancelled, "foundation", "CREATE_IN_PROGRESS")
    driver.cancel(cancelled)
    assert driver.finish(cancelled)["status"] == "CANCELLED"
    assert driver.create({"tag": "t1"})["status"] == "SUCCEEDED"
    assert subjects(driver) == []


def test_what_the_topic_did_not_take_is_told_again_and_then_once(driver: Driver) -> None:
    refused = Fault("sns", "Publish", Kind.REFUSE, times=4, refusal=("Throttled", "Rate exceeded"))
    with driver.host.faults.planned(refused):
        failed_foundation(driver)
        assert len(told(driver)) == 1
    assert driver.host.streams.lost("instantstart-operations") == []


def test_a_repeated_delivery_tells_nothing_twice_and_only_a_death_right_after_telling_does(driver: Driver) -> None:
    # The worker dies before it can note what it has told.
    killed = Fault("dynamodb", "PutItem", Kind.KILL_BEFORE, role="function-notifications")
    with driver.host.faults.planned(killed):
        failed_foundation(driver)
        first, second = told(driver)
    assert (first.subject, first.text) == (second.subject, second.text)


def test_capacity_that_arrives_is_told_and_the_wait_for_it_is_not(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    limit = driver.host.world.hyperpod.conditions.limit_capacity
    limit("ml.g6.4xlarge", "us-west-2c", 0)
    operation_id = driver.post("/api/clusters/base/hyperpod", hyperpod_request())["operation_id"]
    # Whoever chose to wait is not told that it lasts.
    driver.sleep(4 * HOUR)
    assert subjects(driver) == []
    limit("ml.g6.4xlarge", "us-west-2c", None)
    assert driver.finish(operation_id)["status"] == "SUCCEEDED"
    [message] = told(driver)
    assert message.subject == "capacity arrived for cluster base"
    assert operation_id in message.text


def test_a_node_that_breaks_is_told_with_what_is_done_about_it(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    sagemaker = driver.host.client("sagemaker")
    [node] = sagemaker.list_cluster_nodes(ClusterName="hp-cluster-ready")["ClusterNodeSummaries"]
    with driver.host.bus.disordered(copies=3, spread=20):
        driver.host.world.hyperpod.conditions.break_node(node["InstanceId"], recovery="Replace")
        driver.sleep(60)
    [message] = told(driver)
    assert message.subject == f"node {node['InstanceId']} of cluster ready is faulty"
    assert "Cause: " in message.text
    assert "HyperPod repairs the node by itself" in message.text


def test_a_training_plan_is_told_a_day_before_its_end_and_when_it_has_ended(driver_of_prepared: Driver) -> None:
    driver, conditions = driver_of_prepared, driver_of_prepared.host.world.hyperpod.conditions
    plan = conditions.make_training_plan("spring", P5, 1, "us-west-2b", hours=27)
    group = {"name": "gpu", "instance_type": P5, "instance_count": 1, "training_plan_arn": plan}
    operation = driver.run(
        "/api/clusters/base/hyperpod", {"availability_zone": "us-west-2b", "instance_groups": [group]}
    )
    assert operation["status"] == "SUCCEEDED", operation["error"]
    driver.sleep(HOUR)
    assert subjects(driver) == []
    driver.sleep(3 * HOUR)
    [ahead] = told(driver)
    assert ahead.subject.startswith("training plan spring ends ")
    assert "Groups: base/gpu\n" in ahead.text
    driver.sleep(25 * HOUR)
    assert [each.startswith("training plan spring has ended ") for each in subjects(driver)] == [False, True]


def test_an_operation_that_stands_still_is_told_once_a_day(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    operation_id = driver.post("/api/clusters/base/hyperpod", hyperpod_request())["operation_id"]
    driver.until(operation_id, "hyperpod_cluster")
    # A stage asks for a day whoever does not answer, and says the same all the time.
    with driver.host.faults.planned(Fault("sagemaker", "DescribeCluster", Kind.THROTTLE, times=10**6)):
        driver.sleep(HOUR)
        assert subjects(driver) == []
        # Two looks after the one that tells it.
        driver.sleep(3 * HOUR)
        [message] = told(driver)
    assert message.subject == "create_hyperpod of cluster base makes no progress"
    assert "Seen: asking again: " in message.text
    assert f"Cancel: POST /api/operations/{operation_id}/cancel\n" in message.text
