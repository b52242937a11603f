"""The cluster that the contract of the controllers is tried on."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.conformance.contract.controllers.driver import NAMESPACE, Cluster, Door, RealServer, Simulator


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    kubeconfig = os.environ.get("CONTRACT_KUBECONFIG")
    door: Door = RealServer(kubeconfig) if kubeconfig else Simulator()
    cluster = Cluster(door)
    if not cluster.exists("namespaces", NAMESPACE):
        cluster.create("namespaces", NAMESPACE)
    yield cluster
    if kubeconfig:
        cluster.delete("namespaces", NAMESPACE)
