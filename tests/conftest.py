"""What every ring shares: the `case` marker and, for the unit ring, the promise that nothing leaves the process."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NoReturn

import pytest

# moto would make up 1,300 machine images for every world, and nothing here starts an instance from one.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

UNIT_RING = Path(__file__).parent / "unit"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "case(number, ...): the test shows these numbers of the public case log")


def refuse(*_: object) -> NoReturn:
    raise RuntimeError("a unit test opened a connection; it belongs to the component ring")


@pytest.fixture(autouse=True)
def no_connections_from_unit_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.path.is_relative_to(UNIT_RING):
        monkeypatch.setattr(socket.socket, "connect", refuse)
