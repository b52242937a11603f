"""What a chaos run says: a table by stage and kind, each failure in words, and all of it as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.chaos.cases import KINDS
from tests.chaos.player import Verdict

_TITLES = {"kill_after": "kill"}
_MOST_FAILURES = 40


def table(verdicts: Sequence[Verdict]) -> str:
    """Draw the table: passed of played, by stage and kind."""
    stages = list(dict.fromkeys(verdict.case.stage for verdict in verdicts))
    width = max(len(stage) for stage in (*stages, "all"))
    head = " ".join(f"{_TITLES.get(kind, kind):>11}" for kind in (*KINDS, "all", "by retry"))
    of_stages = {stage: [verdict for verdict in verdicts if verdict.case.stage == stage] for stage in stages}
    rows = [_row(title, width, found) for title, found in {**of_stages, "all": verdicts}.items()]
    return "\n".join([f"{'stage':<{width}} {head}", *rows])


def _row(title: str, width: int, verdicts: Sequence[Verdict]) -> str:
    cells = [_cell([verdict for verdict in verdicts if verdict.case.kind == kind]) for kind in KINDS]
    retried = sum(verdict.retried for verdict in verdicts)
    return f"{title:<{width}} " + " ".join(f"{cell:>11}" for cell in (*cells, _cell(verdicts), str(retried)))


def _cell(verdicts: Sequence[Verdict]) -> str:
    return f"{sum(verdict.passed for verdict in verdicts)}/{len(verdicts)}" if verdicts else "-"


def failures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Tell each failed case and what is wrong with it."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    for verdict in failed[:_MOST_FAILURES]:
        yield f"\nFAILED {verdict.case.name}"
        yield from (f"  {check}: {said}" for check, wrong in verdict.wrong.items() for said in wrong)
    if len(failed) > _MOST_FAILURES:
        yield f"\n... and {len(failed) - _MOST_FAILURES} more, see the JSON."


def write(path: Path, verdicts: Sequence[Verdict], seconds: float) -> None:
    """Keep all of it as JSON."""
    failed = sum(not verdict.passed for verdict in verdicts)
    summary = {"cases": len(verdicts), "failed": failed, "seconds": round(seconds, 1)}
    cases = [{"name": verdict.case.name, "passed": verdict.passed, **asdict(verdict)} for verdict in verdicts]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**summary, "verdicts": cases}, indent=1) + "\n", encoding="utf-8")
