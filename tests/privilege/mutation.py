"""Takes one statement from one role at a time, and looks whether a test that needs it fails."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.privilege.plugin import WITHOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# pytest's exit codes: tests failed, or the session could not even begin, as when the host's deployment is denied.
_FAILED: Final = (1, 2, 3)
KEPT: Final = "mutations.json"


@dataclass(frozen=True)
class Mutation:
    """A statement, as `<role>/<sid>`, the tests that were run without it, and whether one failed."""

    statement: str
    tests: tuple[str, ...]
    killed: bool


def chosen(statements: Sequence[str], sample: int | None, seed: int) -> list[str]:
    """Pick some statements, all where no number is given."""
    ordered = sorted(statements)
    return ordered if sample is None else sorted(random.Random(seed).sample(ordered, min(sample, len(ordered))))


def run(
    needed: Mapping[str, Sequence[str]], statements: Sequence[str], folder: Path, attempt: Callable[[str, str], bool]
) -> Iterator[Mutation]:
    """Try each statement that an earlier run has not tried with these tests; what is found is kept in the folder."""
    kept = folder / KEPT
    known = {each["statement"]: each for each in json.loads(kept.read_bytes())} if kept.exists() else {}
    killed = {name for name, each in known.items() if each["killed"]}
    # Each attempt is a process of its own, which a thread waits for.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = {name: pool.submit(_tried, name, needed[name], attempt) for name in statements if name not in killed}
        for statement in statements:
            if statement in tried:
                known[statement] = asdict(tried[statement].result())
                kept.write_text(json.dumps([*known.values()], indent=1), encoding="utf-8")
            yield Mutation(statement, tuple(known[statement]["tests"]), bool(known[statement]["killed"]))


def _tried(statement: str, tests: Sequence[str], attempt: Callable[[str, str], bool]) -> Mutation:
    cheapest = sorted(tests, key=lambda test: not test.startswith("tests/component/"))
    return Mutation(statement, tuple(cheapest), any(attempt(statement, test) for test in cheapest))


def fails_without(statement: str, test: str) -> bool:
    """Run one test without a statement, and say whether it fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "tests.privilege.plugin", test]
    environment = {**os.environ, WITHOUT: statement}
    done = subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode in _FAILED
