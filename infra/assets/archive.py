"""Archives that come out byte for byte the same on every machine.

Members are sorted, have one date and two modes, and are stored as they are: each zlib compresses in its own way, while
Lambda counts what is unpacked and takes archives of any size from S3.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_REGULAR_FILE: Final = 0o100000


@dataclass(frozen=True)
class Member:
    """One file of an archive: its path there, with `/`, and where its content is, maybe in another archive."""

    name: str
    source: Path | zipfile.Path
    executable: bool = False


def write(members: Iterable[Member], target: Path) -> Path:
    """Write an archive; whoever looks finds it whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=target.parent, delete=False) as partial, zipfile.ZipFile(partial, "w") as archive:
        for member in sorted(members, key=lambda each: each.name):
            archive.writestr(_entry(member), member.source.read_bytes())
    return Path(partial.name).replace(target)


def unpacked_bytes(archive: Path) -> int:
    """Add up what an archive holds once unpacked."""
    with zipfile.ZipFile(archive) as opened:
        return sum(entry.file_size for entry in opened.infolist())


def _entry(member: Member) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(member.name, _EARLIEST)
    entry.create_system = _UNIX
    entry.external_attr = (_REGULAR_FILE | (0o755 if member.executable else 0o644)) << 16
    return entry
