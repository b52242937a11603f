"""A retry is a new operation that keeps what stands."""

from __future__ import annotations

import pytest

from functions.core import runtime
from functions.core.errors import Conflict, NotFound, StageFailed
from functions.core.ledger import (
    audit,
    begin,
    begin_stage,
    fail_stage,
    finish_stage,
    get,
    record_progress,
    retry,
)
from functions.core.ledger.models import Begun, OperationStatus, StageStatus
from functions.core.ledger.tables import CLUSTERS
from tests.component.test_ledger_support import (
    ANN,
    BOB,
    ENVIRONMENT,
    Account,
    account,
    begun,
    executions,
    finish_operation,
    new_operation,
    owners,
    together,
)

__all__ = ["account"]

NETWORK, ROLES = "stage#010#foundation#network", "stage#020#foundation#roles"


def failed() -> str:
    """An operation whose first stage stands and whose second failed."""
    operation_id = begin(new_operation(new_cluster={"version": 1})).operation.operation_id
    attempt = begin_stage(operation_id, NETWORK)
    record_progress(operation_id, NETWORK, attempt, "made", None, ["vpc-1"])
    finish_stage(operation_id, NETWORK, attempt, {"vpc": "vpc-1"})
    fail_stage(operation_id, ROLES, begin_stage(operation_id, ROLES), StageFailed("no").body())
    finish_operation(operation_id, OperationStatus.FAILED)
    return operation_id


def test_a_retry_skips_what_stands_and_keeps_its_result(account: Account) -> None:
    earlier = get(failed())
    again = get(retry(earlier.operation_id, BOB, None).operation.operation_id)
    assert again.retry_of == earlier.operation_id
    assert (again.kind, again.request, again.scopes) == (earlier.kind, earlier.request, earlier.scopes)
    first, second = again.stages[:2]
    assert (first.status, first.result, first.resources) == (StageStatus.SKIPPED, {"vpc": "vpc-1"}, ["vpc-1"])
    assert (second.status, second.error, second.attempt) == (StageStatus.PENDING, None, 0)
    assert [stage.record for stage in again.stages] == [stage.record for stage in earlier.stages]
    assert again.phases[0].status is StageStatus.PENDING


def test_a_retry_of_a_retry_still_skips_what_stood_at_first(account: Account) -> None:
    second = retry(failed(), ANN, None).operation
    finish_operation(second.operation_id, OperationStatus.CANCELLED)
    third = retry(second.operation_id, ANN, None).operation
    assert third.stages[0].status is StageStatus.SKIPPED
    assert third.stages[0].result == {"vpc": "vpc-1"}


def test_a_retry_holds_the_scopes_starts_and_is_audited_to_its_own_actor(account: Account) -> None:
    earlier = failed()
    again = retry(earlier, BOB, None).operation
    assert set(owners().values()) == {again.operation_id}
    assert executions()[-1] == again.operation_id or again.operation_id in executions()
    assert audit(again.operation_id)[0].actor == BOB


def test_the_earlier_operation_stays_as_it_ended(account: Account) -> None:
    operation_id = failed()
    before = get(operation_id)
    retry(operation_id, ANN, None)
    assert get(operation_id) == before


def test_a_retry_with_the_same_key_is_the_same_retry(account: Account) -> None:
    operation_id = failed()
    first = retry(operation_id, ANN, "k1")
    second = retry(operation_id, ANN, "k1")
    assert (first.replayed, second.replayed) == (False, True)
    assert second.operation == first.operation


@pytest.mark.parametrize("status", [None, OperationStatus.FAILED, OperationStatus.SUCCEEDED])
def test_an_operation_is_retried_once_and_then_names_its_retry(
    account: Account, status: OperationStatus | None
) -> None:
    operation_id = failed()
    first = retry(operation_id, ANN, "k1").operation
    if status is not None:
        finish_operation(first.operation_id, status)
    with pytest.raises(Conflict, match="already") as refused:
        retry(operation_id, ANN, "k2")
    assert refused.value.operation_id == first.operation_id
    assert first.operation_id in (refused.value.remedy or "")
    assert retry(operation_id, ANN, "k1").operation.operation_id == first.operation_id


def test_of_many_retries_at_once_one_begins(account: Account) -> None:
    operation_id = failed()
    answers = together([lambda: retry(operation_id, ANN, None)] * 8)
    [winner] = [answer.operation.operation_id for answer in answers if isinstance(answer, Begun)]
    assert {answer.operation_id for answer in answers if isinstance(answer, Conflict)} == {winner}


def test_what_belongs_to_no_cluster_any_more_is_not_retried(account: Account) -> None:
    operation_id = failed()
    key = {"cluster_tag": {"S": "t1"}, "record": {"S": "spec"}}
    runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT[CLUSTERS.variable], Key=key)
    with pytest.raises(NotFound, match="'t1'"):
        retry(operation_id, ANN, None)
    assert owners() == {}


def test_only_what_failed_or_was_cancelled_is_retried(account: Account) -> None:
    operation_id = begun().operation_id
    with pytest.raises(Conflict, match="PENDING"):
        retry(operation_id, ANN, None)
    finish_operation(operation_id, OperationStatus.SUCCEEDED)
    with pytest.raises(Conflict, match="SUCCEEDED"):
        retry(operation_id, ANN, None)


def test_what_does_not_exist_is_not_retried(account: Account) -> None:
    with pytest.raises(NotFound):
        retry("none", ANN, None)
