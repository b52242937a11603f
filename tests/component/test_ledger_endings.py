"""A pipeline that closes its operation and the sweeper that heals it come to the same end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from functions.core import pipeline, runtime
from functions.core.cluster import DesiredAccess
from functions.core.errors import StageFailed
from functions.core.ledger import (
    Healing,
    StaleWorker,
    begin,
    begin_stage,
    ending_of,
    execution_arn,
    fail_stage,
    finish_operation,
    finish_stage,
    get,
    granted,
    mark_running,
    record_progress,
    request_cancel,
    sweep,
)
from functions.core.ledger.models import Operation, OperationStatus, Reason, StageStatus
from functions.core.pipeline import Step
from functions.entry import events
from tests.component.test_ledger_support import (
    ANN,
    Account,
    account,
    begun,
    cluster_records,
    new_operation,
    owners,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["account"]

PLAN = ("foundation/foundation", "hyperpod/hyperpod", "verify/verify")


def close(operation: Operation) -> None:
    pipeline.take(Step(action="close_operation", operation_id=operation.operation_id))


def heal(operation: Operation) -> None:
    """Sweep once the operation is quiet and its execution has ended."""
    answer = {
        "executionArn": execution_arn(operation),
        "stateMachineArn": "arn",
        "status": "FAILED",
        "startDate": operation.created_at,
    }
    with Stubber(runtime.client("stepfunctions")) as stub:
        stub.add_response("describe_execution", answer)
        assert [each.healing for each in sweep().healed] == [Healing.FINISHED]


def stand(operation: Operation, place: int) -> None:
    record = operation.stages[place].record
    attempt = begin_stage(operation.operation_id, record)
    record_progress(operation.operation_id, record, attempt, None, None, [f"made-{place}"])
    finish_stage(operation.operation_id, record, attempt, {"nodes": 2} if place == 2 else {})


def everything_stands(operation: Operation) -> None:
    for place in range(len(PLAN)):
        stand(operation, place)


def cancelled_too_late(operation: Operation) -> None:
    everything_stands(operation)
    request_cancel(operation.operation_id, ANN)


def a_stage_failed(operation: Operation) -> None:
    stand(operation, 0)
    record = operation.stages[1].record
    attempt = begin_stage(operation.operation_id, record)
    fail_stage(operation.operation_id, record, attempt, StageFailed("no capacity").body())


def cancelled_in_time(operation: Operation) -> None:
    lost(operation)
    request_cancel(operation.operation_id, ANN)


def lost(operation: Operation) -> None:
    stand(operation, 0)
    begin_stage(operation.operation_id, operation.stages[1].record)


STORIES = [
    (everything_stands, "SUCCEEDED", {"FoundationReady": "True", "HyperPodReady": "True"}),
    (cancelled_too_late, "SUCCEEDED", {"FoundationReady": "True", "HyperPodReady": "True"}),
    (a_stage_failed, "FAILED", {"FoundationReady": "True", "HyperPodReady": "False"}),
    (cancelled_in_time, "CANCELLED", {"FoundationReady": "True", "HyperPodReady": "False"}),
    (lost, "FAILED", {"FoundationReady": "True", "HyperPodReady": "False"}),
]


def conditions(tag: str = "t1") -> dict[str, str]:
    found = {name.removeprefix("condition#"): item for name, item in cluster_records(tag).items()}
    return {name: item["status"]["S"] for name, item in found.items() if name.endswith("Ready")}


def told(operation: Operation) -> list[object]:
    """All that an ending says, but for who was asked to write it."""
    code = operation.error.code if operation.error else None
    return [operation.status, operation.reason, operation.result, code, [stage.status for stage in operation.stages]]


@pytest.mark.parametrize(("story", "status", "ready"), STORIES, ids=[story.__name__ for story, *_ in STORIES])
def test_it_ends_in_the_same_way_whoever_writes_the_end(
    account: Account, story: Callable[[Operation], None], status: str, ready: dict[str, str]
) -> None:
    ends = []
    for tag, write in (("closed", close), ("healed", heal)):
        operation = mark_running(begun(tag, stages=PLAN).operation_id)
        story(operation)
        account.clock.advance(seconds=61)
        write(operation)
        assert conditions(tag) == ready
        assert owners(tag) == {}
        ends.append(told(get(operation.operation_id)))
    assert ends[0] == ends[1]
    assert ends[0][0] == status


def test_a_healed_success_has_its_summary(account: Account) -> None:
    operation = mark_running(begun(stages=PLAN).operation_id)
    everything_stands(operation)
    account.clock.advance(seconds=61)
    heal(operation)
    assert get(operation.operation_id).result == {"nodes": 2, "resources": ["made-0", "made-1", "made-2"]}


def test_a_cancellation_between_reading_and_closing_is_not_overlooked(account: Account) -> None:
    operation = mark_running(begun(stages=PLAN).operation_id)
    stand(operation, 0)
    once = iter([True])

    def cancel(**_: object) -> None:
        if next(once, False):
            request_cancel(operation.operation_id, ANN)

    runtime.client("dynamodb").meta.events.register("before-call.dynamodb.TransactWriteItems", cancel)
    close(operation)
    ended = get(operation.operation_id)
    assert (ended.status, ended.reason) == (OperationStatus.CANCELLED, Reason.CANCELLED_BY_CALLER)


REMOVAL = ("hyperpod_removal/hyperpod_removal", "foundation_removal/foundation_removal")


def standing_cluster() -> None:
    created = begin(new_operation(stages=PLAN, new_cluster={"tag": "t1", "names": {}})).operation
    everything_stands(mark_running(created.operation_id))
    close(created)


def removal(kind: str) -> Operation:
    planned = begin(new_operation(kind=kind, scopes=["cluster"], stages=REMOVAL)).operation
    return mark_running(planned.operation_id)


def test_a_deletion_that_succeeds_leaves_no_record_of_the_cluster(account: Account) -> None:
    standing_cluster()
    operation = removal("delete_cluster")
    stand(operation, 0)
    stand(operation, 1)
    close(operation)
    assert get(operation.operation_id).status is OperationStatus.SUCCEEDED
    assert cluster_records() == {}
    assert begin(new_operation(new_cluster={"tag": "t1", "names": {}})).operation.status is OperationStatus.PENDING


def grant(numbers: range) -> None:
    for number in numbers:
        granted.remember(
            "t1", DesiredAccess(principal_arn=f"arn:aws:iam::123456789012:role/r{number}", everywhere="admin")
        )


def test_a_cluster_with_more_records_than_a_transaction_takes_is_forgotten(account: Account) -> None:
    standing_cluster()
    grant(range(150))
    operation = removal("delete_cluster")
    stand(operation, 0)
    stand(operation, 1)
    close(operation)
    assert get(operation.operation_id).status is OperationStatus.SUCCEEDED
    assert cluster_records() == {}


def test_who_comes_late_removes_nothing_of_the_next_cluster_of_the_tag(account: Account) -> None:
    standing_cluster()
    operation = removal("delete_cluster")
    stand(operation, 0)
    stand(operation, 1)
    late = get(operation.operation_id)
    ending = ending_of(late, None, account.clock.now())
    close(operation)
    standing_cluster()
    grant(range(3))
    before = cluster_records()
    assert finish_operation(late, ending).status is OperationStatus.SUCCEEDED
    assert cluster_records() == before


def test_nothing_is_granted_in_a_cluster_that_is_gone(account: Account) -> None:
    with pytest.raises(StaleWorker, match="gone"):
        grant(range(1))
    assert cluster_records() == {}


def test_a_deletion_that_fails_keeps_the_cluster_and_says_what_is_gone(account: Account) -> None:
    standing_cluster()
    operation = removal("delete_cluster")
    stand(operation, 0)
    record = operation.stages[1].record
    fail_stage(operation.operation_id, record, begin_stage(operation.operation_id, record), StageFailed("busy").body())
    close(operation)
    records = cluster_records()
    assert {"spec", "condition#HyperPodReady", "condition#FoundationReady"} <= set(records)
    assert conditions() == {"HyperPodReady": "False", "FoundationReady": "False"}
    assert [records[f"condition#{name}"]["reason"] for name in ("HyperPodReady", "FoundationReady")] == [
        {"S": "Removed"},
        {"S": "RemovalFailed"},
    ]
    assert owners() == {}


def test_a_condition_says_since_when_it_is_what_it_is(account: Account) -> None:
    standing_cluster()
    since = cluster_records()["condition#FoundationReady"]["since"]
    account.clock.advance(seconds=300)
    again = begun(stages=PLAN, kind="create_cluster")
    everything_stands(mark_running(again.operation_id))
    close(again)
    assert cluster_records()["condition#FoundationReady"]["since"] == since
    assert again.operation_id in cluster_records()["condition#FoundationReady"]["message"]["S"]


def refusing_to_start(code: str, status: int = 400) -> Stubber:
    stub = Stubber(runtime.client("stepfunctions"))
    stub.add_client_error("describe_execution", "ExecutionDoesNotExist")
    stub.add_client_error("start_execution", code, "not for you", http_status_code=status)
    return stub


@pytest.mark.parametrize("code", ["AccessDeniedException", "StateMachineDoesNotExist", "StateMachineDeleting"])
def test_an_operation_that_can_never_start_fails_by_the_call_and_its_code(account: Account, code: str) -> None:
    operation = begin(new_operation(stages=PLAN), inline=True).operation
    account.clock.advance(seconds=61)
    with refusing_to_start(code):
        assert [each.healing for each in sweep().healed] == [Healing.FINISHED]
    ended = get(operation.operation_id)
    assert ended.error is not None
    assert ended.error.cause is not None
    assert (ended.status, ended.error.code) == (OperationStatus.FAILED, "deployment_fault")
    assert (ended.error.cause.api_call, ended.error.cause.code) == ("StartExecution", code)
    assert code in ended.error.detail
    assert "StartExecution" in ended.error.detail
    assert owners() == {}


@pytest.mark.parametrize(
    ("code", "status"), [("ThrottlingException", 400), ("ExecutionLimitExceeded", 400), ("InternalServerError", 500)]
)
def test_an_operation_that_cannot_start_just_now_waits_for_the_next_sweep(
    account: Account, code: str, status: int
) -> None:
    operation = begin(new_operation(), inline=True).operation
    account.clock.advance(seconds=61)
    with refusing_to_start(code, status):
        swept = sweep()
    assert swept.healed == []
    assert [cast("ClientError", each).response["Error"]["Code"] for each in swept.failures] == [code]
    assert get(operation.operation_id).status is OperationStatus.PENDING


def test_a_stage_that_died_with_its_request_fails_with_an_operation_that_cannot_start(account: Account) -> None:
    operation = mark_running(begin(new_operation(stages=PLAN), inline=True).operation.operation_id)
    begin_stage(operation.operation_id, operation.stages[0].record)
    account.clock.advance(seconds=61)
    with refusing_to_start("AccessDeniedException"):
        sweep()
    ended = get(operation.operation_id)
    assert [stage.status for stage in ended.stages] == [StageStatus.FAILED, StageStatus.PENDING, StageStatus.PENDING]
    assert conditions() == {"FoundationReady": "False"}


def test_what_was_healed_is_logged_even_if_something_else_could_not_be(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(new_operation("t1"), inline=True)
    account.clock.advance(seconds=1)
    second = begin(new_operation("t2"), inline=True).operation
    account.clock.advance(seconds=61)
    denied, logged = iter([True]), list[dict[str, Any]]()

    def deny(**_: object) -> None:
        if next(denied, False):
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "DescribeExecution")

    def log(message: str, extra: dict[str, Any]) -> None:
        logged.append({"message": message, **extra})

    monkeypatch.setattr(events.logger, "warning", log)
    runtime.client("stepfunctions").meta.events.register("before-call.sfn.DescribeExecution", deny)
    with pytest.raises(ExceptionGroup, match="1 could not be healed"):
        events.handler({}, None)
    assert [(line["message"], line["operation_id"]) for line in logged] == [("healed", second.operation_id)]
