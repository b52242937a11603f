"""Programs that functions start: real ones, with the faults that the host plans for them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from functions.core.runtime import Completed
from infra.local import invocation
from infra.local.clock import Clock
from infra.local.faults import Fault, Faults, Kind

Tripwire = Callable[[Callable[[], None]], Callable[[], None]]
"""Arms an action for the next write to a cluster; gives what disarms it."""


class HostProcesses:
    """Runs programs for one function; time stands meanwhile, as the invocation holds it."""

    def __init__(self, faults: Faults, role: str, tripwire: Tripwire, clock: Clock) -> None:
        self._clock = clock
        self._faults = faults
        self._role = role
        self._tripwire = tripwire

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Completed:
        """Run a program to its end; raises TimeoutError, or WorkerKilled in the middle of it when planned so."""
        invocation.check_alive()
        fault = self._faults.strike(Path(command[0]).name.partition("-")[0], command[1], self._role)
        if fault is not None and fault.kind is Kind.HANG:
            self._clock.sleep(seconds)
            invocation.check_alive()
            raise _late(command, seconds)
        process = subprocess.Popen(
            command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with process:
            disarm = self._arm(fault, process)
            try:
                output, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as expired:
                process.kill()
                raise _late(command, seconds) from expired
            finally:
                disarm()
        if fault is not None and fault.kind in (Kind.KILL_BEFORE, Kind.KILL_AFTER):
            invocation.kill()
        return Completed(process.returncode, output, errors)

    def _arm(self, fault: Fault | None, process: subprocess.Popen[str]) -> Callable[[], None]:
        """KILL_BEFORE strikes in the middle: at the first object the program writes beside its own records."""
        if fault is None or fault.kind is not Kind.KILL_BEFORE:
            return lambda: None
        return self._tripwire(process.kill)


def _late(command: Sequence[str], seconds: float) -> TimeoutError:
    return TimeoutError(f"{command[0]} took longer than {seconds:g} s")
