"""JSONata for moto's Step Functions interpreter, which ships without an evaluator (getmoto/moto issue 10105)."""

from __future__ import annotations

import hashlib
import json
import uuid
from importlib import import_module

import jsonata

_JSONATA = "moto.stepfunctions.parser.asl.jsonata.jsonata"
_ENCODERS = ("moto.stepfunctions.parser.asl.eval.states", "moto.stepfunctions.parser.asl.eval.variable_store")


def install() -> None:
    """Wire a pure Python evaluator, and encode variables as JSON so that quotes and newlines survive."""
    module = import_module(_JSONATA)
    failure = module.JSONataException

    def evaluate(expression: str) -> object:
        try:
            return _evaluate(expression)
        except jsonata.JException as error:
            raise failure(str(error.error), str(error)) from error

    vars(module)["_eval_jsonata"] = evaluate
    for name in _ENCODERS:
        vars(import_module(name))["encode_jsonata_variable_declarations"] = encode_declarations


def encode_declarations(bindings: dict[str, object]) -> str:
    """Encode variables as JSONata assignments."""
    return "".join(f"{name}:={json.dumps(value, default=str)};" for name, value in bindings.items())


def _evaluate(expression: str) -> object:
    parsed = jsonata.Jsonata(expression)
    parsed.register_lambda("uuid", lambda: str(uuid.uuid4()))
    parsed.register_lambda("hash", _hash)
    return parsed.evaluate(None)


def _hash(text: str, algorithm: str = "SHA-256") -> str:
    return hashlib.new(algorithm.replace("-", "").lower(), text.encode()).hexdigest()
