"""JSONata for moto's Step Functions interpreter, which ships without an evaluator (getmoto/moto issue 10105).

The interpreter would also spell all variables into each expression and parse the result; here they are bound as
values, only those that the expression names, so quotes and newlines survive and a big input costs little.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import uuid
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Protocol

import jsonata
from jsonata.utils import Utils

_ASL = "moto.stepfunctions.parser.asl"
_ROOT = re.compile(r"\$(\w+)")
_PARTS = ("input", "context", "result", "errorOutput")
_ALGORITHMS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}


class _Store(Protocol):
    _outer_scope: dict[str, object]
    _inner_scope: dict[str, object]


class _States(Protocol):
    _states_data: dict[str, object]


class _Environment(Protocol):
    states: _States
    variable_store: _Store
    stack: list[object]


class _Expression(Protocol):
    expression: str


class UnsupportedResult(TypeError):
    """The expression gave something that JSON cannot hold, a function for example."""


def install() -> None:
    """Give the interpreter's expressions an evaluator."""
    strings = import_module(f"{_ASL}.component.common.string.string_expression")
    module = import_module(f"{_ASL}.jsonata.jsonata")
    validations = import_module(f"{_ASL}.jsonata.validations")
    # It asks again whether a result exists or has a type of JSON; we ask it only to refuse.
    vars(validations)["eval_jsonata_expression"] = lambda _: False
    references: Callable[[str], set[str]] = module.extract_jsonata_variable_references

    def eval_body(self: _Expression, env: _Environment) -> None:
        found: object = Utils.NONE
        try:
            found = evaluate(self.expression, _bindings(references(self.expression), env))
        except jsonata.JException as error:
            raise module.JSONataException(str(error.error), str(error)) from error
        except UnsupportedResult:
            validations.validate_jsonata_expression_output(env, self.expression, "", "")
        if found is Utils.NONE:
            validations.validate_jsonata_expression_output(env, self.expression, "", None)
        env.stack.append(found)

    strings.StringJSONata._eval_body = eval_body


def evaluate(expression: str, bindings: dict[str, object]) -> object:
    """Evaluate an expression over plain values; give `Utils.NONE` when it is undefined.

    Raises JException for an expression that cannot be evaluated, and UnsupportedResult.
    """
    parsed = jsonata.Jsonata(expression)
    parsed.output_convert_nulls = False
    for name, function in _FUNCTIONS.items():
        parsed.register_lambda(name, function)
    result = parsed.evaluate(None, {name: _bound(value) for name, value in bindings.items()})
    return Utils.NONE if result is None else _plain(result)


def _bindings(references: Iterable[str], env: _Environment) -> dict[str, object]:
    store = env.variable_store
    variables = {**store._outer_scope, **store._inner_scope}
    roots = {match[1] for match in map(_ROOT.match, references) if match}
    bound = {name: variables[name] for name in roots if name in variables}
    return bound | ({"states": _states(references, env)} if "states" in roots else {})


def _states(references: Iterable[str], env: _Environment) -> dict[str, object]:
    """Give the parts of `$states` that an expression names, all of them when it takes it as a whole."""
    named = {reference.split(".")[1] for reference in references if reference.startswith("$states.")}
    wanted = _PARTS if "$states" in references else named.intersection(_PARTS)
    return {part: env.states._states_data[part] for part in wanted if part in env.states._states_data}


def _bound(value: object) -> object:
    """Copy a value into what JSONata works on; it may change what it gets, and None means undefined there."""
    if value is None:
        return Utils.NULL_VALUE
    if isinstance(value, dict):
        return {key: _bound(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_bound(member) for member in value]
    return value if isinstance(value, (str, int, float)) else str(value)


def _plain(value: object) -> object:
    if value is Utils.NULL_VALUE or value is None:
        return None
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, (str, int, float)):
        return value
    raise UnsupportedResult(type(value).__name__)


def _hash(value: object, algorithm: str = "SHA-256") -> str:
    text = value if isinstance(value, str) else json.dumps(_plain(value), separators=(",", ":"))
    if algorithm not in _ALGORITHMS:
        raise jsonata.JException(f"The algorithm {algorithm} is not supported", -1)
    return hashlib.new(_ALGORITHMS[algorithm], text.encode(), usedforsecurity=False).hexdigest()


def _parse(text: str) -> object:
    try:
        return _bound(json.loads(text))
    except ValueError as error:
        raise jsonata.JException(f"$parse: {error}", -1) from error


def _partition(items: list[object], size: int) -> list[list[object]]:
    if size < 1:
        raise jsonata.JException("$partition: the chunk size must be positive", -1)
    return [items[start : start + int(size)] for start in range(0, len(items), int(size))]


def _range(first: int, last: int, step: int) -> list[int]:
    if not step:
        raise jsonata.JException("$range: the step must not be zero", -1)
    return list(range(int(first), int(last) + (1 if step > 0 else -1), int(step)))


def _random(seed: float | None = None) -> float:
    return random.Random(seed).random()


# The functions that Step Functions adds to JSONata (developer guide, "Transforming data").
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "hash": _hash,
    "parse": _parse,
    "partition": _partition,
    "random": _random,
    "range": _range,
    "uuid": lambda: str(uuid.uuid4()),
}
