"""Conditions of a template: which hold for a stack's parameters, and the template that is left of it then.

A template is settled once, when a stack is made: branches of `Fn::If` are chosen, and resources and outputs whose
condition does not hold are left out, so that nothing after it knows of conditions.
Source: CloudFormation user guide, "Condition functions" and "Conditions".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from infra.local.simulators.service import JsonObject, unverified
from infra.local.simulators.stack_intrinsics import Scope, malformed, references, resolve, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.local.simulators.stack_template import Declared, Template

NO_VALUE: Final = "AWS::NoValue"
_ABSENT: Final = object()
_COUNTS: Final = {"Fn::Equals": (2, 2), "Fn::Not": (1, 1), "Fn::And": (2, 10), "Fn::Or": (2, 10)}


def check_conditions(conditions: Mapping[str, object], resources: Mapping[str, Declared], outputs: JsonObject) -> None:
    """Refuse conditions that do not exist, and a DependsOn whose fate CloudFormation's pages do not tell."""
    named = {
        "Conditions": {condition for value in conditions.values() for condition in _tested(value)},
        "Resources": {condition for declared in resources.values() for condition in conditions_in(declared)},
        "Outputs": set(_chosen_by(list(outputs.values()))),
    }
    for section, found in named.items():
        for unknown in sorted(found - conditions.keys()):
            message = f"Unresolved condition dependency {unknown} in the {section} block of the template"
            raise malformed(f"Template format error: {message}")
    for declared in resources.values():
        for target in declared.explicit:
            if resources[target].condition not in (None, declared.condition):
                raise unverified(f"DependsOn {target}, which a condition may leave out")


def conditions_in(declared: Declared) -> set[str]:
    """Name the conditions that a resource hangs on."""
    own = {declared.condition} if declared.condition else set()
    return own | set(_chosen_by([declared.properties, declared.metadata]))


def settled(template: Template, values: Mapping[str, object]) -> Template:
    """Give the template that is left when its conditions are decided; `values` are those of parameters."""
    if not template.conditions:
        return template
    held = _Held(template.conditions, values)
    resources = {
        name: _settled(declared, held)
        for name, declared in template.resources.items()
        if declared.condition is None or held(declared.condition)
    }
    kept = {name: replace(each, requires=_requires(each, resources)) for name, each in resources.items()}
    outputs = {
        name: {key: _chosen(value, held) for key, value in output.items() if key != "Condition"}
        for name, output in template.outputs.items()
        if "Condition" not in output or held(str(output["Condition"]))
    }
    _check_what_is_left(kept, outputs, template)
    return replace(template, resources=kept, outputs=outputs, conditions={})


class _Held:
    """Says of each condition whether it holds."""

    def __init__(self, conditions: Mapping[str, object], values: Mapping[str, object]) -> None:
        self._conditions = conditions
        self._scope = Scope(values, _no_attribute)
        self._asked: list[str] = []

    def __call__(self, name: str) -> bool:
        if name in self._asked:
            raise malformed(f"Template format error: Circular dependencies for conditions: [{name}]")
        self._asked.append(name)
        try:
            return self._holds(self._conditions[name])
        finally:
            self._asked.pop()

    def _holds(self, value: object) -> bool:
        function, argument = _test_of(value)
        if function == "Condition":
            return self(str(argument))
        parts = argument if isinstance(argument, list) else [argument]
        fewest, most = _COUNTS[function]
        if not fewest <= len(parts) <= most:
            raise malformed(f"Template error: every {function} object requires {fewest} to {most} parameters")
        if function == "Fn::Equals":
            first, second = (resolve(part, self._scope) for part in parts)
            return text(first) == text(second)
        tests = [self._holds(part) for part in parts]
        return {"Fn::Not": not tests[0], "Fn::And": all(tests), "Fn::Or": any(tests)}[function]


def _no_attribute(target: str, _name: str) -> object:
    raise malformed(f"Template error: Fn::GetAtt of {target} cannot be used in a condition")


def _test_of(value: object) -> tuple[str, object]:
    if isinstance(value, dict) and len(value) == 1:
        function = next(iter(value))
        if function == "Condition" or function in _COUNTS:
            return function, value[function]
    raise malformed(
        "Template format error: Conditions can only be boolean operations on parameters and other conditions"
    )


def _tested(value: object) -> Iterator[str]:
    """Name the conditions that a condition refers to."""
    function, argument = _test_of(value)
    if function == "Condition":
        yield str(argument)
    elif function != "Fn::Equals":
        for part in argument if isinstance(argument, list) else [argument]:
            yield from _tested(part)


def _chosen_by(value: object) -> Iterator[str]:
    """Name the conditions that branches inside a value, or an output itself, hang on."""
    if isinstance(value, list):
        for item in value:
            yield from _chosen_by(item)
    elif isinstance(value, dict):
        if "Fn::If" in value:
            yield _branches(value["Fn::If"])[0]
        if isinstance(value.get("Condition"), str):
            yield value["Condition"]
        for item in value.values():
            yield from _chosen_by(item)


def _branches(argument: object) -> tuple[str, object, object]:
    if isinstance(argument, list) and len(argument) == 3 and isinstance(argument[0], str):
        return argument[0], argument[1], argument[2]
    raise malformed("Template error: Fn::If requires a list argument with three elements")


def _settled(declared: Declared, held: _Held) -> Declared:
    chosen = {name: _chosen(value, held) for name, value in declared.properties.items()}
    properties = {name: value for name, value in chosen.items() if value is not _ABSENT}
    return replace(declared, properties=properties, metadata=_chosen(declared.metadata, held), condition=None)


def _chosen(value: object, held: _Held) -> object:
    """Choose the branches inside a value; one that is no value is left out of what holds it."""
    if isinstance(value, list):
        return [chosen for item in value if (chosen := _chosen(item, held)) is not _ABSENT]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": NO_VALUE}:
        return _ABSENT
    if "Fn::If" in value:
        condition, yes, no = _branches(value["Fn::If"])
        return _chosen(yes if held(condition) else no, held)
    chosen = {key: _chosen(item, held) for key, item in value.items()}
    return {key: item for key, item in chosen.items() if item is not _ABSENT}


def _requires(declared: Declared, resources: Mapping[str, Declared]) -> frozenset[str]:
    implicit = {reference.target for reference in references([declared.properties, declared.metadata])}
    return (declared.explicit | implicit) & resources.keys()


def _check_what_is_left(resources: Mapping[str, Declared], outputs: JsonObject, template: Template) -> None:
    """Refuse a reference to a resource that its condition leaves out."""
    parts = {"Resources": [each.properties for each in resources.values()], "Outputs": list(outputs.values())}
    for section, values in parts.items():
        targets = {reference.target for reference in references(values)}
        if gone := sorted((targets & template.resources.keys()) - resources.keys()):
            raise malformed(
                f"Template format error: Unresolved resource dependencies [{', '.join(gone)}] in the {section} "
                "block of the template"
            )
