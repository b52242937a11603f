"""Who of us gets into a cluster, and by what: an access policy of EKS, or a group that our own ClusterRole serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from functions.core.cluster import AccessRole
from functions.core.drifts import ABSENT, Drift, drift

ENTRY: Final = "EKS access entry"

# Source: Amazon EKS user guide, "Review access policy permissions".
ADMINISTRATOR: Final = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
OPERATOR_GROUP: Final = "instantstart:operator"


@dataclass(frozen=True)
class Access:
    """How one of our roles gets in."""

    role: AccessRole
    groups: tuple[str, ...]
    policies: tuple[str, ...]

    def lacks(self, held: list[str]) -> list[str]:
        """List the policies that are to be associated, given those that the entry holds."""
        return [policy for policy in self.policies if policy not in held]

    def exceeds(self, held: list[str]) -> list[str]:
        """List the policies that are to be taken away: only an administrator administers; others' grants stay."""
        return [policy for policy in held if policy == ADMINISTRATOR and policy not in self.policies]


def entry_drifts(name: str, principal: str, groups: list[str] | None, held: list[str]) -> list[Drift]:
    """List how the entry of one of our roles differs; `groups` is None when there is no entry."""
    access, stage = ACCESS[name], f"access_entry:{name}"
    if groups is None:
        return [drift(principal, ENTRY, stage, expected="present", actual=ABSENT)]
    lost = [group for group in access.groups if group not in groups]
    found = [drift(principal, ENTRY, stage, f"group {group}", expected="member", actual=ABSENT) for group in lost]
    lacking = access.lacks(held)
    found += [
        drift(principal, ENTRY, stage, f"policy {each}", expected="associated", actual=ABSENT) for each in lacking
    ]
    excess = access.exceeds(held)
    return [
        *found,
        *(drift(principal, ENTRY, stage, f"policy {each}", expected=ABSENT, actual="associated") for each in excess),
    ]


# The administrator serves helm and what must be there before the operator can do anything.
ACCESS: Final = {
    "admin": Access(AccessRole.ADMIN, (), (ADMINISTRATOR,)),
    "operator": Access(AccessRole.OPERATOR, (OPERATOR_GROUP,), ()),
}
