"""All checks of the capacity that a request asks for: what has to be known for them, and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.capacity.preflight.models import Facts, Needed, Placed
from functions.capacity.preflight.rules import offerings, plans, pods, quotas, scripts, security_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from functions.core.findings import Finding


def needed(placed: Sequence[Placed]) -> Needed:
    """Say what has to be gathered for the groups of a request."""
    return Needed(
        types=sorted({kind.removeprefix("ml.") for each in placed for kind in each.group.types}),
        plans=_once(each.group.training_plan_arn for each in placed),
        quotas=quotas.names_of(placed),
        quota_codes=quotas.TOTALS,
        security_groups=_once(group for each in placed for group in each.group.security_group_ids or []),
        scripts=_once(scripts.place_of(each.group) for each in placed),
    )


def check(placed: Sequence[Placed], facts: Facts, *, new_vpc: bool, vpc_id: str | None = None) -> list[Finding]:
    """Find everything that is wrong or good to know.

    `new_vpc` says that the request makes the VPC, `vpc_id` in which one the nodes are to stand where that is known.
    """
    return [
        *offerings.check(placed, facts),
        *plans.check(placed, facts),
        *security_groups.check(placed, facts, new_vpc=new_vpc, vpc_id=vpc_id),
        *scripts.check(placed, facts),
        *quotas.check(placed, facts),
        *pods.check(placed),
    ]


def _once(values: Iterable[str | None]) -> list[str]:
    """List each text once, in order; what is None is left out."""
    return list(dict.fromkeys(value for value in values if value))
