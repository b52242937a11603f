"""Runs programs of others that judge what would be deployed: those of npm, and those of our own environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# `make test` makes all environments side by side, and one of them runs this.
ENVIRONMENTS: Final = Path(sys.prefix).parent
_OURS: Final = Path(sys.prefix) / "bin"
_OF_NPM: Final = ENVIRONMENTS / "node" / "node_modules" / ".bin"


def run(
    name: str,
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    seconds: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end in a folder, with more of an environment; how it ends is the caller's to judge."""
    return subprocess.run(
        [_program(name), *map(str, arguments)],
        cwd=folder,
        # What npm installed is started by the first Node on the path.
        env={**os.environ, "PATH": f"{_OURS}{os.pathsep}{os.environ['PATH']}", **(env or {})},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def _program(name: str) -> Path:
    found = next((folder / name for folder in (_OF_NPM, _OURS) if (folder / name).exists()), None)
    assert found, f"{name} is neither in {_OF_NPM} nor in {_OURS}: `make test` installs it."
    return found
