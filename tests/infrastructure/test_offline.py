"""Whoever has this checkout synthesises what would be deployed without a network, within a minute of work."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from infra.shapes import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What nobody else takes from the processors is counted, so a busy machine changes nothing.
SECONDS_OF_WORK: Final = 60
_PYTHON: Final = """
import socket
def refuse(self, address, *rest):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        raise OSError("there is no network")
    return connect(self, address, *rest)
connect, socket.socket.connect = socket.socket.connect, refuse
"""
_NODE: Final = "require('net').Socket.prototype.connect = () => { throw new Error('there is no network'); };"


@pytest.fixture
def offline(tmp_path: Path) -> dict[str, str]:
    """The environment of a process whose Python and Node open no connection."""
    (tmp_path / "sitecustomize.py").write_text(_PYTHON, encoding="utf-8")
    (tmp_path / "refuse.cjs").write_text(_NODE, encoding="utf-8")
    return {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "NODE_OPTIONS": f"--require {tmp_path / 'refuse.cjs'}",
        "CDK_OUTDIR": str(tmp_path / "cdk.out"),
    }


def test_the_app_is_synthesised_without_a_network_and_within_a_minute(offline: dict[str, str]) -> None:
    before = worked()
    ended = run([sys.executable, "-m", "infra.app"], offline)
    assert ended.returncode == 0, ended.stderr
    assert "resources of at most" in ended.stdout
    assert worked() - before < SECONDS_OF_WORK


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"],
        [os.environ["JSII_NODE"], "-e", "require('net').connect(9, '127.0.0.1')"],
    ],
    ids=["python", "node"],
)
def test_there_is_no_network_in_these_tests(command: Sequence[str], offline: dict[str, str]) -> None:
    assert "there is no network" in run(command, offline).stderr


def run(command: Sequence[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)


def worked() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
