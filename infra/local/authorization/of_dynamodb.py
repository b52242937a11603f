"""What IAM is asked for calls of DynamoDB and of its streams: a transaction is authorised as its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from infra.local.authorization.asking import Unknown
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_ON_TABLES: Final = ("DeleteItem", "DescribeTable", "GetItem", "PutItem", "Query", "Scan", "UpdateItem")
_ON_STREAMS: Final = ("DescribeStream", "GetRecords", "GetShardIterator")
_IN_BATCHES: Final = ("BatchGetItem", "BatchWriteItem")
_PARTS: Final = {
    "ConditionCheck": "ConditionCheckItem",
    "Delete": "DeleteItem",
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
}


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    if call.operation in ("TransactWriteItems", "TransactGetItems"):
        for row in call.rows("TransactItems"):
            for part, item in row.items():
                yield Asked(f"dynamodb:{_PARTS[part]}", _table(live, item["TableName"]))
    elif call.operation in _IN_BATCHES:
        for name in call.parameters["RequestItems"]:
            yield Asked(f"dynamodb:{call.operation}", _table(live, name))
    elif call.operation in _ON_TABLES:
        index = call.text("IndexName")
        table = _table(live, call.text("TableName"))
        yield Asked(f"dynamodb:{call.operation}", f"{table}/index/{index}" if index else table)
    elif call.operation in _ON_STREAMS:
        yield Asked(f"dynamodb:{call.operation}", call.text("StreamArn") or "*")
    else:
        raise Unknown(call.operation)


def _table(live: Live, name: str) -> str:
    return name if name.startswith("arn:") else live.place.arn("dynamodb", f"table/{name}")
