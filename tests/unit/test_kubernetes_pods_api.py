"""What a pod does through its subresources: logs, proxy, and the time it has to stop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.kubernetes.api import Host, KubernetesApi
from infra.local.kubernetes.controllers.logs import LogLine
from infra.local.kubernetes.documents import JsonObject, mapping, value_at
from infra.local.kubernetes.identity import MASTERS, Identity
from infra.local.kubernetes.proxying import Behind
from infra.local.kubernetes.resources import ENDPOINTS, NODES, PODS, SERVICES
from infra.local.messages import HttpRequest, HttpResponse

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LINES = [LogLine(NOW - timedelta(seconds=90), "old"), LogLine(NOW - timedelta(seconds=5), "new")]
POD = "/api/v1/namespaces/default/pods/p"


def _answer(behind: Behind, request: HttpRequest) -> HttpResponse | None:
    if behind.name == "silent":
        return None
    return HttpResponse.of_json(200, [behind.kind, behind.name, behind.port, behind.path, request.query])


@pytest.fixture
def api() -> Iterator[KubernetesApi]:
    host = Host(proxy=_answer)
    api = KubernetesApi("1.34", lambda: NOW, lambda token: Identity("x", (MASTERS,)), host=host)
    api.store.create(PODS, _pod("p"))
    yield api
    api.close()


def _pod(name: str, **spec: object) -> JsonObject:
    containers = [{"name": "main", "image": "app:1"}]
    return {"metadata": {"name": name, "namespace": "default"}, "spec": {"containers": containers, **spec}}


def _send(api: KubernetesApi, method: str, path: str, query: str = "", body: object = None) -> HttpResponse:
    raw = b"" if body is None else json.dumps(body).encode()
    return api.handle(HttpRequest(method, path, query, {"authorization": "Bearer x"}, raw))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", "old\nnew\n"),
        ("tailLines=1", "new\n"),
        ("tailLines=0", ""),
        ("sinceSeconds=10", "new\n"),
        ("limitBytes=2", "ol"),
        ("timestamps=true&tailLines=1", "2029-12-31T23:59:55Z new\n"),
        ("sinceTime=2029-12-31T23:59:00Z", "new\n"),
    ],
)
def test_the_wanted_part_of_a_log(api: KubernetesApi, query: str, shown: str) -> None:
    api.logs["default", "p", "main"] = list(LINES)
    assert _send(api, "GET", f"{POD}/log", query).body.decode() == shown


def test_a_followed_log_goes_on_until_the_pod_ends(api: KubernetesApi) -> None:
    api.logs["default", "p"] = ["first"]
    chunks = _send(api, "GET", f"{POD}/log", "follow=true").chunks
    assert chunks is not None
    assert next(chunks) == b"first\n"
    assert next(chunks) == b""
    api.logs["default", "p"].append("second")
    api.store.set_status(PODS, "p", {"phase": "Succeeded"}, "default")
    assert list(chunks) == [b"second\n"]


def test_a_container_that_waits_has_no_log_yet(api: KubernetesApi) -> None:
    waiting = {"name": "main", "state": {"waiting": {"reason": "ContainerCreating"}}}
    api.store.set_status(PODS, "p", {"containerStatuses": [waiting]}, "default")
    response = _send(api, "GET", f"{POD}/log")
    assert response.status == 400
    assert b"is waiting to start: ContainerCreating" in response.body
    assert _send(api, "GET", f"{POD}/log", "previous=true").status == 400


def test_a_proxied_pod_answers_what_the_host_says(api: KubernetesApi) -> None:
    answer = _send(api, "GET", f"{POD}:8265/proxy/api/jobs", "limit=1")
    assert json.loads(answer.body) == ["Pod", "p", "8265", "/api/jobs", "limit=1"]
    assert _send(api, "GET", "/api/v1/namespaces/default/pods/ghost/proxy/").status == 404
    api.store.create(PODS, _pod("silent"))
    assert _send(api, "GET", "/api/v1/namespaces/default/pods/silent/proxy/").status == 503


def test_a_proxied_service_needs_endpoints(api: KubernetesApi) -> None:
    named = {"metadata": {"name": "web", "namespace": "default"}}
    api.store.create(SERVICES, {**named, "spec": {"ports": [{"port": 80}]}})
    path = "/api/v1/namespaces/default/services/http:web:80/proxy"
    assert _send(api, "GET", path).status == 503
    api.store.create(ENDPOINTS, {**named, "subsets": [{"addresses": [{"ip": "10.0.0.1"}]}]})
    assert json.loads(_send(api, "GET", path).body) == ["Service", "web", "80", "/", ""]


def test_a_pod_on_a_node_has_time_to_stop(api: KubernetesApi) -> None:
    api.store.create(NODES, {"metadata": {"name": "n"}})
    api.store.create(PODS, _pod("q", nodeName="n", terminationGracePeriodSeconds=9))
    path = "/api/v1/namespaces/default/pods/q"
    deleted = mapping(json.loads(_send(api, "DELETE", path).body))
    assert value_at(deleted, "metadata", "deletionTimestamp") == "2030-01-01T00:00:09Z"
    assert value_at(deleted, "metadata", "deletionGracePeriodSeconds") == 9
    kinds = [change.after is None for change in api.store.history.after(api.store.version - 1, 0)]
    assert kinds == [False]


def test_a_pod_deleted_without_grace_goes_at_once(api: KubernetesApi) -> None:
    api.store.create(PODS, _pod("q", nodeName="n"))
    _send(api, "DELETE", "/api/v1/namespaces/default/pods/q", body={"gracePeriodSeconds": 0})
    assert api.store.find(PODS, "q", "default") is None
