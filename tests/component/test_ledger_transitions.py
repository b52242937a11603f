"""How operations and stages move, and who is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from functions.core import runtime
from functions.core.errors import Conflict, NotFound, StageFailed
from functions.core.ledger import (
    StaleWorker,
    audit,
    await_tokens,
    begin_stage,
    cancel_stage,
    fail_stage,
    finish_stage,
    get,
    mark_running,
    record_progress,
    request_cancel,
    skip_stages,
)
from functions.core.ledger.models import JsonObject, OperationStatus, Reason, StageStatus
from tests.component.test_ledger_support import (
    BOB,
    ENVIRONMENT,
    Account,
    account,
    begun,
    cluster_records,
    finish_operation,
    store_await_token,
    together,
)

if TYPE_CHECKING:
    from functions.core.ledger.items import Item
    from functions.core.ledger.models import Stage

__all__ = ["account"]

NETWORK = "stage#010#foundation#network"
ENDS = [OperationStatus.SUCCEEDED, OperationStatus.FAILED, OperationStatus.CANCELLED]
PROBLEM = StageFailed("the subnet is full").body()


def running() -> str:
    return mark_running(begun().operation_id).operation_id


def first_stage(operation_id: str) -> Stage:
    return get(operation_id).stages[0]


def raw(operation_id: str) -> Item:
    key = {"operation_id": {"S": operation_id}, "record": {"S": "operation"}}
    return runtime.client("dynamodb").get_item(TableName=ENVIRONMENT["OPERATIONS_TABLE"], Key=key)["Item"]


def test_an_operation_is_marked_running_once(account: Account) -> None:
    operation_id = running()
    started = get(operation_id)
    account.clock.advance(minutes=1)
    assert mark_running(operation_id) == started
    assert (started.status, started.version, started.started_at) == (OperationStatus.RUNNING, 2, started.created_at)


def test_marking_a_cancelling_operation_leaves_it_cancelling(account: Account) -> None:
    operation_id = begun().operation_id
    request_cancel(operation_id, BOB)
    assert mark_running(operation_id).status is OperationStatus.CANCELLING


def test_an_execution_of_an_ended_operation_is_stale(account: Account) -> None:
    operation_id = begun().operation_id
    finish_operation(operation_id, OperationStatus.CANCELLED)
    with pytest.raises(StaleWorker):
        mark_running(operation_id)


def test_an_unknown_operation_is_not_created_by_any_transition(account: Account) -> None:
    for act in (
        lambda: mark_running("none"),
        lambda: request_cancel("none", BOB),
        lambda: finish_operation("none", OperationStatus.FAILED),
        lambda: begin_stage("none", NETWORK),
        lambda: get("none"),
        lambda: audit("none"),
    ):
        with pytest.raises(NotFound):
            act()


def test_a_stage_that_is_begun_runs_under_a_new_attempt(account: Account) -> None:
    operation_id = running()
    started = account.clock.now().replace(microsecond=123000)
    assert begin_stage(operation_id, NETWORK) == 1
    account.clock.advance(minutes=5)
    assert begin_stage(operation_id, NETWORK) == 2
    stage = first_stage(operation_id)
    assert (stage.status, stage.attempt, stage.started_at) == (StageStatus.RUNNING, 2, started)
    assert get(operation_id).updated_at > started


def test_workers_that_begin_together_get_different_attempts(account: Account) -> None:
    operation_id = running()
    attempts = together([lambda: begin_stage(operation_id, NETWORK)] * 4)
    assert sorted(str(each) for each in attempts) == ["1", "2", "3", "4"]


def test_a_finished_stage_stands_with_its_result(account: Account) -> None:
    operation_id = running()
    finish_stage(operation_id, NETWORK, begin_stage(operation_id, NETWORK), {"vpc": "vpc-1", "none": None})
    stage = first_stage(operation_id)
    assert (stage.status, stage.result) == (StageStatus.SUCCEEDED, {"vpc": "vpc-1", "none": None})
    assert stage.finished_at is not None
    with pytest.raises(StaleWorker):
        begin_stage(operation_id, NETWORK)


def test_a_repeated_finish_of_the_same_attempt_changes_nothing(account: Account) -> None:
    operation_id = running()
    attempt = begin_stage(operation_id, NETWORK)
    finish_stage(operation_id, NETWORK, attempt, {"vpc": "vpc-1"})
    before = get(operation_id)
    finish_stage(operation_id, NETWORK, attempt, {"vpc": "vpc-2"})
    assert get(operation_id) == before
    with pytest.raises(StaleWorker):
        fail_stage(operation_id, NETWORK, attempt, PROBLEM)


def test_an_earlier_attempt_can_change_nothing(account: Account) -> None:
    operation_id = running()
    old = begin_stage(operation_id, NETWORK)
    begin_stage(operation_id, NETWORK)
    before = get(operation_id)
    for act in (
        lambda: finish_stage(operation_id, NETWORK, old, {}),
        lambda: fail_stage(operation_id, NETWORK, old, PROBLEM),
        lambda: cancel_stage(operation_id, NETWORK, old),
        lambda: record_progress(operation_id, NETWORK, old, "7/16 nodes", None, []),
    ):
        with pytest.raises(StaleWorker):
            act()
    assert get(operation_id) == before


def test_no_stage_moves_in_an_operation_that_has_ended(account: Account) -> None:
    operation_id = running()
    attempt = begin_stage(operation_id, NETWORK)
    finish_operation(operation_id, OperationStatus.FAILED, error=PROBLEM)
    before = get(operation_id)
    for act in (
        lambda: begin_stage(operation_id, NETWORK),
        lambda: begin_stage(operation_id, "stage#020#foundation#roles"),
        lambda: finish_stage(operation_id, NETWORK, attempt, {}),
        lambda: record_progress(operation_id, NETWORK, attempt, "late", None, []),
    ):
        with pytest.raises(StaleWorker):
            act()
    assert get(operation_id) == before


def test_a_failed_and_a_cancelled_stage_say_why(account: Account) -> None:
    operation_id, roles = running(), "stage#020#foundation#roles"
    fail_stage(operation_id, NETWORK, begin_stage(operation_id, NETWORK), PROBLEM, Reason.BLOCKED)
    cancel_stage(operation_id, roles, begin_stage(operation_id, roles))
    failed, cancelled = get(operation_id).stages[:2]
    assert (failed.status, failed.error, failed.reason) == (StageStatus.FAILED, PROBLEM, Reason.BLOCKED)
    assert (cancelled.status, cancelled.reason) == (StageStatus.CANCELLED, Reason.CANCELLED_BY_CALLER)
    assert get(operation_id).phases[0].status is StageStatus.FAILED


def test_progress_is_written_only_when_it_differs(account: Account) -> None:
    operation_id = running()
    attempt = begin_stage(operation_id, NETWORK)
    steps: list[tuple[str | None, Reason | None, list[str]]] = [
        ("7/16 nodes", Reason.WAITING_NODES, ["i-1"]),
        ("8/16 nodes", Reason.WAITING_NODES, ["i-1"]),
        ("8/16 nodes", None, ["i-1"]),
        ("8/16 nodes", None, ["i-1", "i-2"]),
        (None, None, []),
    ]
    for message, reason, resources in steps:
        before = get(operation_id).version
        assert record_progress(operation_id, NETWORK, attempt, message, reason, resources)
        assert not record_progress(operation_id, NETWORK, attempt, message, reason, resources)
        stage = first_stage(operation_id)
        assert (stage.message, stage.reason, stage.resources) == (message, reason, resources)
        assert get(operation_id).version == before + 1


def test_an_await_token_never_leaves_the_ledger_with_the_operation(account: Account) -> None:
    operation_id = running()
    begin_stage(operation_id, NETWORK)
    store_await_token(operation_id, NETWORK, "secret-token")
    assert await_tokens(operation_id) == {NETWORK: "secret-token"}
    assert "secret-token" not in get(operation_id).model_dump_json()


def test_a_new_attempt_forgets_the_await_token_of_the_earlier_one(account: Account) -> None:
    operation_id = running()
    begin_stage(operation_id, NETWORK)
    store_await_token(operation_id, NETWORK, "secret-token")
    begin_stage(operation_id, NETWORK)
    assert await_tokens(operation_id) == {}


def test_the_end_of_a_stage_forgets_its_await_token(account: Account) -> None:
    operation_id = running()
    attempt = begin_stage(operation_id, NETWORK)
    store_await_token(operation_id, NETWORK, "secret-token")
    finish_stage(operation_id, NETWORK, attempt, {})
    assert await_tokens(operation_id) == {}


def test_a_cancellation_notes_who_asked_and_counts_once(account: Account) -> None:
    operation_id = running()
    cancelled = request_cancel(operation_id, BOB)
    assert (cancelled.status, cancelled.reason) == (OperationStatus.CANCELLING, Reason.CANCELLED_BY_CALLER)
    assert request_cancel(operation_id, BOB) == cancelled
    assert [(entry.action, entry.actor.id) for entry in audit(operation_id)] == [("begin", "ann"), ("cancel", "bob")]


@pytest.mark.parametrize("end", ENDS)
def test_what_has_ended_cannot_be_cancelled(account: Account, end: OperationStatus) -> None:
    operation_id = begun().operation_id
    finish_operation(operation_id, end)
    with pytest.raises(Conflict, match=end):
        request_cancel(operation_id, BOB)
    assert [entry.action for entry in audit(operation_id)] == ["begin"]


@pytest.mark.parametrize("end", ENDS)
def test_a_terminal_operation_never_changes(account: Account, end: OperationStatus) -> None:
    operation_id = running()
    ended = finish_operation(operation_id, end, result={"n": 1})
    account.clock.advance(minutes=1)
    assert finish_operation(operation_id, end, result={"n": 2}) == ended
    for other in set(ENDS) - {end}:
        with pytest.raises(Conflict, match=end):
            finish_operation(operation_id, other)
    assert get(operation_id) == ended


def test_racing_ends_have_one_winner(account: Account) -> None:
    operation_id = running()
    answers = together([lambda end=end: finish_operation(operation_id, end) for end in ENDS * 4])  # type: ignore[misc]
    final = get(operation_id)
    assert sum(answer == final for answer in answers) == 4
    assert sum(isinstance(answer, Conflict) for answer in answers) == 8


def test_an_end_writes_record_conditions_and_expiry_at_once(account: Account) -> None:
    operation_id = running()
    condition: dict[str, JsonObject] = {"Ready": {"status": "False", "reason": "CreateFailed"}}
    ended = finish_operation(operation_id, OperationStatus.FAILED, error=PROBLEM, conditions=condition)
    assert (ended.error, ended.version) == (PROBLEM, 3)
    assert ended.finished_at == account.clock.now().replace(microsecond=123000)
    assert cluster_records()["condition#Ready"]["reason"] == {"S": "CreateFailed"}
    assert raw(operation_id)["expires_at"]["N"] == str(int(account.clock.now().timestamp()) + 180 * 86400)
    assert "unfinished" not in raw(operation_id)


def test_stages_that_were_not_begun_stay_pending_after_a_failure(account: Account) -> None:
    operation_id = running()
    fail_stage(operation_id, NETWORK, begin_stage(operation_id, NETWORK), PROBLEM)
    ended = finish_operation(operation_id, OperationStatus.FAILED, error=PROBLEM)
    assert [stage.status for stage in ended.stages[1:]] == [StageStatus.PENDING] * 3


def test_an_unfinished_status_does_not_end_an_operation(account: Account) -> None:
    with pytest.raises(ValueError, match="RUNNING"):
        finish_operation(running(), OperationStatus.RUNNING)


def test_every_stage_change_costs_one_transaction(account: Account) -> None:
    operation_id = running()
    with account.counted() as calls:
        attempt = begin_stage(operation_id, NETWORK)
        record_progress(operation_id, NETWORK, attempt, "half", None, [])
        finish_stage(operation_id, NETWORK, attempt, {})
    assert calls == ["GetItem", *["TransactWriteItems"] * 3]


def test_a_stage_that_has_not_begun_can_be_passed_over_and_no_other(account: Account) -> None:
    operation_id = running()
    first, second = (stage.record for stage in get(operation_id).stages[:2])
    begin_stage(operation_id, first)
    for _ in range(2):
        skip_stages(operation_id, [first, second], "nothing had drifted")
    found = get(operation_id).stages[:2]
    assert [stage.status for stage in found] == [StageStatus.RUNNING, StageStatus.SKIPPED]
    assert found[1].message == "nothing had drifted"
    finish_operation(operation_id, OperationStatus.FAILED)
    with pytest.raises(StaleWorker):
        skip_stages(operation_id, [second], "too late")
