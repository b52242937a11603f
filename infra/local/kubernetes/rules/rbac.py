"""Rules of roles and bindings."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, objects, strings, text
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.rules.causes import invalid, required, unsupported

_SUBJECTS = ("ServiceAccount", "User", "Group")


def role_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What the rules of a role must be."""
    namespaced = text(document, "kind") == "Role"
    for index, rule in enumerate(objects(document, "rules")):
        at = f"rules[{index}]"
        if not strings(rule, "verbs"):
            yield required(f"{at}.verbs", "verbs must contain at least one value")
        urls = strings(rule, "nonResourceURLs")
        if urls and namespaced:
            yield invalid(f"{at}.nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs")
        elif urls:
            if strings(rule, "resources"):
                yield invalid(
                    f"{at}.nonResourceURLs", urls, "rules cannot apply to both regular resources and non-resource URLs"
                )
        else:
            if not strings(rule, "apiGroups"):
                yield required(f"{at}.apiGroups", "resource rules must supply at least one api group")
            if not strings(rule, "resources"):
                yield required(f"{at}.resources", "resource rules must supply at least one resource")


def binding_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a binding must be; the role it binds never changes."""
    reference = mapping(document, "roleRef")
    kinds = ("Role", "ClusterRole") if text(document, "kind") == "RoleBinding" else ("ClusterRole",)
    if reference.get("kind") not in kinds:
        yield unsupported("roleRef.kind", reference.get("kind", ""), kinds)
    group = reference.get("apiGroup")
    if group not in (None, "rbac.authorization.k8s.io"):
        yield unsupported("roleRef.apiGroup", group, ("rbac.authorization.k8s.io",))
    for index, subject in enumerate(objects(document, "subjects")):
        yield from _subject(f"subjects[{index}]", subject)
    if before is not None and _role(before) != _role(document):
        yield invalid("roleRef", reference, "cannot change roleRef")


def _subject(path: str, subject: JsonObject) -> Iterator[Cause]:
    kind = subject.get("kind")
    if kind not in _SUBJECTS:
        yield unsupported(f"{path}.kind", kind, _SUBJECTS)
    if kind == "ServiceAccount" and not subject.get("namespace"):
        yield required(f"{path}.namespace")


def _role(binding: JsonObject) -> tuple[str, str]:
    return text(binding, "roleRef", "kind"), text(binding, "roleRef", "name")
