"""The file in which a host outlives its process: written as a whole or not at all, read only by the code that wrote it.

It is a pickle, and reading a pickle runs what it says: the file is our own, in the host's own folder, readable and
writable for its owner alone. Never read one that somebody else has made.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from infra.local.images import HostImage
from infra.shapes import ROOT

NAME: Final = "state"
_CODE: Final = ("functions", "infra", "statemachines")
_SUFFIXES: Final = frozenset({".py", ".json", ".yaml", ".sh", ".tpl", ".lock"})


class OtherVersion(Exception):
    """The file was written by other code, or is damaged; its words say which."""


def write(directory: Path, image: HostImage) -> None:
    """Keep an image in the place of the one before."""
    content = pickle.dumps(image, pickle.HIGHEST_PROTOCOL)
    header = {"code": code(), "sha256": hashlib.sha256(content).hexdigest()}
    fresh = directory / f"{NAME}.new"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(json.dumps(header).encode() + b"\n" + content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(directory / NAME)


def read(directory: Path) -> HostImage | None:
    """Give the image that was kept, None when there is none; raises OtherVersion."""
    try:
        first, _, content = (directory / NAME).read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        header = json.loads(first)
        kept_by, digest = header["code"], header["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise OtherVersion("it is damaged") from error
    if kept_by != code():
        raise OtherVersion("another version of the code wrote it")
    if digest != hashlib.sha256(content).hexdigest():
        raise OtherVersion("it is damaged")
    image: HostImage = pickle.loads(content)
    return image


@cache
def code() -> str:
    """Name the code that runs: everything a state may depend on, with Python and moto."""
    digest = hashlib.sha256(f"{sys.version} {version('moto')}".encode())
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
