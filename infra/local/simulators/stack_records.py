"""What the CloudFormation simulator remembers: stacks, their resources and events, all picklable."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject
    from infra.local.simulators.stack_template import Template

STACK_TYPE = "AWS::CloudFormation::Stack"
# Events of one instant stay in order for clients that sort by time.
EVENT_DISTANCE = timedelta(milliseconds=1)


class Status(StrEnum):
    """Status of a stack or a resource; a resource that was not begun is WAITING, which AWS does not list."""

    WAITING = "WAITING"
    CREATE_IN_PROGRESS = "CREATE_IN_PROGRESS"
    CREATE_COMPLETE = "CREATE_COMPLETE"
    CREATE_FAILED = "CREATE_FAILED"
    ROLLBACK_IN_PROGRESS = "ROLLBACK_IN_PROGRESS"
    ROLLBACK_COMPLETE = "ROLLBACK_COMPLETE"
    ROLLBACK_FAILED = "ROLLBACK_FAILED"
    DELETE_IN_PROGRESS = "DELETE_IN_PROGRESS"
    DELETE_COMPLETE = "DELETE_COMPLETE"
    DELETE_FAILED = "DELETE_FAILED"
    DELETE_SKIPPED = "DELETE_SKIPPED"
    UPDATE_IN_PROGRESS = "UPDATE_IN_PROGRESS"
    UPDATE_COMPLETE_CLEANUP_IN_PROGRESS = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"
    UPDATE_COMPLETE = "UPDATE_COMPLETE"
    UPDATE_FAILED = "UPDATE_FAILED"
    UPDATE_ROLLBACK_IN_PROGRESS = "UPDATE_ROLLBACK_IN_PROGRESS"
    UPDATE_ROLLBACK_FAILED = "UPDATE_ROLLBACK_FAILED"
    UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS = "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"
    UPDATE_ROLLBACK_COMPLETE = "UPDATE_ROLLBACK_COMPLETE"


UPDATING = frozenset({Status.UPDATE_IN_PROGRESS, Status.UPDATE_ROLLBACK_IN_PROGRESS})
IN_PROGRESS = UPDATING | {Status.CREATE_IN_PROGRESS, Status.ROLLBACK_IN_PROGRESS, Status.DELETE_IN_PROGRESS}
# A stack at rest that can be updated, and looked at for drift.
UPDATABLE = frozenset({Status.CREATE_COMPLETE, Status.UPDATE_COMPLETE, Status.UPDATE_ROLLBACK_COMPLETE})
REMOVED = frozenset({Status.WAITING, Status.DELETE_COMPLETE, Status.DELETE_SKIPPED})


@dataclass
class StackResource:
    """One resource; `due` is the instant of its next change, or of the next look at it when it is `polled`.

    `doomed` marks what a deletion under way has still to begin with, `changing` what an update has; `former` are the
    properties before it.
    """

    logical_id: str
    type: str
    requires: frozenset[str]
    status: Status = Status.WAITING
    reason: str | None = None
    physical_id: str | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    properties: JsonObject = field(default_factory=dict)
    due: datetime | None = None
    polled: bool = False
    doomed: bool = False
    changing: bool = False
    former: JsonObject | None = None
    updated_at: datetime | None = None

    def next_change(self, now: datetime) -> datetime | None:
        """When to look at it again; what another service knows can only be asked about the present."""
        if self.due is None or not self.polled:
            return self.due
        return max(self.due, now)


@dataclass(frozen=True)
class StackEvent:
    """One line of a stack's history."""

    event_id: str
    logical_id: str
    physical_id: str
    type: str
    status: Status
    reason: str | None
    at: datetime
    token: str | None
    properties: str | None


@dataclass(frozen=True)
class ResourceDrift:
    """What a detection found of a resource; `differences` are path, expected, actual and kind, as text."""

    status: str
    at: datetime
    expected: str | None = None
    actual: str | None = None
    differences: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True)
class Detection:
    """A drift detection of a stack: its answer is known from `due` on."""

    detection_id: str
    stack_id: str
    begun_at: datetime
    due: datetime
    found: dict[str, ResourceDrift]

    @property
    def drifted(self) -> int:
        """How many resources are not as the template has them."""
        return sum(each.status in ("MODIFIED", "DELETED") for each in self.found.values())


@dataclass(frozen=True)
class PropertyChange:
    """A property that a change set would set; `dynamic` follows from a reference to what is made anew."""

    name: str
    before: str
    after: str
    recreates: bool
    dynamic: bool
    causing: str | None = None


@dataclass(frozen=True)
class ResourceChange:
    """What a change set would do to one resource."""

    logical_id: str
    action: str
    drift_status: str
    properties: tuple[PropertyChange, ...] = ()

    @property
    def replacement(self) -> str | None:
        """Whether the resource would be made anew beside itself."""
        if self.action != "Modify":
            return None
        ways = {change.dynamic for change in self.properties if change.recreates}
        return "False" if not ways else "Conditional" if ways == {True} else "True"


@dataclass
class ChangeSet:
    """A change set of a stack; what it lists is known from `due` on."""

    change_set_id: str
    name: str
    created_at: datetime
    due: datetime
    parameters: dict[str, str]
    mode: str | None
    drift_status: str
    changes: list[ResourceChange]
    role_arn: str | None = None
    token: str | None = None
    description: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    execution: str = "AVAILABLE"

    def ready(self, now: datetime) -> bool:
        """Whether its changes are known."""
        return self.due <= now


@dataclass
class Update:
    """An update under way: which resources still wait, how the changed ones were, and what cleaning up is left."""

    change_set: ChangeSet
    waiting: list[str]
    former: dict[str, StackResource] = field(default_factory=dict)
    actual: dict[str, JsonObject] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class Stack:
    """One stack; `wake` asks for a look at it, `undoing` is set while a failed creation is taken back."""

    stack_id: str
    name: str
    template: Template
    parameters: dict[str, str]
    resources: dict[str, StackResource]
    created_at: datetime
    status: Status = Status.CREATE_IN_PROGRESS
    reason: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    capabilities: list[str] = field(default_factory=list)
    on_failure: str = "ROLLBACK"
    role_arn: str | None = None
    token: str | None = None
    creation_token: str | None = None
    termination_protection: bool = False
    parent_id: str | None = None
    root_id: str | None = None
    outputs: dict[str, str] = field(default_factory=dict)
    events: list[StackEvent] = field(default_factory=list)
    wake: datetime | None = None
    undoing: bool = False
    deleted_at: datetime | None = None
    updated_at: datetime | None = None
    former_parameters: dict[str, str] = field(default_factory=dict)
    former_tags: dict[str, str] = field(default_factory=dict)
    change_set_id: str | None = None
    change_sets: dict[str, ChangeSet] = field(default_factory=dict)
    update: Update | None = None
    drift: Detection | None = None
    checked_at: datetime | None = None

    def next_change(self, now: datetime) -> datetime | None:
        """The earliest instant at which something happens by itself."""
        changes = [self.wake, *(resource.next_change(now) for resource in self.resources.values())]
        return min((change for change in changes if change is not None), default=None)


@dataclass(frozen=True)
class Fault:
    """A failure to come, for a logical id or a resource type."""

    message: str
    handler_code: str


@dataclass
class StackRecords:
    """Everything the simulator remembers, deleted stacks included."""

    stacks: dict[str, Stack] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    detections: dict[str, Detection] = field(default_factory=dict)
    last_event_at: datetime | None = None

    def living(self, name: str) -> Stack | None:
        """The stack that has this name now."""
        found = (stack for stack in self.stacks.values() if stack.name == name)
        return next((stack for stack in found if stack.status != Status.DELETE_COMPLETE), None)

    def find(self, name_or_id: str) -> Stack | None:
        """A stack by id, deleted or not, or by its present name."""
        return self.stacks.get(name_or_id) or self.living(name_or_id)

    def note(self, stack: Stack, resource: StackResource | None, at: datetime, properties: str | None = None) -> None:
        """Add an event that repeats the present status of a resource, or of the stack itself."""
        if self.last_event_at is not None:
            at = max(at, self.last_event_at + EVENT_DISTANCE)
        self.last_event_at = at
        subject = resource or StackResource(stack.name, STACK_TYPE, frozenset(), stack.status, stack.reason)
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        stack.events.append(
            StackEvent(
                event_id=f"{subject.logical_id}-{subject.status}-{stamp}" if resource else str(uuid4()),
                logical_id=subject.logical_id,
                physical_id=(subject.physical_id or "") if resource else stack.stack_id,
                type=subject.type,
                status=subject.status,
                reason=subject.reason,
                at=at,
                token=stack.token,
                properties=properties,
            )
        )
