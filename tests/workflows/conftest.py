"""The local host of the session, for the tests of the state machines that run on it, and stages run by themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from functions.clusters import rules
from tests.host.driver import Driver, Json
from tests.host.states import *  # noqa: F403  # the list of fixtures is that module's __all__


@pytest.fixture
def run_stage(driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Json]:
    """Runs one stage on the prepared cluster, by the machines that run every stage, to the operation's end."""

    def running(name: str) -> Json:
        monkeypatch.setattr(rules, "plan", lambda *_: [("dependencies", name)])
        begun = driver_of_prepared.post("/api/clusters/base/dependencies")
        return driver_of_prepared.finish(begun["operation_id"], within=600)

    return running
