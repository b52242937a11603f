"""Stock helm against the simulated API server over TLS, with the stand-in chart."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest

from infra.local.charts_standin import packed
from infra.local.helm_binary import helm_program
from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import text
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.resources import DAEMON_SETS
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import ensure_certificates
from infra.local.messages import HttpRequest

TOKEN = "conformance"
NAMESPACE = "kube-system"
RELEASE = "dependencies"
EFA = "aws-efa-k8s-device-plugin"

Helm = Callable[..., str]


@pytest.fixture
def api() -> KubernetesApi:
    def identify(token: str | None) -> Identity | None:
        return Identity("tester", ("system:masters",)) if token == TOKEN else None

    return KubernetesApi("1.34", lambda: datetime.now(UTC), identify)


@pytest.fixture
def helm(api: KubernetesApi, tmp_path: Path) -> Iterator[Helm]:
    """Runs helm; gives what it printed, on both streams, and expects status 0 unless told otherwise."""
    tls = ensure_certificates(tmp_path / "tls", datetime.now(UTC))
    server = LocalServer({RELEASE: api}.get, tls)
    server.start()
    file = KubeconfigFile(tmp_path / "kubeconfig")
    file.add("demo", server.url(RELEASE), tls.ca_pem, TOKEN)

    def run(*arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [str(helm_program()), *arguments, "--namespace", NAMESPACE],
            env={"KUBECONFIG": str(file.path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            check=False,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    yield run
    api.close()
    server.stop()


@pytest.fixture
def chart(tmp_path: Path) -> str:
    [found] = packed()
    path = tmp_path / "chart.tgz"
    path.write_bytes(found.content)
    return str(path)


def daemon_sets(api: KubernetesApi) -> set[str]:
    return {text(found, "metadata", "name") for found in api.store.scan(DAEMON_SETS)}


def secrets(api: KubernetesApi, selector: str) -> list[list[str]]:
    """Names and types of secrets, from the table that `kubectl get secrets` prints."""
    headers = {"authorization": f"Bearer {TOKEN}", "accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    path, query = f"/api/v1/namespaces/{NAMESPACE}/secrets", urlencode({"labelSelector": selector})
    table = json.loads(api.handle(HttpRequest("GET", path, query, headers)).body)
    return [row["cells"][:2] for row in table["rows"]]


def test_a_release_goes_through_its_life(helm: Helm, chart: str, api: KubernetesApi) -> None:
    helm("install", RELEASE, chart)
    whole = daemon_sets(api)
    assert EFA in whole
    assert json.loads(helm("status", RELEASE, "-o", "json"))["info"]["status"] == "deployed"
    [listed] = json.loads(helm("list", "-o", "json"))
    assert (listed["name"], listed["revision"], listed["status"]) == (RELEASE, "1", "deployed")
    helm("upgrade", RELEASE, chart, "--set", f"{EFA}.devicePlugin.enabled=false")
    assert daemon_sets(api) == whole - {EFA}
    helm("rollback", RELEASE, "1")
    assert daemon_sets(api) == whole
    history = json.loads(helm("history", RELEASE, "-o", "json"))
    assert [(each["revision"], each["status"]) for each in history] == [
        (1, "superseded"),
        (2, "superseded"),
        (3, "deployed"),
    ]
    helm("uninstall", RELEASE)
    assert daemon_sets(api) == set()
    assert json.loads(helm("list", "-o", "json")) == []


def test_each_revision_is_a_secret_of_helms_own_type(helm: Helm, chart: str, api: KubernetesApi) -> None:
    helm("install", RELEASE, chart, "--labels", "managed-by=somebody")
    assert secrets(api, "owner=helm,status=deployed,managed-by=somebody") == [
        ["sh.helm.release.v1.dependencies.v1", "helm.sh/release.v1"]
    ]
    refused = helm("install", RELEASE, chart, status=1)
    assert "cannot reuse a name that is still in use" in refused
    assert len(secrets(api, "owner=helm")) == 1


def test_a_dry_run_on_the_server_leaves_nothing(helm: Helm, chart: str, api: KubernetesApi) -> None:
    printed = helm("install", RELEASE, chart, "--dry-run=server")
    assert f"name: {EFA}" in printed
    assert daemon_sets(api) == set()
    assert secrets(api, "owner=helm") == []
