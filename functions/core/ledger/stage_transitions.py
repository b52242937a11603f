"""How a stage moves: PENDING → RUNNING → SUCCEEDED | FAILED | CANCELLED, guarded by its attempt.

A stage is named by its record (`Stage.record`). Whoever acts for an earlier attempt, or for an operation that has
ended, gets StaleWorker and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.core.errors import NotFound, ProblemBody
from functions.core.ledger.items import attribute, instant, text_of
from functions.core.ledger.models import JsonObject, Reason, StageStatus
from functions.core.ledger.tables import OPERATIONS
from functions.core.ledger.transitions import CURRENT_ATTEMPT, ended_stage, touched
from functions.core.ledger.writes import Refused, StaleWorker, table_name, transact, update

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item

_STAGE: Final = 0
_OPERATION: Final = 1
_BEGIN_ROUNDS: Final = 5


def begin_stage(operation_id: str, stage: str) -> int:
    """Take a stage up and give the number of the new attempt, which makes every earlier one stale.

    Raise StaleWorker when the operation or the stage has ended and NotFound when there is none.
    """
    key = {name: attribute(value) for name, value in _key(operation_id, stage).items()}
    client = runtime.client("dynamodb")
    item = client.get_item(TableName=table_name(OPERATIONS), Key=key, ConsistentRead=True).get("Item", {})
    for _ in range(_BEGIN_ROUNDS):
        seen = _attempt(operation_id, stage, item)
        try:
            transact([_begun(operation_id, stage, seen), touched(operation_id, instant())])
        except Refused as refused:
            if _OPERATION in refused.items:
                raise StaleWorker(f"operation {operation_id} has ended") from refused
            item = refused.items[_STAGE]
        else:
            return seen + 1
    raise StaleWorker(f"{stage} of {operation_id} is begun by others all the time")


def record_progress(
    operation_id: str, stage: str, attempt: int, message: str | None, reason: Reason | None, resources: Sequence[str]
) -> bool:
    """Record what a running stage sees, if it differs from the record, and say whether it did; raise StaleWorker."""
    seen = {"message": message, "reason": reason, "resources": list(resources)}
    same = " AND ".join(_equal(name, value) for name, value in seen.items())
    where = f"{CURRENT_ATTEMPT} AND NOT ({same})"
    try:
        _change(operation_id, stage, attempt, seen, where)
    except Refused as refused:
        # The operation is still unfinished and the attempt ours, so the refusal means: nothing new.
        if _OPERATION in refused.items or not _is_current(refused.items[_STAGE], attempt):
            raise _stale(operation_id, stage, attempt) from refused
        return False
    return True


def finish_stage(operation_id: str, stage: str, attempt: int, result: JsonObject) -> None:
    """Record that what the stage makes stands; repeated by the same attempt it changes nothing. Raise StaleWorker."""
    _end_stage(operation_id, stage, attempt, StageStatus.SUCCEEDED, {"result": result, "reason": None})


def fail_stage(operation_id: str, stage: str, attempt: int, problem: ProblemBody, reason: Reason | None = None) -> None:
    """Record why the stage failed; repeated by the same attempt it changes nothing. Raise StaleWorker."""
    _end_stage(operation_id, stage, attempt, StageStatus.FAILED, {"error": problem, "reason": reason})


def cancel_stage(operation_id: str, stage: str, attempt: int) -> None:
    """Record that the running stage was stopped on request; repeated it changes nothing. Raise StaleWorker."""
    _end_stage(operation_id, stage, attempt, StageStatus.CANCELLED, {"reason": Reason.CANCELLED_BY_CALLER})


def skip_stages(operation_id: str, stages: Sequence[str], message: str) -> None:
    """Record that pending stages have nothing to do; one that has begun, or is skipped already, stays as it is.

    Raise StaleWorker when the operation has ended.
    """
    change = {"status": StageStatus.SKIPPED, "message": message}
    for stage in stages:
        skipped = update(
            OPERATIONS,
            _key(operation_id, stage),
            assign=change,
            where="#status = :pending",
            pending=StageStatus.PENDING,
        )
        try:
            transact([skipped, touched(operation_id, instant())])
        except Refused as refused:
            if _OPERATION in refused.items:
                raise StaleWorker(f"operation {operation_id} has ended") from refused


def _begun(operation_id: str, stage: str, seen: int) -> TransactWriteItemTypeDef:
    return update(
        OPERATIONS,
        _key(operation_id, stage),
        assign={"status": StageStatus.RUNNING, "attempt": seen + 1, "await_token": None},
        once={"started_at": instant()},
        where="#attempt = :seen AND #status IN (:pending, :running)",
        seen=seen,
        pending=StageStatus.PENDING,
        running=StageStatus.RUNNING,
    )


def _attempt(operation_id: str, stage: str, item: Item) -> int:
    if not item:
        raise NotFound(f"Operation {operation_id} has no stage {stage!r}.")
    status = StageStatus(text_of(item, "status"))
    if status not in (StageStatus.PENDING, StageStatus.RUNNING):
        raise StaleWorker(f"{stage} of {operation_id} is {status}")
    return int(item["attempt"]["N"])


def _change(operation_id: str, stage: str, attempt: int, changes: Mapping[str, object], where: str) -> None:
    key, running = _key(operation_id, stage), StageStatus.RUNNING
    change = update(OPERATIONS, key, assign=changes, where=where, attempt=attempt, running=running)
    transact([change, touched(operation_id, instant())])


def _end_stage(operation_id: str, stage: str, attempt: int, status: StageStatus, changes: Mapping[str, object]) -> None:
    try:
        ended = ended_stage(operation_id, stage, {**changes, "status": status}, attempt)
        transact([ended, touched(operation_id, instant())])
    except Refused as refused:
        item = refused.items.get(_STAGE, {})
        # Step Functions repeats a task whose answer was lost: this very attempt has ended the stage before.
        if not (_has_attempt(item, attempt) and text_of(item, "status") == status):
            raise _stale(operation_id, stage, attempt) from refused


def _equal(name: str, value: object) -> str:
    return f"attribute_not_exists(#{name})" if value is None else f"#{name} = :new_{name}"


def _is_current(item: Item, attempt: int) -> bool:
    return _has_attempt(item, attempt) and text_of(item, "status") == StageStatus.RUNNING


def _has_attempt(item: Item, attempt: int) -> bool:
    return "attempt" in item and item["attempt"]["N"] == str(attempt)


def _stale(operation_id: str, stage: str, attempt: int) -> StaleWorker:
    return StaleWorker(f"attempt {attempt} of {stage} of {operation_id} is no longer current")


def _key(operation_id: str, stage: str) -> dict[str, str]:
    return {"operation_id": operation_id, "record": stage}
