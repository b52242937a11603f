"""What moto's Step Functions interpreter parses and keeps, kept small.

It parses a definition at every start of an execution, keeps every thread that it ever made in a list, and an ended
execution holds on to all that it computed. Programs are shared instead, and an ended execution keeps its history.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from infra.local.engine.patching import replace_global

_PARSER = "moto.stepfunctions.parser"
_Parse = Callable[[str], tuple[object, object]]


class _Machine(Protocol):
    definition: str


class _Details(Protocol):
    state_machine_details: _Machine


class _Worker(Protocol):
    _evaluation_details: _Details


class _Pool(Protocol):
    _pool: dict[str, object]


class _Store(Protocol):
    _outer_scope: dict[str, object]
    _inner_scope: dict[str, object]


class _States(Protocol):
    _states_data: dict[str, object]


class Used(Protocol):
    """What an environment holds besides history and state."""

    stack: list[object]
    heap: dict[str, object]
    _frames: list[object]
    callback_pool_manager: _Pool
    variable_store: _Store
    states: _States


def install() -> None:
    """Share programs and forget threads."""
    parser = import_module(f"{_PARSER}.asl.parse.asl_parser").AmazonStateLanguageParser
    programs = _Programs(parser.parse)
    parser.parse = staticmethod(programs.parse)
    worker = import_module(f"{_PARSER}.backend.execution_worker").ExecutionWorker
    worker._get_evaluation_entrypoint = programs.entry
    # Made up on first use otherwise, which two executions of one program may do at once.
    import_module(f"{_PARSER}.asl.component.eval_component").EvalComponent.heap_key = property(id)
    forgetful = _Forgetful()
    for name, module in list(sys.modules.items()):
        if name.startswith(_PARSER):
            replace_global(module, "TMP_THREADS", forgetful)


def trim(environment: Used) -> None:
    """Empty what an ended execution no longer needs; its history and state stay readable."""
    store = environment.variable_store
    for used in (environment.stack, environment.heap, environment._frames, environment.callback_pool_manager._pool):
        used.clear()
    for scope in (store._outer_scope, store._inner_scope, environment.states._states_data):
        scope.clear()


class _Programs:
    """Parsed definitions; their parts keep nothing of an execution, which lives in its environment."""

    def __init__(self, parse: _Parse) -> None:
        # Creating a state machine parses its definition twice in a row; the trees are too big to keep more.
        self._parse = lru_cache(maxsize=1)(parse)
        self._programs: dict[str, object] = {}

    def parse(self, definition: str) -> tuple[object, object]:
        program, tree = self._parse(definition)
        self._programs[definition] = program
        return program, tree

    @property
    def entry(self) -> Callable[[_Worker], object]:
        """The interpreter's method that gives the program of an execution."""

        def program_of(worker: _Worker) -> object:
            definition = worker._evaluation_details.state_machine_details.definition
            return self._programs.get(definition) or self.parse(definition)[0]

        return program_of


class _Forgetful(list[object]):
    """A list that keeps nothing."""

    def append(self, _: object) -> None:
        """Forget it."""
