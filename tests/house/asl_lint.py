"""Lints the state machines: `python -m tests.house.asl_lint [file ...]`, by default statemachines/*.asl.json."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SUBSTITUTION: Final = re.compile(r"\$\{([A-Za-z][A-Za-z0-9_]*)\}")
TERMINAL_TYPES: Final = {"Succeed", "Fail"}
STATE_TYPES: Final = {"Task", "Choice", "Wait", "Pass", "Map", "Parallel", *TERMINAL_TYPES}
JSONPATH_FIELDS: Final = ("InputPath", "OutputPath", "Parameters", "ResultPath", "ResultSelector", "ItemsPath")
EVERY_ERROR: Final = "States.ALL"

Json = Mapping[str, object]


@dataclass(frozen=True)
class Problem:
    """One fault of a state machine: where in it, and what is wrong."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place or 'machine'}: {self.what}"


@dataclass(frozen=True)
class Scope:
    """One set of states that may name each other: the machine itself, a Map's processor or a Parallel's branch."""

    place: str
    body: Json

    @property
    def states(self) -> dict[str, Json]:
        return {name: state for name, state in mapping(self.body.get("States")).items() if isinstance(state, Mapping)}

    def at(self, state: str) -> str:
        """The address of one state."""
        return f"{self.place}/{state}" if self.place else state


def mapping(value: object) -> Json:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: object) -> list[Json]:
    """The objects of a list; an empty list for anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def substitutions(path: Path) -> set[str]:
    """The `${Name}` placeholders of a definition, which the host must fill in."""
    return set(SUBSTITUTION.findall(path.read_text(encoding="utf-8")))


def lint_file(path: Path) -> list[Problem]:
    """All faults of one file."""
    try:
        machine = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        return [Problem("", f"is no JSON: {error}")]
    return lint(machine) if isinstance(machine, dict) else [Problem("", "is no JSON object")]


def lint(machine: Json) -> list[Problem]:
    """All faults of one state machine, in the order of its states."""
    return list(_lint(machine))


def _lint(machine: Json) -> Iterator[Problem]:
    if machine.get("QueryLanguage") != "JSONata":
        yield Problem("", "must set QueryLanguage to JSONata")
    if not machine.get("Comment"):
        yield Problem("", "needs a Comment that says what it does")
    for scope in scopes(Scope("", machine)):
        yield from graph(scope)
        for name, state in scope.states.items():
            yield from (Problem(scope.at(name), what) for what in faults(state))


def scopes(scope: Scope) -> Iterator[Scope]:
    """The scope and every one nested in its Map and Parallel states."""
    yield scope
    for name, state in scope.states.items():
        place = scope.at(name)
        if state.get("Type") == "Map":
            yield from scopes(Scope(f"{place}/ItemProcessor", mapping(state.get("ItemProcessor"))))
        for number, branch in enumerate(objects(state.get("Branches"))):
            yield from scopes(Scope(f"{place}/Branches[{number}]", branch))


def targets(state: Json) -> list[str]:
    """The names of all states that one state may lead to."""
    steps = [state, *objects(state.get("Choices")), *objects(state.get("Catch"))]
    named = [step.get("Next") for step in steps] + [state.get("Default")]
    return [name for name in named if isinstance(name, str)]


def graph(scope: Scope) -> Iterator[Problem]:
    """Faults of a scope's graph: unknown targets, states out of reach, no way to end."""
    states, start = scope.states, scope.body.get("StartAt")
    if not isinstance(start, str) or start not in states:
        yield Problem(scope.place, f"StartAt names no state: {start}")
        return
    for name, state in states.items():
        for target in targets(state):
            if target not in states:
                yield Problem(scope.at(name), f"leads to {target}, which is no state here")
    for name in states.keys() - reachable(states, start):
        yield Problem(scope.at(name), "is out of reach")
    if not any(state.get("End") is True or state.get("Type") in TERMINAL_TYPES for state in states.values()):
        yield Problem(scope.place, "has no terminal state")


def reachable(states: Mapping[str, Json], start: str) -> set[str]:
    """The states that some path from the start visits."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        name = ahead.pop()
        if name in states and name not in seen:
            seen.add(name)
            ahead += targets(states[name])
    return seen


def faults(state: Json) -> Iterator[str]:
    """What is wrong with one state, whatever stands around it."""
    kind = state.get("Type")
    if kind not in STATE_TYPES:
        yield f"has no known Type: {kind}"
    if kind not in {"Choice", *TERMINAL_TYPES} and ("Next" in state) == (state.get("End") is True):
        yield "needs exactly one of Next and End"
    if state.get("QueryLanguage", "JSONata") != "JSONata":
        yield "must not leave JSONata"
    for field in JSONPATH_FIELDS:
        if field in state:
            yield f"uses {field}, which belongs to JSONPath"
    if kind == "Choice" and "Default" not in state:
        yield "needs a Default"
    if kind == "Task":
        yield from task_faults(state)


def task_faults(state: Json) -> Iterator[str]:
    """What a Task lacks to be safe: a timeout, calm retries and a last catcher."""
    if not is_duration(state.get("TimeoutSeconds")):
        yield "needs TimeoutSeconds: a number of seconds or a JSONata expression"
    retriers = objects(state.get("Retry"))
    if not retriers:
        yield "needs a Retry"
    for number, retrier in enumerate(retriers):
        if retrier.get("JitterStrategy") != "FULL":
            yield f"Retry[{number}] needs JitterStrategy FULL"
        if not is_duration(retrier.get("MaxDelaySeconds")):
            yield f"Retry[{number}] needs MaxDelaySeconds"
    yield from order_faults("Retry", retriers)
    catchers = objects(state.get("Catch"))
    if not any(errors(catcher) == [EVERY_ERROR] for catcher in catchers):
        yield f"needs a Catch of {EVERY_ERROR}"
    yield from order_faults("Catch", catchers)


def order_faults(field: str, handlers: Sequence[Json]) -> Iterator[str]:
    """States.ALL must stand alone and last, or the handlers after it never run."""
    for number, handler in enumerate(handlers):
        if EVERY_ERROR in errors(handler) and (len(errors(handler)) > 1 or number < len(handlers) - 1):
            yield f"{field}[{number}]: {EVERY_ERROR} stands alone and last"


def errors(handler: Json) -> list[object]:
    """The error names of a retrier or catcher."""
    names = handler.get("ErrorEquals")
    return names if isinstance(names, list) else []


def is_duration(value: object) -> bool:
    """Whether a field holds positive seconds or a JSONata expression."""
    if isinstance(value, str):
        return value.startswith("{%") and value.endswith("%}")
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def main(arguments: Sequence[str]) -> int:
    """Lint the named files and print what is wrong with them."""
    files = [Path(name) for name in arguments] or sorted((ROOT / "statemachines").glob("*.asl.json"))
    found = [f"{path.name}: {problem}" for path in files for problem in lint_file(path)]
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
