"""How an operation as a whole moves: PENDING → RUNNING → (CANCELLING →) SUCCEEDED | FAILED | CANCELLED.

Every write is conditional on the operation being unfinished and counts `version` up; what is terminal never changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, NotFound
from functions.core.ledger import claims, leases, made
from functions.core.ledger.audit import audited
from functions.core.ledger.clusters import records_of
from functions.core.ledger.items import RETENTION, epoch, instant, item_of, text_of
from functions.core.ledger.leases import lease_key
from functions.core.ledger.models import Actor, JsonObject, Operation, OperationStatus, Reason, StageStatus
from functions.core.ledger.queries import get, header
from functions.core.ledger.tables import CLUSTERS, OPERATIONS, listing_marks
from functions.core.ledger.writes import (
    MAX_TRANSACTION_ITEMS,
    Refused,
    StaleWorker,
    apply,
    forget,
    put,
    transact,
    update,
)
from functions.core.phases import MENDING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.endings import Ending
    from functions.core.ledger.items import Item

# The condition of every write of a stage's worker.
CURRENT_ATTEMPT: Final = "#attempt = :attempt AND #status = :running"
# The records of a forgotten cluster that go with the end of the operation and not before.
_LAST: Final = ("condition#", "lease#")
# One item of the transaction is its guard.
_PART: Final = MAX_TRANSACTION_ITEMS - 1


def operation_key(operation_id: str) -> dict[str, str]:
    """Give the key of the `operation` record."""
    return {"operation_id": operation_id, "record": "operation"}


def mark_running(operation_id: str) -> Operation:
    """Mark a PENDING operation RUNNING and give it; one that runs or is being cancelled is given as it is.

    Raise StaleWorker when it has ended and NotFound when there is none.
    """
    now = instant()
    change = {"status": OperationStatus.RUNNING, "started_at": now, "updated_at": now}
    where, pending = "#status = :pending", OperationStatus.PENDING
    key = operation_key(operation_id)
    try:
        apply(update(OPERATIONS, key, assign=change, add={"version": 1}, where=where, pending=pending))
    except Refused as refused:
        if _status(operation_id, refused.items[0]).terminal:
            raise StaleWorker(f"operation {operation_id} has ended") from refused
    return get(operation_id)


def request_cancel(operation_id: str, actor: Actor) -> Operation:
    """Ask an unfinished operation to stop, noting who asked; repeated, it gives the operation as it is.

    It still ends SUCCEEDED when every stage stands before anybody could stop. Raise Conflict naming the status when it
    has ended and NotFound when there is none.
    """
    operation = header(operation_id)
    if operation is None:
        raise _missing(operation_id)
    change = {
        "status": OperationStatus.CANCELLING,
        "reason": Reason.CANCELLED_BY_CALLER,
        "updated_at": instant(),
    }
    cancellable = update(
        OPERATIONS,
        operation_key(operation_id),
        assign=change,
        add={"version": 1},
        where="#status IN (:pending, :running)",
        pending=OperationStatus.PENDING,
        running=OperationStatus.RUNNING,
    )
    try:
        transact([cancellable, audited(operation, actor, "cancel", "cancellation requested")])
    except Refused as refused:
        status = _status(operation_id, refused.items[0])
        if status.terminal:
            raise _ended(operation_id, status) from refused
    return get(operation_id)


def finish_operation(operation: Operation, ending: Ending) -> Operation:
    """End an operation: its final record, its leases and its cluster's conditions in one transaction.

    Repeated with the same status it gives the operation. Raise Conflict when another ending stands, StaleWorker when
    `seen_version` is outdated, ValueError for an unfinished status.
    """
    if not ending.status.terminal:
        raise ValueError(f"{ending.status} does not end an operation")
    if operation.status.terminal:
        return _settled(operation.operation_id, ending.status)
    if ending.forgets and not _emptied(operation, ending):
        return _settled(operation.operation_id, ending.status)
    closing = [_closing(operation.operation_id, ending), *_stages(operation, ending), *_of_cluster(operation, ending)]
    claims = leases.release(operation.cluster_tag, operation.scopes, operation.operation_id)
    while True:
        try:
            transact([*closing, *(claim.write for claim in claims)])
        except Refused as refused:
            if 0 in refused.items:
                return _settled(operation.operation_id, ending.status)
            # A lease that is no longer ours must not keep the operation from ending; each round drops at least one.
            claims = [claim for place, claim in enumerate(claims, len(closing)) if place not in refused.items]
        else:
            return get(operation.operation_id)


def touched(operation_id: str, now: datetime) -> TransactWriteItemTypeDef:
    """Phrase the write that goes with every change of a stage: the operation is unfinished and was just changed."""
    key, unfinished = operation_key(operation_id), "attribute_exists(#unfinished)"
    return update(OPERATIONS, key, assign={"updated_at": now}, add={"version": 1}, where=unfinished)


def ended_stage(
    operation_id: str, stage: str, changes: Mapping[str, object], attempt: int | None = None
) -> TransactWriteItemTypeDef:
    """Phrase the write that ends a stage, guarded by its attempt unless another write of the transaction guards it."""
    key, final = {"operation_id": operation_id, "record": stage}, {"finished_at": instant(), "await_token": None}
    where, running = "" if attempt is None else CURRENT_ATTEMPT, StageStatus.RUNNING
    return update(OPERATIONS, key, assign={**changes, **final}, where=where, attempt=attempt, running=running)


def _closing(operation_id: str, ending: Ending) -> TransactWriteItemTypeDef:
    now = instant()
    change = {
        "status": ending.status,
        "result": ending.result,
        "error": ending.error,
        "reason": ending.reason,
        "updated_at": now,
        "finished_at": now,
        "expires_at": epoch(now + RETENTION),
        "unfinished": None,
    }
    key, seen = operation_key(operation_id), ending.seen_version
    return update(OPERATIONS, key, assign=change, add={"version": 1}, where=_as_decided(ending), seen=seen)


def _as_decided(ending: Ending) -> str:
    """Give the condition that the operation is as it was when its ending was decided."""
    unfinished = "attribute_exists(#unfinished)"
    return unfinished if ending.seen_version is None else f"{unfinished} AND #version = :seen"


def _emptied(operation: Operation, ending: Ending) -> bool:
    """Remove, of a cluster that is forgotten, the records that may be more than one transaction takes.

    What people are shown of it (desired state, conditions, leases) stays for the last transaction. Each part is
    guarded by the operation's own record, so that whoever comes late removes nothing of the next cluster of the tag;
    give False to it. Doing it again removes the rest.
    """
    names = [text_of(item, "record") for item in records_of(operation.cluster_tag)]
    removable = [name for name in names if name != "spec" and not name.startswith(_LAST)]
    guard = update(
        OPERATIONS,
        operation_key(operation.operation_id),
        assign={"updated_at": instant()},
        where=_as_decided(ending),
        seen=ending.seen_version,
    )
    try:
        for place in range(0, len(removable), _PART):
            part = removable[place : place + _PART]
            gone = [forget(CLUSTERS, {"cluster_tag": operation.cluster_tag, "record": name}) for name in part]
            transact([guard, *gone])
    except Refused:
        return False
    return True


def _stages(operation: Operation, ending: Ending) -> list[TransactWriteItemTypeDef]:
    # Every change of a stage counts the operation's version up, so `seen_version` guards these writes too.
    return [
        ended_stage(
            operation.operation_id,
            stage.record,
            {"status": stage.status, "error": stage.error, "reason": stage.reason},
        )
        for stage in ending.stages
    ]


def _of_cluster(operation: Operation, ending: Ending) -> list[TransactWriteItemTypeDef]:
    """Phrase what the ending means for the cluster's records: its conditions and what was made of it; or its end."""
    if not ending.forgets and not ending.conditions and not ending.makings:
        return []
    standing = {text_of(item, "record"): item for item in records_of(operation.cluster_tag)}
    if ending.forgets:
        held = {lease_key(operation.cluster_tag, scope)["record"] for scope in leases.outermost(operation.scopes)}
        gone = [forget(CLUSTERS, {"cluster_tag": operation.cluster_tag, "record": name}) for name in {*standing} - held]
        return [*gone, *claims.release(standing.get("spec", {}))]
    conditions = {} if _judged_by_a_look(operation, standing) else ending.conditions
    decided = [
        put(CLUSTERS, item_of(_lasting(content, standing.get(name, {})) | _condition_keys(operation, name)))
        for name, content in ((f"condition#{kind}", content) for kind, content in conditions.items())
    ]
    return [*decided, *made.writes(operation, ending.makings, standing)]


def _judged_by_a_look(operation: Operation, records: Mapping[str, Item]) -> bool:
    """Say whether an operation leaves the conditions to a look: a repair mends only our part of an imported cluster."""
    return operation.kind in MENDING and made.is_imported(records)


def _lasting(condition: JsonObject, standing: Item) -> JsonObject:
    """Keep since when a condition is what it still is."""
    same = text_of(standing, "status") == condition["status"] and "since" in standing
    return condition | ({"since": text_of(standing, "since")} if same else {})


def _condition_keys(operation: Operation, record: str) -> JsonObject:
    return {"cluster_tag": operation.cluster_tag, "record": record, **listing_marks(operation.cluster_tag, record)}


def _settled(operation_id: str, wanted: OperationStatus) -> Operation:
    operation = get(operation_id)
    if operation.status is wanted:
        return operation
    if operation.status.terminal:
        raise _ended(operation_id, operation.status)
    raise StaleWorker(f"operation {operation_id} has changed since it was read")


def _status(operation_id: str, item: Item) -> OperationStatus:
    if not item:
        raise _missing(operation_id)
    return OperationStatus(text_of(item, "status"))


def _ended(operation_id: str, status: OperationStatus) -> Conflict:
    return Conflict(
        f"Operation {operation_id} has ended as {status}; what has ended does not change.",
        remedy="Begin a new operation; a failed or cancelled one can be retried.",
        operation_id=operation_id,
    )


def _missing(operation_id: str) -> NotFound:
    return NotFound(f"There is no operation {operation_id!r}.")
