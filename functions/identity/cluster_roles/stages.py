"""The operator's rights in a cluster, applied by the administrator before the operator does anything."""

from __future__ import annotations

from typing import Final

from functions.aws import eks
from functions.core.cluster import AccessRole
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import labels_of
from functions.identity.cluster_roles.manifests import OPERATOR, cluster_role, cluster_role_binding
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES

_RESOURCES: Final = (f"clusterrole/{OPERATOR}", f"clusterrolebinding/{OPERATOR}")


class ClusterRole:
    """The ClusterRole of the operator's group, and its binding."""

    def apply(self, context: StageContext) -> Applied:
        """Apply both, full intent."""
        client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)
        labels = labels_of(context.cluster, context.operation.operation_id)
        notes = objects.apply(client, CLUSTER_ROLES, cluster_role(labels))
        notes += objects.apply(client, CLUSTER_ROLE_BINDINGS, cluster_role_binding(labels))
        return Applied(f"{OPERATOR} may do what the stages do", _RESOURCES, notes)

    def observe(self, context: StageContext) -> Observation:
        """Done when the cluster has the very rules, and the binding."""
        client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)
        role = objects.get(client, CLUSTER_ROLES, OPERATOR)
        bound = objects.get(client, CLUSTER_ROLE_BINDINGS, OPERATOR)
        if role is None or bound is None or role.get("rules") != cluster_role({})["rules"]:
            return Reapply(f"the ClusterRole {OPERATOR} is not as wanted")
        return Done({"cluster_role": OPERATOR}, f"{OPERATOR} may do what the stages do", _RESOURCES)


STAGES: Behaviours = {"cluster_role": ClusterRole()}
