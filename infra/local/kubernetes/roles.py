"""The roles every cluster has, and what the EKS access policies allow."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject

_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "deletecollection", "patch", "update"]
_GROUP = "rbac.authorization.k8s.io"
_VIEWED: dict[str, list[str]] = {
    "": ["bindings", "configmaps", "endpoints", "events", "limitranges", "namespaces", "namespaces/status",
         "persistentvolumeclaims", "persistentvolumeclaims/status", "pods", "pods/log", "pods/status",
         "resourcequotas", "serviceaccounts", "services", "services/status"],
    "apps": ["daemonsets", "daemonsets/status", "deployments", "deployments/scale", "deployments/status",
             "replicasets", "replicasets/scale", "replicasets/status", "statefulsets", "statefulsets/scale",
             "statefulsets/status"],
    "batch": ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
    "autoscaling": ["horizontalpodautoscalers", "horizontalpodautoscalers/status"],
    "networking.k8s.io": ["ingresses", "ingresses/status", "networkpolicies"],
    "policy": ["poddisruptionbudgets", "poddisruptionbudgets/status"],
    "discovery.k8s.io": ["endpointslices"],
}  # fmt: skip
_EDITED: dict[str, list[str]] = {
    "": ["configmaps", "events", "persistentvolumeclaims", "pods", "pods/eviction", "pods/proxy", "secrets",
         "serviceaccounts", "services", "services/proxy"],
    "apps": ["daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale", "statefulsets",
             "statefulsets/scale"],
    "batch": ["cronjobs", "jobs"],
    "autoscaling": ["horizontalpodautoscalers"],
    "networking.k8s.io": ["ingresses", "networkpolicies"],
    "policy": ["poddisruptionbudgets"],
    "coordination.k8s.io": ["leases"],
}  # fmt: skip


def _rule(group: str, resources: list[str], verbs: list[str]) -> JsonObject:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


_VIEW = [_rule(group, resources, _READ) for group, resources in _VIEWED.items()]
_EDIT = [
    *_VIEW,
    *(_rule(group, resources, [*_READ, *_WRITE]) for group, resources in _EDITED.items()),
    _rule("", ["serviceaccounts/token"], ["create"]),
    _rule("", ["serviceaccounts"], ["impersonate"]),
]
_ADMIN = [
    *_EDIT,
    _rule("", ["pods/binding"], ["create"]),
    _rule(_GROUP, ["rolebindings", "roles"], [*_READ, *_WRITE]),
    _rule("authorization.k8s.io", ["localsubjectaccessreviews"], ["create"]),
]
_EVERYTHING: list[JsonObject] = [
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
]
_DISCOVERY: list[JsonObject] = [
    {"nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*",
                         "/readyz", "/version", "/version/"], "verbs": ["get"]},
]  # fmt: skip
_BASIC: list[JsonObject] = [
    _rule("authorization.k8s.io", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], ["create"]),
    _rule("authentication.k8s.io", ["selfsubjectreviews"], ["create"]),
]

CLUSTER_ROLES: dict[str, list[JsonObject]] = {
    "cluster-admin": _EVERYTHING,
    "admin": _ADMIN,
    "edit": _EDIT,
    "view": _VIEW,
    "system:discovery": _DISCOVERY,
    "system:basic-user": _BASIC,
}
FIRST_BINDINGS = {
    "cluster-admin": "system:masters",
    "system:discovery": "system:authenticated",
    "system:basic-user": "system:authenticated",
}
"""Cluster role to the group it is bound to from the start."""

POLICY_RULES: dict[str, list[JsonObject]] = {
    "AmazonEKSClusterAdminPolicy": _EVERYTHING,
    "AmazonEKSAdminPolicy": _ADMIN,
    "AmazonEKSAdminViewPolicy": [{"apiGroups": ["*"], "resources": ["*"], "verbs": _READ}],
    "AmazonEKSEditPolicy": _EDIT,
    "AmazonEKSViewPolicy": _VIEW,
}


def role_document(name: str) -> JsonObject:
    """The object of a cluster role every cluster has."""
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    return {"metadata": {"name": name, "labels": labels}, "rules": CLUSTER_ROLES[name]}


def binding_document(role: str) -> JsonObject:
    """The object that binds such a role to its group."""
    return {
        "metadata": {"name": role, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}},
        "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "Group", "name": FIRST_BINDINGS[role], "apiGroup": _GROUP}],
    }
