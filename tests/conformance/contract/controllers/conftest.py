"""The cluster that the contract of the controllers is tried on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator

import pytest

from tests.conformance.contract.controllers.driver import NAMESPACE, Cluster, Door, RealServer, Simulator


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    kubeconfig = os.environ.get("CONTRACT_KUBECONFIG")
    door: Door = RealServer(kubeconfig) if kubeconfig else Simulator()
    namespace = f"{NAMESPACE}-{secrets.token_hex(3)}" if kubeconfig else NAMESPACE
    cluster = Cluster(door, namespace)
    cluster.create("namespaces", namespace)
    yield cluster
    if kubeconfig:
        cluster.delete("namespaces", namespace)
