"""Who may do what: EKS access policies, tokens and the bodies they come in."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.kubernetes import protobuf
from infra.local.kubernetes.api import Host, KubernetesApi
from infra.local.kubernetes.documents import JsonObject, mapping, text, value_at
from infra.local.kubernetes.errors import BadRequest, UnsupportedMediaType
from infra.local.kubernetes.identity import AccessPolicy, Identity
from infra.local.messages import HttpRequest, HttpResponse


class Clock:
    moment = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


def _send(api: KubernetesApi, method: str, path: str, body: object = None, token: str = "host") -> HttpResponse:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.handle(HttpRequest(method, path, "", {"authorization": f"Bearer {token}"}, raw))


def _api(*policies: AccessPolicy, clock: Clock | None = None) -> KubernetesApi:
    def identify(token: str | None) -> Identity | None:
        return Identity("role", policies=policies) if token == "host" else None

    return KubernetesApi("1.34", (clock or Clock()).now, identify)


@pytest.mark.parametrize(
    ("policy", "method", "path", "status"),
    [
        ("AmazonEKSClusterAdminPolicy", "GET", "/api/v1/nodes", 200),
        ("AmazonEKSClusterAdminPolicy", "GET", "/nowhere", 404),
        ("AmazonEKSAdminPolicy", "GET", "/api/v1/namespaces/default/secrets", 200),
        ("AmazonEKSAdminPolicy", "GET", "/api/v1/nodes", 403),
        ("AmazonEKSAdminViewPolicy", "GET", "/api/v1/namespaces/default/secrets", 200),
        ("AmazonEKSAdminViewPolicy", "POST", "/api/v1/namespaces/default/configmaps", 403),
        ("AmazonEKSEditPolicy", "POST", "/api/v1/namespaces/default/configmaps", 201),
        ("AmazonEKSEditPolicy", "GET", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", 403),
        ("AmazonEKSViewPolicy", "GET", "/api/v1/namespaces/default/configmaps", 200),
        ("AmazonEKSViewPolicy", "GET", "/api/v1/namespaces/default/secrets", 403),
        ("AmazonEKSUnknownPolicy", "GET", "/api/v1/namespaces/default/configmaps", 403),
    ],
)
def test_an_access_policy_allows_its_part(policy: str, method: str, path: str, status: int) -> None:
    body = {"metadata": {"name": "a"}} if method == "POST" else None
    assert _send(_api(AccessPolicy(policy)), method, path, body).status == status


def test_a_policy_of_a_namespace_holds_there_only() -> None:
    api = _api(AccessPolicy("AmazonEKSViewPolicy", ("team",)))
    assert _send(api, "GET", "/api/v1/namespaces/team/configmaps").status == 200
    assert _send(api, "GET", "/api/v1/namespaces/default/configmaps").status == 403
    assert _send(api, "GET", "/api/v1/configmaps").status == 403


def test_a_host_may_look_policies_up_elsewhere() -> None:
    host = Host(policies_of=lambda identity: [AccessPolicy("AmazonEKSClusterAdminPolicy")])
    api = KubernetesApi("1.34", Clock().now, lambda token: Identity("role"), host=host)
    assert _send(api, "GET", "/api/v1/nodes").status == 200


def test_a_token_of_a_service_account_expires() -> None:
    clock = Clock()
    api = _api(AccessPolicy("AmazonEKSClusterAdminPolicy"), clock=clock)
    path = "/api/v1/namespaces/default/serviceaccounts/default/token"
    api.settle()
    token = text(json.loads(_send(api, "POST", path, {"spec": {"expirationSeconds": 600}}).body), "status", "token")
    assert _send(api, "GET", "/version", token=token).status == 200
    assert _send(api, "GET", "/version", token=f"{token}x").status == 401
    clock.moment += timedelta(seconds=600)
    assert _send(api, "GET", "/version", token=token).status == 401


def _field(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


def _envelope(kind: str, message: bytes, version: bytes = b"v1") -> bytes:
    return b"k8s\x00" + _field(1, _field(1, version) + _field(2, kind.encode())) + _field(2, message)


def test_a_secret_is_read_from_protobuf() -> None:
    label = _field(11, _field(1, b"owner") + _field(2, b"helm"))
    metadata = _field(1, b"release") + _field(3, b"") + label
    message = _field(1, metadata) + _field(2, _field(1, b"key") + _field(2, b"value")) + bytes([5 << 3, 1])
    assert protobuf.decode(_envelope("Secret", message)) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "release", "labels": {"owner": "helm"}},
        "data": {"key": "dmFsdWU="},
        "immutable": True,
    }


def test_other_protobuf_is_refused() -> None:
    with pytest.raises(UnsupportedMediaType):
        protobuf.decode(_envelope("Pod", b""))
    for body in (b"none", b"k8s\x00\x0a\xff", b"k8s\x00\x0d"):
        with pytest.raises((BadRequest, UnsupportedMediaType)):
            protobuf.decode(body)


def test_an_access_review_in_protobuf_is_answered_truly() -> None:
    attributes = _field(2, b"list") + _field(5, b"nodes")
    body = _envelope("SelfSubjectAccessReview", _field(2, _field(1, attributes)), b"authorization.k8s.io/v1")
    headers = {"authorization": "Bearer host", "content-type": protobuf.MEDIA_TYPE}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    for policy, allowed in (("AmazonEKSClusterAdminPolicy", True), ("AmazonEKSViewPolicy", False)):
        response = _api(AccessPolicy(policy)).handle(HttpRequest("POST", path, "", headers, body))
        answer: JsonObject = mapping(json.loads(response.body))
        assert value_at(answer, "status", "allowed") is allowed
