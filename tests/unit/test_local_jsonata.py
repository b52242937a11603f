"""JSONata as the interpreter's expressions use it: values go in and come out as they are."""

from __future__ import annotations

import uuid

import jsonata
import pytest
from jsonata.utils import Utils

from infra.local.engine.interpreter_jsonata import UnsupportedResult, evaluate

TEXT = 'a "quoted"\nline \\ with ünïcode 🚀 and {% braces %}'
NASTY = {
    "text": TEXT,
    "none": None,
    "list": [1],
    "empty": [],
    "no": False,
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$v", NASTY),
        ("$v.text", TEXT),
        ("$v.none", None),
        ("$v.list", [1]),
        ("$v.empty", []),
        ("$v.no", False),
        ("[$v.list[0]]", [1]),
        ("{'a': [$v.text]}", {"a": [TEXT]}),
        ("$v.none = null", True),
        ("$exists($v.none)", True),
        ("$exists($v.absent)", False),
        ("$v.list[0] + 1.5", 2.5),
        ("'n-' & $string(7)", "n-7"),
        ("$range(0, 10, 5)", [0, 5, 10]),
        ("$range(3, 1, -1)", [3, 2, 1]),
        ("$partition([1, 2, 3], 2)", [[1, 2], [3]]),
        ("$parse('{\"a\": null}')", {"a": None}),
        ("$hash('abc', 'MD5')", "900150983cd24fb0d6963f7d28e17f72"),
        ("$hash('abc', 'SHA-1')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("$merge([{'a': 1}, {'b': 2}])", {"a": 1, "b": 2}),
        ("$v.list[$ > 5]", Utils.NONE),
        ("$v.absent", Utils.NONE),
        ("$unknown", Utils.NONE),
    ],
)
def test_expressions(expression: str, value: object) -> None:
    assert evaluate(expression, {"v": NASTY}) == value


def test_every_uuid_is_another() -> None:
    first, second = (str(evaluate("$uuid()", {})) for _ in range(2))
    assert uuid.UUID(first).version == 4
    assert first != second


def test_a_random_number_can_be_seeded() -> None:
    assert evaluate("$random(7)", {}) == evaluate("$random(7)", {})


@pytest.mark.parametrize(
    "expression",
    ["1 +", "$error('no')", "'a' - 1", "$hash('a', 'CRC')", "$parse('{')", "$range(1, 2, 0)", "$partition([1], 0)"],
)
def test_what_cannot_be_evaluated_is_an_error(expression: str) -> None:
    with pytest.raises(jsonata.JException):
        evaluate(expression, {})


def test_a_function_is_no_result() -> None:
    with pytest.raises(UnsupportedResult):
        evaluate("function($x){$x}", {})


def test_the_given_values_stay_as_they_are() -> None:
    given = {"a": [{"b": None}]}
    evaluate("$v ~> |a|{'b': 1}|", {"v": given})
    assert given == {"a": [{"b": None}]}
