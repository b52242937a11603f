"""A request becomes one operation, once per key, with one holder per scope."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from functions.core import runtime
from functions.core.errors import (
    AlreadyExists,
    Conflict,
    IdempotencyKeyReused,
    InvalidRequest,
    OperationInProgress,
    Throttled,
)
from functions.core.ledger import audit, begin, get
from functions.core.ledger.models import Begun, OperationStatus, StageStatus
from tests.component.test_ledger_support import (
    BOB,
    ENVIRONMENT,
    Account,
    account,
    begun,
    cluster_records,
    executions,
    finish_operation,
    new_operation,
    owners,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.core.errors import Problem

__all__ = ["account"]


def test_an_operation_is_one_transaction_and_one_execution_named_after_it(account: Account) -> None:
    with account.counted() as calls:
        made = begin(new_operation(key="k1"))
    assert not made.replayed
    assert calls == ["TransactWriteItems", "StartExecution"]
    assert executions() == [made.operation.operation_id]
    assert get(made.operation.operation_id) == made.operation


def test_the_execution_gets_the_operation_id_and_nothing_else(account: Account) -> None:
    operation = begun()
    arn = f"{ENVIRONMENT['STATE_MACHINE_PREFIX'].replace('stateMachine', 'execution')}create_cluster"
    client = runtime.client("stepfunctions")
    told = client.describe_execution(executionArn=f"{arn}:{operation.operation_id}")["input"]
    assert json.loads(told) == {"operation_id": operation.operation_id}


def test_stages_are_numbered_in_tens_and_phases_follow_the_plan(account: Account) -> None:
    operation = get(begun().operation_id)
    assert [stage.record for stage in operation.stages] == [
        "stage#010#foundation#network",
        "stage#020#foundation#roles",
        "stage#030#dependencies#addon:pod-identity",
        "stage#040#hyperpod#create",
    ]
    assert [phase.name for phase in operation.phases] == ["foundation", "dependencies", "hyperpod"]
    assert {phase.status for phase in operation.phases} == {StageStatus.PENDING}


def test_who_began_it_is_audited_in_the_same_transaction(account: Account) -> None:
    operation = begin(new_operation(actor=BOB)).operation
    [entry] = audit(operation.operation_id)
    assert (entry.actor, entry.action, entry.at) == (BOB, "begin", operation.created_at)


@pytest.mark.case(68, 71)
def test_the_same_key_and_body_give_the_same_operation_with_one_more_query(account: Account) -> None:
    first = begin(new_operation(key="k1"))
    with account.counted() as calls:
        second = begin(new_operation(key="k1"))
    assert second == Begun(operation=first.operation, replayed=True)
    assert calls == ["TransactWriteItems", "Query", "StartExecution"]
    assert executions() == [first.operation.operation_id]


def test_a_repeat_of_a_running_operation_does_not_start_it_again(account: Account) -> None:
    first = begin(new_operation(key="k1")).operation
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    with account.counted() as calls:
        assert begin(new_operation(key="k1")).operation.status is OperationStatus.SUCCEEDED
    assert "StartExecution" not in calls


@pytest.mark.case(68)
def test_the_same_key_with_another_body_is_refused_and_names_the_first_operation(account: Account) -> None:
    first = begin(new_operation(key="k1")).operation
    with pytest.raises(IdempotencyKeyReused) as refused:
        begin(new_operation(key="k1", request={"tag": "t1", "count": 3}))
    assert refused.value.operation_id == first.operation_id


def test_a_key_belongs_to_its_caller(account: Account) -> None:
    first = begin(new_operation("t1", key="k1"))
    second = begin(new_operation("t2", key="k1", actor=BOB))
    assert not second.replayed
    assert first.operation.operation_id != second.operation.operation_id


def test_a_key_is_forgotten_after_a_day_on_our_clock(account: Account) -> None:
    first = begin(new_operation("t1", key="k1")).operation
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    account.clock.advance(hours=23, minutes=59)
    assert begin(new_operation("t1", key="k1")).replayed
    account.clock.advance(minutes=2)
    assert not begin(new_operation("t1", key="k1")).replayed


@pytest.mark.case(71)
def test_fifty_requests_with_one_key_begin_one_operation(account: Account) -> None:
    answers = together([lambda: begin(new_operation(key="k1"))] * 50)
    ids = {answer.operation.operation_id for answer in answers if isinstance(answer, Begun)}
    assert len(ids) == 1
    assert [isinstance(answer, Begun) for answer in answers] == [True] * 50
    assert sum(not answer.replayed for answer in answers if isinstance(answer, Begun)) == 1
    assert executions() == list(ids)


def test_fifty_requests_with_fifty_keys_on_one_tag_have_one_winner_and_name_it(account: Account) -> None:
    answers = together([request(f"k{number}") for number in range(50)])
    [winner] = [answer.operation.operation_id for answer in answers if isinstance(answer, Begun)]
    problems = losers(answers)
    assert len(problems) == 49
    assert {type(problem) for problem in problems} <= {OperationInProgress, AlreadyExists}
    assert {problem.operation_id for problem in problems} == {winner}
    assert executions() == [winner]


class request:
    def __init__(self, key: str) -> None:
        self.key = key

    def __call__(self) -> Begun:
        return begin(new_operation(key=self.key, new_cluster={"version": 1}))


def losers(answers: Sequence[Begun | Problem]) -> list[Problem]:
    return [answer for answer in answers if not isinstance(answer, Begun)]


def test_a_new_cluster_is_written_with_its_operation(account: Account) -> None:
    begin(new_operation(new_cluster={"version": 1, "names": {"eks": "eks-cluster-t1"}}))
    assert cluster_records()["spec"]["names"] == {"M": {"eks": {"S": "eks-cluster-t1"}}}


def test_an_existing_tag_is_refused_by_name(account: Account) -> None:
    first = begin(new_operation(new_cluster={"version": 1})).operation
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    with pytest.raises(AlreadyExists, match="'t1'") as refused:
        begin(new_operation(new_cluster={"version": 1}))
    assert "another tag" in (refused.value.remedy or "")
    assert refused.value.operation_id is None


def test_an_existing_tag_whose_creation_failed_points_to_the_retry(account: Account) -> None:
    first = begin(new_operation(new_cluster={"version": 1})).operation
    finish_operation(first.operation_id, OperationStatus.FAILED)
    with pytest.raises(AlreadyExists) as refused:
        begin(new_operation(new_cluster={"version": 1}))
    assert f"/api/operations/{first.operation_id}/retry" in (refused.value.remedy or "")
    assert refused.value.operation_id == first.operation_id


def test_a_refused_request_leaves_nothing_behind(account: Account) -> None:
    first = begun()
    with pytest.raises(OperationInProgress):
        begin(new_operation(key="k2", scopes=("hyperpod", "storage")))
    assert set(owners().values()) == {first.operation_id}
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    assert not begin(new_operation(key="k2", scopes=("hyperpod", "storage"))).replayed


def test_more_than_ninety_stages_are_refused(account: Account) -> None:
    most = [f"hyperpod/group-{number}" for number in range(90)]
    begin(new_operation("t1", stages=most, key="k1", new_cluster={"version": 1}))
    with pytest.raises(InvalidRequest, match="91 stages"):
        begin(new_operation("t2", stages=[*most, "one/more"]))


def test_an_empty_or_endless_key_is_refused_by_field(account: Account) -> None:
    for key in ("", "k" * 256):
        with pytest.raises(InvalidRequest) as refused:
            begin(new_operation(key=key))
        assert refused.value.errors[0].field == "Idempotency-Key"


def test_a_start_that_fails_leaves_the_accepted_operation_to_the_sweeper(account: Account) -> None:
    with Stubber(runtime.client("stepfunctions")) as stub:
        stub.add_client_error("start_execution", "ServiceUnavailable")
        operation = begin(new_operation(key="k1")).operation
    assert get(operation.operation_id).status is OperationStatus.PENDING
    assert executions() == []
    assert begin(new_operation(key="k1")).replayed
    assert executions() == [operation.operation_id]


def test_a_start_that_fails_is_logged_by_operation_and_code(account: Account, caplog: pytest.LogCaptureFixture) -> None:
    with Stubber(runtime.client("stepfunctions")) as stub:
        stub.add_client_error("start_execution", "AccessDeniedException", "arn:aws:iam::secret")
        operation = begin(new_operation()).operation
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert operation.operation_id in record.message
    assert "AccessDeniedException" in record.message
    assert "secret" not in record.message


def test_an_inline_operation_is_not_started(account: Account) -> None:
    begin(new_operation(key="k1"), inline=True)
    begin(new_operation(key="k1"), inline=True)
    assert executions() == []


def cancelled(*codes: str) -> ClientError:
    reasons = {"CancellationReasons": [{"Code": code} for code in codes]}
    body = {"Error": {"Code": "TransactionCanceledException", "Message": ""}, **reasons}
    return ClientError(body, "TransactWriteItems")  # type: ignore[arg-type]


def test_conflicts_are_tried_again_after_a_jittered_pause(account: Account) -> None:
    client, failures = runtime.client("dynamodb"), iter([True, True, False])

    def conflict(**_: object) -> None:
        if next(failures):
            raise cancelled("None", "ConditionalCheckFailed", "TransactionConflict")

    client.meta.events.register("before-call.dynamodb.TransactWriteItems", conflict)
    assert not begin(new_operation()).replayed
    assert len(account.clock.slept) == 2


def test_conflicts_that_do_not_clear_become_throttled(account: Account) -> None:
    client = runtime.client("dynamodb")

    def throttle(**_: object) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, "TransactWriteItems")

    client.meta.events.register("before-call.dynamodb.TransactWriteItems", throttle)
    with pytest.raises(Throttled):
        begin(new_operation())
    assert len(account.clock.slept) == 5
    assert executions() == []


def test_other_errors_of_the_table_are_not_disguised(account: Account) -> None:
    with Stubber(runtime.client("dynamodb")) as stub:
        stub.add_client_error("transact_write_items", "AccessDeniedException")
        with pytest.raises(ClientError, match="AccessDenied"):
            begin(new_operation())


def test_a_change_made_from_another_version_of_the_cluster_is_refused(account: Account) -> None:
    first = begin(new_operation(new_cluster={"version": 1})).operation
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    change = {"changed_cluster": {"mounts": []}, "cluster_version": 1}
    storage = begin(new_operation(scopes=("storage",)).model_copy(update=change)).operation
    finish_operation(storage.operation_id, OperationStatus.SUCCEEDED)
    with pytest.raises(Conflict, match="changed by another request") as refused:
        begin(new_operation(scopes=("storage",)).model_copy(update=change))
    assert refused.value.retryable
    assert owners() == {}
