"""The operator's rights in a cluster, applied by the administrator before the operator does anything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.core import detection
from functions.core.cluster import AccessRole
from functions.core.detection import Part
from functions.core.drifts import ABSENT, Drift, drift
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import labels_of
from functions.identity.cluster_roles.manifests import OPERATOR, cluster_role, cluster_role_binding
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.objects import Object

_STAGE: Final = "cluster_role:operator"
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
        if _differences(client):
            return Reapply(f"the ClusterRole {OPERATOR} is not as wanted")
        return Done({"cluster_role": OPERATOR}, f"{OPERATOR} may do what the stages do", _RESOURCES)


def _differences(client: ClusterClient) -> list[Drift]:
    """Compare what decides: the rules of the role; and whom the binding binds to what."""
    role = objects.get(client, CLUSTER_ROLES, OPERATOR)
    bound = objects.get(client, CLUSTER_ROLE_BINDINGS, OPERATOR)
    wanted = {"rules": cluster_role({})["rules"]}
    binding = cluster_role_binding({})
    bindings = {"roleRef": binding["roleRef"], "subjects": binding["subjects"]}
    return [*_compared("ClusterRole", wanted, role), *_compared("ClusterRoleBinding", bindings, bound)]


def _compared(kind: str, wanted: dict[str, JsonValue], found: Object | None) -> list[Drift]:
    if found is None:
        return [drift(OPERATOR, kind, _STAGE, expected="present", actual=ABSENT)]
    return [
        drift(OPERATOR, kind, _STAGE, name, expected=json.dumps(value), actual=json.dumps(found.get(name)))
        for name, value in wanted.items()
        if found.get(name) != value
    ]


def _parts(context: StageContext) -> list[Part]:
    def look() -> list[Drift]:
        cluster = context.cluster.names.eks_cluster
        return _differences(connection.connect(cluster, eks.api_server_of, AccessRole.ADMIN))

    return [Part(OPERATOR, "ClusterRole", (_STAGE,), look)]


STAGES: Behaviours = {"cluster_role": ClusterRole(), "cluster_role_drift": detection.of(_parts)}
