"""`python -m tests.chaos`: every fault at every call of a creation, a deletion, a repair and an import."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.chaos import player, report
from tests.chaos.player import Verdict
from tests.chaos.share import Share, play


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all cases, or those that are asked for; give 0 only when none fails."""
    wanted = _parse(arguments)
    began = time.monotonic()
    verdicts = [verdict for course in wanted.course or player.COURSES for verdict in _played(wanted, course)]
    order = {stage: place for place, stage in enumerate(_stages(verdicts))}
    verdicts.sort(key=lambda verdict: (order[verdict.case.stage], verdict.case.name))
    seconds = time.monotonic() - began
    report.write(wanted.json, verdicts, seconds)
    _say(f"\n{report.table(verdicts)}")
    _say("\n".join(report.failures(verdicts)))
    failed = sum(not verdict.passed for verdict in verdicts)
    _say(f"{len(verdicts)} cases, {failed} failed, {seconds:.0f} s; all of it is in {wanted.json}")
    return 1 if failed or not verdicts else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--course", action="append", choices=[*player.COURSES], help="one of them instead of all")
    parser.add_argument("-k", "--only", default="", help="cases whose name holds this text")
    parser.add_argument("--sample", type=int, help="draw so many cases instead of all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--passed",
        type=int,
        default=0,
        help="so many of each process an earlier, equal run has played; the report is of the rest",
    )
    parser.add_argument("--json", type=Path, default=Path(".local/chaos.json"))
    return parser.parse_args(arguments)


def _played(wanted: argparse.Namespace, course: str) -> list[Verdict]:
    """Play the shares of all processes in a course, each on a host of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(wanted.processes, mp_context=context) as processes:
        shares = [
            Share(course, wanted.only, wanted.sample, wanted.seed, place, wanted.processes, wanted.passed)
            for place in range(wanted.processes)
        ]
        return [verdict for played in processes.map(play, shares) for verdict in played]


def _stages(verdicts: Sequence[Verdict]) -> list[str]:
    return list(dict.fromkeys(verdict.case.stage for verdict in verdicts))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
