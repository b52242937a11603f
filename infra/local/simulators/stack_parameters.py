"""Parameters of a template: which are given, which have defaults, and whether their values are allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.service import JsonObject, unverified
from infra.local.simulators.stack_intrinsics import malformed, text
from infra.local.simulators.validation import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LIST_TYPES = frozenset({"CommaDelimitedList", "List<Number>", "List<String>"})
_TYPES = frozenset({"String", "Number"}) | _LIST_TYPES


def parameter_values(declared: Mapping[str, JsonObject], given: Mapping[str, str]) -> dict[str, str]:
    """The value of every declared parameter, checked; faults in AWS's wording."""
    unknown = [name for name in given if name not in declared]
    if unknown:
        raise malformed(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    values = {name: text(item["Default"]) for name, item in declared.items() if "Default" in item} | dict(given)
    missing = [name for name in declared if name not in values]
    if missing:
        raise malformed(f"Parameters: [{', '.join(missing)}] must have values")
    for name, declaration in declared.items():
        _check(name, declaration, values[name])
    return values


def parameter_references(declared: Mapping[str, JsonObject], values: Mapping[str, str]) -> dict[str, object]:
    """What `Ref` gives for each parameter: lists as lists."""
    return {
        name: [item.strip() for item in value.split(",")] if declared[name]["Type"] in _LIST_TYPES else value
        for name, value in values.items()
    }


def _check(name: str, declaration: JsonObject, value: str) -> None:
    if declaration.get("Type") not in _TYPES:
        raise unverified(f"parameter type {declaration.get('Type')}")
    fault = next(_faults(name, declaration, value), None)
    if fault is None:
        return
    constraint = declaration.get("ConstraintDescription")
    raise malformed(f"Parameter {name} failed to satisfy constraint: {constraint}" if constraint else fault)


def _faults(name: str, declaration: JsonObject, value: str) -> Iterator[str]:
    allowed = [text(item) for item in declaration.get("AllowedValues", [])]
    if allowed and value not in allowed:
        yield f"Parameter '{name}' must be one of AllowedValues"
    pattern = declaration.get("AllowedPattern")
    each = [item.strip() for item in value.split(",")] if declaration["Type"] == "CommaDelimitedList" else [value]
    if pattern and not all(compiled(pattern).fullmatch(item) for item in each):
        yield f"Parameter '{name}' must match pattern {pattern}"
    if len(value) < int(declaration.get("MinLength", 0)):
        yield f"Parameter '{name}' must contain at least {declaration['MinLength']} characters"
    if "MaxLength" in declaration and len(value) > int(declaration["MaxLength"]):
        yield f"Parameter '{name}' must contain at most {declaration['MaxLength']} characters"
    if declaration["Type"] == "Number":
        yield from _number_faults(name, declaration, value)


def _number_faults(name: str, declaration: JsonObject, value: str) -> Iterator[str]:
    try:
        number = float(value)
    except ValueError:
        yield f"Parameter '{name}' must be a number"
        return
    if "MinValue" in declaration and number < float(declaration["MinValue"]):
        yield f"Parameter '{name}' must be a number not less than {declaration['MinValue']}"
    if "MaxValue" in declaration and number > float(declaration["MaxValue"]):
        yield f"Parameter '{name}' must be a number not greater than {declaration['MaxValue']}"
