"""Lambda on the local host: each invocation under its own function's credentials, environment, deadline and fate."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import MappingProxyType

from functions.core import runtime
from functions.core.runtime import Processes, Runtime
from functions.core.web import Web
from infra.local import invocation
from infra.local.clock import Clock
from infra.local.deployment import Deployed
from infra.local.identities import Identities
from infra.local.invocation import Invocation, WorkerKilled
from infra.local.sessions import Sessions
from infra.shapes import Function

logger = logging.getLogger(__name__)
Handler = Callable[[object, Invocation], object]


@dataclass
class Outcome:
    """What an invocation answered: its JSON, and Lambda's word for the kind of error, if it was one."""

    payload: str
    error: str | None = None


@dataclass
class Environment:
    """One function's execution environment; warm for as long as the host runs."""

    function: Function
    arn: str
    runtime: Runtime
    handler: Handler | None = field(default=None)

    def load(self) -> Handler:
        """Give the handler, imported on first use."""
        if self.handler is None:
            module, _, name = self.function.handler.rpartition(".")
            self.handler = getattr(import_module(module), name)
        return self.handler


class ClockThreads:
    """Threads of an invocation: the clock knows them, so that time moves only while all of them wait."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        """Make calls at once, each in a thread of its own; return when all have ended."""
        threads = [self._clock.thread(call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Functions:
    """All functions of the topology, each with the variables and under the role that it was deployed with."""

    def __init__(
        self,
        declared: Mapping[str, Function],
        deployed: Deployed,
        clock: Clock,
        identities: Identities,
        sessions: Sessions,
        processes: Callable[[str], Processes],
        web: Web,
    ) -> None:
        self._clock = clock
        self._environments = {
            name: Environment(
                function,
                deployed.function_arn_prefix + name,
                Runtime(
                    _variables(function, deployed),
                    sessions.of(identities.of_role(deployed.function_roles[name])),
                    clock,
                    processes(deployed.function_roles[name]),
                    ClockThreads(clock),
                    web,
                ),
            )
            for name, function in declared.items()
        }

    def names(self) -> list[str]:
        """List the functions."""
        return list(self._environments)

    def environment(self, name: str) -> Environment:
        """Give the execution environment of a function."""
        return self._environments[name]

    def tell(self, name: str, variable: str, value: str) -> None:
        """Set a variable of a function, as a change of its configuration does."""
        environment = self._environments[name]
        told = MappingProxyType({**environment.runtime.environment, variable: value})
        environment.runtime = replace(environment.runtime, environment=told)

    def load(self) -> None:
        """Import every handler, as the first cold start would."""
        for environment in self._environments.values():
            environment.load()

    def invoke(self, name: str, payload: object) -> Outcome:
        """Run a function to its end, or to its timeout.

        Raises KeyError for an unknown function.
        """
        environment = self._environments[name]
        call = Invocation(
            name,
            environment.arn,
            environment.function.memory_megabytes,
            self._clock,
            self._clock.time() + environment.function.timeout_seconds,
        )
        outcomes: list[Outcome] = []
        event = json.loads(json.dumps(payload))
        worker = self._clock.thread(lambda: outcomes.append(_run(environment, call, event)), name=name)
        with self._clock.busy():
            worker.start()
            worker.join(environment.function.timeout_seconds)
        if outcomes:
            return outcomes[0]
        call.dead = True
        return _timed_out(call, environment.function.timeout_seconds)


def _run(environment: Environment, call: Invocation, event: object) -> Outcome:
    invocation.current.set(call)
    with runtime.bound(environment.runtime):
        try:
            return _answer(environment.load()(event, call))
        except (WorkerKilled, SystemExit):
            return _failed("Runtime.ExitError", f"RequestId: {call.aws_request_id} Error: Runtime exited")
        except Exception as error:
            logger.debug("%s failed", call.function_name, exc_info=True)
            trace = traceback.format_tb(error.__traceback__)
            return _failed(type(error).__name__, str(error), requestId=call.aws_request_id, stackTrace=trace)


def _answer(result: object) -> Outcome:
    try:
        return Outcome(json.dumps(result))
    except (TypeError, ValueError) as error:
        return _failed("Runtime.MarshalError", f"Unable to marshal response: {error}")


def _timed_out(call: Invocation, seconds: int) -> Outcome:
    message = f"RequestId: {call.aws_request_id} Error: Task timed out after {seconds}.00 seconds"
    return _failed("Sandbox.Timedout", message)


def _failed(kind: str, message: str, **more: object) -> Outcome:
    return Outcome(json.dumps({"errorMessage": message, "errorType": kind, **more}), "Unhandled")


def _variables(function: Function, deployed: Deployed) -> Mapping[str, str]:
    own = {
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_PATIENCE": function.patience.value,
        "ROLE_ARN": deployed.function_roles[function.name],
    }
    return MappingProxyType({**deployed.environment, **own})
