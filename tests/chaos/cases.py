"""Which faults strike which calls: six kinds, at the first and at the last call of each operation of each stage."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from infra.local.faults import Fault, Kind
from tests.chaos.course import Course, Occurrences

# "Kill the worker" once before and once after the call's effect would be a seventh: after it, nothing is known.
KINDS = (Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.FAIL_AFTER, Kind.HANG, Kind.DENY, Kind.KILL_AFTER)
_MACHINE = "machine-"
_EVER_AFTER = 10**6


@dataclass(frozen=True)
class Case:
    """One fault: which kind strikes which call of a stage."""

    stage: str
    service: str
    operation: str
    role: str
    occurrence: str
    number: int
    kind: Kind

    @property
    def name(self) -> str:
        where = f"{self.service} {self.operation} by {self.role.removeprefix('instantstart-')}"
        return f"{self.stage}: {self.occurrence} {where}, {self.kind}"

    def fault(self) -> Fault:
        """Give the fault; a right that a stage lacks does not come by itself, so that is denied ever after."""
        times = _EVER_AFTER if self.kind is Kind.DENY and self.of_the_stage else 1
        return Fault(self.service, self.operation, self.kind, self.number, times, role=self.role)

    @property
    def of_a_machine(self) -> bool:
        """Say whether Step Functions itself makes the call: there is no worker to kill."""
        return _MACHINE in self.role

    @property
    def of_the_stage(self) -> bool:
        """Say whether the call is the stage's own work, and not how the control plane runs it."""
        return not self.of_a_machine and self.service != "dynamodb"


def all_of(course: Course) -> list[Case]:
    """List every case."""
    return [case for station in course.values() for calls in station.calls for case in _of(station.stage, calls)]


def sample(cases: list[Case], seed: int, count: int) -> list[Case]:
    """Draw some cases, in their order and always the same for a seed."""
    return [cases[place] for place in sorted(random.Random(seed).sample(range(len(cases)), count))]


def _of(stage: str, calls: Occurrences) -> Iterator[Case]:
    numbers = {"first": calls.first} | ({"last": calls.last} if calls.last != calls.first else {})
    for occurrence, number in numbers.items():
        for kind in KINDS:
            case = Case(stage, calls.service, calls.operation, calls.role, occurrence, number, kind)
            if not (case.of_a_machine and kind is Kind.KILL_AFTER):
                yield case
