"""Locks that last a turn: one holder at a time, open to its own next turn, and to others once they have expired."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ReadTimeoutError

from functions.core import runtime
from functions.core.errors import Busy, Unavailable
from functions.core.ledger import locks
from tests.component.test_ledger_support import Account, account, cluster_records, together

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["account"]

TURN = timedelta(minutes=5)


def held(owner: str = "o1", name: str = "subnets", tag: str = "t1") -> AbstractContextManager[None]:
    return locks.held(tag, name, owner, TURN)


def test_a_lock_has_one_holder_and_is_free_after_its_block(account: Account) -> None:
    with held():
        with pytest.raises(Busy) as refused, held("o2"):
            pass
        assert refused.value.cause is not None
        assert refused.value.cause.resource == "o1"
        assert cluster_records()["lock#subnets"]["owner"] == {"S": "o1"}
    assert "lock#subnets" not in cluster_records()
    with held("o2"):
        pass


def test_locks_of_other_names_and_clusters_are_others(account: Account) -> None:
    with held(), held("o2", name="other"), held("o2", tag="t2"):
        assert {"lock#subnets", "lock#other"} <= cluster_records().keys()


def test_clusters_that_share_a_vpc_share_its_lock_which_is_none_of_their_records(account: Account) -> None:
    with locks.held_in_vpc("vpc-1", "subnets", "o1", TURN):
        with pytest.raises(Busy) as refused, locks.held_in_vpc("vpc-1", "subnets", "o2", TURN):
            pass
        assert refused.value.cause is not None
        assert refused.value.cause.resource == "o1"
        with locks.held_in_vpc("vpc-2", "subnets", "o2", TURN), held("o2", tag="vpc-1"):
            assert cluster_records("vpc-1").keys() == {"lock#subnets"}
    with locks.held_in_vpc("vpc-1", "subnets", "o2", TURN):
        pass


def test_a_block_that_fails_gives_its_lock_back_and_its_own_error_goes_on(account: Account) -> None:
    with pytest.raises(LookupError), held():
        raise LookupError
    with held("o2"):
        pass


def test_the_next_turn_of_a_holder_that_died_enters_at_once(account: Account) -> None:
    dead = held()
    dead.__enter__()
    with held():
        pass
    with held("o2"):
        pass


def test_another_takes_over_what_has_expired_and_the_late_holder_takes_nothing_away(account: Account) -> None:
    late = held()
    late.__enter__()
    account.clock.advance(minutes=5)
    with pytest.raises(Busy), held("o2"):
        pass
    account.clock.advance(seconds=1)
    with held("o2"):
        late.__exit__(None, None, None)
        assert cluster_records()["lock#subnets"]["owner"] == {"S": "o2"}


def test_of_many_at_once_one_gets_it(account: Account) -> None:
    # Kept here: a block that nobody holds any more is left, and its lock given back.
    blocks = [held(f"o{number}") for number in range(12)]
    answers = together([block.__enter__ for block in blocks])
    assert len([answer for answer in answers if answer is None]) == 1
    assert len([answer for answer in answers if isinstance(answer, Busy)]) == 11


def test_a_lock_that_cannot_be_given_back_is_left_to_expire(account: Account) -> None:
    def hang(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="x")

    with held():
        runtime.client("dynamodb").meta.events.register("before-call.dynamodb.TransactWriteItems", hang)
    runtime.client("dynamodb").meta.events.unregister("before-call.dynamodb.TransactWriteItems", hang)
    with pytest.raises(Busy), held("o2"):
        pass


def test_a_block_is_not_entered_when_the_ledger_gives_no_answer(account: Account) -> None:
    def hang(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="x")

    runtime.client("dynamodb").meta.events.register("before-call.dynamodb.UpdateItem", hang)
    entered = False
    with pytest.raises((ReadTimeoutError, Unavailable)), held():
        entered = True
    assert not entered
