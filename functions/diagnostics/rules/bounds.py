"""The answer's size: whatever an account holds, it stays below what an agent reads in one go."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Counts, Diagnosis, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from functions.diagnostics.models.answers import Check

# Bytes of JSON, of which the frame takes less than 500.
SIZE_LIMIT: Final = 16 * 1024
_ROOM: Final = SIZE_LIMIT - 1024
# Of one check so many are listed, the heaviest: what ails a hundred subnets ails the first three.
EACH: Final = 3


def diagnosis(tag: str, at: datetime, checks: Sequence[Check], *, complete: bool) -> Diagnosis:
    """Make the answer of checks in their order: those that do not fit lose their evidence, then their place."""
    counts = Counter(check.status for check in checks)
    listed = _fitting(_few_of_each(checks))
    return Diagnosis(
        cluster_tag=tag,
        checked_at=at,
        complete=complete,
        counts=Counts(
            failed=counts[Status.FAIL],
            warned=counts[Status.WARN],
            informed=counts[Status.INFO],
            passed=counts[Status.PASS],
        ),
        checks=listed,
        more_checks=len(checks) - len(listed),
    )


def _few_of_each(checks: Sequence[Check]) -> list[Check]:
    seen = Counter[str]()
    kept: list[Check] = []
    for check in checks:
        seen[check.check] += 1
        if seen[check.check] <= EACH:
            kept.append(check)
    return kept


def _fitting(checks: Sequence[Check]) -> list[Check]:
    """Keep what there is room for, in order; room for every check without evidence is kept back before any is shown."""
    bare = [_bare(check) for check in checks]
    left = _ROOM - sum(map(size, bare))
    kept: list[Check] = []
    for check, without in zip(checks, bare, strict=True):
        extra = size(check) - size(without)
        kept.append(check if extra <= left else without)
        left -= extra if extra <= left else 0
    while kept and sum(map(size, kept)) > _ROOM:
        kept.pop()
    return kept


def _bare(check: Check) -> Check:
    return check.model_copy(
        update={"evidence": [], "more_evidence": check.more_evidence + len(check.evidence)} if check.evidence else {}
    )


def size(check: Check) -> int:
    """Count the bytes that a check takes in the answer, with what parts it from the next."""
    return len(json.dumps(check.model_dump(mode="json"))) + 2
