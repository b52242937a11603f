"""The Python `kubernetes` package, typed and dynamic, against the simulated API server over TLS."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.resources import CONFIG_MAPS, NODES
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import TlsFiles, ensure_certificates

kubernetes: Any = pytest.importorskip("kubernetes", reason="the kubernetes package is not installed")
client, ApiException = kubernetes.client, kubernetes.client.exceptions.ApiException


@pytest.fixture(scope="module")
def api() -> KubernetesApi:
    def identify(token: str | None) -> Identity | None:
        return Identity("tester") if token == "right" else None

    api = KubernetesApi("1.34", lambda: datetime.now(UTC), identify)
    api.store.create(NODES, {"metadata": {"name": "one"}})
    return api


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return ensure_certificates(tmp_path_factory.mktemp("tls"), datetime.now(UTC))


@pytest.fixture(scope="module")
def server(api: KubernetesApi, tls: TlsFiles) -> Iterator[LocalServer]:
    server = LocalServer({"demo": api}.get, tls)
    server.start()
    yield server
    api.close()
    server.stop()


@pytest.fixture
def connected(server: LocalServer, tls: TlsFiles, tmp_path: Path) -> Iterator[Any]:
    yield from _connect(tmp_path, server.url("demo"), tls, "right")


def _connect(directory: Path, url: str, tls: TlsFiles, token: str) -> Iterator[Any]:
    file = KubeconfigFile(directory / "kubeconfig")
    file.add("demo", url, tls.ca_pem, token)
    with kubernetes.config.new_client_from_config(str(file.path)) as connection:
        yield connection
        connection.rest_client.pool_manager.clear()


def test_the_typed_client_lists_creates_and_patches(connected: object) -> None:
    core = client.CoreV1Api(connected)
    assert [node.metadata.name for node in core.list_node().items] == ["one"]
    core.create_namespaced_config_map("default", {"metadata": {"name": "settings"}, "data": {"a": "1"}})
    patched = core.patch_namespaced_config_map("settings", "default", {"data": {"b": "2"}})
    assert patched.data == {"a": "1", "b": "2"}
    core.delete_namespaced_config_map("settings", "default")


def test_the_dynamic_client_applies_server_side(connected: object) -> None:
    resource = kubernetes.dynamic.DynamicClient(connected).resources.get(api_version="apps/v1", kind="Deployment")
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "applied"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}}},
    }
    resource.server_side_apply(body, "applied", "default", field_manager="instantstart")
    applied = resource.server_side_apply(body, "applied", "default", field_manager="instantstart")
    assert applied.metadata.generation == 1
    assert [entry.manager for entry in applied.metadata.managedFields] == ["instantstart"]


def test_the_watch_helper_sees_changes_after_its_list(connected: object, api: KubernetesApi) -> None:
    core = client.CoreV1Api(connected)
    version = core.list_namespaced_config_map("kube-public").metadata.resource_version
    document = {"metadata": {"name": "news", "namespace": "kube-public"}}
    writer = threading.Thread(target=api.store.create, args=(CONFIG_MAPS, document))
    stream = kubernetes.watch.Watch().stream(
        core.list_namespaced_config_map, "kube-public", resource_version=version, timeout_seconds=5
    )
    writer.start()
    event = next(stream)
    writer.join()
    stream.close()
    assert (event["type"], event["object"].metadata.name) == ("ADDED", "news")


def test_errors_carry_the_status_of_the_api_server(connected: object) -> None:
    with pytest.raises(ApiException) as missing:
        client.CoreV1Api(connected).read_namespaced_pod("ghost", "default")
    assert (missing.value.status, missing.value.reason) == (404, "Not Found")
    assert 'pods \\"ghost\\" not found' in missing.value.body


@pytest.mark.parametrize(("cluster", "token", "status"), [("demo", "wrong", 401), ("unknown", "right", 404)])
def test_a_wrong_token_or_cluster_is_refused(
    server: LocalServer, tls: TlsFiles, tmp_path: Path, cluster: str, token: str, status: int
) -> None:
    for connection in _connect(tmp_path, server.url(cluster), tls, token):
        with pytest.raises(ApiException) as refused:
            client.CoreV1Api(connection).list_node()
        assert refused.value.status == status
