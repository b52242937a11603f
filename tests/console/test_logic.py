"""The console's own tests of its logic (vitest), each file told as a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from infra.shapes import ROOT

FRONTEND: Final = ROOT / "frontend"
VITEST: Final = FRONTEND / "node_modules" / ".bin" / "vitest"
NODE: Final = ROOT / ".venv" / "console" / "bin"
FILES: Final = sorted(path.relative_to(FRONTEND).as_posix() for path in FRONTEND.glob("src/**/*.test.ts"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What vitest says of each file, by its path."""
    report = tmp_path_factory.mktemp("vitest") / "report.json"
    # Whoever runs a test by itself has a Node of their own.
    path = os.pathsep.join([str(NODE), str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [str(VITEST), "run", "--reporter=json", f"--outputFile={report}"]
    ran = subprocess.run(
        command, cwd=FRONTEND, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert report.exists(), f"{ran.stdout}\n{ran.stderr}"
    told = json.loads(report.read_text(encoding="utf-8"))
    return {Path(each["name"]).relative_to(FRONTEND).as_posix(): each for each in told["testResults"]}


@pytest.mark.parametrize("file", FILES)
def test_the_logic_of_the_console_holds(results: dict[str, Any], file: str) -> None:
    told = results[file]
    wrong = [
        "\n".join([each["fullName"], *each["failureMessages"]])
        for each in told["assertionResults"]
        if each["status"] != "passed"
    ]
    assert (told["status"], wrong, told.get("message", "")) == ("passed", [], "")
    assert told["assertionResults"], f"{file} tests nothing"
