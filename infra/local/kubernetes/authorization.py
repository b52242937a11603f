"""May this identity do that? RBAC as Kubernetes evaluates it, and the EKS access policies beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject, mapping, namespace_of, objects, strings, text
from infra.local.kubernetes.errors import Forbidden, qualified
from infra.local.kubernetes.identity import AUTHENTICATED, MASTERS, Identity, PoliciesOf
from infra.local.kubernetes.resources import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES
from infra.local.kubernetes.roles import POLICY_RULES
from infra.local.kubernetes.store import Store

_ACCOUNT = "system:serviceaccount"


@dataclass(frozen=True)
class Action:
    """What is to be done: a verb on a resource, or on a `path` that is none."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """The resource with its subresource, as rules name it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


@dataclass(frozen=True)
class Authorizer:
    """Answers from the roles and bindings in a store and from access policies."""

    store: Store
    policies_of: PoliciesOf

    def require(self, identity: Identity, action: Action) -> None:
        """Check that an identity may do something.

        Raises Forbidden in the API server's words when it may not.
        """
        if not self.reason(identity, action):
            raise Forbidden(*_refusal(identity, action))

    def reason(self, identity: Identity, action: Action) -> str:
        """What allows an action, empty when nothing does."""
        if MASTERS in identity.groups:
            return "system:masters"
        with self.store.lock:
            found = (why for why, rule in self.rules(identity, action.namespace) if allows(rule, action))
            return next(found, "")

    def rules(self, identity: Identity, namespace: str) -> Iterator[tuple[str, JsonObject]]:
        """Every rule that holds for an identity in a namespace (cluster-wide ones too), with what grants it."""
        for policy in self.policies_of(identity):
            if not policy.namespaces or (namespace and namespace in policy.namespaces):
                for rule in POLICY_RULES.get(policy.name.rpartition("/")[2], []):
                    yield f"EKS access policy {policy.name}", rule
        for binding in self.store.scan(CLUSTER_ROLE_BINDINGS):
            yield from self._bound(identity, binding, "ClusterRoleBinding")
        if namespace:
            for binding in self.store.scan(ROLE_BINDINGS, namespace):
                yield from self._bound(identity, binding, "RoleBinding")

    def _bound(self, identity: Identity, binding: JsonObject, kind: str) -> Iterator[tuple[str, JsonObject]]:
        if not any(_is_subject(identity, s, namespace_of(binding)) for s in objects(binding, "subjects")):
            return
        reference = mapping(binding, "roleRef")
        name = text(reference, "name")
        if text(reference, "kind") == "ClusterRole":
            role = self.store.find(CLUSTER_ROLES, name)
        else:
            role = self.store.find(ROLES, name, namespace_of(binding))
        bound = f'RBAC: allowed by {kind} "{text(binding, "metadata", "name")}" of {text(reference, "kind")} "{name}"'
        for rule in objects(role, "rules"):
            yield bound, rule


def allows(rule: JsonObject, action: Action) -> bool:
    """Whether one rule allows an action."""
    if not {"*", action.verb} & set(strings(rule, "verbs")):
        return False
    if action.path:
        return any(_covers_path(url, action.path) for url in strings(rule, "nonResourceURLs"))
    if not {"*", action.group} & set(strings(rule, "apiGroups")):
        return False
    wanted = {"*", action.full_resource, f"*/{action.subresource}" if action.subresource else "*"}
    if not wanted & set(strings(rule, "resources")):
        return False
    names = strings(rule, "resourceNames")
    return not names or action.name in names


def _covers_path(url: str, path: str) -> bool:
    return url == path or (url.endswith("*") and path.startswith(url[:-1]))


def _is_subject(identity: Identity, subject: JsonObject, namespace: str) -> bool:
    name = text(subject, "name")
    match text(subject, "kind"):
        case "User":
            return name == identity.username
        case "Group":
            return name in (*identity.groups, AUTHENTICATED)
        case "ServiceAccount":
            owner = text(subject, "namespace") or namespace
            return identity.username == f"{_ACCOUNT}:{owner}:{name}"
    return False


def _refusal(identity: Identity, action: Action) -> tuple[str, str, JsonObject]:
    if action.path:
        return "", f'User "{identity.username}" cannot {action.verb} path "{action.path}"', {}
    place = f'in the namespace "{action.namespace}"' if action.namespace else "at the cluster scope"
    why = (
        f'User "{identity.username}" cannot {action.verb} resource "{action.full_resource}" '
        f'in API group "{action.group}" {place}'
    )
    what = qualified(action.resource, action.group) + (f' "{action.name}"' if action.name else "")
    details: JsonObject = {"name": action.name, "group": action.group, "kind": action.resource}
    return what, why, {key: value for key, value in details.items() if value}
