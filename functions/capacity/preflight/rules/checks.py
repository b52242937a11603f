"""All checks of one request: what has to be known for them, and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.models import Facts, Needed, Placed
from functions.capacity.preflight.rules import offerings, plans, pods, quotas, scripts, security_groups
from functions.core.errors import Conflict, InvalidRequest, QuotaExceeded
from functions.core.findings import Finding, Level, errors_in, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What only another request can put right; every other error may pass when the state of the account changes.
_INVALID: Final = frozenset(
    {
        offerings.OFFERING,
        plans.UNKNOWN,
        plans.INSTANCE_TYPE,
        plans.TARGET,
        pods.NO_INSTANCE,
        scripts.SCRIPT,
        security_groups.NEW_VPC,
        security_groups.OTHER_VPC,
    }
)


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
    """Find everything that is wrong or good to know, errors first.

    `new_vpc` says that the request makes the VPC, `vpc_id` which one it takes over.
    """
    found = [
        *offerings.check(placed, facts),
        *plans.check(placed, facts),
        *security_groups.check(placed, facts, new_vpc=new_vpc, vpc_id=vpc_id),
        *scripts.check(placed, facts),
        *quotas.check(placed, facts),
        *pods.check(placed),
        *(unchecked(name, why) for name, why in facts.unchecked.items()),
    ]
    errors = errors_in(found)
    return [*map(_coded, errors), *(finding for finding in found if finding not in errors)]


def _coded(finding: Finding) -> Finding:
    """Say with which code an error refuses the request."""
    if finding.level is not Level.ERROR:
        return finding
    kind = QuotaExceeded if finding.check == quotas.QUOTA else Conflict
    return finding.model_copy(update={"code": InvalidRequest.code if finding.check in _INVALID else kind.code})


def _once(values: Iterable[str | None]) -> list[str]:
    """List each text once, in order; what is None is left out."""
    return list(dict.fromkeys(value for value in values if value))
