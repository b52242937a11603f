"""Who of us gets into a cluster, and by what: an access policy of EKS, or a group that our own ClusterRole serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from functions.core.cluster import AccessRole

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


# The administrator serves helm and what must be there before the operator can do anything.
ACCESS: Final = {
    "admin": Access(AccessRole.ADMIN, (), (ADMINISTRATOR,)),
    "operator": Access(AccessRole.OPERATOR, (OPERATOR_GROUP,), ()),
}
