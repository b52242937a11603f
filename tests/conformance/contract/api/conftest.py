"""One API server per session, real or simulated, and a namespace of its own per test.

`CONTRACT_KUBECONFIG` names the kubeconfig of any API server to test; without it the simulator is started.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import ensure_certificates
from tests.conformance.contract.api.driver import Cluster, Space, new_space, widget_definition


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    given = os.environ.get("CONTRACT_KUBECONFIG")
    if given:
        cluster = Cluster(Path(given))
        yield cluster
        cluster.close()
        return
    directory = tmp_path_factory.mktemp("contract")
    api = KubernetesApi("1.34", lambda: datetime.now(UTC), _identify)
    tls = ensure_certificates(directory / "tls", datetime.now(UTC))
    server = LocalServer({"contract": api}.get, tls)
    server.start()
    file = KubeconfigFile(directory / "kubeconfig")
    file.add("contract", server.url("contract"), tls.ca_pem, "contract")
    cluster = Cluster(file.path)
    yield cluster
    cluster.close()
    api.close()
    server.stop()


def _identify(token: str | None) -> Identity | None:
    return Identity("contract", ("system:masters",)) if token == "contract" else None


@pytest.fixture
def space(cluster: Cluster) -> Iterator[Space]:
    yield from new_space(cluster)


@pytest.fixture(scope="module")
def shared_space(cluster: Cluster) -> Iterator[Space]:
    yield from new_space(cluster)


@pytest.fixture(scope="session")
def widgets(cluster: Cluster) -> Iterator[str]:
    """A definition with everything a schema can say; answers with its group."""
    group = f"g{uuid.uuid4().hex[:8]}.contract.example"
    name = f"widgets.{group}"
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    cluster.ask("POST", definitions, widget_definition(group))
    for _ in range(100):
        if cluster.call("GET", f"/apis/{group}/v1/widgets").status == 200:
            break
    yield group
    cluster.call("DELETE", f"{definitions}/{name}")
