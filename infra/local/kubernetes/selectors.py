"""Label and field selectors as predicates over objects."""

from __future__ import annotations

import re
from collections.abc import Callable

from infra.local.kubernetes.documents import JsonObject, string_map, value_at
from infra.local.kubernetes.errors import BadRequest

Predicate = Callable[[JsonObject], bool]
_LabelTest = Callable[[dict[str, str]], bool]

_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")
_SET_BASED = re.compile(r"(?P<key>[^\s=!,()]+)\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUALITY = re.compile(r"(?P<key>[^\s=!,()]+)\s*(?P<operator>==|=|!=)\s*(?P<value>[^\s=!,()]*)")
_EXISTS = re.compile(r"(?P<absent>!?)\s*(?P<key>[^\s=!,()]+)")


def label_selector(selector: str) -> Predicate:
    """A predicate for an equality, set-based or existence selector.

    Raises BadRequest when a requirement cannot be read.
    """
    tests = [_label_test(term.strip()) for term in _OUTSIDE_PARENTHESES.split(selector) if term.strip()]

    def matches(document: JsonObject) -> bool:
        labels = string_map(document, "metadata", "labels")
        return all(test(labels) for test in tests)

    return matches


def field_selector(selector: str) -> Predicate:
    """A predicate for comparisons of dotted paths such as `spec.nodeName=a,status.phase!=Failed`.

    Raises BadRequest when a requirement cannot be read.
    """
    tests = [_field_test(term.strip()) for term in selector.split(",") if term.strip()]
    return lambda document: all(test(document) for test in tests)


def _label_test(term: str) -> _LabelTest:
    if match := _SET_BASED.fullmatch(term):
        values = {value.strip() for value in match["values"].split(",")}
        return _set_test(match["key"], values, wanted=match["operator"] == "in")
    if match := _EQUALITY.fullmatch(term):
        return _set_test(match["key"], {match["value"]}, wanted=match["operator"] != "!=")
    if match := _EXISTS.fullmatch(term):
        key, wanted = match["key"], not match["absent"]
        return lambda labels: (key in labels) == wanted
    raise BadRequest(f'unable to parse requirement: found "{term}", expected: a label requirement')


def _set_test(key: str, values: set[str], wanted: bool) -> _LabelTest:
    return lambda labels: (labels.get(key) in values) == wanted


def _field_test(term: str) -> Predicate:
    match = _EQUALITY.fullmatch(term)
    if match is None:
        raise BadRequest(f"invalid selector: '{term}'; can't understand '{term}'")
    path, value, wanted = match["key"].split("."), match["value"], match["operator"] != "!="
    return lambda document: (_as_text(value_at(document, *path)) == value) == wanted


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
