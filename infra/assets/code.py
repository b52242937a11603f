"""The code asset: one archive that every function is deployed with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.archive import Member, write
from infra.assets.bytecode import with_bytecode
from infra.assets.place import ASSETS, rules
from infra.shapes import ROOT

_FOLDERS: Final = ("functions", "mcp_gateway", "skills")
_PLACE: Final = "/var/task"
_LEFT_OUT: Final = ("__pycache__", "README.md", "tests")
# What recipes bring for pods goes there by the artifact bucket, never with a function.


def code(root: Path = ROOT, assets: Path = ASSETS) -> Path:
    """Give the archive of all that functions need of this repository, made anew when any of it has changed."""
    members = sorted(_members(root), key=lambda member: member.name)
    digest = hashlib.sha256(rules())
    for member in members:
        content = member.source.read_bytes()
        digest.update(f"{member.name}\0{len(content)}\0".encode() + content)
    target = assets / digest.hexdigest() / "code.zip"
    if not target.exists():
        with TemporaryDirectory() as scratch:
            write(with_bytecode(members, _PLACE, Path(scratch)), target)
    return target


def _members(root: Path) -> Iterator[Member]:
    for folder in _FOLDERS:
        found = [path for path in (root / folder).rglob("*") if path.is_file()]
        names = {path: PurePosixPath(path.relative_to(root).as_posix()) for path in found}
        yield from (Member(str(name), path) for path, name in names.items() if _is_needed(name))


def _is_needed(name: PurePosixPath) -> bool:
    left_out = any(part in _LEFT_OUT or part.startswith(".") for part in name.parts)
    return not left_out and name.suffix != ".pyc" and not _is_for_pods(name)


def _is_for_pods(name: PurePosixPath) -> bool:
    """Whether `name` lies in the workspace of a training recipe."""
    return name.parts[:3] == ("functions", "training", "recipes") and name.parts[4:5] == ("workspace",)
