"""What gets lost between the ledger and Step Functions is healed within two minutes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from functions.core.ledger.sweeper import QUIET
from infra.local.faults import Fault, Kind
from infra.local.host import LocalHost
from infra.topology import TOPOLOGY
from tests.host.driver import Driver, stage_of, statuses

[SWEEPER] = [schedule for schedule in TOPOLOGY.schedules if schedule.name == "sweeper"]
# Quiet for long enough, then the next sweep and the moment that it takes.
HEALED = QUIET.total_seconds() + SWEEPER.every_seconds + 2
STORAGE = "/api/clusters/ready/storage"
# Each of the two stages is begun and finished by one transaction of the operations function; the next one closes.
CLOSING = 5


@pytest.fixture(autouse=True)
def lost_events(session_host: LocalHost) -> Iterator[None]:
    """The bus would tell of an execution's end at once; here its events are lost too, and the sweeper is alone."""
    with session_host.bus.losing():
        yield


def begun_foundation(driver: Driver) -> str:
    begun = driver.post("/api/clusters", {"tag": "t1"})
    driver.until_said(begun["operation_id"], "foundation", "CREATE_IN_PROGRESS")
    return str(begun["operation_id"])


def refused_writes(first: int, times: int = 99, kind: Kind = Kind.DENY) -> Fault:
    return Fault("dynamodb", "TransactWriteItems", kind, first=first, times=times, role="function-operations")


def test_an_aborted_execution_is_closed_with_its_cause_and_can_be_retried(driver: Driver) -> None:
    operation_id = begun_foundation(driver)
    [execution] = driver.executions("create_foundation")
    driver.stop(execution)
    operation = driver.finish(operation_id, within=HEALED)
    assert (operation["status"], operation["reason"]) == ("FAILED", "ABORTED")
    assert operation["error"]["code"] == "operation_lost"
    assert operation["error"]["cause"]["resource"] == execution["executionArn"]
    assert statuses(operation) == {"foundation": "FAILED", "verify": "PENDING"}
    assert driver.executions("stage", "RUNNING") == []
    assert driver.get("/api/clusters/t1")["active_operation_ids"] == []
    assert driver.retry(operation_id)["status"] == "SUCCEEDED"
    assert driver.made("t1")["vpcs"] == 1


def test_an_aborted_stage_fails_its_operation_at_once(driver: Driver) -> None:
    operation_id = begun_foundation(driver)
    [execution] = driver.executions("stage")
    driver.stop(execution)
    operation = driver.finish(operation_id, within=HEALED)
    assert operation["status"] == "FAILED"
    assert stage_of(operation, "foundation")["status"] == "FAILED"
    assert operation["error"]["code"]
    assert driver.get("/api/clusters/t1")["active_operation_ids"] == []


def test_an_execution_aborted_while_its_operation_is_being_cancelled_ends_it_as_cancelled(driver: Driver) -> None:
    operation_id = begun_foundation(driver)
    with driver.host.faults.planned(Fault("stepfunctions", "SendTaskSuccess", Kind.FAIL_BEFORE)):
        driver.cancel(operation_id)
    driver.stop(driver.executions("create_foundation")[0])
    operation = driver.finish(operation_id, within=HEALED)
    assert (operation["status"], operation["reason"]) == ("CANCELLED", "CANCELLED_BY_CALLER")
    assert stage_of(operation, "foundation")["resources"]
    assert operation["result"]["resources"] == stage_of(operation, "foundation")["resources"]


def test_a_lost_final_write_of_a_success_is_written_by_the_sweeper_with_all_that_belongs_to_it(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    operation = driver.failing(STORAGE, {}, refused_writes(CLOSING))
    assert operation["status"] == "SUCCEEDED"
    assert driver.executions("create_storage", "FAILED")
    assert driver.states("create_storage", operation["operation_id"])[-1] == "Lost"
    cluster = driver.get("/api/clusters/ready")
    conditions = {each["type"]: each["status"] for each in cluster["conditions"]}
    assert conditions["StorageReady"] == "True"
    assert cluster["active_operation_ids"] == []
    assert operation["result"]["eks_cluster"]["name"] == "eks-cluster-ready"


def test_a_stage_whose_end_cannot_be_written_is_lost_and_closed_by_the_sweeper(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    operation = driver.failing(STORAGE, {}, refused_writes(2))
    assert operation["status"] == "FAILED"
    assert operation["error"]["code"] == "operation_lost"
    assert driver.states("stage", operation["operation_id"])[-1] == "Lost"
    assert driver.retry(operation["operation_id"])["status"] == "SUCCEEDED"


def test_an_operation_that_cannot_be_begun_is_not_run_and_closed_by_the_sweeper(driver_of_ready: Driver) -> None:
    refused = Fault("dynamodb", "UpdateItem", Kind.DENY, times=99, role="function-operations")
    operation = driver_of_ready.failing(STORAGE, {}, refused)
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "operation_lost")
    assert set(statuses(operation).values()) == {"PENDING"}
    assert driver_of_ready.executions("stage", "RUNNING") == []


def test_a_stage_that_writes_no_progress_does_not_end_as_done(driver_of_ready: Driver) -> None:
    refused = Fault("dynamodb", "TransactWriteItems", Kind.DENY, times=999, role="function-stages_workloads")
    operation = driver_of_ready.failing(STORAGE, {}, refused)
    assert operation["status"] == "FAILED"
    assert stage_of(operation, "mount:s3-claim")["status"] == "FAILED"


@pytest.mark.parametrize("kinds", [(Kind.KILL_AFTER, Kind.KILL_BEFORE), (Kind.FAIL_AFTER,)], ids=["dying", "failing"])
def test_the_writer_of_beginnings_and_ends_may_die_at_every_third_write(
    driver_of_ready: Driver, kinds: tuple[Kind, ...]
) -> None:
    driver = driver_of_ready
    planned = [refused_writes(number, 1, kinds[number % len(kinds)]) for number in range(1, 30, 3)]
    starting = Fault("dynamodb", "UpdateItem", kinds[0], role="function-operations")
    operation = driver.failing(STORAGE, {}, starting, *planned)
    assert operation["status"] == "SUCCEEDED"
    assert set(statuses(operation).values()) == {"SUCCEEDED"}
    assert len(driver.executions("create_storage")) == 1


def test_a_worker_does_nothing_for_an_operation_that_has_ended(driver: Driver) -> None:
    operation_id = begun_foundation(driver)
    operation = driver.operation(operation_id)
    driver.stop(driver.executions("create_foundation")[0])
    driver.finish(operation_id, within=HEALED)
    driver.host.client("cloudformation").delete_stack(StackName="instantstart-t1")
    driver.sleep(600)
    turn = {"action": "apply", "operation_id": operation_id, "stage": "stage#010#foundation#foundation", "attempt": 1}
    assert stage_of(operation, "foundation")["attempt"] == 1
    outcome = driver.host.functions.invoke("stages_cluster", turn)
    assert outcome.error or '"verdict": "cancelled"' in outcome.payload
    assert driver.made("t1") == {}
