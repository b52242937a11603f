"""Packages for another machine than this one: pip takes their wheels by the hashes of a lock, and unpacks them."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.place import AssetFault

_PYTHON: Final = "3.13"
# Lambda's Amazon Linux 2023 has glibc 2.34, and pip takes no older tag for a newer one.
_GLIBC_TAGS: Final = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014")
_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
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


def install(requirements: str, target: Target, wheels: Path, folder: Path) -> None:
    """Unpack the wheels that `requirements` pins by hash; they are fetched once and kept under `wheels`.

    Raises AssetFault when pip refuses.
    """
    kept = wheels / hashlib.sha256(f"{target.name}\n{requirements}".encode()).hexdigest()
    with TemporaryDirectory() as scratch:
        pinned = Path(scratch) / "requirements.txt"
        pinned.write_text(requirements, encoding="utf-8")
        locked = [*target.options, "--require-hashes", "--no-deps", "--only-binary=:all:", f"--requirement={pinned}"]
        if not kept.exists():
            _fetch(locked, kept)
        _pip("install", "--no-compile", "--no-index", f"--find-links={kept}", f"--target={folder}", *locked)


def _fetch(locked: list[str], kept: Path) -> None:
    """Fetch the wheels; a folder that bears the name holds all of them."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=kept.parent) as scratch:
        partial = Path(scratch) / "wheels"
        _pip("download", f"--dest={partial}", *locked)
        if not kept.exists():
            partial.rename(kept)


def _pip(command: str, *arguments: str) -> None:
    ended = subprocess.run([*_PIP, command, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssetFault(f"pip {command} refused the packages of a layer: {ended.stderr.strip()}")
