"""EventBridge's event patterns, as far as our rules and stream filters use them; everything else is refused.

Source: EventBridge user guide, "Comparison operators for use in event patterns": every field of the pattern has to
match, one of the values of a field is enough, and of a field that is a list one member is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Pattern = Mapping[str, object]
_OPERATORS: Final = ("prefix", "suffix")


class Unverified(ValueError):
    """The pattern uses what is not simulated."""


def check(pattern: Pattern) -> None:
    """Raise Unverified for a pattern that uses more than values, prefixes and suffixes."""
    for name, expected in pattern.items():
        if isinstance(expected, Mapping):
            check(expected)
        elif isinstance(expected, list):
            for each in expected:
                _check_value(name, each)
        else:
            raise Unverified(f"unverified: {name} of an event pattern is neither an object nor a list")


def matches(pattern: Pattern, event: Mapping[str, object]) -> bool:
    """Say whether an event matches a checked pattern."""
    return all(_field_matches(expected, event.get(name), name in event) for name, expected in pattern.items())


def _check_value(name: str, value: object) -> None:
    if isinstance(value, Mapping):
        if len(value) != 1 or next(iter(value)) not in _OPERATORS or not isinstance(next(iter(value.values())), str):
            raise Unverified(f"unverified: {dict(value)} of {name} in an event pattern is not simulated")
    elif not isinstance(value, str):
        raise Unverified(f"unverified: {value!r} of {name} in an event pattern is no text")


def _field_matches(expected: object, actual: object, present: bool) -> bool:
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and matches(expected, actual)
    candidates = actual if isinstance(actual, list) else [actual]
    wanted = expected if isinstance(expected, list) else []
    return present and any(_value_matches(value, each) for value in wanted for each in candidates)


def _value_matches(expected: object, actual: object) -> bool:
    if not isinstance(expected, Mapping):
        return expected == actual
    if not isinstance(actual, str):
        return False
    prefix, suffix = expected.get("prefix"), expected.get("suffix")
    return actual.startswith(str(prefix)) if prefix is not None else actual.endswith(str(suffix))
