"""Step Functions: moto's interpreter, executing, on our clock, with the gaps that matter to us closed.

Beyond `interpreter_*`: StartExecution is atomic (two callers with one name get one execution), StopExecution keeps
error and cause, ends waits for task tokens at once and stops synchronous children, as AWS does.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Protocol

from infra.local.clock import Clock
from infra.local.engine import interpreter_calls, interpreter_jsonata, interpreter_time
from infra.local.engine.interpreter_calls import ClientOfRole, wrap
from infra.local.engine.interpreter_time import Generation
from infra.local.engine.version import require_pinned_moto

_PARSER = "moto.stepfunctions.parser"
_TASKS = f"{_PARSER}.asl.component.state.exec.state_task.service"


class _Endpoint(Protocol):
    def interrupt_all(self) -> None: ...


class _Callbacks(Protocol):
    _pool: dict[str, _Endpoint]


class _Environment(Protocol):
    callback_pool_manager: _Callbacks

    def is_running(self) -> bool: ...
    def set_stop(self, stop_date: datetime, cause: str | None, error: str | None) -> None: ...


class _Worker(Protocol):
    env: _Environment | None
    ready: threading.Event


class Execution(Protocol):
    """What we need of the interpreter's execution."""

    exec_arn: str
    exec_worker: _Worker
    status: str
    stop_date: datetime | None
    error: str | None
    cause: str | None


def install(clock: Clock, client_of_role: ClientOfRole) -> None:
    """Adapt the interpreter; once per process."""
    require_pinned_moto()
    # A failed state is an ordinary outcome here; the interpreter logs each as an error of its own.
    logging.getLogger("moto.stepfunctions.parser").setLevel(logging.CRITICAL)
    generation = interpreter_time.install(clock)
    interpreter_jsonata.install()
    interpreter_calls.install(client_of_role)
    config = import_module("moto.core.config")
    config.default_user_config["stepfunctions"] = {"execute_state_machine": True}
    _start_atomically()
    _start_with_an_environment()
    _stop_completely(clock, generation)
    _remember_children()
    _tell_the_end(generation)


def _start_atomically() -> None:
    lock = threading.Lock()

    def around(start: Callable[..., object]) -> Callable[..., object]:
        def start_execution(
            self: object, arn: str, name: str | None = None, text: str | None = None, trace: str | None = None
        ) -> object:
            with lock:
                return start(self, arn, name or str(uuid.uuid4()), text, trace)

        return start_execution

    wrap(import_module(f"{_PARSER}.models").StepFunctionsParserBackend, "start_execution", around)


def _start_with_an_environment() -> None:
    """Let StartExecution return only once the worker can be stopped and reached by task tokens."""
    worker = import_module(f"{_PARSER}.backend.execution_worker").ExecutionWorker

    def around_environment(make: Callable[[_Worker], _Environment]) -> Callable[..., object]:
        def environment(self: _Worker) -> _Environment:
            self.env = make(self)
            self.ready.set()
            return self.env

        return environment

    def around_start(start: Callable[[_Worker], None]) -> Callable[..., object]:
        def started(self: _Worker) -> None:
            self.ready = threading.Event()
            start(self)
            if not self.ready.wait(30):
                raise RuntimeError("the interpreter did not start the execution within 30 s")

        return started

    wrap(worker, "_get_evaluation_environment", around_environment)
    wrap(worker, "start", around_start)


def stop(backend: _Backend, execution: Execution, at: datetime, error: str | None, cause: str | None) -> None:
    """Abort a running execution: what it waits for ends at once, its synchronous children stop too."""
    environment = execution.exec_worker.env
    if execution.status != "RUNNING" or environment is None:
        return
    execution.error, execution.cause, execution.stop_date = error, cause, at
    environment.set_stop(stop_date=at, cause=cause, error=error)
    callbacks = environment.callback_pool_manager
    for endpoint in list(callbacks._pool.values()):
        endpoint.interrupt_all()
    for child in getattr(callbacks, "children", []):
        stop(backend, backend.describe_execution(child), at, error, "The parent execution was stopped")


class _Backend(Protocol):
    def describe_execution(self, arn: str) -> Execution: ...


class _Responses(Protocol):
    stepfunction_backend: _Backend

    def _get_param(self, name: str) -> str | None: ...


def _stop_completely(clock: Clock, generation: Generation) -> None:
    action_result = import_module("moto.core.responses").ActionResult

    def around(_: Callable[..., object]) -> Callable[..., object]:
        def stop_execution(self: _Responses) -> object:
            backend = self.stepfunction_backend
            execution = backend.describe_execution(str(self._get_param("executionArn")))
            stop(backend, execution, clock.now(), self._get_param("error"), self._get_param("cause"))
            generation.bump()
            return action_result({"stopDate": execution.stop_date})

        return stop_execution

    wrap(import_module("moto.stepfunctions.responses").StepFunctionResponse, "stop_execution", around)


def _remember_children() -> None:
    """Note which executions a state waits for, so that stopping the parent can stop them."""
    service = import_module(f"{_TASKS}.state_task_service_sfn").StateTaskServiceSfn

    def around(build: Callable[..., object]) -> Callable[..., object]:
        def build_resolver(self: object, env: _Stacked, **rest: object) -> object:
            children: list[str] = vars(env.callback_pool_manager).setdefault("children", [])
            children.append(env.stack[-1]["ExecutionArn"])
            return build(self, env=env, **rest)

        return build_resolver

    for name in ("_build_sync_resolver", "_build_sync2_resolver"):
        wrap(service, name, around)


class _Stacked(_Environment, Protocol):
    stack: list[dict[str, str]]


def _tell_the_end(generation: Generation) -> None:
    communication = import_module(f"{_PARSER}.backend.execution").BaseExecutionWorkerCommunication

    def around(terminated: Callable[..., object]) -> Callable[..., object]:
        def told(self: object) -> None:
            try:
                terminated(self)
            finally:
                generation.bump()

        return told

    wrap(communication, "terminated", around)
