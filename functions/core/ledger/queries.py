"""What callers read: one operation with its stages, its audit entries, and lists of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import NotFound
from functions.core.ledger.items import attribute, epoch, instant, model_of, text_of
from functions.core.ledger.models import AuditEntry, Operation, OperationStatus, Phase, Stage, StageStatus
from functions.core.ledger.tables import BY_CLUSTER, OPERATIONS
from functions.core.ledger.writes import names_in, table_name, values_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

    from functions.core.ledger.items import Item

_STAGE: Final = "stage#"
# Seconds until something worth reading can have happened.
_LOOK_AGAIN: Final = {OperationStatus.PENDING: 1, OperationStatus.RUNNING: 10, OperationStatus.CANCELLING: 5}


def get(operation_id: str) -> Operation:
    """Read an operation with its stages and phases in one Query; raise NotFound."""
    # `operation` and `stage#…` sort after `audit#…`, so this leaves the audit entries unread.
    items = list(_records(operation_id, "#record >= :mark", "operation"))
    if not items or text_of(items[0], "record") != "operation" or _expired(items[0]):
        raise _not_found(operation_id)
    stages = [model_of(Stage, item) for item in items if text_of(item, "record").startswith(_STAGE)]
    return with_phases(model_of(Operation, items[0]).model_copy(update={"stages": stages}))


def advised(operation: Operation) -> Operation:
    """Say in an operation when to look again; one that has ended says nothing."""
    return operation.model_copy(update={"retry_after_seconds": _LOOK_AGAIN.get(operation.status)})


def header(operation_id: str) -> Operation | None:
    """Read an operation without its stages, None when it does not exist."""
    key = {"operation_id": attribute(operation_id), "record": attribute("operation")}
    client = runtime.client("dynamodb")
    item = client.get_item(TableName=table_name(OPERATIONS), Key=key, ConsistentRead=True).get("Item")
    return model_of(Operation, item) if item else None


def audit(operation_id: str) -> list[AuditEntry]:
    """Read an operation's audit entries, oldest first; raise NotFound."""
    # The entries outlive their operation, whose own record comes right after them.
    *entries, last = [*_records(operation_id, "#record <= :mark", "operation")] or [{}]
    if text_of(last, "record") != "operation" or _expired(last):
        raise _not_found(operation_id)
    return [model_of(AuditEntry, item) for item in entries]


def await_tokens(operation_id: str) -> dict[str, str]:
    """Read the task tokens of the operation's waiting stages by stage record; they go to Step Functions only."""
    items = _records(operation_id, "begins_with(#record, :mark)", _STAGE)
    return {text_of(item, "record"): text_of(item, "await_token") for item in items if "await_token" in item}


def newest_on(cluster_tag: str) -> Operation | None:
    """Read the newest operation on a cluster, without stages."""
    condition = "#cluster_tag = :tag"
    answer = runtime.client("dynamodb").query(
        TableName=table_name(OPERATIONS),
        IndexName=BY_CLUSTER.name,
        KeyConditionExpression=condition,
        ExpressionAttributeNames=names_in(condition),
        ExpressionAttributeValues=values_in(condition, {"tag": cluster_tag}),
        ScanIndexForward=False,
        Limit=1,
    )
    return model_of(Operation, answer["Items"][0]) if answer["Items"] else None


def with_phases(operation: Operation) -> Operation:
    """Compute the phases of an operation from its stages, in the order of the plan."""
    members: dict[str, list[StageStatus]] = {}
    for stage in operation.stages:
        members.setdefault(stage.phase, []).append(stage.status)
    phases = [Phase(name=name, status=phase_status(each, operation.status.terminal)) for name, each in members.items()]
    return operation.model_copy(update={"phases": phases})


def phase_status(stages: Sequence[StageStatus], ended: bool) -> StageStatus:
    """Fold stages into one status: the worst that happened, else what is going on, else what stands.

    A phase in which some stages stand and others have not begun is RUNNING, or PENDING once the operation has ended.
    """
    for status in (StageStatus.FAILED, StageStatus.CANCELLED, StageStatus.RUNNING):
        if status in stages:
            return status
    if StageStatus.PENDING not in stages:
        return StageStatus.SUCCEEDED if StageStatus.SUCCEEDED in stages else StageStatus.SKIPPED
    begun = StageStatus.SUCCEEDED in stages and not ended
    return StageStatus.RUNNING if begun else StageStatus.PENDING


def pages(request: QueryInputTypeDef) -> Iterator[Item]:
    """Read all items of a Query, which DynamoDB cuts at 1 MB."""
    client = runtime.client("dynamodb")
    while True:
        answer = client.query(**request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _records(operation_id: str, which: str, mark: str) -> Iterator[Item]:
    condition = f"#operation_id = :id AND {which}"
    values: Mapping[str, object] = {"id": operation_id, "mark": mark}
    return pages(
        {
            "TableName": table_name(OPERATIONS),
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names_in(condition),
            "ExpressionAttributeValues": values_in(condition, values),
            "ConsistentRead": True,
        }
    )


def _expired(item: Item) -> bool:
    return "expires_at" in item and int(item["expires_at"]["N"]) <= epoch(instant())


def _not_found(operation_id: str) -> NotFound:
    return NotFound(f"There is no operation {operation_id!r}; finished ones are kept for 180 days.")
