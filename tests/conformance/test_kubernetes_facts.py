"""The operators' own definitions install, and their published examples are accepted under strict validation.

The facts lie beside the repository (`shared/facts/data`), or where `FACTS_DATA` says; without them nothing is tested.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, text
from infra.local.kubernetes.identity import MASTERS, Identity
from infra.local.messages import HttpRequest

DATA = Path(os.environ.get("FACTS_DATA") or Path(__file__).parents[2].parent / "shared" / "facts" / "data")
CRDS = sorted((DATA / "crds").glob("*.json"))
EXAMPLES = [
    d for path in sorted((DATA / "examples").glob("k8s_*.yaml")) for d in yaml.safe_load_all(path.read_text()) if d
]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPLY = "application/apply-patch+yaml"

pytestmark = pytest.mark.skipif(not CRDS, reason="the facts do not lie beside the repository: set FACTS_DATA")


@pytest.fixture(scope="module")
def api() -> KubernetesApi:
    return KubernetesApi("1.34", lambda: datetime.now(UTC), lambda token: Identity("x", (MASTERS,)))


def _send(
    api: KubernetesApi, method: str, path: str, body: object, query: str, kind: str = "application/json"
) -> JsonObject:
    headers = {"authorization": "Bearer x", "content-type": kind}
    response = api.handle(HttpRequest(method, path, query, headers, json.dumps(body).encode()))
    answer = mapping(json.loads(response.body))
    assert response.status < 300, answer["message"]
    assert "warning" not in response.headers
    return answer


def _definition(facts: JsonObject) -> JsonObject:
    names = {key: facts[key] for key in ("kind", "plural", "singular", "shortNames", "categories") if facts.get(key)}
    versions = [
        {**{key: value for key, value in version.items() if key not in ("openAPIV3Schema", "deprecated")},
         "schema": {"openAPIV3Schema": version["openAPIV3Schema"]}}
        for version in objects(facts, "versions")
    ]  # fmt: skip
    spec = {"group": facts["group"], "scope": facts["scope"], "names": names, "versions": versions}
    return {"metadata": {"name": f"{facts['plural']}.{facts['group']}"}, "spec": spec}


@pytest.mark.parametrize("path", CRDS, ids=[path.stem for path in CRDS])
def test_a_definition_installs(api: KubernetesApi, path: Path) -> None:
    created = _send(api, "POST", DEFINITIONS, _definition(json.loads(path.read_text())), "fieldValidation=Strict")
    assert {c["type"]: c["status"] for c in objects(created, "status", "conditions")}["Established"] == "True"


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{e['kind']}-{name_of(e)}" for e in EXAMPLES])
def test_an_example_is_accepted_and_applied(api: KubernetesApi, example: JsonObject) -> None:
    resource = api.store.registry.of_kind(text(example, "apiVersion"), text(example, "kind"))
    assert resource is not None
    scope = "/namespaces/default" if resource.namespaced else ""
    path = f"/apis/{resource.api_version}{scope}/{resource.plural}"
    _send(api, "POST", path, example, "fieldValidation=Strict&dryRun=All")
    _send(api, "PATCH", f"{path}/{name_of(example)}", example, "fieldValidation=Strict&fieldManager=me", APPLY)
