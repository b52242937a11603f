"""The vocabulary of the ledger: operations, their stages, who acted and what was noted."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, JsonValue

from functions.core.errors import ProblemBody
from functions.core.findings import Finding

JsonObject = dict[str, JsonValue]


class OperationStatus(StrEnum):
    """Where an operation stands; the last three are terminal and never change."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    CANCELLING = "CANCELLING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def terminal(self) -> bool:
        """Say whether the operation has ended."""
        return self in TERMINAL_STATUSES


TERMINAL_STATUSES = frozenset({OperationStatus.SUCCEEDED, OperationStatus.FAILED, OperationStatus.CANCELLED})


class StageStatus(StrEnum):
    """Where a stage stands; a retry starts with what already stood as SKIPPED."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    SKIPPED = "SKIPPED"

    @property
    def standing(self) -> bool:
        """Say whether what the stage makes exists."""
        return self in (StageStatus.SUCCEEDED, StageStatus.SKIPPED)


class Reason(StrEnum):
    """Why a status is what it is, where the status alone does not say."""

    WAITING_CAPACITY = "WAITING_CAPACITY"
    WAITING_NODES = "WAITING_NODES"
    WAITING_DEEP_HEALTH_CHECK = "WAITING_DEEP_HEALTH_CHECK"
    BLOCKED = "BLOCKED"
    LOST = "LOST"
    ABORTED = "ABORTED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED_BY_CALLER = "CANCELLED_BY_CALLER"


class Channel(StrEnum):
    """Through which door a caller came; derived, never sent."""

    CONSOLE = "console"
    REST = "rest"
    AGENT = "agent"


class Record(BaseModel):
    """Base of what the ledger stores and answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Actor(Record):
    """Who started an operation, through which door, with which client."""

    id: str
    channel: Channel
    client: str


class Stage(Record):
    """One stage of an operation: it brings one thing to its desired state and records what it saw."""

    number: int
    phase: str
    name: str
    function: str
    title: str
    status: StageStatus = StageStatus.PENDING
    attempt: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    expected_seconds: int
    reason: Reason | None = None
    message: str | None = None
    resources: list[str] = []
    result: JsonObject = {}
    error: ProblemBody | None = None

    @property
    def record(self) -> str:
        """Give the key of the stage's record, by which every stage transition names it."""
        return f"stage#{self.number:03}#{self.phase}#{self.name}"


class Phase(Record):
    """A named group of stages; its status is computed from theirs."""

    name: str
    status: StageStatus


class Operation(Record):
    """One requested change of a cluster, from acceptance to its terminal record."""

    operation_id: str
    kind: str
    cluster_tag: str
    account_id: str
    region: str
    actor: Actor
    status: OperationStatus = OperationStatus.PENDING
    reason: Reason | None = None
    phases: list[Phase] = []
    stages: list[Stage] = []
    request: JsonObject
    findings: list[Finding] = []
    result: JsonObject | None = None
    error: ProblemBody | None = None
    scopes: list[str]
    created_at: datetime
    started_at: datetime | None = None
    updated_at: datetime
    finished_at: datetime | None = None
    version: int = 1
    retry_after_seconds: int | None = None
    retry_of: str | None = None


class AuditEntry(Record):
    """Who did what to an operation, written in the same transaction as the change.

    It outlives its operation, so it says itself what that was about; an entry of an early release may not.
    """

    operation_id: str
    entry_id: str
    at: datetime
    actor: Actor
    action: str
    detail: str
    kind: str | None = None
    cluster_tag: str | None = None


class AuditPage(Record):
    """One page of audit entries of all operations, newest first."""

    entries: list[AuditEntry]
    next_token: str | None = None


class PlannedStage(Record):
    """A stage as a pipeline plans it, before the ledger numbers it."""

    phase: str
    name: str
    function: str
    title: str
    expected_seconds: int


class NewOperation(Record):
    """What a route asks the ledger to begin.

    `new_cluster` holds the cluster's `spec` record when the operation creates the cluster; the transaction then
    refuses an existing tag. `changed_cluster` holds the members of an existing `spec` that the operation changes, and
    `cluster_version` the version of the `spec` that they were made from; another version refuses the transaction.
    `sent` is the request as the caller sent it, by which a repeat is known, where `request` says more than that.
    `findings` are what was noticed about it and did not refuse it. `audited` is what the audit says about it beside
    its kind, where that says too little of what somebody did. An `implied_key` is none of the caller's: it stands for
    the request itself, until a while after the operation has ended; `supersedes` names the operation of which that is
    over.
    """

    kind: str
    cluster_tag: str
    actor: Actor
    request: JsonObject
    stages: list[PlannedStage]
    scopes: list[str]
    route: str
    idempotency_key: str | None = None
    implied_key: bool = False
    supersedes: str | None = None
    new_cluster: JsonObject | None = None
    changed_cluster: JsonObject | None = None
    cluster_version: int | None = None
    sent: JsonObject | None = None
    findings: list[Finding] = []
    retry_of: str | None = None
    audited: str | None = None


class Begun(Record):
    """The operation, and whether an earlier request with the same key had begun it."""

    operation: Operation
    replayed: bool


class Page(Record):
    """One page of operations, newest first."""

    operations: list[Operation]
    next_token: str | None = None
