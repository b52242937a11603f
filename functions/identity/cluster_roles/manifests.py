"""What the operator role may do in a cluster: what the stages that speak to Kubernetes do, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.identity.rules import OPERATOR_GROUP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

OPERATOR: Final = OPERATOR_GROUP
_RBAC: Final = "rbac.authorization.k8s.io"
_READ: Final = ("get", "list", "watch")
_WRITE: Final = ("create", "delete", "patch", "update")
# API group, resources, verbs.
_RULES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("", ("nodes", "events"), _READ),
    # Namespaces are made and labelled; whoever wants one gone deletes it himself.
    ("", ("namespaces",), (*_READ, "create", "patch")),
    ("", ("persistentvolumes", "persistentvolumeclaims", "pods"), (*_READ, *_WRITE)),
    ("", ("pods/log",), ("get",)),
    ("", ("serviceaccounts",), (*_READ, *_WRITE)),
    ("storage.k8s.io", ("csidrivers", "csinodes"), _READ),
    # What somebody else runs in the place of an add-on, and which plugins do not get ready.
    ("apps", ("deployments", "daemonsets"), ("get", "list")),
    ("apiextensions.k8s.io", ("customresourcedefinitions",), ("get",)),
    ("admissionregistration.k8s.io", ("validatingwebhookconfigurations",), ("list",)),
)


def rights() -> list[tuple[str, str, str]]:
    """List the operator's rights for a test: API group, resource, and the verb that it would be the worst to lack."""
    return [(group, resource, verbs[-1]) for group, resources, verbs in _RULES for resource in resources]


def cluster_role(labels: Mapping[str, str]) -> dict[str, JsonValue]:
    """Build the role."""
    rules: list[JsonValue] = [
        {"apiGroups": [group], "resources": [*resources], "verbs": [*verbs]} for group, resources, verbs in _RULES
    ]
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": OPERATOR, "labels": dict(labels)},
        "rules": rules,
    }


def cluster_role_binding(labels: Mapping[str, str]) -> dict[str, JsonValue]:
    """Bind the role to the group of the operator's access entry."""
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": OPERATOR, "labels": dict(labels)},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": OPERATOR},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": OPERATOR_GROUP}],
    }
