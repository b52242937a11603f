"""What the gateway adds to a request: calls that it makes, time of its own, and what its import consists of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final
from unittest.mock import patch

from infra.local.host import LocalHost, Options
from infra.local.internal_web import InternalWeb
from infra.local.logs import functions_log_to
from tests.host.agents import Agent

_RUNS: Final = 100
_HEAVIEST: Final = 8
_IMPORTED: Final = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\w+)")
_CALLS: Final = {
    "list clusters": ("/api/clusters", "cluster_list"),
    "list quotas": ("/api/catalog/quotas", "quota_list"),
}


def lines() -> Iterator[str]:
    """Tell how much more a tool call is than the request that it stands for."""
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    with (
        tempfile.TemporaryDirectory() as folder,
        functions_log_to(Path(folder)),
        closing(LocalHost(Options(Path(folder)))) as host,
    ):
        host.functions.load()
        agent = Agent(host)
        yield f"{'tool call':<20} {'requests':>9} {'x REST':>9}"
        for name, (path, tool) in _CALLS.items():
            rest = _seconds(lambda path=path: host.request("GET", path))  # type: ignore[misc]  # bound at once
            called = _seconds(lambda tool=tool: agent.done(tool))  # type: ignore[misc]  # bound at once
            yield f"{name:<20} {_requests(agent, tool):>9} {called / rest:>9.2f}"


def heaviest(program: str, places: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Tell which packages the import of a program consists of, as shares of its own time."""
    whole = f"import sys; sys.path[:0] = {[*places]!r}; {program}"
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", "-c", whole],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    own = Counter[str]()
    for found in _IMPORTED.finditer(told):
        own[found[2]] += int(found[1])
    for package, microseconds in own.most_common(_HEAVIEST):
        yield f"{package:<20} {microseconds / own.total():>9.0%}"


def _seconds(call: Callable[[], object]) -> float:
    """Give the middle of many times, after one call that finds everything cold."""
    call()
    times = []
    for _ in range(_RUNS):
        before = time.process_time()
        call()
        times.append(time.process_time() - before)
    return sorted(times)[_RUNS // 2]


def _requests(agent: Agent, tool: str) -> int:
    with patch.object(InternalWeb, "send", autospec=True, side_effect=InternalWeb.send) as sent:
        agent.done(tool)
    return sent.call_count
