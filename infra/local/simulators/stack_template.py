"""Templates: YAML with CloudFormation's short tags, the sections simulated, references and types checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, cast

import yaml

from infra.local.simulators.service import JsonObject, unverified
from infra.local.simulators.stack_conditions import check_conditions
from infra.local.simulators.stack_intrinsics import FUNCTIONS, malformed, references

if TYPE_CHECKING:
    from collections.abc import Iterable

PSEUDO_PARAMETERS = frozenset(
    f"AWS::{name}" for name in ("AccountId", "NoValue", "Partition", "Region", "StackId", "StackName", "URLSuffix")
)
_SECTIONS = frozenset(
    {"AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Conditions", "Resources", "Outputs"}
)
_UNVERIFIED_SECTIONS = frozenset({"Mappings", "Rules", "Transform", "Hooks"})
_ATTRIBUTES = frozenset(
    {"Type", "Properties", "Condition", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy", "Metadata"}
)
_DELETION_POLICIES = frozenset({"Delete", "Retain", "RetainExceptOnCreate"})


@dataclass(frozen=True)
class Declared:
    """One resource as the template declares it; `requires` are the logical ids it comes after.

    `explicit` are those of them that `DependsOn` names; references in its metadata count as those in its properties.
    """

    type: str
    properties: JsonObject
    requires: frozenset[str]
    deletion_policy: str
    explicit: frozenset[str] = frozenset()
    metadata: object = None
    condition: str | None = None


@dataclass(frozen=True)
class Template:
    """A checked template."""

    body: str
    description: str | None
    parameters: dict[str, JsonObject]
    resources: dict[str, Declared]
    outputs: dict[str, JsonObject]
    conditions: JsonObject = field(default_factory=dict)


class _Loader(yaml.SafeLoader):
    """YAML as CloudFormation reads it: dates stay text, there are no aliases, short tags are functions."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise malformed("Template format error: YAML aliases are not allowed in CloudFormation templates")
        return super().compose_node(parent, index)


def _construct_function(loader: _Loader, suffix: str, node: yaml.Node) -> JsonObject:
    name = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if name not in FUNCTIONS:
        raise unverified(f"intrinsic function {name}")
    if isinstance(node, yaml.ScalarNode):
        value: object = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(cast("yaml.MappingNode", node), deep=True)
    return {name: value}


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_multi_constructor("!", _construct_function)


def parse(body: str) -> Template:
    """Read and check a template; faults in AWS's wording."""
    document = _document(body)
    parameters = _section(document, "Parameters")
    declared = _section(document, "Resources")
    if not declared:
        raise malformed("Template format error: At least one Resources member must be defined.")
    outputs = _section(document, "Outputs")
    known = declared.keys() | parameters.keys() | PSEUDO_PARAMETERS
    _check_references(declared, known, declared.keys(), "Resources")
    _check_references(outputs, known, declared.keys(), "Outputs")
    resources = {name: _declared(name, declaration, declared) for name, declaration in declared.items()}
    description = document.get("Description")
    conditions = _section(document, "Conditions")
    check_conditions(conditions, resources, outputs)
    return Template(body, description, parameters, _ordered(resources), outputs, conditions)


def _document(body: str) -> JsonObject:
    try:
        document = yaml.load(body, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise malformed(f"Template format error: YAML not well-formed.{place}") from error
    if not isinstance(document, dict):
        raise malformed("Template format error: unsupported structure.")
    given = document.keys()
    if given & _UNVERIFIED_SECTIONS:
        raise unverified(f"template section {', '.join(sorted(given & _UNVERIFIED_SECTIONS))}")
    if given - _SECTIONS:
        raise malformed(f"Invalid template property or properties [{', '.join(sorted(given - _SECTIONS))}]")
    return document


def _section(document: JsonObject, name: str) -> dict[str, JsonObject]:
    section = document.get(name, {})
    if not isinstance(section, Mapping) or not all(isinstance(item, Mapping) for item in section.values()):
        raise malformed(f"Template format error: [/{name}] every member must be an object.")
    return cast("dict[str, JsonObject]", section)


def _declared(name: str, declaration: JsonObject, declared: dict[str, JsonObject]) -> Declared:
    unknown = declaration.keys() - _ATTRIBUTES
    if unknown:
        raise unverified(f"resource attribute {', '.join(sorted(unknown))}")
    if not isinstance(declaration.get("Type"), str):
        raise malformed(
            f"Template format error: [/Resources/{name}] Every Resources object must contain a Type member."
        )
    policy = declaration.get("DeletionPolicy", "Delete")
    if policy not in _DELETION_POLICIES:
        raise unverified(f"DeletionPolicy {policy}")
    depends = declaration.get("DependsOn", [])
    explicit = frozenset([depends] if isinstance(depends, str) else depends)
    if explicit - declared.keys():
        raise _unresolved(explicit - declared.keys(), "Resources")
    properties = declaration.get("Properties", {})
    metadata = declaration.get("Metadata")
    implicit = frozenset(reference.target for reference in references([properties, metadata])) & declared.keys()
    condition = declaration.get("Condition")
    return Declared(declaration["Type"], properties, explicit | implicit, policy, explicit, metadata, condition)


def _check_references(
    section: dict[str, JsonObject], known: Iterable[str], resources: Iterable[str], name: str
) -> None:
    found = set(references(list(section.values())))
    dangling = {reference.target for reference in found if reference.attribute is None} - set(known)
    if dangling:
        raise _unresolved(dangling, name)
    undefined = {reference.target for reference in found if reference.attribute is not None} - set(resources)
    if undefined:
        raise malformed(f"Template error: instance of Fn::GetAtt references undefined resource {sorted(undefined)[0]}")


def _unresolved(names: Iterable[str], section: str) -> Exception:
    return malformed(
        f"Template format error: Unresolved resource dependencies [{', '.join(sorted(names))}] "
        f"in the {section} block of the template"
    )


def _ordered(resources: dict[str, Declared]) -> dict[str, Declared]:
    """The resources, each after what it requires."""
    sorter = TopologicalSorter({name: sorted(declared.requires) for name, declared in resources.items()})
    try:
        order = list(sorter.static_order())
    except CycleError as error:
        members = ", ".join(sorted(set(error.args[1])))
        raise malformed(f"Circular dependency between resources: [{members}]") from error
    return {name: resources[name] for name in order}
