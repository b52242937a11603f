"""RBAC, seen by service accounts with tokens of their own."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import APPLY, Cluster, Space

RBAC = "rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"


def _account(space: Space, name: str = "robot") -> str:
    """A service account's token."""
    space.cluster.ask("POST", space.path("serviceaccounts"), {"metadata": {"name": name}})
    answer = space.cluster.ask(
        "POST", space.path("serviceaccounts", name, "token"), {"spec": {"expirationSeconds": 600}}
    )
    return text(answer, "status", "token")


def _grant(space: Space, *rules: JsonObject, name: str = "robot") -> None:
    space.cluster.ask("POST", space.path("roles", group=RBAC), valid.role(*rules))
    subject = {"kind": "ServiceAccount", "name": name, "namespace": space.name}
    space.cluster.ask("POST", space.path("rolebindings", group=RBAC), valid.binding(subjects=[subject]))


def _rule(*verbs: str, resource: str = "configmaps", group: str = "", **more: object) -> JsonObject:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs), **more}


def test_a_token_names_its_service_account(space: Space) -> None:
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    who = space.cluster.ask("POST", path, {}, token=_account(space))
    assert value_at(who, "status", "userInfo", "username") == f"system:serviceaccount:{space.name}:robot"
    groups = value_at(who, "status", "userInfo", "groups")
    assert isinstance(groups, list)
    assert {"system:serviceaccounts", f"system:serviceaccounts:{space.name}", "system:authenticated"} <= set(groups)


def test_an_unknown_token_is_unauthorized(cluster: Cluster) -> None:
    assert cluster.refused("GET", "/api/v1/nodes", token="nobody")["code"] == 401


def test_nothing_is_allowed_without_a_rule(space: Space) -> None:
    status = space.cluster.refused("GET", space.path("pods"), token=_account(space))
    user = f"system:serviceaccount:{space.name}:robot"
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert text(status, "message") == (
        f'pods is forbidden: User "{user}" cannot list resource "pods" in API group "" in the namespace "{space.name}"'
    )


def test_a_cluster_resource_is_refused_at_the_cluster_scope(space: Space) -> None:
    status = space.cluster.refused("GET", "/api/v1/nodes", token=_account(space))
    assert text(status, "message").endswith('cannot list resource "nodes" in API group "" at the cluster scope')


def test_a_refusal_names_object_group_and_subresource(space: Space) -> None:
    path = space.path("deployments", "d", "scale", group="apps/v1")
    status = space.cluster.refused("GET", path, token=_account(space))
    assert text(status, "message").startswith('deployments.apps "d" is forbidden')
    assert 'cannot get resource "deployments/scale" in API group "apps"' in text(status, "message")


def test_a_path_is_refused_as_a_path(space: Space) -> None:
    status = space.cluster.refused("GET", "/metrics", token=_account(space))
    user = f"system:serviceaccount:{space.name}:robot"
    assert (status["code"], text(status, "message")) == (403, f'forbidden: User "{user}" cannot get path "/metrics"')


def test_a_role_allows_its_verbs(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("list"))
    space.cluster.ask("GET", space.path("configmaps"), token=token)
    assert space.cluster.refused("POST", space.path("configmaps"), valid.config_map("a"), token=token)["code"] == 403


def test_a_role_holds_in_its_namespace_only(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("list"))
    assert space.cluster.refused("GET", "/api/v1/namespaces/default/configmaps", token=token)["code"] == 403
    assert space.cluster.refused("GET", "/api/v1/configmaps", token=token)["code"] == 403


def test_resource_names_narrow_a_rule(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("get", resourceNames=["mine"]))
    for name in ("mine", "other"):
        space.cluster.ask("POST", space.path("configmaps"), valid.config_map(name))
    space.cluster.ask("GET", space.path("configmaps", "mine"), token=token)
    assert space.cluster.refused("GET", space.path("configmaps", "other"), token=token)["code"] == 403


def test_a_subresource_needs_its_own_rule(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("get", resource="pods"))
    space.cluster.ask("POST", space.path("pods"), valid.pod("p"))
    space.cluster.ask("GET", space.path("pods", "p"), token=token)
    assert space.cluster.refused("GET", space.path("pods", "p", "log"), token=token)["code"] == 403


def test_to_watch_is_a_verb_of_its_own(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("list"))
    response = space.cluster.raw("GET", space.path("configmaps"), token=token, watch="true", timeoutSeconds="1")
    assert response.status == 403
    response.close()


def test_an_apply_is_a_patch(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("get"))
    document = valid.config_map("a")
    path = space.path("configmaps", "a")
    status = space.cluster.refused("PATCH", path, document, APPLY, token=token, fieldManager="m")
    assert 'cannot patch resource "configmaps"' in text(status, "message")


def test_an_apply_that_creates_needs_the_right_to_create(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("patch"))
    document = valid.config_map("a")
    path = space.path("configmaps", "a")
    status = space.cluster.refused("PATCH", path, document, APPLY, token=token, fieldManager="m")
    assert 'cannot create resource "configmaps"' in text(status, "message")
    space.cluster.ask("POST", space.path("configmaps"), document)
    space.cluster.ask("PATCH", path, document, APPLY, token=token, fieldManager="m")


@pytest.mark.parametrize(("role", "allowed", "refused"), [("view", "GET", "POST"), ("edit", "POST", "")])
def test_a_default_role_bound_in_a_namespace(space: Space, role: str, allowed: str, refused: str) -> None:
    token = _account(space)
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": space.name}
    bound = valid.binding(roleRef=reference, subjects=[subject])
    space.cluster.ask("POST", space.path("rolebindings", group=RBAC), bound)
    body = valid.config_map("a")
    space.cluster.ask(allowed, space.path("configmaps"), body if allowed == "POST" else None, token=token)
    if refused:
        assert space.cluster.refused(refused, space.path("configmaps"), body, token=token)["code"] == 403
    assert (space.cluster.call("GET", space.path("secrets"), token=token).status == 200) == (role == "edit")


def test_a_self_review_tells_the_truth(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("list"))
    for verb, allowed in (("list", True), ("delete", False)):
        attributes = {"verb": verb, "resource": "configmaps", "namespace": space.name}
        review = {"spec": {"resourceAttributes": attributes}}
        answer = space.cluster.ask("POST", f"{REVIEWS}/selfsubjectaccessreviews", review, token=token)
        assert value_at(answer, "status", "allowed") is allowed


def test_a_review_of_another_tells_the_truth(space: Space) -> None:
    _account(space)
    _grant(space, _rule("list"))
    user = f"system:serviceaccount:{space.name}:robot"
    for resource, allowed in (("configmaps", True), ("secrets", False)):
        attributes = {"verb": "list", "resource": resource, "namespace": space.name}
        review = {"spec": {"user": user, "groups": [], "resourceAttributes": attributes}}
        answer = space.cluster.ask("POST", f"{REVIEWS}/subjectaccessreviews", review)
        assert value_at(answer, "status", "allowed") is allowed


def test_a_rules_review_lists_what_is_allowed(space: Space) -> None:
    token = _account(space)
    _grant(space, _rule("list"))
    path = f"{REVIEWS}/selfsubjectrulesreviews"
    answer = space.cluster.ask("POST", path, {"spec": {"namespace": space.name}}, token=token)
    rules = objects(answer, "status", "resourceRules")
    assert any(rule["verbs"] == ["list"] and rule["resources"] == ["configmaps"] for rule in rules)


def test_everyone_known_may_discover(space: Space) -> None:
    token = _account(space)
    for path in ("/version", "/apis", "/api/v1"):
        assert mapping(space.cluster.ask("GET", path, token=token))


def test_a_token_lives_at_least_ten_minutes(space: Space) -> None:
    space.cluster.ask("POST", space.path("serviceaccounts"), {"metadata": {"name": "robot"}})
    path = space.path("serviceaccounts", "robot", "token")
    status = space.cluster.refused("POST", path, {"spec": {"expirationSeconds": 10}})
    assert "may not specify a duration less than 10 minutes" in text(status, "message")


def test_a_token_dies_with_its_account(space: Space) -> None:
    token = _account(space)
    space.cluster.ask("DELETE", space.path("serviceaccounts", "robot"))
    status = 200
    for _ in range(300):
        status = space.cluster.call("GET", "/version", token=token).status
        if status == 401:
            break
    assert status == 401
