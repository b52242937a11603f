"""The local host of the session, for the tests of the host itself and of what reaches it at its edge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.host.driver import Driver
from tests.host.people import People, signing_in
from tests.host.states import *  # noqa: F403  # the list of fixtures is that module's __all__


@pytest.fixture
def people(driver: Driver, tmp_path: Path) -> Iterator[People]:
    with signing_in(driver.host, tmp_path) as people:
        yield people
