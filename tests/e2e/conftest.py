"""The console in a real browser: one host and one browser a process, a new page and a known state for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra.host.pages import BUILD
from infra.local import doors
from infra.local.host import LocalHost, Options
from tests.e2e import browser as browsers
from tests.e2e.browser import Console
from tests.host.driver import Driver
from tests.host.people import People, signing_in
from tests.host.states import (
    START,
    created_state,
    driver,
    driver_of_foreign,
    driver_of_ready,
    empty_state,
    foreign_state,
    lasting,
    standing_time,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The fixtures of the local host that this ring has beside its own.
__all__ = [
    "created_state",
    "driver",
    "driver_of_foreign",
    "driver_of_ready",
    "empty_state",
    "foreign_state",
    "standing_time",
]


@pytest.fixture(scope="session")
def session_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalHost]:
    assert (BUILD / "index.html").is_file(), "the console is not built: make console"
    with lasting(Options(tmp_path_factory.mktemp("local"), start=START, console=BUILD)) as host:
        yield host


@pytest.fixture(scope="session")
def origin(session_host: LocalHost) -> Iterator[str]:
    with doors.opened(session_host) as opened:
        yield opened.api


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with browsers.started() as browser:
        yield browser


@pytest.fixture
def console(browser: Browser, driver: Driver, origin: str) -> Iterator[Console]:
    """The console over a host on which nothing was ever done."""
    with browsers.opened(browser, driver, origin) as console:
        yield console


@pytest.fixture
def console_of_ready(browser: Browser, driver_of_ready: Driver, origin: str) -> Iterator[Console]:
    """The console over a host on which cluster `ready` was created."""
    with browsers.opened(browser, driver_of_ready, origin) as console:
        yield console


@pytest.fixture
def console_of_foreign(browser: Browser, driver_of_foreign: Driver, origin: str) -> Iterator[Console]:
    """The console over a host whose account has clusters that others made."""
    with browsers.opened(browser, driver_of_foreign, origin) as console:
        yield console


@pytest.fixture
def people(driver: Driver, origin: str, tmp_path: Path) -> Iterator[People]:
    """Those who have to sign in to the console."""
    with signing_in(driver.host, tmp_path) as people:
        driver.host.found_at(origin)
        yield people
