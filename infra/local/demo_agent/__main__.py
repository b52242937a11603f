"""`python -m infra.local.demo_agent`: an agent creates and deletes a cluster over MCP, each of its calls printed.

Agent and person are scripted, and no model takes part; all else is real: the SDK's client, the gateway at the port of a
host, and behind it what `make demo` plays on. The clock jumps over every wait.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from infra.local import doors
from infra.local.demo.telling import last_words, say
from infra.local.demo_agent.conversation import address, converse
from infra.local.host import LocalHost, Options
from infra.local.logs import functions_log_to


def main() -> int:
    """Hold the conversation; give 0 only when it ended as it should."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, functions_log_to(Path(folder)) as log:
        say("Starting the control plane on this machine ...")
        with closing(LocalHost(Options(Path(folder)))) as host, doors.opened(host) as opened:
            host.functions.load()
            why = asyncio.run(converse(address(opened), host.clock.now))
        if why:
            say(f"\nThe conversation ended otherwise than it should: {why}\n\n{last_words(log)}")
    say(f"\n{time.monotonic() - began:.1f} s real.")
    gc.freeze()  # else the interpreter spends seconds on collecting what ends with it anyway
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
