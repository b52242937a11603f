"""Each function alone: its code and its layer unpacked somewhere, its own environment, and no AWS within reach."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from infra.assets import HELM_PROGRAM, code, twin
from infra.release import Place, Release, environment, own_environment
from infra.shapes import Function, Weight
from infra.topology import TOPOLOGY

PLACE: Final = Place("111122223333", "us-west-2")
_ALONE: Final = Path(__file__).with_name("alone.py")
# The port of the discard service: nothing listens, and a connection is refused at once.
_NOBODY: Final = "http://127.0.0.1:9"
_SECONDS: Final = 120


class Raised(BaseModel):
    """What a handler raised, as Lambda tells Step Functions of it."""

    model_config = ConfigDict(frozen=True)

    kind: str
    message: str


class Told(BaseModel):
    """How an invocation went, and which modules the handler's import brought."""

    model_config = ConfigDict(frozen=True)

    modules: frozenset[str]
    answer: JsonValue
    error: Raised | None


@dataclass(frozen=True)
class Assets:
    """The unpacked assets: the code, and a layer per weight class as this Python can import it."""

    code: Path
    layers: Mapping[Weight, Path]

    def invoke(self, function: Function, event: JsonValue, weight: Weight | None = None) -> Told:
        """Import and call a function in a process of its own, with the layer of its class or of another one."""
        with TemporaryDirectory() as scratch:
            asked, told = Path(scratch) / "event.json", Path(scratch) / "told.json"
            asked.write_text(json.dumps(event), encoding="utf-8")
            layer = self.layers[weight or function.weight]
            given = (_ALONE, self.code, layer, function.handler, asked, told)
            ended = subprocess.run(
                [sys.executable, "-I", "-S", "-B", *map(str, given)],
                env=variables(function, layer, Path(scratch)),
                cwd=scratch,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
            assert ended.returncode == 0, f"{function.name} cannot be imported alone: {ended.stderr}"
            return Told.model_validate_json(told.read_text(encoding="utf-8"))


def unpacked(folder: Path) -> Assets:
    """Unpack the code and every layer below a folder."""
    return Assets(_unpack(code(), folder / "code"), {each: _unpack(twin(each), folder / each) for each in Weight})


def _unpack(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder


def variables(function: Function, layer: Path, scratch: Path) -> dict[str, str]:
    """Give a function the environment of a deployment, and an AWS that refuses every connection."""
    return {
        **environment(TOPOLOGY, PLACE, Release("alone", ())),
        **own_environment(TOPOLOGY, PLACE, function.name),
        "AWS_REGION": PLACE.region,
        "AWS_ACCESS_KEY_ID": "alone",
        "AWS_SECRET_ACCESS_KEY": "alone",
        "AWS_ENDPOINT_URL": _NOBODY,
        # Whether a call is repeated says nothing here, and takes seconds.
        "AWS_PATIENCE": "edge",
        "CONNECTIONS_ENDPOINT": _NOBODY,
        "CONSOLE_URL": _NOBODY,
        "INTERNAL_API_URL": _NOBODY,
        "HELM": str(layer / Path(HELM_PROGRAM).relative_to("/opt")),
        "SIGNING_KEY_ARNS": PLACE.arn("secretsmanager", "secret:instantstart-signing-key-1-AbCdEf"),
        "SCRATCH": str(scratch),
    }
