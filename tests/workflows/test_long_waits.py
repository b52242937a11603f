"""A wait of hours: it ends as well as one of minutes, whatever execution it began in, and costs little."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from infra.topology import TURN_LIMIT
from tests.host.driver import Driver, hyperpod_request, stage_of

HOUR = 3600
LIMIT = 7
POLL_SECONDS = 1200
STAGE_MACHINE = "arn:aws:states:us-west-2:123456789012:stateMachine:instantstart-stage"
PLACE = ("ml.g6.4xlarge", "us-west-2c")
NAME = "hyperpod_cluster"


@pytest.fixture
def settings(driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """A deployment whose stages look every twenty minutes, seven times an execution."""
    driver, client = driver_of_prepared, driver_of_prepared.host.client("stepfunctions")
    environment = driver.host.functions.environment("stages_cluster").runtime
    changed = {**environment.environment, "POLL_SECONDS": str(POLL_SECONDS)}
    monkeypatch.setattr(environment, "environment", changed)
    deployed = client.describe_state_machine(stateMachineArn=STAGE_MACHINE)["definition"]
    shorter, places = re.subn(rf"(\$turn [<>]=? ){TURN_LIMIT}\b", rf"\g<1>{LIMIT}", deployed)
    assert places
    client.update_state_machine(stateMachineArn=STAGE_MACHINE, definition=shorter)
    yield driver
    driver.stop_everything()
    client.update_state_machine(stateMachineArn=STAGE_MACHINE, definition=deployed)


def test_capacity_that_comes_after_ten_hours_is_used_and_the_wait_took_few_turns(settings: Driver) -> None:
    driver = settings
    driver.host.world.hyperpod.capacity[PLACE] = 0
    begun = driver.post("/api/clusters/base/hyperpod", hyperpod_request())
    driver.sleep(10 * HOUR)
    operation = driver.operation(begun["operation_id"])
    assert (operation["status"], stage_of(operation, NAME)["reason"]) == ("RUNNING", "WAITING_CAPACITY")
    driver.host.world.hyperpod.capacity[PLACE] = 1
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    stage = stage_of(operation, NAME)
    name = f"{operation['operation_id']}-{stage['number']:03}-"
    waiting = [each for each in driver.executions("stage") if each["name"].startswith(name)]
    assert stage["attempt"] == len(waiting) > 3
    assert driver.states("stage", operation["operation_id"]).count("Again") == len(waiting) - 1
    turns = driver.states("stage", operation["operation_id"]).count("Await")
    assert turns <= 10 * HOUR / POLL_SECONDS + 5
    assert (driver.made("base")["hyperpod"], len(driver.executions("create_hyperpod"))) == (1, 1)
