"""The stand-in charts of the local host, packed as helm packs charts, byte for byte the same each time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infra.local.simulators.instance_facts import accelerated_types

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARTS = Path(__file__).resolve().parent / "charts"


@dataclass(frozen=True)
class Packed:
    """A chart in an archive."""

    release: str
    version: str
    namespace: str
    content: bytes

    @property
    def key(self) -> str:
        """Say where the release's artifacts have the chart."""
        return f"charts/{self.release}-{self.version}.tgz"

    @property
    def sha256(self) -> str:
        """Give the digest by which a chart is known."""
        return hashlib.sha256(self.content).hexdigest()


def packed() -> list[Packed]:
    """Pack every stand-in chart."""
    return [Packed("dependencies", "0.1.0", "kube-system", _pack(CHARTS / "dependencies"))]


def _pack(directory: Path) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in _files(directory):
            entry = tarfile.TarInfo(f"{directory.name}/{name}")
            entry.size = len(content)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(archive.getvalue(), mtime=0)


def _files(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        yield path.relative_to(directory).as_posix(), path.read_bytes()
    # The chart's templates choose nodes by instance type, as the real one does.
    yield "types.json", json.dumps(accelerated_types()).encode()
