"""`python -m infra.local.demo`: clusters are created, healed and taken in, told as it happens.

Everything goes through the doors a person has: the API over HTTP, and at the end AWS and Kubernetes themselves. The
clock jumps over every wait, so the times are simulated and the whole takes seconds.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError

from infra.local import doors
from infra.local.demo import capacity, imports, life, main_job
from infra.local.demo.telling import Json, last_words, say, simulated
from infra.local.doors import Doors
from infra.local.host import LocalHost, Options
from infra.local.logs import functions_log_to


def main() -> int:
    """Play all of it; give 0 only when everything succeeded."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, functions_log_to(Path(folder)) as log:
        say("Starting the control plane on this machine ...")
        with closing(LocalHost(Options(Path(folder)))) as host, doors.opened(host) as opened:
            host.functions.load()
            try:
                played = _play(host, opened)
            except HTTPError as refused:
                say(f"{refused.code} {refused.reason}: {refused.read().decode()}\n{last_words(log)}")
                return 1
            succeeded = all(operation["status"] == "SUCCEEDED" for operation in played)
            if not succeeded:
                say(f"\n{last_words(log)}")
    ends = "; ".join(f"{each['status']} after {simulated(each)} simulated" for each in played)
    say(f"\n{ends}; {time.monotonic() - began:.1f} s real.")
    gc.freeze()  # else the interpreter spends seconds on collecting what ends with it anyway
    return 0 if succeeded else 1


def _play(host: LocalHost, opened: Doors) -> list[Json]:
    """Play the parts in order, until one does not succeed."""
    played: list[Json] = []
    for part in (main_job, capacity, imports, life):
        played.append(part.play(host, opened))
        if played[-1]["status"] != "SUCCEEDED":
            break
    return played


if __name__ == "__main__":
    sys.exit(main())
