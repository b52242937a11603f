"""Who may change what at the same time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from functions.core import runtime
from functions.core.errors import OperationInProgress
from functions.core.ledger import StaleWorker, begin, renew
from functions.core.ledger.models import Begun, OperationStatus
from tests.component.test_ledger_support import (
    ENVIRONMENT,
    Account,
    account,
    begun,
    cluster_records,
    finish_operation,
    new_operation,
    owners,
    together,
)

__all__ = ["account"]


def refused(*scopes: str) -> OperationInProgress:
    with pytest.raises(OperationInProgress) as problem:
        begin(new_operation(scopes=scopes))
    return problem.value


def test_one_operation_takes_several_sibling_scopes_at_once(account: Account) -> None:
    operation = begun(scopes=("foundation", "dependencies", "group:a", "group:b"))
    assert owners() == dict.fromkeys(("foundation", "dependencies", "group:a", "group:b"), operation.operation_id)
    children = cluster_records()["lease#cluster"]["children"]["SS"]
    assert {child.partition("=")[0] for child in children} == set(owners())


def test_unrelated_scopes_are_held_by_different_operations(account: Account) -> None:
    one, two = begun(scopes=("feature:ray",)), begun(scopes=("feature:hami", "group:a"))
    assert owners() == {"feature:ray": one.operation_id, "feature:hami": two.operation_id, "group:a": two.operation_id}


def test_a_held_scope_is_refused_naming_its_holder_and_the_remedy(account: Account) -> None:
    first = begun(scopes=("storage",))
    problem = refused("storage")
    assert problem.operation_id == first.operation_id
    assert "'storage'" in problem.detail
    assert "t1" in problem.detail
    assert "cancel it" in (problem.remedy or "")


def test_an_ancestor_is_refused_while_a_scope_below_it_is_held(account: Account) -> None:
    first = begun(scopes=("group:a",))
    for ancestor in ("hyperpod", "cluster"):
        problem = refused(ancestor)
        assert problem.operation_id == first.operation_id
        assert "'group:a'" in problem.detail


def test_a_scope_is_refused_while_an_ancestor_is_held(account: Account) -> None:
    first = begun(scopes=("cluster",))
    for scope in ("hyperpod", "group:a", "feature:ray"):
        problem = refused(scope)
        assert problem.operation_id == first.operation_id
        assert "'cluster'" in problem.detail


def test_a_scope_beside_its_own_ancestor_is_covered_by_it(account: Account) -> None:
    operation = begun(scopes=("hyperpod", "group:a"))
    assert owners() == {"hyperpod": operation.operation_id}
    assert refused("group:b").operation_id == operation.operation_id


def test_leases_of_one_cluster_do_not_touch_another(account: Account) -> None:
    first, second = begun("t1", scopes=("cluster",)), begun("t2", scopes=("cluster",))
    assert (first.status, second.status) == (OperationStatus.PENDING, OperationStatus.PENDING)


@pytest.mark.parametrize("status", [OperationStatus.SUCCEEDED, OperationStatus.FAILED, OperationStatus.CANCELLED])
def test_every_end_gives_all_scopes_back(account: Account, status: OperationStatus) -> None:
    operation = begun(scopes=("group:a", "group:b", "storage"))
    finish_operation(operation.operation_id, status)
    assert owners() == {}
    assert begun(scopes=("cluster",)).status is OperationStatus.PENDING


def test_the_end_of_one_operation_leaves_the_scopes_of_another(account: Account) -> None:
    one, two = begun(scopes=("group:a",)), begun(scopes=("group:b",))
    finish_operation(one.operation_id, OperationStatus.SUCCEEDED)
    assert refused("hyperpod").operation_id == two.operation_id


def test_an_expired_lease_is_not_free(account: Account) -> None:
    first = begun(scopes=("storage",))
    account.clock.advance(days=2)
    assert refused("storage").operation_id == first.operation_id


def test_a_lease_lasts_fifteen_minutes_past_its_turn(account: Account) -> None:
    operation = begun(scopes=("storage",))
    assert cluster_records()["lease#storage"]["expires_at"]["S"] == "2026-05-10T12:15:00.123Z"
    renew(operation, account.clock.now() + timedelta(hours=1))
    assert cluster_records()["lease#storage"]["expires_at"]["S"] == "2026-05-10T13:15:00.123Z"


def test_renewing_an_operation_without_scopes_writes_nothing(account: Account) -> None:
    operation = begun(scopes=())
    with account.counted() as calls:
        renew(operation, account.clock.now())
    assert calls == []


def test_a_worker_whose_lease_is_gone_is_told_so(account: Account) -> None:
    operation = begun(scopes=("storage",))
    finish_operation(operation.operation_id, OperationStatus.FAILED)
    begun(scopes=("storage",))
    with pytest.raises(StaleWorker):
        renew(operation, account.clock.now())


def test_a_lost_lease_does_not_keep_the_operation_from_ending(account: Account) -> None:
    operation = begun(scopes=("storage", "group:a"))
    key = {"cluster_tag": {"S": "t1"}, "record": {"S": "lease#storage"}}
    runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT["CLUSTERS_TABLE"], Key=key)
    assert finish_operation(operation.operation_id, OperationStatus.SUCCEEDED).status is OperationStatus.SUCCEEDED
    assert owners() == {}
    begun(scopes=("cluster",))


def test_a_race_for_the_tree_never_leaves_two_holders_on_one_path(account: Account) -> None:
    scopes = ["cluster", "hyperpod", "group:a", "group:b", "storage"] * 8
    answers = together([lambda scope=scope: begin(new_operation(scopes=(scope,))) for scope in scopes])  # type: ignore[misc]
    winners = {answer.operation.scopes[0] for answer in answers if isinstance(answer, Begun)}
    assert set(owners()) == winners
    assert winners == {"cluster"} or "cluster" not in winners
    assert not ("hyperpod" in winners and winners & {"group:a", "group:b"})
