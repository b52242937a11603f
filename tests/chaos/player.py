"""Plays cases on a host: back to the state before the stage, a retry that meets the fault, one more if that failed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from infra.local.host import LocalHost, Options
from infra.local.logs import functions_log_to
from tests.chaos import course
from tests.chaos.cases import Case
from tests.chaos.course import Course
from tests.chaos.judge import Trial, judge
from tests.host.driver import Driver

COURSES: Final[Mapping[str, Callable[[Driver], Course]]] = {
    "create": course.run,
    "delete": course.run_deletion,
    course.REPAIR: course.run_repair,
    course.IMPORT: course.run_import,
}
START = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Verdict:
    """How a case went: whether it took a requested retry, and what is wrong, by check."""

    case: Case
    retried: bool = False
    wrong: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.wrong


class Player:
    """One host that has gone the course once."""

    def __init__(self, driver: Driver, gone: Course) -> None:
        self._driver = driver
        self.course = gone

    def play(self, case: Case) -> Verdict:
        """Play one case; a crash of ours in it is a failure of the case."""
        began = time.monotonic()
        try:
            trial = self._trial(case)
            wrong = judge(trial)
        except (AssertionError, KeyError, TypeError, RuntimeError) as broken:
            return Verdict(case, wrong={"the case can be played": [repr(broken)[:2000]]}, seconds=_since(began))
        return Verdict(case, trial.failed, wrong, _since(began))

    def _trial(self, case: Case) -> Trial:
        station, driver, fault = self.course[case.stage], self._driver, case.fault()
        driver.stop_everything()
        driver.host.restore(station.state)
        course.let_tokens_expire(driver)
        with driver.host.faults.planned(fault):
            met = driver.retry(station.operation_id)
        final = met if met["status"] == "SUCCEEDED" else driver.retry(met["operation_id"])
        return Trial(driver, station.goal, case, fault, met, final)


@contextmanager
def opened(name: str) -> Iterator[Player]:
    """Make a host, let it go a course, and give its player."""
    with (
        tempfile.TemporaryDirectory() as folder,
        functions_log_to(Path(folder)),
        closing(LocalHost(Options(Path(folder), start=START))) as host,
    ):
        host.functions.load()
        with host.clock.busy():
            driver = Driver(host)
            yield Player(driver, COURSES[name](driver))


def _since(began: float) -> float:
    return time.monotonic() - began
