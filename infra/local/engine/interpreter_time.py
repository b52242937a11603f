"""moto's Step Functions interpreter on our clock.

The interpreter blocks on `threading` and `time`; its modules get our primitives under those names, so that a Wait
state, a retry, a timeout, a callback and a nested execution all pass simulated time and none of them real time.
"""

from __future__ import annotations

import datetime as real_datetime
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Protocol

from infra.local.clock import Clock
from infra.local.clock_primitives import Event, Thread
from infra.local.engine.patching import replace_global

_PACKAGE = "moto.stepfunctions.parser"
_COMPONENT = f"{_PACKAGE}.asl.component"

_THREADING = (
    f"{_COMPONENT}.program.program",
    f"{_COMPONENT}.state.exec.state_map.iteration.inline_iteration_component",
    f"{_COMPONENT}.state.exec.state_map.iteration.job",
    f"{_COMPONENT}.state.exec.state_task.service.state_task_service_callback",
    f"{_COMPONENT}.state.exec.state_parallel.branch_worker",
    f"{_COMPONENT}.state.exec.state_parallel.branches_decl",
    f"{_COMPONENT}.state.exec.execute_state",
    f"{_PACKAGE}.asl.eval.environment",
)
_THREAD = (f"{_COMPONENT}.state.exec.execute_state", f"{_PACKAGE}.backend.execution_worker")
_EVENT = (f"{_PACKAGE}.asl.eval.callback.callback",)
_SLEEP = (f"{_COMPONENT}.common.retry.retrier_decl",)
_WAIT = f"{_COMPONENT}.state.wait.wait_function.wait_function"
_DATETIME = (
    f"{_PACKAGE}.models",
    f"{_PACKAGE}.backend.execution",
    f"{_PACKAGE}.asl.eval.event.event_manager",
    f"{_COMPONENT}.state.state",
    f"{_COMPONENT}.state.wait.wait_function.timestamp",
)
_INSTANT = 1e-6
_NESTED = f"{_COMPONENT}.state.exec.state_task.service.state_task_service_callback"


class Generation:
    """Counts the ends of executions; a parent waits for the next end instead of polling its child."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._count = 0
        self._next = clock.event()
        self._seen = threading.local()

    def bump(self) -> None:
        """Note that an execution ended."""
        with self._lock:
            self._count += 1
            ended, self._next = self._next, self._clock.event()
        ended.set()

    def wait_for_change(self, _seconds: float = 0) -> None:
        """Return once an execution has ended since this thread last asked.

        The caller looks before each call, so an end between its look and its wait is never missed: the first call
        of a thread, and each one after a change, returns at once and makes it look again.
        """
        with self._lock:
            count, pending = self._count, self._next
        if getattr(self._seen, "count", None) != count:
            self._seen.count = count
            return
        pending.wait()


class _FrozenDatetime(real_datetime.datetime):
    """`datetime.datetime` whose `now` is the clock's; bound per clock by subclassing."""

    clock: Clock

    @classmethod
    def now(cls, tz: real_datetime.tzinfo | None = None) -> real_datetime.datetime:  # type: ignore[override]
        return cls.clock.now().astimezone(tz) if tz else cls.clock.now().replace(tzinfo=None)


def install(clock: Clock) -> Generation:
    """Give the interpreter's modules the clock's primitives; return the counter of ended executions."""
    generation = Generation(clock)
    for name in _THREADING:
        replace_global(import_module(name), "threading", _threading(clock))
    for name in _THREAD:
        replace_global(import_module(name), "Thread", partial(Thread, clock))
    for name in _EVENT:
        replace_global(import_module(name), "Event", clock.event)
    for name in _SLEEP:
        replace_global(import_module(name), "time", _time(clock.sleep, clock))
    replace_global(import_module(_NESTED), "time", _time(generation.wait_for_change, clock))
    import_module(_WAIT).WaitFunction._wait_interval = _wait_until(clock)
    for name in _DATETIME:
        replace_global(import_module(name), "datetime", _datetime(clock))
    return generation


class _Stoppable(Protocol):
    program_state_event: Event

    def is_running(self) -> bool: ...


def _wait_until(clock: Clock) -> Callable[..., None]:
    """Wait to the instant; the interpreter counts whole seconds and waits one more after a rounding error."""

    def wait_interval(_: object, env: _Stoppable, wait_seconds: float) -> None:
        end = clock.time() + wait_seconds
        while env.is_running() and (left := end - clock.time()) > _INSTANT:
            env.program_state_event.wait(left)

    return wait_interval


def _threading(clock: Clock) -> ModuleType:
    module = ModuleType("threading")
    vars(module).update(vars(threading))
    vars(module).update(Thread=partial(Thread, clock), Event=clock.event)
    return module


def _time(sleep: object, clock: Clock) -> ModuleType:
    module = ModuleType("time")
    vars(module).update(sleep=sleep, time=clock.time)
    return module


def _datetime(clock: Clock) -> ModuleType:
    module = ModuleType("datetime")
    vars(module).update(vars(real_datetime))
    vars(module)["datetime"] = type("datetime", (_FrozenDatetime,), {"clock": clock})
    return module
