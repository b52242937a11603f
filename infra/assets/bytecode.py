"""Bytecode for Lambda's Python, whose folders take none: what an archive lacks is compiled at each cold start.

That takes twice as long as the imports themselves. Which Python runs here does not matter: the compiler is Pyodide, a
Python 3.13 for WebAssembly, so the bytes are the same on every machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.archive import Member
from infra.assets.place import ASSETS, COMPILER, AssetFault

_PACKAGES: Final = ASSETS / "compiler"
_INSTALL: Final = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")


def with_bytecode(members: Sequence[Member], place: str, scratch: Path) -> Iterator[Member]:
    """Give an archive's files, and beside each module its bytecode; `place` is where Lambda unpacks them.

    The bytecode lies under `scratch`. Raises AssetFault when the compiler cannot be had, or refuses a module.
    """
    sources, compiled = scratch / "sources", scratch / "compiled"
    compiled.mkdir()
    for member in members:
        if member.name.endswith(".py"):
            path = sources / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(member.source.read_bytes())
    _run("node", COMPILER / "compile.mjs", _packages(), sources, compiled, place)
    yield from members
    for path in compiled.rglob("*.pyc"):
        yield Member(path.relative_to(compiled).as_posix(), path)


def _packages() -> Path:
    """Give the folder that has Pyodide; it is installed by its lock, once."""
    locked = [COMPILER / name for name in ("package.json", "package-lock.json")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in locked)).hexdigest()
    kept = _PACKAGES / digest
    if not kept.exists():
        _PACKAGES.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=_PACKAGES) as scratch:
            partial = Path(scratch) / "packages"
            partial.mkdir()
            for path in locked:
                shutil.copy(path, partial)
            _run("npm", *_INSTALL, folder=partial)
            if not kept.exists():
                partial.rename(kept)
    return kept


def _run(program: str, *arguments: str | Path, folder: Path | None = None) -> None:
    command = [_program(program), *map(str, arguments)]
    # Node has a list of certificate authorities of its own, and a company's registry is signed by the machine's.
    environment = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssetFault(f"{program} could not compile the code of an asset: {(ended.stderr or ended.stdout).strip()}")


def _program(name: str) -> str:
    """Find a program of Node, the environment's own first."""
    own = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if own is None:
        raise AssetFault(f"there is no {name}, which compiles the code of assets: install infra/locks/host.txt.")
    return own
