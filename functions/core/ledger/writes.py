"""Conditional writes: how the ledger phrases them, sends them and learns what refused them."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as AwsConnectionError

from functions.core import runtime
from functions.core.errors import Cause, Layer, Throttled, Unavailable
from functions.core.failures import THROTTLING
from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from types_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.tables import Table

Result = TypeVar("Result")

ATTEMPTS: Final = 6
MAX_PAUSE_SECONDS: Final = 1.0
MAX_TRANSACTION_ITEMS: Final = 100
_NAMES: Final = re.compile(r"#(\w+)")
_VALUES: Final = re.compile(r":(\w+)")
_REFUSED: Final = "ConditionalCheckFailed"
_TRANSIENT_REASONS: Final = {"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"}
_TRANSIENT_ERRORS: Final = THROTTLING | {"TransactionConflictException", "TransactionInProgressException"}


class Refused(Exception):
    """Conditions did not hold; `items` has what stood there, by the position of the write."""

    def __init__(self, items: dict[int, Item]) -> None:
        super().__init__(f"the conditions of writes {sorted(items)} did not hold")
        self.items = items


class StaleWorker(Exception):
    """The worker acts for an attempt, a lease or an operation that is no longer current; it has to stop."""


def table_name(table: Table) -> str:
    """Give the deployed name of a table."""
    return runtime.environment()[table.variable]


def put(table: Table, item: Item, where: str = "", **values: object) -> TransactWriteItemTypeDef:
    """Phrase a put; `#name` stands for an attribute and `:name` for a keyword's value in the condition."""
    write: TransactWriteItemTypeDef = {"Put": {"TableName": table_name(table), "Item": item}}
    if where:
        write["Put"]["ConditionExpression"] = where
        write["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        write["Put"]["ExpressionAttributeNames"] = names_in(where)
        if used := values_in(where, values):
            write["Put"]["ExpressionAttributeValues"] = used
    return write


def delete(table: Table, key: Mapping[str, str], where: str, **values: object) -> TransactWriteItemTypeDef:
    """Phrase a conditional delete."""
    return {
        "Delete": {
            "TableName": table_name(table),
            "Key": {name: {"S": value} for name, value in key.items()},
            "ConditionExpression": where,
            "ExpressionAttributeNames": names_in(where),
            "ExpressionAttributeValues": values_in(where, values),
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def forget(table: Table, key: Mapping[str, str]) -> TransactWriteItemTypeDef:
    """Phrase an unconditional delete."""
    return {"Delete": {"TableName": table_name(table), "Key": {name: {"S": value} for name, value in key.items()}}}


def check(table: Table, key: Mapping[str, str], where: str) -> TransactWriteItemTypeDef:
    """Phrase a condition on an item that the transaction leaves as it is."""
    return {
        "ConditionCheck": {
            "TableName": table_name(table),
            "Key": {name: {"S": value} for name, value in key.items()},
            "ConditionExpression": where,
            "ExpressionAttributeNames": names_in(where),
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def update(
    table: Table,
    key: Mapping[str, str],
    *,
    assign: Mapping[str, object] | None = None,
    once: Mapping[str, object] | None = None,
    add: Mapping[str, object] | None = None,
    discard: Mapping[str, object] | None = None,
    where: str = "",
    **values: object,
) -> TransactWriteItemTypeDef:
    """Phrase an update: `assign` sets (None removes), `once` sets what is absent, `add` counts or lists."""
    assigned, kept, added, discarded = assign or {}, once or {}, add or {}, discard or {}
    clauses = {
        "SET": [f"#{name} = :new_{name}" for name, value in assigned.items() if value is not None]
        + [f"#{name} = if_not_exists(#{name}, :new_{name})" for name in kept],
        "REMOVE": [f"#{name}" for name, value in assigned.items() if value is None],
        "ADD": [f"#{name} :new_{name}" for name in added],
        "DELETE": [f"#{name} :new_{name}" for name in discarded],
    }
    expression = " ".join(f"{verb} {', '.join(terms)}" for verb, terms in clauses.items() if terms)
    every = values | {f"new_{name}": value for name, value in {**assigned, **kept, **added, **discarded}.items()}
    write: TransactWriteItemTypeDef = {
        "Update": {
            "TableName": table_name(table),
            "Key": {name: {"S": value} for name, value in key.items()},
            "UpdateExpression": expression,
            "ExpressionAttributeNames": names_in(f"{expression} {where}"),
        }
    }
    if where:
        write["Update"]["ConditionExpression"] = where
        write["Update"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if used := values_in(f"{expression} {where}", every):
        write["Update"]["ExpressionAttributeValues"] = used
    return write


def names_in(expression: str) -> dict[str, str]:
    """Name the attributes of an expression; all of them, because many of our words are DynamoDB's too."""
    return {f"#{name}": name for name in _NAMES.findall(expression)}


def values_in(expression: str, values: Mapping[str, object]) -> dict[str, AttributeValueTypeDef]:
    """Marshal the values that an expression uses."""
    return {f":{name}": attribute(values[name]) for name in dict.fromkeys(_VALUES.findall(expression))}


def transact(writes: Sequence[TransactWriteItemTypeDef], token: str | None = None) -> None:
    """Send one transaction; raise Refused when conditions fail, Throttled when conflicts do not clear, Unavailable.

    The token, one of its own unless given, makes a resend after a lost answer harmless for the next ten minutes.
    """
    client, sent_as = runtime.client("dynamodb"), token or new_identifier()

    def send() -> None:
        client.transact_write_items(TransactItems=writes, ClientRequestToken=sent_as)

    patiently(lambda: _again_if_lost(send))


def _again_if_lost(send: Callable[[], None]) -> None:
    """Send a transaction once more when its answer is lost: the client of a request's edge sends nothing twice."""
    try:
        send()
    except (AwsConnectionError, HTTPClientError):
        try:
            send()
        except (AwsConnectionError, HTTPClientError) as error:
            raise Unavailable(
                "The ledger did not answer; whether it has written the change is not known.",
                cause=Cause(layer=Layer.AWS, service="dynamodb", code=type(error).__name__),
                remedy="Send the request again in a moment, with the same idempotency key if it had one.",
            ) from error


def apply(write: TransactWriteItemTypeDef) -> Item:
    """Send one update on its own and give the item it leaves; raise Refused or Throttled."""
    client = runtime.client("dynamodb")
    return patiently(lambda: client.update_item(**write["Update"], ReturnValues="ALL_NEW"))["Attributes"]


def patiently(call: Callable[[], Result]) -> Result:
    """Repeat a write while it meets conflicts or throttling; raise Refused, Throttled or the client's own error."""
    attempt = 1
    while True:
        try:
            return call()
        except ClientError as error:
            _give_up(error, last=attempt == ATTEMPTS)
        runtime.sleep(random.uniform(0, min(MAX_PAUSE_SECONDS, 0.05 * 2**attempt)))
        attempt += 1


def _give_up(error: ClientError, last: bool) -> None:
    """Raise what an error means, unless another attempt may help."""
    transient, refusals = _transient(error), _refusals(error)
    # A conflict beside a refusal hides what its item holds, so the picture is complete only without one.
    if transient and not last:
        return
    if refusals:
        raise Refused(refusals) from error
    if not transient:
        raise error
    detail = f"The ledger met {error.response['Error']['Code']} {ATTEMPTS} times in a row."
    raise Throttled(detail, remedy="Send the request again in a moment.") from error


def _transient(error: ClientError) -> bool:
    reasons = {reason.get("Code") for reason in error.response.get("CancellationReasons", [])}
    return bool(reasons & _TRANSIENT_REASONS) or error.response["Error"]["Code"] in _TRANSIENT_ERRORS


def _refusals(error: ClientError) -> dict[int, Item]:
    response: Mapping[str, object] = {**error.response}
    if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
        return {0: _old_item(response)}
    reasons = response.get("CancellationReasons")
    if not isinstance(reasons, list):
        return {}
    return {index: _old_item(reason) for index, reason in enumerate(reasons) if reason.get("Code") == _REFUSED}


def _old_item(answer: Mapping[str, object]) -> Item:
    item = answer.get("Item")
    return item if isinstance(item, dict) else {}
