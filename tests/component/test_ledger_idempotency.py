"""A repeat is recognised before anything else is looked at."""

from __future__ import annotations

import pytest

from functions.core.errors import IdempotencyKeyReused
from functions.core.ledger import begin, get, replayed
from functions.core.ledger.models import OperationStatus
from tests.component.test_ledger_support import (
    BOB,
    Account,
    account,
    executions,
    finish_operation,
    new_operation,
)

__all__ = ["account"]


def test_a_repeat_is_recognised_by_one_look(account: Account) -> None:
    with account.counted() as calls:
        assert replayed(new_operation()) is None
        assert replayed(new_operation(key="k1")) is None
    assert calls == ["GetItem"]
    first = begin(new_operation(key="k1")).operation
    finish_operation(first.operation_id, OperationStatus.SUCCEEDED)
    with account.counted() as calls:
        found = replayed(new_operation(key="k1", stages=()))
    assert calls == ["GetItem", "Query"]
    assert found == get(first.operation_id)


def test_a_repeat_of_what_was_never_started_starts_it(account: Account) -> None:
    first = begin(new_operation(key="k1"), inline=True).operation
    assert replayed(new_operation(key="k1")) == first
    assert executions() == [first.operation_id]


def test_the_same_key_with_another_body_names_the_first_operation(account: Account) -> None:
    first = begin(new_operation(key="k1")).operation
    with pytest.raises(IdempotencyKeyReused) as refused:
        replayed(new_operation(key="k1", request={"tag": "t1", "count": 3}))
    assert refused.value.operation_id == first.operation_id


def test_the_key_of_another_caller_and_of_yesterday_is_unknown(account: Account) -> None:
    begin(new_operation(key="k1"))
    assert replayed(new_operation(key="k1", actor=BOB)) is None
    account.clock.advance(hours=23, minutes=59)
    assert replayed(new_operation(key="k1")) is not None
    account.clock.advance(minutes=1)
    assert replayed(new_operation(key="k1")) is None
