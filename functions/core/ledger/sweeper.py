"""Heals what got lost between the ledger and Step Functions: nothing stays unfinished for ever.

Unfinished and untouched for a minute, then by its execution:
  none      PENDING, RUNNING → start one, FAILED when that is refused for good;  CANCELLING → as `endings` says
  running   leave alone
  ended     as `endings` says
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.errors import DeploymentFault, Problem
from functions.core.failures import THROTTLING, cause_of, status_of
from functions.core.ledger import leases
from functions.core.ledger.endings import Ending, ending_of, failure_of
from functions.core.ledger.executions import describe, start
from functions.core.ledger.items import UNFINISHED_MARK, instant, text_of, timestamp
from functions.core.ledger.models import Operation, OperationStatus, Reason
from functions.core.ledger.queries import get, header, pages
from functions.core.ledger.tables import BY_LEASE_EXPIRY, CLUSTERS, OPERATIONS, UNFINISHED, Index, Table
from functions.core.ledger.transitions import finish_operation
from functions.core.ledger.writes import Refused, StaleWorker, names_in, table_name, values_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from functions.core.ledger.items import Item

QUIET: Final = timedelta(seconds=60)
# Refusals with a status of 4xx that pass by themselves.
_PASSING: Final = THROTTLING | {"ExecutionLimitExceeded", "ExpiredTokenException", "KmsThrottlingException"}


class Healing(StrEnum):
    """What the sweeper did."""

    STARTED = "started"
    FINISHED = "finished"
    LEASE_FREED = "lease_freed"


@dataclass(frozen=True)
class Healed:
    """One thing the sweeper put right."""

    operation_id: str
    healing: Healing
    detail: str


@dataclass(frozen=True)
class Swept:
    """What a sweep put right, and what kept it from the rest."""

    healed: list[Healed]
    failures: list[Exception]


def sweep() -> Swept:
    """Heal every lost operation and lease; one that cannot be healed does not stop the others."""
    quiet_since, now = timestamp(instant() - QUIET), timestamp(instant())
    operations = _due(OPERATIONS, UNFINISHED, UNFINISHED_MARK, quiet_since)
    expired = _due(CLUSTERS, BY_LEASE_EXPIRY, leases.LEASED_MARK, now)
    return _carry_out(
        [
            *(partial(_heal_operation, text_of(key, "operation_id"), quiet_since) for key in operations),
            *(partial(_heal_lease, key) for key in expired),
        ]
    )


def close_ended(operation_id: str, execution_arn: str) -> Healed | None:
    """Finish an operation whose execution has ended, as told by an event; None when there is nothing left to do.

    Raise NotFound, StaleWorker when it moves meanwhile, or the client's own errors.
    """
    operation = get(operation_id)
    if operation.status.terminal:
        return None
    execution = describe(operation)
    if execution is None or execution.arn != execution_arn or not execution.ended:
        return None
    return _finish(operation, ending_of(operation, execution, instant()))


def untouched_since(moment: datetime) -> list[str]:
    """Name the unfinished operations of which nothing has changed since a moment, as far as the index has heard."""
    return [text_of(key, "operation_id") for key in _due(OPERATIONS, UNFINISHED, UNFINISHED_MARK, timestamp(moment))]


def _carry_out(work: Sequence[Callable[[], Healed | None]]) -> Swept:
    swept = Swept([], [])
    for heal in work:
        try:
            done = heal()
        except (StaleWorker, Refused):  # somebody else acted meanwhile: there is nothing left to heal
            continue
        except (Problem, ClientError, BotoCoreError) as error:
            swept.failures.append(error)
        else:
            swept.healed.extend([done] if done else [])
    return swept


def _due(table: Table, index: Index, mark: str, before: str) -> list[Item]:
    condition = f"#{index.partition.name} = :mark AND #{index.sort.name} < :before"
    request = pages(
        {
            "TableName": table_name(table),
            "IndexName": index.name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names_in(condition),
            "ExpressionAttributeValues": values_in(condition, {"mark": mark, "before": before}),
        }
    )
    return list(request)


def _heal_operation(operation_id: str, quiet_since: str) -> Healed | None:
    seen = header(operation_id)
    # The index lags behind the table.
    if seen is None or seen.status.terminal or timestamp(seen.updated_at) >= quiet_since:
        return None
    execution = describe(seen)
    if execution is not None and not execution.ended:
        return None
    # Its stages are read only now: what waits for hours is looked at every minute.
    operation = get(operation_id)
    if operation.version != seen.version:
        return None
    if execution is None and operation.status is not OperationStatus.CANCELLING:
        return _start(operation)
    return _finish(operation, ending_of(operation, execution, instant()))


def _start(operation: Operation) -> Healed:
    try:
        start(operation)
    except ClientError as error:
        cause = cause_of(error)
        if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR or cause.code in _PASSING:
            raise
        # Trying again every minute would keep the cluster leased for ever.
        problem = DeploymentFault(
            f"StartExecution of {operation.kind!r} was refused with {cause.code}: {error.response['Error']['Message']}",
            cause=cause,
            remedy="Redeploy, or grant the control plane what it was refused, then retry the operation.",
            operation_id=operation.operation_id,
        )
        return _finish(operation, failure_of(operation, problem.body(), Reason.LOST, instant()))
    return Healed(operation.operation_id, Healing.STARTED, f"{operation.kind} had no execution")


def _finish(operation: Operation, ending: Ending) -> Healed:
    ended = finish_operation(operation, ending)
    return Healed(operation.operation_id, Healing.FINISHED, f"{operation.status} became {ended.status}")


def _heal_lease(key: Item) -> Healed | None:
    names = {name: key[name] for name in ("cluster_tag", "record")}
    client = runtime.client("dynamodb")
    lease = client.get_item(TableName=table_name(CLUSTERS), Key=names, ConsistentRead=True).get("Item", {})
    owner = text_of(lease, "owner")
    operation = header(owner) if owner else None
    # An unfinished owner keeps its lease, however late: it is freed when the operation is finished.
    if not owner or (operation is not None and not operation.status.terminal):
        return None
    leases.free_expired(lease)
    held = f"{leases.scope_of(lease)} of {text_of(lease, 'cluster_tag')}"
    return Healed(owner, Healing.LEASE_FREED, f"{held} was still leased")
