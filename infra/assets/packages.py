"""Packages for another machine than this one: pip fetches their wheels by the hashes of a lock.

A wheel is an archive of what lies in `site-packages`, so it is read as it is: what an installer would add (scripts,
notes of its own) is of this machine, and nothing on Lambda reads it.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.place import AssetFault

_PYTHON: Final = "3.13"
# Lambda's Amazon Linux 2023 has glibc 2.34, and pip takes no older tag for a newer one.
_GLIBC_TAGS: Final = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014")
_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
_DOWNLOAD: Final = (*_PIP, "download", "--require-hashes", "--no-deps", "--only-binary=:all:")
# The folders of a wheel's `.data` whose files an installer lays beside the packages.
_LIBRARIES: Final = ("purelib", "platlib")
_MACHINES: Final = {"arm64": "aarch64", "x86_64": "x86_64"}


@dataclass(frozen=True)
class Target:
    """Which machine packages are for; `architecture` is Lambda's word, or empty for this machine and this Python."""

    architecture: str

    @property
    def name(self) -> str:
        """Name the target: two machines with the same name take the same wheels."""
        if self.architecture:
            return f"{self.architecture}-{_PYTHON}"
        return f"{sysconfig.get_platform()}-{platform.python_version()}"

    @property
    def options(self) -> list[str]:
        """Tell pip which wheels to take."""
        if not self.architecture:
            return []
        tags = [f"--platform={tag}_{_MACHINES[self.architecture]}" for tag in _GLIBC_TAGS]
        return [*tags, f"--python-version={_PYTHON}", "--implementation=cp", "--abi=cp313", "--abi=abi3", "--abi=none"]


HERE: Final = Target("")


def target_of(architecture: str) -> Target:
    """Give the target of a Lambda architecture; raises AssetFault for one that Lambda does not have."""
    if architecture not in _MACHINES:
        raise AssetFault(f"architecture {architecture!r}: Lambda has {' and '.join(_MACHINES)}, choose one of them.")
    return Target(architecture)


def wheels(requirements: str, target: Target, folder: Path) -> list[Path]:
    """Give the wheels that `requirements` pins by hash; they are fetched once and kept under `folder`.

    Raises AssetFault when pip refuses.
    """
    kept = folder / hashlib.sha256(f"{target.name}\n{requirements}".encode()).hexdigest()
    if not kept.exists():
        _fetch(requirements, target, kept)
    return sorted(kept.glob("*.whl"))


def contents(wheel: zipfile.ZipFile) -> Iterator[tuple[PurePosixPath, zipfile.Path]]:
    """List the files of a wheel with their places in `site-packages`. Source: PyPA binary distribution format."""
    for name in wheel.namelist():
        place = _place(PurePosixPath(name))
        if place and not name.endswith("/"):
            yield place, zipfile.Path(wheel, name)


def _place(name: PurePosixPath) -> PurePosixPath | None:
    if not name.parts[0].endswith(".data"):
        return name
    return PurePosixPath(*name.parts[2:]) if name.parts[1] in _LIBRARIES else None


def _fetch(requirements: str, target: Target, kept: Path) -> None:
    """Fetch the wheels; a folder that bears the name holds all of them."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=kept.parent) as scratch:
        pinned, partial = Path(scratch) / "requirements.txt", Path(scratch) / "wheels"
        pinned.write_text(requirements, encoding="utf-8")
        ended = subprocess.run(
            [*_DOWNLOAD, f"--dest={partial}", f"--requirement={pinned}", *target.options],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise AssetFault(f"pip refused the packages of a layer: {ended.stderr.strip()}")
        if not kept.exists():
            partial.rename(kept)
