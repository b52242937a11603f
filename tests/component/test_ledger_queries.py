"""Reads: one operation, lists page by page, and the number of calls they cost."""

from __future__ import annotations

import pytest

from functions.core import runtime
from functions.core.errors import InvalidPageToken, InvalidRequest, NotFound
from functions.core.ledger import audit, begin, get, list_operations, new_identifier
from functions.core.ledger.items import instant, operation_item
from functions.core.ledger.models import JsonObject, OperationStatus, Page
from tests.component.test_ledger_support import (
    ENVIRONMENT,
    Account,
    FakeClock,
    account,
    begun,
    finish_operation,
    new_operation,
)

__all__ = ["account"]


def fleet(clock: FakeClock, count: int, tag: str = "t1", days: float = 0) -> list[str]:
    """Begin operations one after the other and give their ids, newest first."""
    made: list[str] = []
    client, like = runtime.client("dynamodb"), begin(new_operation("like", scopes=()), inline=True).operation
    for _ in range(count):
        # Written without stages: begin's own transaction is tested elsewhere and slow in moto.
        now, operation_id = instant(), new_identifier()
        changes = {"cluster_tag": tag, "operation_id": operation_id, "created_at": now, "updated_at": now}
        operation = like.model_copy(update=changes)
        client.put_item(TableName=ENVIRONMENT["OPERATIONS_TABLE"], Item=operation_item(operation))
        made.append(operation_id)
        clock.advance(seconds=1, days=days)
    forget(like.operation_id)
    return made[::-1]


def forget(operation_id: str) -> None:
    key = {"operation_id": {"S": operation_id}, "record": {"S": "operation"}}
    runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT["OPERATIONS_TABLE"], Key=key)


def ids(page: Page) -> list[str]:
    return [operation.operation_id for operation in page.operations]


def walk(**query: str | int) -> list[list[str]]:
    """All pages of a list."""
    pages, token = [], None
    while True:
        page = list_operations(caller="ann", token=token, **query)  # type: ignore[arg-type]
        pages.append(ids(page))
        token = page.next_token
        if token is None:
            return pages


def test_one_operation_is_one_query(account: Account) -> None:
    operation_id = begun().operation_id
    with account.counted() as calls:
        get(operation_id)
    assert calls == ["Query"]


def test_a_list_shows_operations_without_stages(account: Account) -> None:
    operation = begun()
    [listed] = list_operations(caller="ann").operations
    assert listed == operation.model_copy(update={"stages": [], "phases": []})


@pytest.mark.parametrize("query", [{}, {"cluster_tag": "t1"}])
def test_pages_cover_a_fleet_once_newest_first_with_one_query_each(account: Account, query: dict[str, str]) -> None:
    made = fleet(account.clock, 120)
    token: str | None = None
    seen: list[str] = []
    costs: list[int] = []
    for _ in range(3):
        with account.counted() as calls:
            page = list_operations(caller="ann", limit=50, token=token, **query)  # type: ignore[arg-type]
        seen, token = seen + ids(page), page.next_token
        costs.append(len(calls))
    assert seen == made
    assert token is None
    assert costs[:2] == [1, 1]
    assert costs[2] <= 8


def test_the_cost_of_a_page_does_not_grow_with_the_fleet(account: Account) -> None:
    costs = []
    for size in (60, 60):
        fleet(account.clock, size)
        with account.counted() as calls:
            list_operations(caller="ann")
        costs.append(len(calls))
    assert costs == [1, 1]


def test_an_exactly_full_last_page_has_no_token(account: Account) -> None:
    made = fleet(account.clock, 20)
    page = list_operations(caller="ann", limit=20)
    assert (ids(page), page.next_token) == (made, None)
    assert walk(limit=10) == [made[:10], made[10:]]


def test_the_global_list_walks_back_over_the_months(account: Account) -> None:
    made = fleet(account.clock, 7, days=20)
    assert [each for page in walk(limit=2) for each in page] == made
    assert ids(list_operations(caller="ann")) == made


def test_the_walk_ends_at_the_oldest_month_that_is_kept(account: Account) -> None:
    with account.counted() as calls:
        assert list_operations(caller="ann") == Page(operations=[], next_token=None)
    assert calls == ["Query"] * 8


def test_filters_narrow_by_cluster_status_and_kind(account: Account) -> None:
    one, two, three = fleet(account.clock, 3, "t1")
    [other] = fleet(account.clock, 1, "t2")
    finish_operation(two, OperationStatus.FAILED)
    assert ids(list_operations(caller="ann", cluster_tag="t1")) == [one, two, three]
    assert ids(list_operations(caller="ann", cluster_tag="t2")) == [other]
    assert ids(list_operations(caller="ann", status=OperationStatus.FAILED)) == [two]
    assert ids(list_operations(caller="ann", cluster_tag="t1", status=OperationStatus.PENDING)) == [one, three]
    assert ids(list_operations(caller="ann", kind="create_cluster", cluster_tag="t2")) == [other]
    assert ids(list_operations(caller="ann", kind="none")) == []


def test_a_filtered_list_pages_without_gaps(account: Account) -> None:
    made = fleet(account.clock, 30)
    failed = made[::3]
    for operation_id in failed:
        finish_operation(operation_id, OperationStatus.FAILED)
    assert walk(limit=4, status="FAILED") == [failed[:4], failed[4:8], failed[8:]]


def test_a_filter_that_matches_nothing_costs_at_most_ten_queries(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions.core.ledger.listing.FILTERED_READ", 2)
    fleet(account.clock, 30)
    with account.counted() as calls:
        page = list_operations(caller="ann", kind="none", limit=1)
    assert calls == ["Query"] * 10
    assert page.operations == []
    assert page.next_token is not None
    assert [each for found in walk(kind="none", limit=1) for each in found] == []


def test_limits_outside_of_1_to_200_are_refused_with_the_range(account: Account) -> None:
    for limit in (0, -1, 201):
        with pytest.raises(InvalidRequest) as refused:
            list_operations(caller="ann", limit=limit)
        assert refused.value.errors[0].field == "limit"
        assert refused.value.errors[0].allowed == ["1..200"]
    list_operations(caller="ann", limit=200)


def first_token(**query: str) -> str:
    token = list_operations(caller="ann", limit=1, **query).next_token  # type: ignore[arg-type]
    assert token is not None
    return token


def test_a_token_is_good_for_its_caller_and_query_only(account: Account) -> None:
    fleet(account.clock, 3)
    token = first_token()
    assert list_operations(caller="ann", limit=2, token=token).operations
    with pytest.raises(InvalidPageToken, match="another caller"):
        list_operations(caller="bob", token=token)
    with pytest.raises(InvalidPageToken, match="other filters"):
        list_operations(caller="ann", cluster_tag="t1", token=token)


def test_a_token_that_was_touched_is_refused(account: Account) -> None:
    fleet(account.clock, 3)
    body, _, signature = first_token().partition(".")
    for forged in ("x", ".", body, f"{body}.", f"{body}x.{signature}", f"{body}.{signature[::-1]}", "é.ü", "\ud800.x"):
        with pytest.raises(InvalidPageToken):
            list_operations(caller="ann", token=forged)


def test_tokens_survive_the_rotation_of_their_key_once(account: Account) -> None:
    fleet(account.clock, 3)
    token = first_token()
    account.rotate(2)
    assert list_operations(caller="ann", limit=1, token=token).next_token != token
    account.rotate(3)
    with pytest.raises(InvalidPageToken):
        list_operations(caller="ann", token=token)


def test_an_operation_past_its_retention_is_gone_before_ttl_deletes_it(account: Account) -> None:
    operation_id = begun().operation_id
    finish_operation(operation_id, OperationStatus.SUCCEEDED)
    account.clock.advance(days=179)
    assert ids(list_operations(caller="ann")) == [operation_id]
    account.clock.advance(days=2)
    assert ids(list_operations(caller="ann")) == []
    assert ids(list_operations(caller="ann", cluster_tag="t1")) == []
    with pytest.raises(NotFound):
        get(operation_id)


def test_what_was_asked_comes_back_as_it_was_sent(account: Account) -> None:
    request: JsonObject = {"null": None, "nested": [{"deep": [None, 1.5, -3, True, ""]}], "big": 10**20, "text": "1"}
    operation = begin(new_operation(request=request)).operation
    assert get(operation.operation_id).request == request


def test_stage_records_stay_out_of_every_index_and_audit_records_out_of_the_operations_own(account: Account) -> None:
    begun()
    items = runtime.client("dynamodb").scan(TableName=ENVIRONMENT["OPERATIONS_TABLE"])["Items"]
    marks = {"created_at_id", "month", "unfinished"}
    assert [item["record"]["S"] for item in items if marks & item.keys()] == ["operation"]
    audited = [item["record"]["S"] for item in items if "audit_month" in item]
    assert [record.partition("#")[0] for record in audited] == ["audit"]
    assert all("expires_at" in item for item in items if item["record"]["S"] != "operation")


def test_an_expired_operation_has_no_audit_either(account: Account) -> None:
    operation_id = begun().operation_id
    finish_operation(operation_id, OperationStatus.SUCCEEDED)
    account.clock.advance(days=180, seconds=-1)
    assert len(audit(operation_id)) == 1
    account.clock.advance(seconds=1)
    with pytest.raises(NotFound):
        audit(operation_id)


def test_the_entries_of_an_operation_that_is_gone_are_not_read(account: Account) -> None:
    operation_id = begun().operation_id
    key = {"operation_id": {"S": operation_id}, "record": {"S": "operation"}}
    runtime.client("dynamodb").delete_item(TableName=ENVIRONMENT["OPERATIONS_TABLE"], Key=key)
    with account.counted() as calls, pytest.raises(NotFound):
        audit(operation_id)
    assert calls == ["Query"]
