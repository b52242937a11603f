"""One instant in the life of the stacks: what creation and deletion share."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from infra.local.simulators.bus_event import BusEvent
from infra.local.simulators.stack_handlers import Call
from infra.local.simulators.stack_records import REMOVED, STACK_TYPE, Stack, StackRecords, StackResource, Status

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.stack_host import StackHost

POLL_INTERVAL = timedelta(seconds=10)
CANCELLED = "Resource creation cancelled"


@dataclass(frozen=True)
class Turn:
    """One instant `at`, looked at from `now`."""

    at: datetime
    now: datetime
    records: StackRecords
    host: StackHost

    def call(self, stack: Stack, resource: StackResource) -> Call:
        """A call of a resource's handler, under the stack's role if it has one."""
        return Call(resource, stack.name, stack.tags, self.host.acting_as(stack.role_arn))

    def is_due(self, resource: StackResource) -> bool:
        """Whether a change of the resource falls on this instant."""
        change = resource.next_change(self.now)
        return change is not None and change <= self.at

    def wait(self, resource: StackResource, seconds: int, *, polled: bool) -> None:
        """Let time pass for a resource; what is polled is asked again and again."""
        resource.polled = polled
        resource.due = self.at + (POLL_INTERVAL if polled else timedelta(seconds=seconds))

    def mark(self, stack: Stack, resource: StackResource, status: Status, reason: str | None = None) -> None:
        """Give a resource a status, with its event."""
        resource.status, resource.reason, resource.updated_at = status, reason, self.at
        if status not in (Status.CREATE_IN_PROGRESS, Status.DELETE_IN_PROGRESS, Status.UPDATE_IN_PROGRESS):
            resource.due = None
        properties = json.dumps(resource.properties) if resource.properties else None
        self.records.note(stack, resource, self.at, properties)

    def mark_stack(self, stack: Stack, status: Status, reason: str | None = None) -> None:
        """Give a stack a status, with its event."""
        former, stack.status, stack.reason = stack.reason, status, reason
        self.records.note(stack, None, self.at)
        self.host.publish(_status_event(stack, self.at))
        if status == Status.ROLLBACK_COMPLETE:
            # The event has no reason, yet DescribeStacks goes on to tell why.
            stack.reason = former

    def open(self, stack: Stack) -> None:
        """Take in a new stack."""
        self.records.stacks[stack.stack_id] = stack
        self.mark_stack(stack, Status.CREATE_IN_PROGRESS, "User Initiated")

    def child(self, resource: StackResource) -> Stack:
        """The nested stack that a resource is."""
        return self.records.stacks[resource.physical_id or ""]

    def cancel_creation(self, stack: Stack) -> None:
        """Stop what is being created, nested stacks included."""
        for resource in stack.resources.values():
            if resource.status == Status.CREATE_IN_PROGRESS:
                self._cancel_child(resource)
                self.mark(stack, resource, Status.CREATE_FAILED, CANCELLED)

    def _cancel_child(self, resource: StackResource) -> None:
        if resource.type == STACK_TYPE and self.child(resource).status == Status.CREATE_IN_PROGRESS:
            child = self.child(resource)
            self.cancel_creation(child)
            self.mark_stack(child, Status.CREATE_FAILED, CANCELLED)

    def begin_deletion(self, stack: Stack, status: Status, reason: str | None = None) -> None:
        """Start to remove whatever a stack has; a creation under way is stopped."""
        self.cancel_creation(stack)
        self.mark_stack(stack, status, reason)
        stack.wake = self.at
        for resource in stack.resources.values():
            resource.doomed = resource.status not in REMOVED | {Status.DELETE_IN_PROGRESS}


def _status_event(stack: Stack, at: datetime) -> BusEvent:
    """Make the event of a stack's status (CloudFormation user guide, "CloudFormation events detail reference")."""
    return BusEvent(
        source="aws.cloudformation",
        detail_type="CloudFormation Stack Status Change",
        detail={
            "stack-id": stack.stack_id,
            "status-details": {"status": str(stack.status), "status-reason": stack.reason or ""},
            "client-request-token": stack.token or "",
        },
        resources=(stack.stack_id,),
        time=at,
    )
