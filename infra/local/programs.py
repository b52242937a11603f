"""Programs that functions start: real ones, with the faults that the host plans for them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, Protocol

from functions.core.runtime import Completed
from infra.local import invocation
from infra.local.clock import Clock
from infra.local.faults import Faults, Kind
from infra.local.helm_binary import helm_program

_REFUSALS: Final = {
    Kind.THROTTLE: "too many requests, please try again later",
    Kind.FAIL_BEFORE: "Internal error occurred: etcdserver: request timed out",
    Kind.FAIL_AFTER: "Internal error occurred: etcdserver: request timed out",
    Kind.DENY: "forbidden: the action is not allowed",
}
_BEFORE: Final = (Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.DENY)


class Door(Protocol):
    """What the runner of programs asks of the door of the clusters, which sees what a program does there.

    Each gives what takes the wish back.
    """

    def on_next_write(self, action: Callable[[], None]) -> Callable[[], None]:
        """Do something after the next write of an object."""

    def on_program_fault(self, action: Callable[[Kind], None]) -> Callable[[], None]:
        """Say which HANG or KILL struck a call of a program."""


class HostProcesses:
    """Runs programs for one function; time stands meanwhile, as the invocation holds it."""

    def __init__(self, faults: Faults, role: str, door: Door, clock: Clock) -> None:
        self._clock = clock
        self._faults = faults
        self._role = role
        self._door = door

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Completed:
        """Run a program to its end; raises TimeoutError, or WorkerKilled in the middle of it when planned so."""
        invocation.check_alive()
        fault = self._faults.strike(Path(command[0]).name.partition("-")[0], command[1], self._role)
        kind = fault.kind if fault else None
        if kind is Kind.HANG:
            self._hang(command, seconds)
        if kind is not None and kind in _BEFORE:
            return _refused(kind)
        completed, met = self._run(command, environment, seconds, kind)
        if met is Kind.HANG:
            self._hang(command, seconds)
        if met is not None or kind in (Kind.KILL_BEFORE, Kind.KILL_AFTER):
            invocation.kill()
        return _refused(kind) if kind is Kind.FAIL_AFTER else completed

    def _run(
        self, command: Sequence[str], environment: Mapping[str, str], seconds: float, kind: Kind | None
    ) -> tuple[Completed, Kind | None]:
        """Run a program; also say which fault of a call of its own ended it, if one did."""
        met: list[Kind] = []
        process = subprocess.Popen(
            command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

        def strike(fault: Kind) -> None:
            met.append(fault)
            process.kill()

        # KILL_BEFORE strikes in the middle: at the first object the program writes beside its own records.
        wishes = [self._door.on_program_fault(strike)]
        wishes += [self._door.on_next_write(process.kill)] if kind is Kind.KILL_BEFORE else []
        with process:
            try:
                output, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as expired:
                process.kill()
                raise _late(command, seconds) from expired
            finally:
                for take_back in wishes:
                    take_back()
        return Completed(process.returncode, output, errors), next(iter(met), None)

    def _hang(self, command: Sequence[str], seconds: float) -> NoReturn:
        self._clock.sleep(seconds)
        invocation.check_alive()
        raise _late(command, seconds)


def _refused(kind: Kind) -> Completed:
    return Completed(1, "", f"Error: {_REFUSALS[kind]}")


def _late(command: Sequence[str], seconds: float) -> TimeoutError:
    return TimeoutError(f"{command[0]} took longer than {seconds:g} s")


def places_of(directory: Path) -> dict[str, str]:
    """Say where functions find their programs and a place for files; on Lambda a layer and its own disk."""
    scratch = directory / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    return {"HELM": str(helm_program()), "SCRATCH": str(scratch)}
