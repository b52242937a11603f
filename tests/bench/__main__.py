"""`python -m tests.bench`: what a cold start pays for imports, how big assets are, what a tool call adds; as ratios.

Times are processor time of this machine, so they are told as multiples of a bare interpreter's start, and of what
anybody pays who uses boto3 and a resolver of Powertools. Each import runs in a process of its own, from the assets
alone: with bytecode, as the assets bring it to Lambda, and without, as Lambda would find any other.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.assets.__main__ import lines as asset_lines
from infra.functions import FUNCTIONS
from infra.release import GATEWAY
from infra.shapes import Function
from tests.bench import gateway
from tests.infrastructure.isolation import Assets, unpacked, variables

_RUNS: Final = 5
_BARE: Final = "pass"
_RESOLVER: Final = "import boto3; from aws_lambda_powertools.event_handler import APIGatewayHttpResolver"
_COUNTED: Final = "import sys; before = len(sys.modules); {}; print(len(sys.modules) - before)"


@dataclass(frozen=True)
class Start:
    """A program that a fresh interpreter begins with, and where it finds its modules."""

    name: str
    program: str
    places: tuple[str, ...]
    environment: Mapping[str, str]

    def modules(self) -> int:
        """Count what it imports."""
        return int(self._run("-B", program=_COUNTED.format(self.program)))

    def seconds(self, scratch: Path, *, compiled: bool) -> float:
        """Give the shortest of several runs, which find the bytecode that one before them has left, or none."""
        bytecode = scratch / ("bytecode" if compiled else "nothing")
        options = ("-X", f"pycache_prefix={bytecode}", *(() if compiled else ("-B",)))
        if compiled:
            self._run(*options)
        return min(self._timed(*options) for _ in range(_RUNS))

    def _timed(self, *options: str) -> float:
        before = _used()
        self._run(*options)
        return _used() - before

    def _run(self, *options: str, program: str = "") -> str:
        whole = f"import sys; sys.path[:0] = {self.places!r}; {program or self.program}"
        return subprocess.run(
            [sys.executable, "-I", "-S", *options, "-c", whole],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


def _used() -> float:
    """Give the processor time of all programs that this one has run: what others do does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print all tables."""
    sys.stdout.write("\n".join(asset_lines()) + "\n\n")
    with tempfile.TemporaryDirectory() as scratch:
        for line in _lines(Path(scratch)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    sys.stdout.write("\n" + "\n".join(gateway.lines()) + "\n")


def _lines(scratch: Path) -> Iterator[str]:
    assets = unpacked(scratch)
    starts = [_start(function, assets, scratch) for function in FUNCTIONS]
    environment = starts[0].environment
    packages = (sysconfig.get_path("platlib"), sysconfig.get_path("purelib"))
    bare, resolver = Start("", _BARE, (), environment), Start("", _RESOLVER, packages, environment)
    yield f"{'cold import':<20} {'modules':>7}   {'without bytecode':^22}   {'with bytecode':^22}"
    yield f"{'':<20} {'':>7} " + f"  {'x bare':>9} {'x resolver':>12}" * 2
    usual = [(each.seconds(scratch, compiled=False), each.seconds(scratch, compiled=True)) for each in (bare, resolver)]
    for start in starts:
        own = (start.seconds(scratch, compiled=False), start.seconds(scratch, compiled=True))
        ratios = [own[kind] / each[kind] for kind in (0, 1) for each in usual]
        yield f"{start.name:<20} {start.modules():>7} " + "  {:>9.1f} {:>12.2f}  {:>9.1f} {:>12.2f}".format(*ratios)
    yield ""
    yield "of the import of mcp:"
    mcp = next(start for start in starts if start.name == GATEWAY)
    yield from gateway.heaviest(mcp.program, mcp.places, environment)


def _start(function: Function, assets: Assets, scratch: Path) -> Start:
    layer = assets.layers[function.weight]
    module = function.handler.rpartition(".")[0]
    places = (str(assets.code), str(layer / "python"))
    return Start(function.name, f"import {module}", places, variables(function, layer, scratch))


if __name__ == "__main__":
    main()
