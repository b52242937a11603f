"""Stacks through time, without threads: every due instant in order, however far the clock has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.stack_creation import advance_creation
from infra.local.simulators.stack_deletion import advance_deletion
from infra.local.simulators.stack_drift import settle_detections
from infra.local.simulators.stack_executing import advance_execution
from infra.local.simulators.stack_records import IN_PROGRESS, UPDATING, Stack, StackRecords, Status
from infra.local.simulators.stack_turn import Turn
from infra.local.simulators.stack_update import advance_parameters

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.stack_host import StackHost


def settle(records: StackRecords, host: StackHost, now: datetime) -> None:
    """Bring every stack up to `now`."""
    while (at := next_change(records, now)) is not None and at <= now:
        _run(Turn(at, now, records, host))
    settle_detections(records, now)


def next_change(records: StackRecords, now: datetime) -> datetime | None:
    """The earliest instant at which a stack changes by itself or wants to look at what it waits for."""
    changes = (stack.next_change(now) for stack in _active(records))
    return min((change for change in changes if change is not None), default=None)


def announced(records: StackRecords) -> list[datetime]:
    """The instants at which what was asked for is known: detections and change sets."""
    change_sets = [each.due for stack in records.stacks.values() for each in stack.change_sets.values()]
    return [*change_sets, *(detection.due for detection in records.detections.values())]


def _active(records: StackRecords) -> list[Stack]:
    return [stack for stack in records.stacks.values() if stack.status in IN_PROGRESS]


def _run(turn: Turn) -> None:
    """Everything that happens at one instant, until nothing more does."""
    for stack in _active(turn.records):
        if stack.wake is not None and stack.wake <= turn.at:
            stack.wake = None
    changed = True
    while changed:
        changes = [_advance(turn, stack) for stack in _active(turn.records)]
        changed = any(changes)


def _advance(turn: Turn, stack: Stack) -> bool:
    """Do what is due for one stack, which another one may have ended a moment ago."""
    if stack.status not in IN_PROGRESS:
        return False
    if stack.status == Status.CREATE_IN_PROGRESS:
        return advance_creation(turn, stack)
    if stack.status in UPDATING:
        return advance_execution(turn, stack) if stack.update else advance_parameters(turn, stack)
    return advance_deletion(turn, stack)
