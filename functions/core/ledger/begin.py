"""The one transaction that turns a request into an operation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.errors import (
    AlreadyExists,
    FieldError,
    IdempotencyKeyReused,
    InvalidRequest,
    NotFound,
    OperationInProgress,
)
from functions.core.ledger import leases
from functions.core.ledger.audit import audited
from functions.core.ledger.executions import start
from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.items import epoch, instant, item_of, operation_item, stage_item, text_of
from functions.core.ledger.models import (
    Begun,
    JsonObject,
    NewOperation,
    Operation,
    OperationStatus,
    PlannedStage,
    Stage,
)
from functions.core.ledger.queries import get, newest_on, with_phases
from functions.core.ledger.tables import CLUSTERS, IDEMPOTENCY, OPERATIONS
from functions.core.ledger.writes import MAX_TRANSACTION_ITEMS, Refused, put, transact, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item

MAX_STAGES: Final = 90
MAX_KEY_CHARACTERS: Final = 255
KEY_LIFETIME: Final = timedelta(hours=24)


class _Purpose(Enum):
    OPERATION = auto()
    IDEMPOTENCY = auto()
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


def request_hash(new: NewOperation) -> str:
    """Hash what makes two requests the same one."""
    # A generated tag belongs here too: it is derived from the key, so a repeat generates the same one.
    body = {"request": new.request if new.sent is None else new.sent, "kind": new.kind, "cluster_tag": new.cluster_tag}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _check(new: NewOperation, stages: Sequence[Stage]) -> None:
    if len(stages) > MAX_STAGES:
        detail = f"The request needs {len(stages)} stages; one operation has at most {MAX_STAGES}."
        raise InvalidRequest(detail, remedy="Split the request into several.")
    key = new.idempotency_key
    if key is not None and not 1 <= len(key) <= MAX_KEY_CHARACTERS:
        message = f"has {len(key)} characters; 1 to {MAX_KEY_CHARACTERS} are allowed"
        error = FieldError(field="Idempotency-Key", message=message)
        raise InvalidRequest(f"The idempotency key {message}.", errors=[error])


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
        entries.append(_Entry(_Purpose.IDEMPOTENCY, _remember(new, draft)))
    claims = leases.acquire(draft.cluster_tag, draft.scopes, draft.operation_id, draft.created_at)
    entries += [_Entry(_Purpose.LEASE, claim.write, claim.scope) for claim in claims]
    if new.new_cluster is not None:
        spec = item_of(new.new_cluster | {"cluster_tag": draft.cluster_tag, "record": "spec"})
        entries.append(_Entry(_Purpose.CLUSTER, put(CLUSTERS, spec, where="attribute_not_exists(#cluster_tag)")))
    if new.changed_cluster is not None:
        entries.append(_Entry(_Purpose.CLUSTER, _changed(new.changed_cluster, draft.cluster_tag)))
    entries += [_Entry(_Purpose.COMPANION, put(OPERATIONS, stage_item(draft, stage))) for stage in draft.stages]
    note = audited(draft.operation_id, draft.actor, "begin", f"{draft.kind} of {draft.cluster_tag} by {new.route}")
    return [*entries, _Entry(_Purpose.COMPANION, note)]


def _changed(changes: JsonObject, cluster_tag: str) -> TransactWriteItemTypeDef:
    key = {"cluster_tag": cluster_tag, "record": "spec"}
    return update(CLUSTERS, key, assign=changes, add={"version": 1}, where="attribute_exists(#cluster_tag)")


def _remember(new: NewOperation, draft: Operation) -> TransactWriteItemTypeDef:
    row = {
        "caller_route_key": f"{quote(new.actor.id, safe=':/@')}#{new.route}#{new.idempotency_key}",
        "body_hash": request_hash(new),
        "operation_id": draft.operation_id,
        "expires_at": epoch(draft.created_at + KEY_LIFETIME),
    }
    # TTL deletes days late; a row is gone when our clock says so.
    unused = "attribute_not_exists(#caller_route_key) OR #expires_at <= :now"
    return put(IDEMPOTENCY, item_of(row), where=unused, now=epoch(draft.created_at))


def _decide(refusals: Sequence[tuple[_Entry, Item]], new: NewOperation, draft: Operation) -> Begun:
    """Say what a refused transaction means: a lost answer, a repeat, a reused key, a holder or an existing cluster."""
    by_purpose = {entry.purpose: (entry, item) for entry, item in reversed(refusals)}
    if _Purpose.OPERATION in by_purpose:
        # Nobody else makes our identifier: an earlier send was carried out and its answer lost.
        return Begun(operation=draft, replayed=False)
    if _Purpose.IDEMPOTENCY in by_purpose:
        return _replay(by_purpose[_Purpose.IDEMPOTENCY][1], new)
    if _Purpose.LEASE in by_purpose:
        entry, lease = by_purpose[_Purpose.LEASE]
        raise _in_progress(leases.holder(entry.scope, lease), draft.cluster_tag)
    if new.new_cluster is None:
        raise NotFound(f"There is no cluster with the tag {draft.cluster_tag!r}.")
    raise _already_exists(draft.cluster_tag)


def _replay(row: Item, new: NewOperation) -> Begun:
    operation_id = text_of(row, "operation_id")
    if text_of(row, "body_hash") == request_hash(new):
        return Begun(operation=get(operation_id), replayed=True)
    raise IdempotencyKeyReused(
        f"The idempotency key {new.idempotency_key!r} began operation {operation_id} with another request.",
        remedy="Send a new key with a new request; repeat a request unchanged to get its operation again.",
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
    except (ClientError, BotoCoreError):
        # The operation is accepted and on record as PENDING; the sweeper starts it within a minute and reports what
        # still refuses it. An error here would tell the caller that nothing was begun, which is not so.
        return
