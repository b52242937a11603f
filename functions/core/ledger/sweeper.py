"""Heals what got lost between the ledger and Step Functions: nothing stays unfinished for ever.

Unfinished and untouched for a minute, then by its execution:
  none      PENDING, RUNNING → start one;  CANCELLING → CANCELLED
  running   leave alone
  ended     CANCELLING → CANCELLED;  all stages stand → SUCCEEDED;  else FAILED with the first cause known
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.core import runtime
from functions.core.errors import Cause, DeploymentFault, Layer, OperationLost, Problem, ProblemBody
from functions.core.ledger import leases
from functions.core.ledger.executions import Execution, describe, start
from functions.core.ledger.items import UNFINISHED_MARK, instant, text_of, timestamp
from functions.core.ledger.models import Operation, OperationStatus, Reason, StageStatus
from functions.core.ledger.queries import get, header, pages
from functions.core.ledger.stage_transitions import ended_stage
from functions.core.ledger.tables import BY_LEASE_EXPIRY, CLUSTERS, OPERATIONS, UNFINISHED, Index, Table
from functions.core.ledger.transitions import Ending, end
from functions.core.ledger.writes import Refused, StaleWorker, names_in, table_name, values_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item

QUIET: Final = timedelta(seconds=60)
_REASONS: Final = {"ABORTED": Reason.ABORTED, "TIMED_OUT": Reason.TIMED_OUT}


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


def sweep() -> list[Healed]:
    """Heal every lost operation and lease and give what was done.

    One that cannot be healed does not stop the others; their errors are raised together as an ExceptionGroup.
    """
    quiet_since, now = timestamp(instant() - QUIET), timestamp(instant())
    operations = _due(OPERATIONS, UNFINISHED, UNFINISHED_MARK, quiet_since)
    expired = _due(CLUSTERS, BY_LEASE_EXPIRY, leases.LEASED_MARK, now)
    return _carry_out(
        [
            *(partial(_heal_operation, text_of(key, "operation_id"), quiet_since) for key in operations),
            *(partial(_heal_lease, key) for key in expired),
        ]
    )


def _carry_out(work: Sequence[Callable[[], Healed | None]]) -> list[Healed]:
    healed: list[Healed] = []
    failures: list[Exception] = []
    for heal in work:
        try:
            done = heal()
        except (StaleWorker, Refused):  # somebody else acted meanwhile: there is nothing left to heal
            continue
        except (Problem, ClientError, BotoCoreError) as error:
            failures.append(error)
        else:
            healed += [done] if done else []
    if failures:
        raise ExceptionGroup(f"the sweeper healed {len(healed)} and could not heal {len(failures)}", failures)
    return healed


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
    operation = get(operation_id)
    # The index lags behind the table.
    if operation.status.terminal or timestamp(operation.updated_at) >= quiet_since:
        return None
    execution = describe(operation)
    if execution is None and operation.status is not OperationStatus.CANCELLING:
        return _start(operation)
    if execution is not None and not execution.ended:
        return None
    return _finish(operation, _ending(operation, execution))


def _start(operation: Operation) -> Healed:
    try:
        start(operation)
    except runtime.client("stepfunctions").exceptions.StateMachineDoesNotExist as error:
        # Trying again every minute would keep the cluster leased for ever.
        problem = DeploymentFault(
            f"This deployment has no state machine for {operation.kind!r}: {error}",
            remedy="Redeploy, then retry the operation.",
            operation_id=operation.operation_id,
        )
        return _finish(operation, _failure(operation, problem.body(), Reason.LOST))
    return Healed(operation.operation_id, Healing.STARTED, f"{operation.kind} had no execution")


def _finish(operation: Operation, ending: Ending) -> Healed:
    ended = end(operation, ending)
    return Healed(operation.operation_id, Healing.FINISHED, f"{operation.status} became {ended.status}")


def _ending(operation: Operation, execution: Execution | None) -> Ending:
    if execution is None or operation.status is OperationStatus.CANCELLING:
        stopped = _close_running(operation, StageStatus.CANCELLED, {"reason": Reason.CANCELLED_BY_CALLER})
        reason, seen = Reason.CANCELLED_BY_CALLER, operation.version
        return Ending(OperationStatus.CANCELLED, reason=reason, stage_writes=stopped, seen_version=seen)
    if operation.stages and all(stage.status.standing for stage in operation.stages):
        return Ending(OperationStatus.SUCCEEDED, seen_version=operation.version)
    failed = next((stage.error for stage in operation.stages if stage.status is StageStatus.FAILED), None)
    # A stage that recorded its failure knows more than the execution that ended over it.
    problem = failed or _lost(operation, execution)
    return _failure(operation, problem, _REASONS.get(execution.status, Reason.LOST))


def _failure(operation: Operation, problem: ProblemBody, reason: Reason) -> Ending:
    closed = _close_running(operation, StageStatus.FAILED, {"error": problem, "reason": reason})
    seen = operation.version
    return Ending(OperationStatus.FAILED, error=problem, reason=reason, stage_writes=closed, seen_version=seen)


def _lost(operation: Operation, execution: Execution) -> ProblemBody:
    running = [stage.title for stage in operation.stages if stage.status is StageStatus.RUNNING]
    said = ": ".join(text for text in (execution.error, execution.cause) if text) or "no cause given"
    where = f" during {running[0]!r}" if running else ""
    cause = Cause(
        layer=Layer.CONTROL_PLANE, service="states", code=execution.error or execution.status, resource=execution.arn
    )
    return OperationLost(
        f"The execution of {operation.kind} ended as {execution.status}{where} without a final record ({said}).",
        cause=cause,
        remedy=f"Retry with POST /api/operations/{operation.operation_id}/retry; what stands is kept.",
        operation_id=operation.operation_id,
    ).body()


def _close_running(
    operation: Operation, status: StageStatus, changes: dict[str, object]
) -> list[TransactWriteItemTypeDef]:
    # Every change of a stage counts the operation's version up, so `seen_version` guards these writes too.
    return [
        ended_stage(operation.operation_id, stage.record, status, changes, attempt=None)
        for stage in operation.stages
        if stage.status is StageStatus.RUNNING
    ]


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
