"""Step Functions: moto's interpreter, executing, on our clock, with the gaps that matter to us closed.

Beyond `interpreter_*`: StartExecution is atomic (two callers with one name get one execution), StopExecution keeps
error and cause, ends waits for task tokens at once and stops synchronous children, as AWS does.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Final, Protocol, cast

from infra.local.clock import Clock
from infra.local.engine import interpreter_calls, interpreter_jsonata, interpreter_memory, interpreter_time
from infra.local.engine.execution_events import status_event
from infra.local.engine.interpreter_calls import ClientOfRole
from infra.local.engine.interpreter_time import Generation
from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto
from infra.local.simulators.bus_event import BusEvent

_PARSER = "moto.stepfunctions.parser"
_START_SECONDS: Final = 30
_TASKS = f"{_PARSER}.asl.component.state.exec.state_task.service"


class _Endpoint(Protocol):
    def interrupt_all(self) -> None: ...


class _Environment(interpreter_memory.Used, Protocol):
    def is_frame(self) -> bool: ...
    def program_state(self) -> object: ...
    def set_stop(self, stop_date: datetime, cause: str | None, error: str | None) -> None: ...


class _Worker(Protocol):
    env: _Environment | None


class Execution(Protocol):
    """What we need of the interpreter's execution."""

    exec_arn: str
    start_date: datetime
    input_data: object
    exec_worker: _Worker
    exec_status: object
    status: str
    output: object
    stop_date: datetime | None
    error: str | None
    cause: str | None


class _Communication(Protocol):
    execution: Execution


def install(clock: Clock, client_of_role: ClientOfRole, publish: Callable[[BusEvent], None]) -> None:
    """Adapt the interpreter, once per process; `publish` takes what Step Functions tells the event bus."""
    require_pinned_moto()
    # A failed state is an ordinary outcome here; the interpreter logs each as an error of its own.
    logging.getLogger("moto.stepfunctions.parser").setLevel(logging.CRITICAL)
    generation = interpreter_time.install(clock)
    interpreter_jsonata.install()
    interpreter_calls.install(client_of_role)
    interpreter_memory.install()
    config = import_module("moto.core.config")
    config.default_user_config["stepfunctions"] = {"execute_state_machine": True}
    _start_atomically()
    _start_running()
    _stop_completely(clock, generation, publish)
    _remember_children()
    _tell_the_end(generation, publish)
    _answer_completely()


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


def _start_running() -> None:
    """Let StartExecution return only once the program runs: before, the interpreter ignores a stop."""
    program = import_module(f"{_PARSER}.asl.component.program.program").Program

    def around_body(evaluate: Callable[..., object]) -> Callable[..., object]:
        def body(self: object, env: _Environment) -> None:
            started: threading.Event | None = vars(env).pop("started", None)
            if started is not None:
                started.set()
            evaluate(self, env)

        return body

    def around_environment(make: Callable[..., object]) -> Callable[..., object]:
        def environment(self: _Worker) -> object:
            self.env = cast("_Environment", make(self))
            vars(self.env)["started"] = vars(self)["started"]
            return self.env

        return environment

    def around_start(start: Callable[..., object]) -> Callable[..., object]:
        def begin(self: _Worker) -> None:
            started = vars(self)["started"] = threading.Event()
            start(self)
            if not started.wait(_START_SECONDS):
                raise RuntimeError(f"the interpreter did not start the execution within {_START_SECONDS} s")

        return begin

    worker = import_module(f"{_PARSER}.backend.execution_worker").ExecutionWorker
    wrap(program, "_eval_body", around_body)
    wrap(worker, "_get_evaluation_environment", around_environment)
    wrap(worker, "start", around_start)


def stop(
    backend: _Backend, execution: Execution, at: datetime, error: str | None, cause: str | None
) -> list[Execution]:
    """Abort a running execution: what it waits for ends at once, its synchronous children stop too.

    Gives the executions that ended by this.
    """
    environment = execution.exec_worker.env
    if execution.status != "RUNNING" or environment is None:
        return []
    environment.set_stop(stop_date=at, cause=cause, error=error)
    started: threading.Event | None = vars(environment).get("started")
    if started is not None:
        # A program that is stopped before its first state never runs; whoever started it must not wait for that.
        started.set()
    if _state_of(environment) != "ProgramStopped":
        return []
    execution.error, execution.cause, execution.stop_date = error, cause, at
    execution.exec_status = import_module(f"{_PARSER}.api").ExecutionStatus.ABORTED
    callbacks = environment.callback_pool_manager
    for endpoint in list(callbacks._pool.values()):
        cast("_Endpoint", endpoint).interrupt_all()
    stopped = [execution]
    for child in vars(callbacks).get("children", []):
        stopped += stop(backend, backend.describe_execution(child), at, error, "The parent execution was stopped")
    return stopped


def _state_of(environment: _Environment) -> str:
    return type(environment.program_state()).__name__


class _Backend(Protocol):
    def describe_execution(self, arn: str) -> Execution: ...
    def send_task_failure(self, task_token: str, error: str | None, cause: str | None) -> object: ...


class _Responses(Protocol):
    stepfunction_backend: _Backend

    def _get_param(self, name: str) -> str | None: ...


def _stop_completely(clock: Clock, generation: Generation, publish: Callable[[BusEvent], None]) -> None:
    action_result = import_module("moto.core.responses").ActionResult

    def around(_: Callable[..., object]) -> Callable[..., object]:
        def stop_execution(self: _Responses) -> object:
            backend = self.stepfunction_backend
            execution = backend.describe_execution(str(self._get_param("executionArn")))
            for each in stop(backend, execution, clock.now(), self._get_param("error"), self._get_param("cause")):
                publish(status_event(each))
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


def children_of(execution: object) -> list[str]:
    """Name the executions that an execution waits for, or has waited for."""
    environment = cast("Execution", execution).exec_worker.env
    return [] if environment is None else [*vars(environment.callback_pool_manager).get("children", [])]


class _Stacked(Protocol):
    callback_pool_manager: object
    stack: list[dict[str, str]]


def _tell_the_end(generation: Generation, publish: Callable[[BusEvent], None]) -> None:
    communication = import_module(f"{_PARSER}.backend.execution").BaseExecutionWorkerCommunication

    def around(terminated: Callable[..., object]) -> Callable[..., object]:
        def told(self: _Communication) -> None:
            try:
                # A stopped one got its end when it was stopped, maybe long before its last state noticed.
                if self.execution.status == "RUNNING":
                    terminated(self)
                    publish(status_event(self.execution))
                _trim(self.execution.exec_worker.env)
            finally:
                generation.bump()

        return told

    wrap(communication, "terminated", around)


def _trim(environment: _Environment | None) -> None:
    # After a timeout of the whole machine its last state still runs to its end.
    if environment is not None and _state_of(environment) != "ProgramTimedOut":
        interpreter_memory.trim(environment)


def _answer_completely() -> None:
    """Give the output as JSON also when it is a text or null, the end of a timeout, and the cause that was sent."""
    responses = import_module("moto.stepfunctions.responses").StepFunctionResponse
    action_result = import_module("moto.core.responses").ActionResult

    def around_describe(describe: Callable[..., object]) -> Callable[..., object]:
        def describe_execution(self: _Responses) -> object:
            answer = cast("_Answer", describe(self))
            execution = self.stepfunction_backend.describe_execution(str(self._get_param("executionArn")))
            if execution.stop_date is not None:
                answer.result["stopDate"] = execution.stop_date
            if execution.status == "SUCCEEDED":
                answer.result["output"] = json.dumps(execution.output)
            return answer

        return describe_execution

    def around_failure(_: Callable[..., object]) -> Callable[..., object]:
        def send_task_failure(self: _Responses) -> object:
            token, error, cause = (self._get_param(name) for name in ("taskToken", "error", "cause"))
            self.stepfunction_backend.send_task_failure(str(token), error=error, cause=cause)
            return action_result({})

        return send_task_failure

    wrap(responses, "describe_execution", around_describe)
    wrap(responses, "send_task_failure", around_failure)


class _Answer(Protocol):
    result: dict[str, object]
