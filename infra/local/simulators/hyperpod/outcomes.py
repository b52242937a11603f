"""What is planned to happen to nodes: the records behind the test-side surface."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

GroupKey = tuple[str, str]
"""A cluster's name and a group's; the group `*` is any."""


@dataclass
class ScriptOutcome:
    """How lifecycle scripts end: an exit code, or None for a script that never ends; `times` None is for ever."""

    exit_code: int | None
    log: tuple[str, ...]
    times: int | None


@dataclass
class CheckOutcome:
    """Deep health checks that fail, with the recovery they call for."""

    recovery: str
    times: int | None


@dataclass(frozen=True)
class CapacityChange:
    """A limit of a pool that holds from a moment on; None lifts it."""

    at: datetime
    spot: bool
    place: tuple[str, str]
    count: int | None


@dataclass
class Outcomes:
    """Everything that is planned."""

    scripts: dict[GroupKey, ScriptOutcome] = field(default_factory=dict)
    checks: dict[GroupKey, CheckOutcome] = field(default_factory=dict)
    strangers: dict[GroupKey, int] = field(default_factory=dict)
    """How many of a group's next instances never join Kubernetes."""
    capacity: list[CapacityChange] = field(default_factory=list)
    alarms: set[str] = field(default_factory=set)
    """CloudWatch alarms in state ALARM."""

    def script(self, cluster: str, group: str) -> ScriptOutcome | None:
        """Take the failure planned for the next script of a group."""
        key = _found(self.scripts, cluster, group)
        if key is None:
            return None
        planned = self.scripts[key]
        planned.times = _used(planned.times)
        if planned.times == 0:
            del self.scripts[key]
        return planned

    def check(self, cluster: str, group: str) -> CheckOutcome | None:
        """Take the failure planned for the next deep health check of a group."""
        key = _found(self.checks, cluster, group)
        if key is None:
            return None
        planned = self.checks[key]
        planned.times = _used(planned.times)
        if planned.times == 0:
            del self.checks[key]
        return planned

    def stranger(self, cluster: str, group: str) -> bool:
        """Say whether the next instance of a group stays away from Kubernetes."""
        key = _found(self.strangers, cluster, group)
        if key is None:
            return False
        self.strangers[key] -= 1
        if not self.strangers[key]:
            del self.strangers[key]
        return True


def _found(planned: dict[GroupKey, ScriptOutcome] | dict[GroupKey, CheckOutcome] | dict[GroupKey, int],
           cluster: str, group: str) -> GroupKey | None:  # fmt: skip
    return next((key for key in ((cluster, group), (cluster, "*")) if key in planned), None)


def _used(times: int | None) -> int | None:
    return None if times is None else times - 1
