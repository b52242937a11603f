"""Runs the test rings in order and holds each to its budget: `python -m tests.rings [ring ...]`."""

from __future__ import annotations

import argparse
import os
import resource
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
BUDGETS: Final = {
    "unit": 100,
    "component": 190,
    "host": 190,
    "workflows": 720,
    "conformance": 210,
    "infrastructure": 400,
    "console": 30,
    "e2e": 300,
}
# A process holds one simulated cloud, and a file's fixtures.
_PARALLEL: Final = ("-n", "2", "--dist", "loadfile")


@dataclass(frozen=True)
class Outcome:
    ring: str
    tests: int
    seconds: float
    budget: int
    exit_code: int
    lost: float = 0
    """Seconds that the machine gave to other programs meanwhile."""

    @property
    def verdict(self) -> str:
        if self.exit_code:
            return "FAILED"
        return "OVER BUDGET" if self.seconds - self.lost > self.budget else "ok"


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
        command = [sys.executable, "-m", "pytest", "-q", *_PARALLEL, f"--junit-xml={report}", str(tests / ring)]
        started, others = time.monotonic(), others_seconds()
        exit_code = subprocess.run(command, cwd=tests.parent, check=False).returncode
        seconds, lost = time.monotonic() - started, (others_seconds() - others) / (os.cpu_count() or 1)
        return Outcome(ring, count_tests(report), seconds, BUDGETS[ring], exit_code, lost)


def others_seconds(statistics: Path = Path("/proc/stat")) -> float:
    """How long the processors have worked for anybody but the tests that have ended; 0 where nobody counts it."""
    if not statistics.exists():
        return 0
    user, nice, system, _idle, _waiting, *rest = (
        int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in statistics.read_text(encoding="ascii").split()[1:9]
    )
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return user + nice + system + sum(rest) - ours.ru_utime - ours.ru_stime


def table(outcomes: Iterable[Outcome]) -> str:
    rows = [f"{'ring':<12} {'tests':>6} {'seconds':>8} {'lost':>6} {'budget':>7}"]
    rows += [f"{o.ring:<12} {o.tests:>6} {o.seconds:>8.1f} {o.lost:>6.1f} {o.budget:>7}  {o.verdict}" for o in outcomes]
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
