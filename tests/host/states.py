"""The local host as tests use it: one a session, brought back to a known state before each test.

moto knows one world a process, so these tests run in a ring of their own, apart from those that use moto directly.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from infra.local.demo.foreign import Maker
from infra.local.host import LocalHost, Options
from infra.local.images import HostSnapshot
from infra.local.inventory import Inventory, taken
from tests.host.driver import Driver, cluster_request

# The fixtures that a ring on the local host has: its conftest imports them all.
__all__ = [
    "created_state",
    "driver",
    "driver_of_base",
    "driver_of_foreign",
    "driver_of_prepared",
    "driver_of_ready",
    "empty_account",
    "empty_state",
    "foreign_state",
    "founded_state",
    "prepared_state",
    "session_host",
    "standing_time",
]

# A page elsewhere that may call the API.
PAGE_ORIGIN = "https://ui.example"
START = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def session_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalHost]:
    with lasting(Options(tmp_path_factory.mktemp("local"), start=START, allowed_origins=(PAGE_ORIGIN,))) as host:
        yield host


@contextmanager
def lasting(options: Options) -> Iterator[LocalHost]:
    """A host for all tests of a process."""
    host = LocalHost(options)
    host.functions.load()
    # What is loaded stays: the collector need not look through all of it again and again.
    usual = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    yield host
    gc.set_threshold(*usual)
    gc.unfreeze()
    Driver(host).stop_everything()
    host.close()


@pytest.fixture(scope="session")
def empty_state(session_host: LocalHost) -> HostSnapshot:
    return session_host.snapshot()


@pytest.fixture(scope="session")
def empty_account(session_host: LocalHost, empty_state: HostSnapshot) -> Inventory:
    """What is in the account before any cluster."""
    driver = back_to(session_host, empty_state)
    with session_host.clock.busy():
        return taken(driver.host)


@pytest.fixture(scope="session")
def founded_state(session_host: LocalHost, empty_state: HostSnapshot) -> HostSnapshot:
    """The host with the foundation of cluster `base`."""
    driver = back_to(session_host, empty_state)
    operation = driver.create({"tag": "base"})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return session_host.snapshot()


@pytest.fixture(scope="session")
def prepared_state(session_host: LocalHost, founded_state: HostSnapshot) -> HostSnapshot:
    """The host with cluster `base` as far as a HyperPod cluster needs it."""
    driver = back_to(session_host, founded_state)
    operation = driver.run("/api/clusters/base/dependencies")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return session_host.snapshot()


@pytest.fixture(scope="session")
def created_state(session_host: LocalHost, empty_state: HostSnapshot) -> HostSnapshot:
    """The host after the main job: cluster `ready` stands with all that belongs to it."""
    driver = back_to(session_host, empty_state)
    operation = driver.create(cluster_request("ready"))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return session_host.snapshot()


@pytest.fixture(scope="session")
def foreign_state(session_host: LocalHost, empty_state: HostSnapshot) -> HostSnapshot:
    """The host with EKS clusters of others: `research` with HyperPod, and `legacy-1`, which knows no access entries."""
    back_to(session_host, empty_state)
    maker = Maker(session_host)
    research = maker.cluster("research", 50)
    maker.dependencies_chart(research)
    maker.hyperpod(research, "research-hp")
    maker.cluster("legacy-1", 60, mode="CONFIG_MAP")
    return session_host.snapshot()


def back_to(host: LocalHost, state: HostSnapshot) -> Driver:
    """Give a driver of the host in a state; what an earlier test left running is stopped."""
    driver = Driver(host)
    with host.clock.busy():
        driver.stop_everything()
        host.restore(state)
    return driver


@pytest.fixture(autouse=True)
def standing_time(session_host: LocalHost) -> Iterator[None]:
    """Time moves only where a test waits, so that what happens meanwhile does not depend on the machine's pace."""
    with session_host.clock.busy():
        yield


@pytest.fixture
def driver(session_host: LocalHost, empty_state: HostSnapshot) -> Driver:
    """A host on which nothing was ever done."""
    return back_to(session_host, empty_state)


@pytest.fixture
def driver_of_base(session_host: LocalHost, founded_state: HostSnapshot) -> Driver:
    """A host on which cluster `base` has its foundation."""
    return back_to(session_host, founded_state)


@pytest.fixture
def driver_of_prepared(session_host: LocalHost, prepared_state: HostSnapshot) -> Driver:
    """A host on which cluster `base` has foundation and dependencies."""
    return back_to(session_host, prepared_state)


@pytest.fixture
def driver_of_ready(session_host: LocalHost, created_state: HostSnapshot) -> Driver:
    """A host on which cluster `ready` was created."""
    return back_to(session_host, created_state)


@pytest.fixture
def driver_of_foreign(session_host: LocalHost, foreign_state: HostSnapshot) -> Driver:
    """A host whose account has clusters that others made, none of which the control plane knows."""
    return back_to(session_host, foreign_state)
