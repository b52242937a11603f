"""Access entries: how the control plane's own roles get into a cluster.

The foundation stack makes them; this stage looks again, because an entry dies with the id of its role and anybody may
have made one of the same name before.
"""

from __future__ import annotations

from typing import Final

from functions.aws import access_entries
from functions.core import settings
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext

# Source: Amazon EKS user guide, "Review access policy permissions".
ADMINISTRATOR: Final = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
_ROLES: Final = {"admin": "KUBERNETES_ADMIN_ROLE_ARN", "operator": "KUBERNETES_OPERATOR_ROLE_ARN"}


class AccessEntry:
    """The entry of the role that the stage's parameter names, with its policy."""

    def apply(self, context: StageContext) -> Applied:
        """Create the entry unless it is there, then associate the policy if it is missing."""
        cluster, role = context.cluster.names.eks_cluster, settings.required(_ROLES[context.parameter])
        present = access_entries.exists(cluster, role)
        if not present:
            present = not access_entries.create(cluster, role)
        if ADMINISTRATOR not in access_entries.policies(cluster, role):
            access_entries.associate(cluster, role, ADMINISTRATOR)
        return Applied("entry already present" if present else "entry created", (role,))

    def observe(self, context: StageContext) -> Observation:
        """Done when entry and policy are there."""
        cluster, role = context.cluster.names.eks_cluster, settings.required(_ROLES[context.parameter])
        if not access_entries.exists(cluster, role) or ADMINISTRATOR not in access_entries.policies(cluster, role):
            return Reapply(f"{role} has no way into {cluster}")
        return Done({"principal": role, "policy": ADMINISTRATOR}, context.stage.message or "entry present", (role,))


STAGES: Behaviours = {"access_entry": AccessEntry()}
