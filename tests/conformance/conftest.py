"""`python -m infra.local` as a newcomer starts it: a process of its own, reached only through its ports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).parents[2]
SPEED = 600
ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
PATIENCE_SECONDS = 30

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: Json

    @property
    def media(self) -> str:
        return self.headers["content-type"].partition(";")[0]


@dataclass(frozen=True)
class LocalRun:
    """A host that serves."""

    process: subprocess.Popen[str]
    directory: Path
    endpoints: Mapping[str, Any]
    printed: str
    start_seconds: float

    def memory_megabytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(resident.split()[1]) // 1024

    def send(self, method: str, path: str, body: Json | None = None, **headers: str) -> Answer:
        """Send one request to a path under /api."""
        content = None if body is None else json.dumps(body).encode()
        sent = {"content-type": "application/json", **headers}
        request = Request(f"{self.endpoints['api']}{path}", content, sent, method=method)
        try:
            with urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return Answer(answer.status, dict(answer.headers), json.load(answer))
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, dict(refused.headers), json.load(refused))

    def create(self, request: Json) -> Json:
        """Create a cluster; give its operation as it ended."""
        accepted = self.send("POST", "/clusters", request)
        assert accepted.status == 202, accepted.body
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            operation = self.send("GET", f"/operations/{accepted.body['operation_id']}?wait=20").body
            if operation["status"] in ENDED:
                return operation
            assert time.monotonic() < deadline, operation


def command(directory: Path, port: int = 0, auth: str = "local") -> list[str]:
    where = ["--port", str(port), "--directory", str(directory), "--auth", auth]
    return [sys.executable, "-m", "infra.local", "--speed", str(SPEED), *where]


@contextmanager
def serving(directory: Path, auth: str = "local") -> Iterator[LocalRun]:
    """Start a host and wait until it says that it serves; its standard error is its standard output."""
    began = time.monotonic()
    with subprocess.Popen(
        command(directory, auth=auth),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ},
    ) as process:
        try:
            printed = _announcement(process)
            seconds = time.monotonic() - began
            endpoints = json.loads((directory / "endpoints.json").read_text(encoding="utf-8"))
            yield LocalRun(process, directory, endpoints, printed, seconds)
        finally:
            process.kill()


def _announcement(process: subprocess.Popen[str]) -> str:
    printed = ""
    assert process.stdout is not None
    for line in process.stdout:
        printed += line
        if line.startswith("Press Ctrl-C"):
            return printed
    raise AssertionError(f"the host ended before it served:\n{printed}")


@pytest.fixture(scope="session")
def local_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalRun]:
    with serving(tmp_path_factory.mktemp("run")) as run:
        yield run


@pytest.fixture(scope="session")
def created(local_run: LocalRun) -> Json:
    """The ended operation of a cluster with two groups whose tag the product chose."""
    groups = [
        {"name": "accelerated", "instance_type": "ml.p5.48xlarge", "instance_count": 2},
        {"name": "system", "instance_type": "ml.m5.xlarge", "instance_count": 1},
    ]
    operation = local_run.create({"hyperpod": {"availability_zone": "us-west-2a", "instance_groups": groups}})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return operation
