"""The operations routes: read the ledger, wait on it, and begin or end work through it.

Annotations are evaluated here, because Powertools reads them to validate.
"""

import json
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi import params
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict, JsonValue

from functions.core import application, ledger, mutations, runtime
from functions.core.application import IdempotencyKey, PageLimit, PageToken
from functions.core.ledger.models import AuditEntry, Operation, OperationStatus, Page
from functions.core.ledger.queries import advised
from functions.core.mutations import Answer, DryRun
from functions.core.phases import BY_KIND
from functions.operations import rules

MAX_WAIT_SECONDS: Final = 20
# What is left of an invocation after a wait, to answer in.
RESERVE_SECONDS: Final = 5
# A wait looks often at first and then more seldom.
FIRST_POLL_SECONDS: Final = 1.0
LAST_POLL_SECONDS: Final = 5.0
_OPENAPI: Final = Path(__file__).parents[1] / "core" / "data" / "openapi.json"

OperationId = Annotated[str, params.Path(max_length=64, description="The id of an operation.")]
Wait = Annotated[int, params.Query(ge=0, description="Seconds to wait for the end; at most 20 are waited.")]
Word = Annotated[str | None, params.Query(min_length=1, max_length=64)]


class AuditTrail(BaseModel):
    """Everything that was done to an operation, oldest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entries: list[AuditEntry]


def list_operations(
    cluster_tag: Word = None,
    status: Annotated[OperationStatus | None, params.Query()] = None,
    kind: Word = None,
    limit: PageLimit = None,
    next_token: PageToken = None,
) -> Page:
    """List operations, newest first; they come without their stages."""
    caller = application.caller().id
    page = ledger.list_operations(
        caller=caller, cluster_tag=cluster_tag, status=status, kind=kind, limit=limit, token=next_token
    )
    return page.model_copy(update={"operations": [advised(operation) for operation in page.operations]})


def get_operation(operation_id: OperationId, wait: Wait = 0) -> Operation:
    """Read an operation, at once or when it has ended."""
    patience = min(wait, MAX_WAIT_SECONDS, application.seconds_left() - RESERVE_SECONDS)
    until = runtime.now() + timedelta(seconds=max(patience, 0))
    operation, pause = ledger.get(operation_id), FIRST_POLL_SECONDS
    while not operation.status.terminal and (left := (until - runtime.now()).total_seconds()) > 0:
        runtime.sleep(min(pause, left))
        pause = min(2 * pause, LAST_POLL_SECONDS)
        operation = ledger.get(operation_id)
    return advised(operation)


def get_operation_audit(operation_id: OperationId) -> AuditTrail:
    """Read who did what to an operation."""
    return AuditTrail(entries=ledger.audit(operation_id))


def retry_operation(
    operation_id: OperationId, dry_run: DryRun = False, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Begin a new operation that goes on where this one stopped."""
    earlier = _owned(operation_id)
    if dry_run:
        return mutations.previewed(rules.retried(earlier, ledger.refusal(earlier)))
    begun = ledger.retry(operation_id, application.caller().actor, idempotency_key)
    return application.accepted(begun.operation, replayed=begun.replayed)


def cancel_operation(operation_id: OperationId, dry_run: DryRun = False) -> Answer:
    """Ask an operation to stop, and wake its waiting stages to hear of it."""
    earlier = _owned(operation_id)
    if dry_run:
        return mutations.previewed(rules.cancelled(earlier))
    operation = ledger.request_cancel(operation_id, application.caller().actor)
    for token in ledger.await_tokens(operation_id).values():
        _wake(token)
    return application.accepted(operation)


def get_openapi() -> dict[str, JsonValue]:
    """Give the OpenAPI document that was built with this release."""
    return _document()


@cache
def _document() -> dict[str, JsonValue]:
    document: dict[str, JsonValue] = json.loads(_OPENAPI.read_text(encoding="utf-8"))
    return document


def _owned(operation_id: str) -> Operation:
    """Read an operation that the caller might have begun; raise Forbidden, or NotFound."""
    operation = ledger.get(operation_id)
    if operation.kind in BY_KIND:
        application.caller().require(BY_KIND[operation.kind].scope)
    if (groups := ledger.owner_groups_of(operation.cluster_tag)) is not None:
        application.caller().require_owner(operation.cluster_tag, groups)
    return operation


def _wake(token: str) -> None:
    try:
        ledger.wake(token)
    except (ClientError, BotoCoreError):
        return  # the request is on record: a stage that moved on, or was not reached, hears of it at its next turn
