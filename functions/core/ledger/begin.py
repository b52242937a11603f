"""The one transaction that turns a request into an operation."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.errors import AlreadyExists, Conflict, InvalidRequest, NotFound, OperationInProgress
from functions.core.failures import code_of
from functions.core.ledger import claims, idempotency, leases
from functions.core.ledger.audit import audited
from functions.core.ledger.clusters import holder_of, index_marks
from functions.core.ledger.executions import start
from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import (
    COMPANION_RETENTION,
    epoch,
    instant,
    item_of,
    operation_item,
    stage_item,
    text_of,
)
from functions.core.ledger.models import Begun, NewOperation, Operation, OperationStatus, PlannedStage, Stage
from functions.core.ledger.queries import get, newest_on, with_phases
from functions.core.ledger.tables import CLUSTERS, OPERATIONS, listing_marks
from functions.core.ledger.writes import MAX_TRANSACTION_ITEMS, Refused, check, put, transact, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item

MAX_STAGES: Final = 90
_logger: Final = logging.getLogger(__name__)


class _Purpose(Enum):
    OPERATION = auto()
    IDEMPOTENCY = auto()
    RETRY = auto()
    LEASE = auto()
    CLUSTER = auto()
    COMPANION = auto()


@dataclass(frozen=True)
class _Entry:
    purpose: _Purpose
    write: TransactWriteItemTypeDef
    scope: str = ""


def begin(new: NewOperation, *, inline: bool = False) -> Begun:
    """Write an operation and start its execution, or give the one that the same key has begun.

    An `inline` operation is carried out by the calling request; the sweeper starts an execution should that die.
    Raise IdempotencyKeyReused, OperationInProgress, AlreadyExists, InvalidRequest or Throttled.
    """
    return begin_with(new, numbered(new.stages), inline=inline)


def replayed(new: NewOperation) -> Operation | None:
    """Give the operation that the same key and request have begun before, None when they have not.

    For whoever looks before it begins: what stands now may refuse a request that was carried out long ago. Only what
    identifies the request has to be filled in. Raise IdempotencyKeyReused.
    """
    operation_id = idempotency.recall(new)
    if operation_id is None:
        return None
    operation = get(operation_id)
    if operation.status is OperationStatus.PENDING:
        _try_to_start(operation)
    return operation


def at_work(new: NewOperation) -> OperationInProgress | None:
    """Make the refusal that names the operation which holds what a new one needs; None when nobody does."""
    holder = holder_of(new.cluster_tag, new.scopes)
    return _in_progress(holder, new.cluster_tag) if holder else None


def begin_with(new: NewOperation, stages: Sequence[Stage], *, inline: bool = False) -> Begun:
    """Do what `begin` does, with stages of which some may stand already."""
    _check(new, stages)
    begun = _write(new, _draft(new, stages))
    if begun.operation.status is OperationStatus.PENDING and not inline:
        _try_to_start(begun.operation)
    return begun


def numbered(planned: Sequence[PlannedStage]) -> list[Stage]:
    """Number planned stages in tens, so that their keys sort in the order of the plan."""
    return [Stage(number=place * 10, **stage.model_dump()) for place, stage in enumerate(planned, 1)]


def _check(new: NewOperation, stages: Sequence[Stage]) -> None:
    if len(stages) > MAX_STAGES:
        detail = f"The request needs {len(stages)} stages; one operation has at most {MAX_STAGES}."
        raise InvalidRequest(detail, remedy="Split the request into several.")
    idempotency.check_key(new.idempotency_key)


def _draft(new: NewOperation, stages: Sequence[Stage]) -> Operation:
    now, environment = instant(), runtime.environment()
    return with_phases(
        Operation(
            operation_id=new_identifier(),
            kind=new.kind,
            cluster_tag=new.cluster_tag,
            account_id=environment["ACCOUNT_ID"],
            region=environment["AWS_REGION"],
            actor=new.actor,
            stages=list(stages),
            request=new.request,
            findings=new.findings,
            scopes=new.scopes,
            created_at=now,
            updated_at=now,
            retry_of=new.retry_of,
        )
    )


def _write(new: NewOperation, draft: Operation) -> Begun:
    entries = _entries(new, draft)
    if len(entries) > MAX_TRANSACTION_ITEMS:
        detail = f"The request changes {len(entries)} records at once; {MAX_TRANSACTION_ITEMS} are possible."
        raise InvalidRequest(detail, remedy="Split the request into several.")
    try:
        transact([entry.write for entry in entries], token=draft.operation_id)
    except Refused as refused:
        refusals = [(entries[place], item) for place, item in sorted(refused.items.items())]
        return _decide(refusals, new, draft)
    return Begun(operation=draft, replayed=False)


def _entries(new: NewOperation, draft: Operation) -> list[_Entry]:
    absent = "attribute_not_exists(#operation_id)"
    entries = [_Entry(_Purpose.OPERATION, put(OPERATIONS, operation_item(draft), where=absent))]
    if new.idempotency_key is not None:
        entries.append(_Entry(_Purpose.IDEMPOTENCY, idempotency.remember(new, draft)))
    claims = leases.acquire(draft.cluster_tag, draft.scopes, draft.operation_id, draft.created_at)
    entries += [_Entry(_Purpose.LEASE, claim.write, claim.scope) for claim in claims]
    entries += [_Entry(_Purpose.CLUSTER, write) for write in _cluster_writes(new)]
    if new.retry_of is not None:
        entries.append(_Entry(_Purpose.RETRY, _retried_by(draft, new.retry_of)))
    entries += [_Entry(_Purpose.COMPANION, put(OPERATIONS, stage_item(draft, stage))) for stage in draft.stages]
    said = f"{draft.kind} of {draft.cluster_tag} by {new.route}" + (f": {new.audited}" if new.audited else "")
    return [*entries, _Entry(_Purpose.COMPANION, audited(draft, draft.actor, "begin", said))]


def _cluster_writes(new: NewOperation) -> list[TransactWriteItemTypeDef]:
    """Phrase what the operation does to the cluster's `spec`: make it, change it, or merely need it."""
    key, exists = {"cluster_tag": new.cluster_tag, "record": "spec"}, "attribute_exists(#cluster_tag)"
    if new.new_cluster is not None:
        marks = {**index_marks(new.new_cluster), **listing_marks(new.cluster_tag, "spec")}
        made = put(CLUSTERS, item_of({**new.new_cluster, **marks, **key}), where="attribute_not_exists(#cluster_tag)")
        return [made, *claims.claim(new.cluster_tag, new.new_cluster)]
    if new.changed_cluster is not None:
        unchanged = exists if new.cluster_version is None else f"{exists} AND #version = :seen"
        change, seen = new.changed_cluster, new.cluster_version
        return [update(CLUSTERS, key, assign=change, add={"version": 1}, where=unchanged, seen=seen)]
    return [check(CLUSTERS, key, where=exists)] if new.retry_of is not None else []


def _retried_by(draft: Operation, earlier: str) -> TransactWriteItemTypeDef:
    """Phrase the mark on an operation that it was retried, by which; there is only one."""
    key = {"operation_id": earlier, "record": "retry"}
    mark = {"retry_operation_id": draft.operation_id, "expires_at": epoch(draft.created_at + COMPANION_RETENTION)}
    return put(OPERATIONS, item_of(key | mark), where="attribute_not_exists(#operation_id)")


def _decide(refusals: Sequence[tuple[_Entry, Item]], new: NewOperation, draft: Operation) -> Begun:
    """Say what a refused transaction means: a lost answer, a repeat, an earlier retry, a holder or a cluster."""
    by_purpose = {entry.purpose: (entry, item) for entry, item in reversed(refusals)}
    if _Purpose.OPERATION in by_purpose:
        # Nobody else makes our identifier: an earlier send was carried out and its answer lost.
        return Begun(operation=draft, replayed=False)
    if _Purpose.IDEMPOTENCY in by_purpose:
        operation_id = idempotency.begun_by(by_purpose[_Purpose.IDEMPOTENCY][1], new)
        return Begun(operation=get(operation_id), replayed=True)
    if _Purpose.RETRY in by_purpose:
        raise _retried_already(text_of(by_purpose[_Purpose.RETRY][1], "retry_operation_id"), new)
    if _Purpose.LEASE in by_purpose:
        entry, lease = by_purpose[_Purpose.LEASE]
        raise _in_progress(leases.holder(entry.scope, lease), draft.cluster_tag)
    raise _cluster_problem(by_purpose[_Purpose.CLUSTER][1], new)


def _cluster_problem(spec: Item, new: NewOperation) -> NotFound | Conflict:
    if new.new_cluster is not None:
        holder = text_of(spec, claims.CLAIMED_BY)
        if holder:
            return claims.claimed(text_of(spec, "cluster_tag").removeprefix("eks:"), holder)
        return _already_exists(new.cluster_tag)
    if not spec:
        return NotFound(f"There is no cluster with the tag {new.cluster_tag!r}.")
    return Conflict(
        f"Cluster {new.cluster_tag} was changed by another request meanwhile.",
        remedy="Send the request again.",
        retryable=True,
    )


def _retried_already(operation_id: str, new: NewOperation) -> Conflict:
    return Conflict(
        f"Operation {new.retry_of} was retried already, as operation {operation_id}.",
        remedy=f"Follow operation {operation_id}; if it has failed, retry that one.",
        operation_id=operation_id,
    )


def _in_progress(holder: leases.Holder, cluster_tag: str) -> OperationInProgress:
    return OperationInProgress(
        f"Operation {holder.operation_id} holds the scope {holder.scope!r} of cluster {cluster_tag}.",
        remedy=f"Wait until operation {holder.operation_id} has ended, or cancel it, then send the request again.",
        operation_id=holder.operation_id,
    )


def _already_exists(cluster_tag: str) -> AlreadyExists:
    detail = f"A cluster with the tag {cluster_tag!r} exists."
    last = newest_on(cluster_tag)
    if last is None or last.status not in (OperationStatus.FAILED, OperationStatus.CANCELLED):
        return AlreadyExists(detail, remedy="Choose another tag, or change the existing cluster.")
    return AlreadyExists(
        f"{detail} Its last operation {last.operation_id} ({last.kind}) is {last.status}.",
        remedy=f"Retry it with POST /api/operations/{last.operation_id}/retry, or choose another tag.",
        operation_id=last.operation_id,
    )


def _try_to_start(operation: Operation) -> None:
    try:
        start(operation)
    except (ClientError, BotoCoreError) as error:
        # The operation is accepted and on record as PENDING; the sweeper starts it within a minute and reports what
        # still refuses it. An error here would tell the caller that nothing was begun, which is not so.
        code = code_of(error) if isinstance(error, ClientError) else type(error).__name__
        _logger.warning("operation %s is left to the sweeper: StartExecution met %s", operation.operation_id, code)
