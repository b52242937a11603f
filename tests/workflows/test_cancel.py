"""Cancelling: at once while a stage waits, leaving what exists; and what cannot be cancelled."""

from __future__ import annotations

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, stage_of, statuses


def waiting_foundation(driver: Driver) -> str:
    """Begin a foundation and let its stack get going; give the operation's id."""
    begun = driver.post("/api/clusters", {"tag": "t1"})
    driver.until_said(begun["operation_id"], "foundation", "CREATE_IN_PROGRESS")
    return str(begun["operation_id"])


def test_a_waiting_stage_hears_of_the_cancellation_at_once(driver: Driver) -> None:
    operation_id = waiting_foundation(driver)
    before = driver.host.clock.time()
    answer = driver.cancel(operation_id)
    assert (answer.status, answer.body["status"]) == (202, "CANCELLING")
    driver.sleep(1)
    operation = driver.operation(operation_id)
    assert driver.host.clock.time() - before <= 1
    assert (operation["status"], operation["reason"]) == ("CANCELLED", "CANCELLED_BY_CALLER")
    assert operation["error"] is None
    assert statuses(operation) == {"foundation": "CANCELLED", "verify": "PENDING"}


def test_what_exists_stands_and_is_listed_and_the_leases_are_free(driver: Driver) -> None:
    operation_id = waiting_foundation(driver)
    driver.cancel(operation_id)
    operation = driver.finish(operation_id)
    [stack] = operation["result"]["resources"]
    assert stack == driver.host.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["StackId"]
    assert driver.get("/api/clusters/t1")["active_operation_ids"] == []


def test_a_retry_of_a_cancelled_operation_adopts_what_went_on_meanwhile(driver: Driver) -> None:
    operation_id = waiting_foundation(driver)
    driver.cancel(operation_id)
    driver.finish(operation_id)
    retried = driver.retry(operation_id)
    assert (retried["status"], retried["retry_of"]) == ("SUCCEEDED", operation_id)
    assert driver.made("t1")["vpcs"] == 1


def test_an_operation_that_has_not_begun_is_cancelled_without_a_side_effect(driver: Driver) -> None:
    with driver.host.faults.planned(Fault("stepfunctions", "StartExecution", Kind.FAIL_BEFORE)):
        begun = driver.post("/api/clusters", {"tag": "t1"})
    assert driver.cancel(begun["operation_id"]).status == 202
    operation = driver.finish(begun["operation_id"], within=120)
    assert operation["status"] == "CANCELLED"
    assert driver.executions("create_foundation") == []
    assert driver.made("t1") == {}


def test_a_cancelled_phase_keeps_what_stands_and_leaves_the_rest(driver_of_base: Driver) -> None:
    driver = driver_of_base
    begun = driver.post("/api/clusters/base/dependencies", {})
    driver.until(begun["operation_id"], "addon:coredns", "SUCCEEDED", every=1)
    driver.cancel(begun["operation_id"])
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "CANCELLED"
    assert stage_of(operation, "addon:coredns")["status"] == "SUCCEEDED"
    assert stage_of(operation, "verify")["status"] == "PENDING"
    conditions = {each["type"]: each for each in driver.get("/api/clusters/base")["conditions"]}
    assert conditions["DependenciesReady"]["status"] == "False"
    assert conditions["FoundationReady"]["status"] == "True"
    retried = driver.retry(begun["operation_id"])
    assert retried["status"] == "SUCCEEDED"
    assert stage_of(retried, "addon:coredns")["status"] == "SKIPPED"


def test_what_has_ended_cannot_be_cancelled(driver_of_base: Driver) -> None:
    [ended] = driver_of_base.get("/api/operations")["operations"]
    answer = driver_of_base.cancel(ended["operation_id"])
    assert (answer.status, answer.body["code"]) == (409, "conflict")
    assert driver_of_base.operation(ended["operation_id"])["status"] == "SUCCEEDED"


def test_cancelling_twice_is_cancelling_once(driver: Driver) -> None:
    operation_id = waiting_foundation(driver)
    answers = driver.together([lambda: driver.cancel(operation_id)] * 5)
    assert {answer.status for answer in answers} <= {202, 409}
    assert driver.finish(operation_id)["status"] == "CANCELLED"
    trail = driver.get(f"/api/operations/{operation_id}/audit")["entries"]
    assert [entry["action"] for entry in trail] == ["begin", "cancel"]


def test_retries_and_cancellations_at_once_leave_one_outcome(driver: Driver) -> None:
    operation_id = waiting_foundation(driver)
    driver.cancel(operation_id)
    driver.finish(operation_id)
    path = f"/api/operations/{operation_id}/retry"
    answers = driver.together([lambda: driver.send("POST", path)] * 6 + [lambda: driver.cancel(operation_id)] * 2)
    begun = [answer.body["operation_id"] for answer in answers if answer.status == 202]
    assert len(begun) == 1
    assert {answer.status for answer in answers} == {202, 409}
    driver.cancel(begun[0])
    assert driver.finish(begun[0])["status"] == "CANCELLED"
    assert driver.get("/api/clusters/t1")["active_operation_ids"] == []
    again = driver.post(f"/api/operations/{begun[0]}/retry")
    assert again["retry_of"] == begun[0]


def test_a_cancellation_while_the_end_is_being_written_does_not_undo_a_success(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    # Two stages are begun and finished; the next write, which closes the operation, hangs and is then sent again.
    closing = Fault("dynamodb", "TransactWriteItems", Kind.HANG, first=5, role="function-operations")
    with driver.host.faults.planned(closing):
        begun = driver.post("/api/clusters/ready/storage")
        operation = driver.until(begun["operation_id"], "verify", "SUCCEEDED")
        assert operation["status"] == "RUNNING"
        assert driver.cancel(begun["operation_id"]).status == 202
        operation = driver.finish(begun["operation_id"])
    assert (operation["status"], operation["reason"]) == ("SUCCEEDED", None)
    assert driver.get("/api/clusters/ready")["active_operation_ids"] == []
