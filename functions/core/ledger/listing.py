"""Lists of operations, newest first, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.ledger.items import epoch, instant, model_of, text_of, timestamp
from functions.core.ledger.models import Operation, OperationStatus, Page
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.ledger.tables import BY_CLUSTER, BY_MONTH, OPERATIONS
from functions.core.ledger.writes import names_in, table_name, values_in

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef, QueryOutputTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.tables import Index

# 180 days of retention touch at most seven months; one more for an operation that ran across a month's end.
MONTHS_KEPT: Final = 8
MAX_QUERIES: Final = 10
FILTERED_READ: Final = 200


@dataclass(frozen=True)
class Filter:
    """What a list is narrowed to; all are ANDed."""

    cluster_tag: str | None = None
    status: OperationStatus | None = None
    kind: str | None = None
    actor: str | None = None

    @property
    def narrows(self) -> bool:
        """Say whether items have to be left out after they were read."""
        return self.status is not None or self.kind is not None or self.actor is not None


def list_operations(
    *,
    caller: str,
    cluster_tag: str | None = None,
    status: OperationStatus | None = None,
    kind: str | None = None,
    actor: str | None = None,
    limit: int | None = None,
    token: str | None = None,
) -> Page:
    """Read one page of operations without stages; raise InvalidRequest or InvalidPageToken.

    A page is one Query while a partition of the index lasts; the global list goes on in the month before. A filter
    that matches little can end a page early, still with a token: no page costs more than ten Queries.
    """
    size = page_limit(limit)
    wanted = Filter(cluster_tag, status, kind, actor)
    query = {"list": "operations", "cluster_tag": cluster_tag, "status": status, "kind": kind, "actor": actor}
    items, position = _read(wanted, size, unseal(token, query, caller) if token else None)
    return Page(
        operations=[model_of(Operation, item) for item in items],
        next_token=seal(position, query, caller) if position else None,
    )


def newest_operations(cluster_tag: str | None, actor: str | None) -> tuple[list[Operation], bool]:
    """Read the newest operations without stages, and say whether there are no more: nobody goes on, so none signs."""
    items, position = _read(Filter(cluster_tag, actor=actor), page_limit(None), None)
    return [model_of(Operation, item) for item in items], position is None


def _read(wanted: Filter, size: int, position: str | None) -> tuple[list[Item], str | None]:
    """Give a page's items and where the next page goes on, None at the end.

    A position is a `created_at_id`, or a month `YYYY-MM` that is done: both sort before all that was served.
    """
    found: list[Item] = []
    position = position or _past_everything()
    oldest = months_before(timestamp(instant())[:7], MONTHS_KEPT - 1)
    for _ in range(MAX_QUERIES):
        partition = _month_at(position) if wanted.cluster_tag is None else wanted.cluster_tag
        if wanted.cluster_tag is None and partition < oldest:
            return found, None
        # One more than asked for tells whether there is a next page.
        answer = _query(wanted, partition, position, size + 1 - len(found))
        found += answer["Items"]
        if len(found) > size:
            return found[:size], text_of(found[size - 1], "created_at_id")
        if "LastEvaluatedKey" in answer:
            position = text_of(answer["LastEvaluatedKey"], "created_at_id")
        elif wanted.cluster_tag is not None:
            return found, None
        else:
            position = partition
    return found, position


def _query(wanted: Filter, partition: str, position: str, missing: int) -> QueryOutputTypeDef:
    index: Index = BY_MONTH if wanted.cluster_tag is None else BY_CLUSTER
    condition = f"#{index.partition.name} = :partition AND #created_at_id < :position"
    conditions = ["(attribute_not_exists(#expires_at) OR #expires_at > :now)"]
    conditions += ["#status = :status"] * (wanted.status is not None) + ["#kind = :kind"] * (wanted.kind is not None)
    conditions += ["#actor.#id = :actor"] * (wanted.actor is not None)
    narrowing = " AND ".join(conditions)
    values = {
        "partition": partition,
        "position": position,
        "now": epoch(instant()),
        "status": wanted.status,
        "kind": wanted.kind,
        "actor": wanted.actor,
    }
    request: QueryInputTypeDef = {
        "TableName": table_name(OPERATIONS),
        "IndexName": index.name,
        "KeyConditionExpression": condition,
        "FilterExpression": narrowing,
        "ExpressionAttributeNames": names_in(f"{condition} {narrowing}"),
        "ExpressionAttributeValues": values_in(f"{condition} {narrowing}", values),
        "ScanIndexForward": False,
        "Limit": max(missing, FILTERED_READ) if wanted.narrows else missing,
    }
    return runtime.client("dynamodb").query(**request)


def _past_everything() -> str:
    # The month after this one: an operation of the present month sorts before it.
    return months_before(timestamp(instant())[:7], -1)


def _month_at(position: str) -> str:
    month = position[:7]
    return months_before(month, 1) if position == month else month


def months_before(month: str, count: int) -> str:
    """Give the month, as YYYY-MM, that many months before one."""
    index = int(month[:4]) * 12 + int(month[5:7]) - 1 - count
    return f"{index // 12:04}-{index % 12 + 1:02}"
