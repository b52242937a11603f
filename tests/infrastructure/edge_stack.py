"""The edge alone in a stack, as its template; a function that answers nothing stands for each of the topology's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aws_cdk import App, Aws, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk.assertions import Template

from infra.host.context import Context
from infra.host.edge import Edge
from infra.host.files import Files
from infra.release import Place, Release
from infra.topology import Topology

if TYPE_CHECKING:
    from pydantic import JsonValue

PLACE: Final = Place(Aws.ACCOUNT_ID, Aws.REGION, Aws.PARTITION, Aws.URL_SUFFIX)
# What the deployment would fill in.
KNOWN: Final = {
    "AWS::AccountId": "111122223333",
    "AWS::Partition": "aws",
    "AWS::Region": "us-west-2",
    "AWS::URLSuffix": "amazonaws.com",
}


@dataclass(frozen=True)
class Resource:
    """One resource of a template; `properties` have what refers to other resources written as `<Name>`."""

    name: str
    kind: str
    properties: dict[str, JsonValue]
    whole: dict[str, JsonValue]

    def text(self, *path: str) -> str:
        """Give a property by its path, as text."""
        return str(at(self.properties, *path))

    def texts(self, *path: str) -> list[str]:
        """Give a property that is a list, as texts."""
        found = at(self.properties, *path)
        assert isinstance(found, list)
        return [str(each) for each in found]


@dataclass(frozen=True)
class Stacked:
    """A synthesised stack."""

    resources: tuple[Resource, ...]
    outputs: Mapping[str, str]
    conditions: Mapping[str, JsonValue]
    warnings: tuple[str, ...]

    def of(self, kind: str) -> list[Resource]:
        """List the resources of a type, without `AWS::`."""
        return [each for each in self.resources if each.kind == f"AWS::{kind}"]

    def one(self, kind: str, **properties: str) -> Resource:
        """Give the one resource of a type with these properties."""
        found = [
            each for each in self.of(kind) if all(each.text(*key.split("__")) == properties[key] for key in properties)
        ]
        assert len(found) == 1, f"{len(found)} of {kind} with {properties}"
        return found[0]


def at(value: JsonValue, *path: str) -> JsonValue:
    """Follow a path into nested objects; what is not there is None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def edge(context: Context, topology: Topology) -> Stacked:
    """Synthesise the whole edge of a topology."""

    def build(stack: Stack) -> None:
        functions = {each.name: stand_in(stack, each.name) for each in topology.functions}
        Edge(
            stack,
            "Edge",
            topology=topology,
            functions=functions,
            answering=functions,
            context=context,
            place=PLACE,
            release=Release("r1", ()),
            files=Files(stack, "Files", context=context, place=PLACE),
        )

    return stacked(build)


def stacked(build: Callable[[Stack], object]) -> Stacked:
    """Synthesise a stack of what `build` adds to it."""
    stack = Stack(App(), "Edge")
    build(stack)
    written = json.loads(json.dumps(Template.from_stack(stack).to_json()))
    resources = [
        Resource(name, each["Type"], _object(filled(each.get("Properties", {}))), each)
        for name, each in written["Resources"].items()
    ]
    outputs = written.get("Outputs", {})
    told = {name: str(filled(each["Value"])) for name, each in outputs.items()}
    notes = [note for each in stack.node.find_all() for note in each.node.metadata]
    warnings = tuple(str(note.data) for note in notes if note.type == "aws:cdk:warning")
    return Stacked(tuple(resources), told, written.get("Conditions", {}), warnings)


def stand_in(stack: Stack, name: str) -> lambda_.Function:
    """Make a function that answers nothing."""
    return lambda_.Function(
        stack,
        name,
        function_name=name,
        code=lambda_.InlineCode("def handler(event, context): ..."),
        handler="index.handler",
        runtime=lambda_.Runtime.PYTHON_3_13,
    )


def filled(value: JsonValue) -> JsonValue:
    """Fill in what CloudFormation's functions stand for."""
    if isinstance(value, list):
        return [filled(each) for each in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"Ref": str(name)}:
            return KNOWN.get(name, f"<{name}>")
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(str(filled(part)) for part in parts)
        case _:
            return {name: filled(each) for name, each in value.items()}


def _object(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value
