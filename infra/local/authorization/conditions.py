"""Conditions of statements as IAM evaluates them.

Source: IAM user guide, "IAM JSON policy elements: Condition operators" and "Set operators for multivalued context
keys". What is not here is refused: a condition that nobody can judge must not count as one that holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from infra.local.authorization.patterns import matches, matches_arn

if TYPE_CHECKING:
    from infra.privilege.documents import Condition

# What a request says, by the key in lower case: keys have no case.
Context: TypeAlias = Mapping[str, Sequence[str]]
_Compare: TypeAlias = Callable[[str, str], bool]

_ALL: Final = "ForAllValues:"
_ANY: Final = "ForAnyValue:"
_IF_EXISTS: Final = "IfExists"


class Unjudgeable(Exception):
    """A condition that this evaluator does not know how to judge."""


@dataclass(frozen=True)
class _Operator:
    """How a value of a policy (first) and one of a request compare; a negated one holds where none does."""

    compare: _Compare
    negated: bool = False


def _same(expected: str, actual: str) -> bool:
    return expected == actual


def _same_letters(expected: str, actual: str) -> bool:
    return expected.lower() == actual.lower()


_OPERATORS: Final[Mapping[str, _Operator]] = {
    "StringEquals": _Operator(_same),
    "StringNotEquals": _Operator(_same, negated=True),
    "StringEqualsIgnoreCase": _Operator(_same_letters),
    "StringNotEqualsIgnoreCase": _Operator(_same_letters, negated=True),
    "StringLike": _Operator(matches),
    "StringNotLike": _Operator(matches, negated=True),
    # Both of each pair take wildcards.
    "ArnEquals": _Operator(matches_arn),
    "ArnLike": _Operator(matches_arn),
    "ArnNotEquals": _Operator(matches_arn, negated=True),
    "ArnNotLike": _Operator(matches_arn, negated=True),
    "Bool": _Operator(_same_letters),
}


def holds(condition: Condition, context: Context) -> bool:
    """Say whether a condition holds for a request; raises Unjudgeable."""
    if any("${" in value for value in condition.values):
        raise Unjudgeable(f"{condition.key}: policy variables are not simulated")
    found = context.get(condition.key.lower())
    if condition.operator == "Null":
        return any((found is None) is (value.lower() == "true") for value in condition.values)
    if condition.operator.startswith(_ALL):
        return _for_all(_operator(condition, _ALL), condition, found or ())
    if condition.operator.startswith(_ANY):
        return _for_any(_operator(condition, _ANY), condition, found or ())
    return _single(condition, found)


def _operator(condition: Condition, quantifier: str = "") -> _Operator:
    name = condition.operator.removeprefix(quantifier).removesuffix(_IF_EXISTS)
    if name not in _OPERATORS:
        raise Unjudgeable(f"{condition.operator} of {condition.key} is not simulated")
    return _OPERATORS[name]


def _single(condition: Condition, found: Sequence[str] | None) -> bool:
    operator = _operator(condition)
    if found is None:
        return operator.negated or condition.operator.endswith(_IF_EXISTS)
    if len(found) != 1:
        raise Unjudgeable(f"{condition.key} has {len(found)} values, and {condition.operator} is for one")
    return _value_holds(operator, condition, found[0])


def _for_all(operator: _Operator, condition: Condition, found: Sequence[str]) -> bool:
    return all(_value_holds(operator, condition, value) for value in found)


def _for_any(operator: _Operator, condition: Condition, found: Sequence[str]) -> bool:
    return any(_value_holds(operator, condition, value) for value in found)


def _value_holds(operator: _Operator, condition: Condition, actual: str) -> bool:
    return any(operator.compare(expected, actual) for expected in condition.values) is not operator.negated
