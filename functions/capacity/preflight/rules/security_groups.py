"""Whether security groups of the caller's own let EFA through.

EFA traffic needs all traffic allowed from and to the group itself; without it HyperPod's EFA check fails before any
lifecycle script runs. Source: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import has_efa
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.capacity.preflight.models import Facts, Placed, SecurityGroup

SECURITY_GROUP: Final = "efa_security_group"
NEW_VPC: Final = "security_group_in_new_vpc"
OTHER_VPC: Final = "security_group_of_another_vpc"


def check(placed: Sequence[Placed], facts: Facts, *, new_vpc: bool, vpc_id: str | None = None) -> Iterator[Finding]:
    """Judge the security groups of each group.

    In a VPC that the request makes (`new_vpc`) there can be none yet; `vpc_id` is the cluster's, where it is known.
    """
    if new_vpc:
        yield from (_foreign(each) for each in placed if each.group.security_group_ids)
        return
    if facts.security_groups is None:
        return
    for each in placed:
        for group_id in each.group.security_group_ids or []:
            if group_id in facts.security_groups:
                yield from _check(each, group_id, facts.security_groups[group_id], vpc_id)


def missing_rules(group: SecurityGroup) -> list[str]:
    """Say which rules for EFA a security group lacks."""
    rules = {"inbound: all traffic from itself": group.from_itself, "outbound: all traffic to itself": group.to_itself}
    return [rule for rule, there in rules.items() if not there]


def _foreign(each: Placed) -> Finding:
    named = ", ".join(each.group.security_group_ids or [])
    message = f"{named} cannot be in the VPC that this request makes"
    remedy = (
        "Leave security_group_ids out, name the VPC it is in as foundation.vpc_id, or create the foundation alone, add "
        "the security group to its VPC and then create the HyperPod cluster."
    )
    field = each.at("security_group_ids")
    return Finding(check=NEW_VPC, level=Level.ERROR, field=field, message=message, remedy=remedy)


def _check(each: Placed, group_id: str, group: SecurityGroup | None, vpc_id: str | None) -> Iterator[Finding]:
    if group is None:
        yield _error(each, group_id, f"{group_id} does not exist in this region", "Name one that does.")
        return
    if vpc_id and group.vpc_id != vpc_id:
        message = f"{group_id} is in {group.vpc_id}, not in {vpc_id}, where the nodes stand"
        yield _error(each, group_id, message, f"Name a security group of {vpc_id}.", OTHER_VPC)
        return
    missing = missing_rules(group) if any(map(has_efa, each.group.types)) else []
    if missing:
        rules = " and ".join(f"'{rule}'" for rule in missing)
        message = f"{group_id} lacks the rule {rules}, without which EFA does not work"
        yield _error(each, group_id, message, f"Add {rules} to {group_id}, then send the request again.")


def _error(each: Placed, group_id: str, message: str, remedy: str, check: str = SECURITY_GROUP) -> Finding:
    field = each.at("security_group_ids")
    return Finding(check=check, level=Level.ERROR, field=field, message=message, resource=group_id, remedy=remedy)
