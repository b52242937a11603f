"""Runs the test rings in order, times each and holds it to its budget: `python -m tests.rings [ring ...]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

TESTS: Final = Path(__file__).parent
# Seconds on two cores, from the inside out; a ring is the folder of that name.
BUDGETS: Final = {"unit": 20, "component": 60, "workflows": 40, "conformance": 45}


@dataclass(frozen=True)
class Outcome:
    ring: str
    tests: int
    seconds: float
    budget: int
    exit_code: int

    @property
    def verdict(self) -> str:
        if self.exit_code:
            return "FAILED"
        return "OVER BUDGET" if self.seconds > self.budget else "ok"


def has_tests(ring: str, tests: Path = TESTS) -> bool:
    return any((tests / ring).rglob("test_*.py"))


def count_tests(report: Path) -> int:
    if not report.exists():  # pytest stopped before it could write one
        return 0
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    return sum(int(suite.get("tests", "0")) for suite in suites)


def run_ring(ring: str, tests: Path = TESTS) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}", str(tests / ring)]
        started = time.monotonic()
        exit_code = subprocess.run(command, cwd=tests.parent, check=False).returncode
        return Outcome(ring, count_tests(report), time.monotonic() - started, BUDGETS[ring], exit_code)


def table(outcomes: Iterable[Outcome]) -> str:
    rows = [f"{'ring':<12} {'tests':>6} {'seconds':>8} {'budget':>7}"]
    rows += [f"{o.ring:<12} {o.tests:>6} {o.seconds:>8.1f} {o.budget:>7}  {o.verdict}" for o in outcomes]
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rings", description=__doc__)
    parser.add_argument("ring", nargs="*", help=f"one or more of: {', '.join(BUDGETS)}; all when none is named")
    wanted = parser.parse_args(arguments).ring
    if unknown := set(wanted) - BUDGETS.keys():
        parser.error(f"no such ring: {', '.join(sorted(unknown))}")
    outcomes: list[Outcome] = []
    for ring in BUDGETS:
        if has_tests(ring) and (not wanted or ring in wanted):
            print(f"\n== {ring}", flush=True)
            outcomes.append(run_ring(ring))
    print(f"\n{table(outcomes)}")
    return int(any(outcome.verdict != "ok" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
