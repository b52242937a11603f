"""Each state machine ends in each of its ways; the seldom ones are brought about here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from infra.local.faults import Fault, Kind
from infra.topology import TURN_LIMIT
from tests.host.driver import Driver, hyperpod_request, stage_of

LIMIT = 8
STAGE_MACHINE = "arn:aws:states:us-west-2:123456789012:stateMachine:instantstart-stage"


@pytest.fixture
def impatient(driver: Driver) -> Iterator[Driver]:
    """A host whose stage machine starts anew after eight turns."""
    with turn_limit(driver, LIMIT):
        yield driver


@contextmanager
def turn_limit(driver: Driver, limit: int) -> Iterator[None]:
    """Let stages be started anew after so many turns."""
    client = driver.host.client("stepfunctions")
    deployed = client.describe_state_machine(stateMachineArn=STAGE_MACHINE)["definition"]
    changed, places = re.subn(rf"(\$turn [<>]=? ){TURN_LIMIT}\b", rf"\g<1>{limit}", deployed)
    assert places
    client.update_state_machine(stateMachineArn=STAGE_MACHINE, definition=changed)
    yield
    driver.stop_everything()
    client.update_state_machine(stateMachineArn=STAGE_MACHINE, definition=deployed)


def test_a_stage_that_has_used_its_turns_is_started_anew_and_goes_on_waiting(impatient: Driver) -> None:
    driver = impatient
    operation = driver.create({"tag": "t1"})
    assert operation["status"] == "SUCCEEDED"
    stage = stage_of(operation, "foundation")
    rounds = [each for each in driver.executions("stage") if "-010-" in each["name"]]
    assert len(rounds) > 2
    assert len({each["name"] for each in rounds}) == len(rounds)
    assert stage["attempt"] == len(rounds)
    assert len(stage["resources"]) == 1
    entered = driver.states("stage", operation["operation_id"])
    assert entered.count("Again") == len(rounds) - 1
    assert driver.made("t1")["stack"] == 1


def test_a_stage_that_is_started_anew_hears_of_a_cancellation(impatient: Driver) -> None:
    begun = impatient.post("/api/clusters", {"tag": "t1"})
    impatient.sleep(400)
    impatient.cancel(begun["operation_id"])
    operation = impatient.finish(begun["operation_id"], within=60)
    assert operation["status"] == "CANCELLED"
    assert impatient.states("stage", operation["operation_id"]).count("Cancelled") == 1


def test_ten_hours_without_capacity_are_waited_for_in_rounds(driver_of_prepared: Driver) -> None:
    driver, conditions = driver_of_prepared, driver_of_prepared.host.world.hyperpod.conditions
    now = driver.host.clock.now()
    conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", 0)
    conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", None, at=now + timedelta(hours=10))
    with turn_limit(driver, 25), driver.host.schedules_held():
        begun = driver.post("/api/clusters/base/hyperpod", hyperpod_request())
        driver.sleep(9 * 3600)
        waiting = stage_of(driver.operation(begun["operation_id"]), "hyperpod_cluster")
        operation = driver.finish(begun["operation_id"])
    assert (waiting["status"], waiting["reason"]) == ("RUNNING", "WAITING_CAPACITY")
    assert operation["status"] == "SUCCEEDED"
    stage = stage_of(operation, "hyperpod_cluster")
    assert driver.states("stage", operation["operation_id"]).count("Again") == stage["attempt"] - 1 >= 2
    assert driver.made("base")["hyperpod"] == 1


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("configure_dependencies", "/api/clusters/base/dependencies", {}),
        ("create_hyperpod", "/api/clusters/base/hyperpod", hyperpod_request()),
    ],
)
def test_a_pipeline_ends_as_failed_cancelled_and_lost(
    driver_of_prepared: Driver, kind: str, path: str, body: object
) -> None:
    driver = driver_of_prepared
    denied = [
        Fault("eks", "DescribeAccessEntry", Kind.DENY, times=9),
        Fault("ec2", "DescribeSubnets", Kind.DENY, times=9),
    ]
    failed = driver.failing(path, body, *denied)
    assert driver.states(kind, failed["operation_id"])[-2:] == ["Tell the outcome", "Failed"]
    assert "Failed" in driver.states("stage", failed["operation_id"])
    cancelled = driver.post(path, body)
    assert driver.cancel(cancelled["operation_id"]).status == 202
    assert driver.finish(cancelled["operation_id"])["status"] == "CANCELLED"
    assert driver.states(kind, cancelled["operation_id"])[-2:] == ["Tell the outcome", "Closed"]
    unread = Fault("dynamodb", "UpdateItem", Kind.KILL_BEFORE, times=99, role="function-operations")
    lost = driver.failing(path, body, unread)
    assert lost["status"] == "FAILED"
    assert driver.states(kind, lost["operation_id"])[-2:] == ["Begin operation", "Lost"]


def test_a_worker_that_dies_at_every_turn_fails_its_stage_with_the_functions_error(driver_of_base: Driver) -> None:
    killer = Fault("eks", "DescribeAddon", Kind.KILL_BEFORE, times=99)
    operation = driver_of_base.failing("/api/clusters/base/dependencies", {}, killer)
    assert operation["status"] == "FAILED"
    error = stage_of(operation, "addon:coredns")["error"]
    assert (error["cause"]["layer"], error["cause"]["service"]) == ("control_plane", "lambda")
    assert error["retryable"] is True
