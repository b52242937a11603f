"""Intrinsic functions of a template: what a value refers to, and what it resolves to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from infra.local.simulators.service import ServiceError, unverified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# `stack_conditions` decides the last six before anything is resolved.
CONDITIONAL = frozenset({"Fn::If", "Fn::Equals", "Fn::Not", "Fn::And", "Fn::Or", "Condition"})
FUNCTIONS = frozenset({"Ref", "Fn::GetAtt", "Fn::Sub", "Fn::Join", "Fn::Select", "Fn::Split"}) | CONDITIONAL
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")


@dataclass(frozen=True)
class Reference:
    """A `Ref` (no attribute) or a `GetAtt`, written as such or inside a `Sub`."""

    target: str
    attribute: str | None = None


@dataclass(frozen=True)
class Scope:
    """Where references get their values."""

    values: Mapping[str, object]
    attribute: Callable[[str, str], object]


def malformed(message: str) -> ServiceError:
    """CloudFormation's refusal of a template or a parameter."""
    return ServiceError("ValidationError", message)


def text(value: object) -> str:
    """A scalar as CloudFormation writes it into a string."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def references(value: object) -> Iterator[Reference]:
    """Every reference inside a value."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        function = _function(value)
        if function is None:
            yield from references(list(value.values()))
        else:
            yield from _referred(function, value[function])


def resolve(value: object, scope: Scope) -> object:
    """The value with every intrinsic function applied."""
    if isinstance(value, list):
        return [resolve(item, scope) for item in value]
    if not isinstance(value, dict):
        return value
    function = _function(value)
    if function is None:
        return {key: resolve(item, scope) for key, item in value.items()}
    if function in CONDITIONAL:
        raise unverified(f"intrinsic function {function} in this place")
    return _APPLY[function](value[function], scope)


def _function(value: dict[str, object]) -> str | None:
    """The function that a mapping is; one that is not simulated is refused."""
    if len(value) != 1:
        return None
    key = next(iter(value))
    if key in FUNCTIONS and (key != "Condition" or isinstance(value[key], str)):
        return key
    if key.startswith("Fn::"):
        raise unverified(f"intrinsic function {key}")
    return None


def _referred(function: str, argument: object) -> Iterator[Reference]:
    if function == "Ref":
        yield Reference(str(argument))
    elif function == "Fn::GetAtt":
        yield Reference(*_attribute_of(argument))
    elif function == "Fn::Sub":
        template, variables = _sub_arguments(argument)
        yield from references(list(variables.values()))
        yield from (_placed(name) for name in _placeholders(template) if name not in variables)
    elif function == "Fn::If":
        yield from references(argument[1:] if isinstance(argument, list) else [])
    elif function != "Condition":
        yield from references(argument)


def _placeholders(template: str) -> list[str]:
    return [name.strip() for name in _PLACEHOLDER.findall(template) if not name.startswith("!")]


def _placed(name: str) -> Reference:
    target, dot, attribute = name.partition(".")
    return Reference(target, attribute if dot else None)


def _attribute_of(argument: object) -> tuple[str, str]:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    if not (isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, str) for part in parts)):
        raise malformed("Template error: every Fn::GetAtt object requires two non-empty parameters")
    return parts[0], parts[1]


def _sub_arguments(argument: object) -> tuple[str, dict[str, object]]:
    if isinstance(argument, str):
        return argument, {}
    if isinstance(argument, list) and len(argument) == 2 and isinstance(argument[1], dict):
        return str(argument[0]), argument[1]
    raise malformed(
        "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. "
        "Specify a string as first argument, and an optional second argument to specify a mapping of values to replace "
        "in the string"
    )


def _pair(function: str, argument: object) -> tuple[object, object]:
    if isinstance(argument, list) and len(argument) == 2:
        return argument[0], argument[1]
    raise malformed(f"Template error: every {function} object requires two parameters")


def _look_up(reference: Reference, scope: Scope) -> object:
    if reference.attribute is None:
        return scope.values[reference.target]
    return scope.attribute(reference.target, reference.attribute)


def _ref(argument: object, scope: Scope) -> object:
    return scope.values[str(argument)]


def _get_att(argument: object, scope: Scope) -> object:
    return scope.attribute(*_attribute_of(argument))


def _sub(argument: object, scope: Scope) -> str:
    template, variables = _sub_arguments(argument)
    local = {name: resolve(value, scope) for name, value in variables.items()}

    def replacement(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name.startswith("!"):
            return f"${{{name[1:]}}}"
        return text(local[name] if name in local else _look_up(_placed(name), scope))

    return _PLACEHOLDER.sub(replacement, template)


def _join(argument: object, scope: Scope) -> str:
    delimiter, values = _pair("Fn::Join", argument)
    return str(delimiter).join(text(value) for value in cast("list[object]", resolve(values, scope)))


def _select(argument: object, scope: Scope) -> object:
    index, values = _pair("Fn::Select", resolve(argument, scope))
    chosen = cast("list[object]", values)
    position = int(text(index))
    if not 0 <= position < len(chosen):
        raise malformed(f"Template error: Fn::Select cannot select nonexistent value at index {position}")
    return chosen[position]


def _split(argument: object, scope: Scope) -> list[str]:
    delimiter, value = _pair("Fn::Split", resolve(argument, scope))
    return text(value).split(text(delimiter))


_APPLY: dict[str, Callable[[object, Scope], object]] = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::Sub": _sub,
    "Fn::Join": _join,
    "Fn::Select": _select,
    "Fn::Split": _split,
}
