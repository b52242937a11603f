"""Nothing stays unfinished for ever: what the sweeper heals, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.stub import Stubber

from functions.core import runtime
from functions.core.errors import StageFailed
from functions.core.ledger import (
    Healing,
    begin,
    begin_stage,
    execution_arn,
    fail_stage,
    finish_stage,
    get,
    mark_running,
    request_cancel,
    sweep,
)
from functions.core.ledger.models import OperationStatus, Reason, StageStatus
from tests.component.test_ledger_support import (
    ANN,
    ENVIRONMENT,
    STAGES,
    Account,
    account,
    begun,
    executions,
    finish_operation,
    new_operation,
    owners,
)

if TYPE_CHECKING:
    from functions.core.ledger.models import Operation

__all__ = ["account"]

NETWORK = "stage#010#foundation#network"


def running(tag: str = "t1") -> Operation:
    """An operation in its first stage."""
    operation = mark_running(begun(tag).operation_id)
    begin_stage(operation.operation_id, NETWORK)
    return get(operation.operation_id)


def stop(operation: Operation, error: str = "States.Runtime", cause: str = "no such path") -> None:
    client = runtime.client("stepfunctions")
    client.stop_execution(executionArn=execution_arn(operation), error=error, cause=cause)


def healed() -> list[tuple[str, Healing]]:
    return [(each.operation_id, each.healing) for each in sweep().healed]


def ended_as(operation: Operation, status: str, **said: str) -> Operation:
    """Sweep while Step Functions reports how the execution ended."""
    answer = {
        "executionArn": execution_arn(operation),
        "stateMachineArn": "arn",
        "status": status,
        "startDate": operation.created_at,
        **said,
    }
    with Stubber(runtime.client("stepfunctions")) as stub:
        stub.add_response("describe_execution", answer, {"executionArn": execution_arn(operation)})
        assert healed() == [(operation.operation_id, Healing.FINISHED)]
    return get(operation.operation_id)


def test_a_pending_operation_without_execution_is_started(account: Account) -> None:
    operation = begin(new_operation(), inline=True).operation
    assert healed() == []
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.STARTED)]
    assert executions() == [operation.operation_id]
    assert healed() == []


def test_a_request_that_died_inside_an_inline_operation_is_handed_to_its_machine(account: Account) -> None:
    operation = begin(new_operation(), inline=True).operation
    mark_running(operation.operation_id)
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.STARTED)]


def test_an_operation_whose_execution_runs_is_left_alone(account: Account) -> None:
    operation = running()
    account.clock.advance(days=3)
    assert healed() == []
    assert get(operation.operation_id) == operation


def test_an_operation_that_was_just_touched_is_left_alone(account: Account) -> None:
    operation = running()
    stop(operation)
    account.clock.advance(seconds=59)
    assert healed() == []


def test_an_aborted_execution_fails_its_operation_and_its_running_stage(account: Account) -> None:
    operation = running()
    stop(operation)
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.FINISHED)]
    ended = get(operation.operation_id)
    assert (ended.status, ended.reason) == (OperationStatus.FAILED, Reason.ABORTED)
    assert ended.error is not None
    assert ended.error.code == "operation_lost"
    assert "/retry" in (ended.error.remedy or "")
    assert [stage.status for stage in ended.stages] == [StageStatus.FAILED, *[StageStatus.PENDING] * 3]
    assert ended.stages[0].error == ended.error
    assert owners() == {}
    assert healed() == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("TIMED_OUT", Reason.TIMED_OUT),
        ("ABORTED", Reason.ABORTED),
        ("FAILED", Reason.LOST),
        ("SUCCEEDED", Reason.LOST),
    ],
)
def test_the_reason_and_cause_say_how_the_execution_ended(account: Account, status: str, reason: Reason) -> None:
    operation = running()
    account.clock.advance(seconds=61)
    ended = ended_as(operation, status, error="States.Timeout", cause="took too long")
    assert (ended.status, ended.reason) == (OperationStatus.FAILED, reason)
    assert ended.error is not None
    assert ended.error.cause is not None
    assert (ended.error.cause.code, ended.error.cause.resource) == ("States.Timeout", execution_arn(operation))
    assert "took too long" in ended.error.detail
    assert "Make network" in ended.error.detail


def test_a_stage_that_recorded_its_failure_is_the_headline(account: Account) -> None:
    operation, problem = running(), StageFailed("the subnet is full").body()
    fail_stage(operation.operation_id, NETWORK, 1, problem)
    account.clock.advance(seconds=61)
    ended = ended_as(operation, "FAILED")
    assert ended.error == problem.model_copy(update={"operation_id": operation.operation_id})
    assert ended.reason is None


def test_a_cancelling_operation_whose_execution_ended_is_cancelled(account: Account) -> None:
    operation = running()
    request_cancel(operation.operation_id, ANN)
    stop(operation)
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.FINISHED)]
    ended = get(operation.operation_id)
    assert (ended.status, ended.reason) == (OperationStatus.CANCELLED, Reason.CANCELLED_BY_CALLER)
    assert ended.stages[0].status is StageStatus.CANCELLED


def test_a_cancelling_operation_that_never_started_is_cancelled(account: Account) -> None:
    operation = begin(new_operation(), inline=True).operation
    request_cancel(operation.operation_id, ANN)
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.FINISHED)]
    assert get(operation.operation_id).status is OperationStatus.CANCELLED
    assert executions() == []


def test_an_operation_whose_stages_all_stand_only_lacks_its_final_write(account: Account) -> None:
    operation = mark_running(begun().operation_id)
    for stage in operation.stages:
        attempt = begin_stage(operation.operation_id, stage.record)
        finish_stage(operation.operation_id, stage.record, attempt, {})
    account.clock.advance(seconds=61)
    assert ended_as(operation, "SUCCEEDED").status is OperationStatus.SUCCEEDED


def test_an_operation_without_stages_never_succeeds_by_absence(account: Account) -> None:
    operation = begin(new_operation(stages=())).operation
    account.clock.advance(seconds=61)
    assert ended_as(operation, "SUCCEEDED").status is OperationStatus.FAILED


def test_a_worker_that_moves_on_meanwhile_is_not_overwritten(account: Account) -> None:
    operation = running()
    stop(operation)
    account.clock.advance(seconds=61)

    def move_on(**_: object) -> None:
        finish_stage(operation.operation_id, NETWORK, 1, {})

    events = runtime.client("stepfunctions").meta.events
    events.register("after-call.sfn.DescribeExecution", move_on)
    assert healed() == []
    events.unregister("after-call.sfn.DescribeExecution", move_on)
    assert get(operation.operation_id).status is OperationStatus.RUNNING


def test_a_kind_without_state_machine_fails_instead_of_holding_the_cluster(account: Account) -> None:
    operation = begin(new_operation(kind="unknown_kind")).operation
    assert operation.status is OperationStatus.PENDING
    account.clock.advance(seconds=61)
    assert healed() == [(operation.operation_id, Healing.FINISHED)]
    ended = get(operation.operation_id)
    assert ended.error is not None
    assert (ended.status, ended.error.code) == (OperationStatus.FAILED, "deployment_fault")
    assert owners() == {}


def test_one_that_cannot_be_healed_does_not_stop_the_others(account: Account) -> None:
    first = begin(new_operation("t1"), inline=True).operation
    account.clock.advance(seconds=1)
    second = begin(new_operation("t2"), inline=True).operation
    account.clock.advance(seconds=61)

    events, failures = runtime.client("stepfunctions").meta.events, iter([True, False])

    def deny(**_: object) -> None:
        if next(failures):
            client = runtime.client("stepfunctions")
            raise client.exceptions.InvalidArn({"Error": {"Code": "InvalidArn", "Message": "no"}}, "DescribeExecution")

    events.register("before-call.sfn.DescribeExecution", deny)
    swept = sweep()
    assert [(each.operation_id, each.healing) for each in swept.healed] == [(second.operation_id, Healing.STARTED)]
    assert [type(each).__name__ for each in swept.failures] == ["InvalidArn"]
    events.unregister("before-call.sfn.DescribeExecution", deny)
    assert executions() == [second.operation_id]
    assert healed() == [(first.operation_id, Healing.STARTED)]


def leave_lease_of(operation: Operation) -> None:
    """Put a lease in place whose owner has ended without giving it back."""
    runtime.client("dynamodb").put_item(
        TableName=ENVIRONMENT["CLUSTERS_TABLE"],
        Item={
            "cluster_tag": {"S": "t1"},
            "record": {"S": "lease#group:a"},
            "owner": {"S": operation.operation_id},
            "token": {"S": "token"},
            "leased": {"S": "yes"},
            "expires_at": {"S": "2026-05-10T12:15:00.000Z"},
        },
    )
    for scope in ("hyperpod", "cluster"):
        runtime.client("dynamodb").update_item(
            TableName=ENVIRONMENT["CLUSTERS_TABLE"],
            Key={"cluster_tag": {"S": "t1"}, "record": {"S": f"lease#{scope}"}},
            UpdateExpression="ADD children :one",
            ExpressionAttributeValues={":one": {"SS": [f"group:a={operation.operation_id}"]}},
        )


def test_an_expired_lease_of_an_ended_operation_is_freed_with_its_entries(account: Account) -> None:
    operation = begun(scopes=())
    finish_operation(operation.operation_id, OperationStatus.SUCCEEDED)
    leave_lease_of(operation)
    account.clock.advance(minutes=14)
    assert healed() == []
    account.clock.advance(minutes=2)
    assert healed() == [(operation.operation_id, Healing.LEASE_FREED)]
    assert owners() == {}
    begun(scopes=("cluster",))


def test_an_expired_lease_of_an_unfinished_operation_is_kept(account: Account) -> None:
    operation = begun()
    account.clock.advance(days=1)
    assert healed() == []
    assert set(owners().values()) == {operation.operation_id}


def test_a_healthy_fleet_costs_two_queries_and_one_look_per_quiet_operation(account: Account) -> None:
    for number in range(len(STAGES)):
        begun(f"t{number}")
    with account.counted() as calls:
        sweep()
    assert calls == ["Query", "Query"]
    account.clock.advance(seconds=61)
    with account.counted() as calls:
        sweep()
    assert sorted(calls) == ["DescribeExecution"] * 4 + ["GetItem"] * 4 + ["Query"] * 2


def test_a_lease_that_is_renewed_while_the_sweeper_looks_is_kept(account: Account) -> None:
    operation = begun(scopes=())
    finish_operation(operation.operation_id, OperationStatus.SUCCEEDED)
    leave_lease_of(operation)
    account.clock.advance(minutes=16)

    def renewed(**_: object) -> None:
        runtime.client("dynamodb").update_item(
            TableName=ENVIRONMENT["CLUSTERS_TABLE"],
            Key={"cluster_tag": {"S": "t1"}, "record": {"S": "lease#group:a"}},
            UpdateExpression="SET #token = :another",
            ExpressionAttributeNames={"#token": "token"},
            ExpressionAttributeValues={":another": {"S": "another"}},
        )

    runtime.client("dynamodb").meta.events.register("before-call.dynamodb.TransactWriteItems", renewed)
    assert healed() == []
    assert owners() == {"group:a": operation.operation_id}


def test_an_operation_that_moved_since_the_index_was_read_is_left_alone(account: Account) -> None:
    operation = begin(new_operation(), inline=True).operation
    account.clock.advance(seconds=61)
    events, moves = runtime.client("dynamodb").meta.events, iter([True])

    def move_on(**_: object) -> None:
        if next(moves, False):
            mark_running(operation.operation_id)

    events.register("after-call.dynamodb.Query", move_on)
    assert healed() == []
    assert executions() == []
