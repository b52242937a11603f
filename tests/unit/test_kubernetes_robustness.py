"""Whatever a client sends, the answer is a Status of the client's fault, never a stumble of the server."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject, copy_of, text
from infra.local.kubernetes.identity import MASTERS, Identity
from infra.local.messages import HttpRequest
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import widget_definition

JUNK: tuple[object, ...] = (None, "", 1, -1, 1.5, True, [], {}, "x", [None], [1], {"a": None}, ["x"], {"a": {"b": [1]}})
SPACE = "/namespaces/default"
PATCHES = ("application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml")
GROUP = "g.example.com"
CONTAINER = valid.container(
    ports=[{"containerPort": 1, "name": "a"}],
    env=[{"name": "A", "value": "b"}],
    resources={"limits": {"cpu": "1"}},
    volumeMounts=[{"name": "v", "mountPath": "/x"}],
    livenessProbe={"httpGet": {"port": 80}},
)
SAMPLES: tuple[tuple[str, JsonObject], ...] = (
    (f"/api/v1{SPACE}/pods", valid.pod("p", CONTAINER, volumes=[{"name": "v", "emptyDir": {}}])),
    (f"/apis/apps/v1{SPACE}/deployments", valid.deployment(strategy={"rollingUpdate": {"maxSurge": 1}})),
    (f"/apis/batch/v1{SPACE}/jobs", valid.job()),
    (f"/api/v1{SPACE}/services", valid.service()),
    (f"/api/v1{SPACE}/persistentvolumeclaims", valid.claim()),
    ("/api/v1/persistentvolumes", valid.volume("v")),
    (f"/api/v1{SPACE}/secrets", valid.secret(data={"a": "YQ=="})),
    (f"/apis/rbac.authorization.k8s.io/v1{SPACE}/rolebindings", valid.binding()),
    (f"/apis/{GROUP}/v1{SPACE}/widgets", valid.widget(GROUP, parts=[{"name": "a"}], tags=["x"], labels={"a": "b"})),
    ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widget_definition("h.example.com")),
)


@pytest.fixture
def api() -> Iterator[KubernetesApi]:
    api = KubernetesApi("1.34", lambda: datetime(2030, 1, 1, tzinfo=UTC), lambda token: Identity("x", (MASTERS,)))
    assert _send(api, "POST", SAMPLES[-1][0], widget_definition(GROUP)) == 201
    yield api
    api.close()


def _send(api: KubernetesApi, method: str, path: str, body: object, kind: str = "application/json") -> int:
    headers = {"authorization": "Bearer x", "content-type": kind}
    query = "fieldManager=me&force=true"
    return api.handle(HttpRequest(method, path, query, headers, json.dumps(body).encode())).status


def _places(value: object) -> Iterator[tuple[dict[str, object] | list[object], str | int]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        assert isinstance(value, dict | list)
        yield value, key
        yield from _places(inner)


@pytest.mark.parametrize("seed", range(4))
def test_junk_anywhere_in_an_object_is_answered(api: KubernetesApi, seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(250):
        path, sample = chosen.choice(SAMPLES)
        document = copy_of(sample)
        holder, key = chosen.choice(list(_places(document)))
        holder[key] = chosen.choice(JUNK)  # type: ignore[index]
        name = text(sample, "metadata", "name")
        sent = [("POST", path, "application/json"), ("PUT", f"{path}/{name}", "application/json")]
        sent += [("PATCH", f"{path}/{name}", kind) for kind in PATCHES]
        method, address, kind = chosen.choice(sent)
        assert 200 <= _send(api, method, address, document, kind) <= 500
