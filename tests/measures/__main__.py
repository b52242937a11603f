"""`python -m tests.measures`: one creation, counted and priced."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from infra.local.host import LocalHost, Options
from infra.local.logs import functions_log_to
from tests.host.driver import Driver
from tests.measures.creation import Measured, measure
from tests.measures.prices import cost_of

START = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


def main() -> int:
    """Print the numbers; give 0 only when the operation succeeded."""
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    with (
        tempfile.TemporaryDirectory() as folder,
        functions_log_to(Path(folder)),
        closing(LocalHost(Options(Path(folder), start=START))) as host,
    ):
        host.functions.load()
        with host.clock.busy():
            measured = measure(Driver(host))
    sys.stdout.write("\n".join(lines(measured)) + "\n")
    return 0 if measured.operation["status"] == "SUCCEEDED" else 1


def lines(measured: Measured) -> Iterator[str]:
    """Tell the numbers of a creation."""
    yield f"{'stage':<36} {'seconds':>8} {'own':>6}"
    for each in measured.stages:
        yield f"{each.stage:<36} {each.seconds:>8.1f} {each.own_seconds:>6.1f}"
    yield f"\nstate transitions   {measured.transitions}\nLambda invocations  {measured.invocations}"
    yield f"DynamoDB requests   {sum(measured.ledger.values())} {_listed(measured.ledger)}"
    yield f"calls by service    {sum(measured.calls.values())} {_listed(measured.calls)}"
    cost = cost_of(measured)
    yield "cost                " + f"${sum(cost.values()):.4f} " + _listed({k: f"${v:.4f}" for k, v in cost.items()})


def _listed(counts: dict[str, int] | dict[str, str]) -> str:
    return "(" + ", ".join(f"{name} {count}" for name, count in counts.items()) + ")"


if __name__ == "__main__":
    sys.exit(main())
