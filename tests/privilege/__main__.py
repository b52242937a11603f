"""Shows that no role holds what it does not need: `python -m tests.privilege [--sample N]`.

First the rings run and note which statements they need: what is granted and not needed must have a reason in
`reasons.py`. Then each statement is taken away in turn, and a test that needs it must fail. Notes and results stay in
.local/privilege, from which a run goes on unless `--fresh` is given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.privilege import mutation, notes, reasons
from tests.privilege.plugin import USES

if TYPE_CHECKING:
    from collections.abc import Sequence

RINGS: Final = ("component", "host", "workflows")
_FOLDER: Final = Path(".local") / "privilege"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.privilege", description=__doc__)
    parser.add_argument("--sample", type=int, help="take away so many statements, picked by the seed, and not all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--uses", action="store_true", help="take nothing away")
    wanted = parser.parse_args(arguments)
    if wanted.fresh:
        shutil.rmtree(_FOLDER, ignore_errors=True)
    if not [*_FOLDER.glob("[0-9]*.json")] and not all([*map(_noted, RINGS)]):
        print("The rings must pass before anything is taken away.")
        return 1
    unneeded = _print_uses()
    survived = [] if wanted.uses else _mutated(wanted.sample, wanted.seed)
    return int(bool(unneeded or survived))


def _noted(ring: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "tests.privilege.plugin"]
    environment = {**os.environ, USES: str(_FOLDER)}
    return subprocess.run([*command, f"tests/{ring}"], env=environment, check=False).returncode == 0


def _print_uses() -> bool:
    """Print what is granted and not needed, and say whether something of it has no reason, or a reason no use."""
    unused = notes.granted() - notes.read(_FOLDER).keys()
    unexplained, idle = reasons.unexplained(unused), reasons.idle(unused)
    print(f"{len(notes.granted())} granted, {len(unused)} of them not needed, {len(unexplained)} without a reason")
    for why, count in reasons.explained(unused).items():
        print(f"  {count:>4} because {why}")
    for use in unexplained:
        print(f"  {use.role:<42} {use.sid:<24} {use.action}")
    for reason in idle:
        print(f"  explains nothing: {reason}")
    return bool(unexplained or idle)


def _mutated(sample: int | None, seed: int) -> list[str]:
    granted = {f"{use.role}/{use.sid}" for use in notes.granted()}
    needed = {name: tests for name, tests in notes.by_statement(notes.read(_FOLDER)).items() if name in granted}
    found = mutation.run(needed, mutation.chosen([*needed], sample, seed), _FOLDER, mutation.killed_by)
    for each in found:
        print(f"  {each.statement:<68} {'killed' if each.killed else 'SURVIVED'}")
    survived = [each.statement for each in found if not each.killed]
    print(f"{len(found)} statements taken away, {len(survived)} not missed by any test")
    return survived


if __name__ == "__main__":
    sys.exit(main())
