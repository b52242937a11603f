"""Whether a security group lets nodes and control plane of a cluster reach each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.security_groups import missing_rules
from functions.core.findings import Finding, Level
from functions.network.reuse.rules.kinds import SECURITY_GROUP, SECURITY_GROUP_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.cluster import ReusedResources
    from functions.network.reuse.models import Facts

_FIELD: Final = "foundation.security_group_id"


def check(reused: ReusedResources, facts: Facts) -> Iterator[Finding]:
    """Judge the security group of nodes and control plane: kubelet, webhooks and EFA all go from member to member."""
    group_id = reused.security_group_id
    if group_id is None or facts.security_groups is None:
        return
    group = facts.security_groups.get(group_id)
    if group is None:
        yield _error(SECURITY_GROUP, group_id, f"{group_id} does not exist in this region", "Name one that does.")
    elif group.vpc_id != reused.vpc_id:
        said = f"{group_id} is in {group.vpc_id}, not in {reused.vpc_id}"
        yield _error(SECURITY_GROUP, group_id, said, f"Name a security group of {reused.vpc_id}.")
    elif missing := missing_rules(group):
        rules = " and ".join(f"'{rule}'" for rule in missing)
        said = f"{group_id} lacks the rule {rules}, by which nodes and control plane reach each other"
        yield _error(SECURITY_GROUP_RULES, group_id, said, f"Add {rules} to {group_id}, then send the request again.")


def _error(check: str, group_id: str, message: str, remedy: str) -> Finding:
    return Finding(check=check, level=Level.ERROR, field=_FIELD, message=message, resource=group_id, remedy=remedy)
