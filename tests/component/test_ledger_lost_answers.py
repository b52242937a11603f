"""An answer of the ledger that is lost leaves unknown what was written; a token makes asking again harmless."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from functions.core import runtime
from functions.core.errors import Unavailable
from functions.core.ledger import begin, request_cancel
from functions.core.runtime import Patience
from tests.component.test_ledger_support import BOB, ENVIRONMENT, Account, account, begun, executions, new_operation

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["account"]

LOST = (
    ReadTimeoutError(endpoint_url="x"),
    EndpointConnectionError(endpoint_url="x"),
    ConnectionClosedError(endpoint_url="x"),
)


@pytest.mark.parametrize("patience", Patience)
@pytest.mark.parametrize("error", LOST, ids=[type(each).__name__ for each in LOST])
def test_a_transaction_whose_answer_is_lost_is_sent_once_more_under_its_token(
    account: Account, patience: Patience, error: Exception
) -> None:
    account.runtime.environment = ENVIRONMENT | {"AWS_PATIENCE": patience}
    tokens, losses = list[str](), iter([True, False])

    def lose(*, params: Mapping[str, Any], **_: object) -> None:
        tokens.append(json.loads(params["body"])["ClientRequestToken"])
        if next(losses):
            raise error

    runtime.client("dynamodb").meta.events.register("before-call.dynamodb.TransactWriteItems", lose)
    operation = begin(new_operation()).operation
    assert tokens == [operation.operation_id] * 2
    assert executions() == [operation.operation_id]


def test_a_ledger_that_answers_nothing_twice_is_unavailable(account: Account) -> None:
    operation, tokens = begun(), list[str]()

    def lose(*, params: Mapping[str, Any], **_: object) -> None:
        tokens.append(json.loads(params["body"])["ClientRequestToken"])
        raise LOST[0]

    runtime.client("dynamodb").meta.events.register("before-call.dynamodb.TransactWriteItems", lose)
    with pytest.raises(Unavailable) as failed:
        request_cancel(operation.operation_id, BOB)
    assert (failed.value.status, failed.value.retryable) == (503, True)
    assert len(tokens) == 2
    assert len(set(tokens)) == 1


def test_a_lost_answer_to_a_carried_out_transaction_is_not_taken_for_a_repeat(account: Account) -> None:
    client, lost = runtime.client("dynamodb"), iter([True, False])

    def lose(**_: object) -> None:
        if next(lost):
            raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, "TransactWriteItems")

    client.meta.events.register("after-call.dynamodb.TransactWriteItems", lose)
    made = begin(new_operation(key="k1"))
    assert not made.replayed
    assert executions() == [made.operation.operation_id]
