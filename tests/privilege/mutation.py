"""Takes one statement from one role at a time, and looks whether a test that needs it fails.

Tests of a ring run in one process each half of them, once as they are and once without each statement: what the rings
take minutes to set up stands only once.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.privilege.plugin import PLAN
from tests.privilege.witnesses import WITNESSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    # Statements to take away, as `<role>/<sid>`, by the test that is run without each.
    Plan = Mapping[str, Sequence[str]]

KEPT: Final = "mutations.json"
# So many tests may miss it that a statement is gone before it counts as one that none misses.
_TURNS: Final = 5
_WORD: Final = re.compile(r"[A-Z]?[a-z]+")


@dataclass(frozen=True)
class Mutation:
    """A statement, as `<role>/<sid>`, the tests that were run without it, and whether one failed."""

    statement: str
    tests: tuple[str, ...]
    killed: bool


class Unusable(Exception):
    """Tests do not run as they should while nothing is taken away."""


def chosen(statements: Sequence[str], sample: int | None, seed: int) -> list[str]:
    """Pick some statements, all where no number is given."""
    ordered = sorted(statements)
    return ordered if sample is None else sorted(random.Random(seed).sample(ordered, min(sample, len(ordered))))


def run(
    needed: Mapping[str, Sequence[str]], statements: Sequence[str], folder: Path, attempt: Callable[[Plan], set[str]]
) -> list[Mutation]:
    """Try each statement that no earlier run has killed; what is found is kept in the folder. Raises Unusable."""
    kept = folder / KEPT
    known = {each["statement"]: each for each in json.loads(kept.read_bytes())} if kept.exists() else {}
    killed = {name for name, each in known.items() if each["killed"]} & {*statements}
    for turn in range(_TURNS):
        plan = _plan(needed, [name for name in statements if name not in killed], turn)
        killed |= attempt(plan) if plan else set()
        known |= {each.statement: asdict(each) for each in _found(needed, statements, killed)}
        kept.write_text(json.dumps([*known.values()], indent=1), encoding="utf-8")
    return _found(needed, statements, killed)


def _found(needed: Mapping[str, Sequence[str]], statements: Sequence[str], killed: set[str]) -> list[Mutation]:
    return [Mutation(name, tuple(_likeliest(name, needed[name])[:_TURNS]), name in killed) for name in statements]


def _plan(needed: Mapping[str, Sequence[str]], statements: Sequence[str], turn: int) -> dict[str, list[str]]:
    """Give each statement the test whose turn it is; there may be none left."""
    found: dict[str, list[str]] = {}
    for name in statements:
        for test in _likeliest(name, needed[name])[turn : turn + 1]:
            found.setdefault(test, []).append(name)
    return found


def _likeliest(statement: str, tests: Sequence[str]) -> list[str]:
    """Order the tests that need a statement: its witness, then those that speak of it, the quick ones before others."""
    wanted, witness = _words(statement), WITNESSES.get(statement)
    others = [test for test in tests if test != witness]
    ordered = sorted(others, key=lambda t: (-len(wanted & _words(t)), not t.startswith("tests/component/"), t))
    return [witness, *ordered] if witness else ordered


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def killed_by(plan: Plan) -> set[str]:
    """Run the tests of a plan without its statements, and give the statements without which one failed.

    Raises Unusable.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name for found in pool.map(_killed_in, _shares(plan, os.cpu_count() or 1)) for name in found}


def _shares(plan: Plan, processes: int) -> Iterator[dict[str, Sequence[str]]]:
    """Part a plan by rings, which cannot share a process, and each ring's files evenly."""
    rings: defaultdict[str, defaultdict[str, dict[str, Sequence[str]]]] = defaultdict(lambda: defaultdict(dict))
    for test, statements in sorted(plan.items()):
        path = test.partition("::")[0]
        rings[path.split("/")[1]][path][test] = statements
    for files in rings.values():
        for place in range(processes):
            share = {test: names for each in [*files.values()][place::processes] for test, names in each.items()}
            if share:
                yield share


def _killed_in(share: Mapping[str, Sequence[str]]) -> list[str]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_text(json.dumps({**share}), encoding="utf-8")
        options = ("-q", "-n0", "-p", "no:cacheprovider", "-p", "tests.privilege.plugin")
        command, environment = [sys.executable, "-m", "pytest", *options, *share], {**os.environ, PLAN: str(path)}
        ran = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        if ran.returncode:
            raise Unusable(ran.stdout[-4_000:])
        killed: list[str] = json.loads(path.with_suffix(".killed").read_bytes())
        return killed
