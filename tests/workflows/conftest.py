"""The local host as the workflow tests use it: one a session, brought back to a known state before each test.

moto knows one world a process, so these tests run in a ring of their own, apart from those that use moto directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from infra.local.host import HostSnapshot, LocalHost, Options
from tests.workflows.driver import Driver, cluster_request

START = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def session_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalHost]:
    host = LocalHost(Options(tmp_path_factory.mktemp("local"), start=START))
    yield host
    host.close()


@pytest.fixture(scope="session")
def empty_state(session_host: LocalHost) -> HostSnapshot:
    return session_host.snapshot()


@pytest.fixture(scope="session")
def created_state(session_host: LocalHost, empty_state: HostSnapshot) -> HostSnapshot:
    """The host after the main job: cluster `ready` stands with all that belongs to it."""
    session_host.restore(empty_state)
    operation = Driver(session_host).create(cluster_request("ready"))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return session_host.snapshot()


@pytest.fixture
def driver(session_host: LocalHost, empty_state: HostSnapshot) -> Driver:
    """A host on which nothing was ever done."""
    session_host.restore(empty_state)
    return Driver(session_host)


@pytest.fixture
def driver_of_ready(session_host: LocalHost, created_state: HostSnapshot) -> Driver:
    """A host on which cluster `ready` was created."""
    session_host.restore(created_state)
    return Driver(session_host)
