"""A diagnosis from gathered facts: every area's checks, the heaviest first, in an answer of bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Area, Name, Priority, Status
from functions.diagnostics.rules import (
    access,
    acls,
    addons,
    capacity,
    control_plane,
    events,
    execution_roles,
    foundation,
    hyperpod,
    lifecycle,
    nodes,
    operations,
    security_groups,
    subnets,
    traffic,
)
from functions.diagnostics.rules.bounds import diagnosis
from functions.diagnostics.rules.saying import is_unchecked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from functions.diagnostics.models.answers import Check, Diagnosis
    from functions.diagnostics.models.facts import Facts

_AREAS: Final = (
    operations,
    foundation,
    control_plane,
    access,
    execution_roles,
    addons,
    hyperpod,
    events,
    security_groups,
    subnets,
    traffic,
    acls,
    lifecycle,
    capacity,
    nodes,
)
_STATUSES: Final = tuple(Status)
_PRIORITIES: Final = tuple(Priority)
_NAMES: Final = tuple(Name)
ALL: Final = frozenset(Area)


def diagnose(facts: Facts, areas: Collection[Area] = ALL) -> Diagnosis:
    """Judge what was gathered; what blocks comes first."""
    checks = sorted((check for check in _checks(facts) if check.area in areas), key=weight)
    complete = not any(is_unchecked(check) for check in checks)
    return diagnosis(facts.spec.tag, facts.at, checks, complete=complete)


def weight(check: Check) -> tuple[int, int, int, str]:
    """Rank a check: by its status, its priority, its place on a cluster's way, and its resource."""
    priority = _PRIORITIES.index(check.priority) if check.priority else len(_PRIORITIES)
    return _STATUSES.index(check.status), priority, _NAMES.index(check.check), check.resource or ""


def _checks(facts: Facts) -> Iterator[Check]:
    for area in _AREAS:
        yield from area.check(facts)
