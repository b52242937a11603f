"""A deployment as it would be deployed: its template with what CloudFormation knows filled in, and its assembly."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_cdk import App

from infra.host.context import Architecture, Context, Egress
from infra.host.shipment import Shipment, shipment
from infra.host.stack import NAME, InstantStart
from infra.release import Place
from infra.shapes import Weight
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from pydantic import JsonValue

PLACE: Final = Place("111122223333", "us-west-2", internal_api="<InternalApi>")
KNOWN: Final = {
    "AWS::AccountId": PLACE.account,
    "AWS::Region": PLACE.region,
    "AWS::Partition": PLACE.partition,
    "AWS::URLSuffix": PLACE.url_suffix,
}
CHOSEN: Final = Context(
    log_retention_days=7,
    alarm_address="alarms@example.com",
    company_tags={"team": "ml"},
    architecture="x86_64",
    egress=Egress(
        subnet_ids=("subnet-0123456789abcdef0", "subnet-0123456789abcdef1"),
        security_group_ids=("sg-0123456789abcdef0",),
        addresses=("192.0.2.1",),
    ),
    identity_providers=("Company",),
    passable_role_arns=("arn:aws:iam::111122223333:role/company/training",),
    reserved_concurrency={"api": 5},
    charts="stand_in",
    signing_key_generation=3,
)


@dataclass(frozen=True)
class Resource:
    """One resource; in its properties, what refers to another resource reads `<Name>` or `<Name.Attribute>`."""

    name: str
    kind: str
    properties: dict[str, JsonValue]
    whole: Mapping[str, JsonValue]

    def at(self, *path: str) -> JsonValue:
        """Give a property by its path; None where it is not."""
        value: JsonValue = self.properties
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def object_at(self, *path: str) -> dict[str, JsonValue]:
        """Give a property that is an object."""
        return an_object(self.at(*path))

    def list_at(self, *path: str) -> list[dict[str, JsonValue]]:
        """Give a property that is a list of objects; an empty one where it is not."""
        found = self.at(*path) or []
        assert isinstance(found, list)
        return [an_object(each) for each in found]


@dataclass(frozen=True)
class Deployment:
    """A synthesised stack."""

    context: Context
    shipment: Shipment
    resources: tuple[Resource, ...]
    outputs: Mapping[str, str]
    parameters: Mapping[str, JsonValue]
    assembly: Path

    def of(self, kind: str) -> list[Resource]:
        """List the resources of a type, without `AWS::`."""
        return [each for each in self.resources if each.kind in (kind, f"AWS::{kind}")]

    def named(self, kind: str, key: str) -> dict[str, Resource]:
        """Give the resources of a type by one of their properties; each must have its own."""
        found = {str(each.at(key)): each for each in self.of(kind)}
        assert len(found) == len(self.of(kind))
        return found

    def reference(self, name: str) -> Resource:
        """Give the resource that `<Name>` or `<Name.Attribute>` refers to."""
        found = name.strip("<>").partition(".")[0]
        return next(each for each in self.resources if each.name == found)


@dataclass(frozen=True)
class Empty:
    """Packages of nothing, for tests that look at the template alone."""

    folder: Path
    HELM_PROGRAM: str = "/opt/helm/helm"

    def code(self) -> Path:
        return self._archive("code")

    def layer(self, weight: Weight, architecture: Architecture) -> Path:
        return self._archive(f"{weight}-{architecture}")

    def _archive(self, name: str) -> Path:
        path = self.folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("python/name.txt", name)
        return path


def synthesised(context: Context, folder: Path) -> Deployment:
    """Synthesise the whole stack of the topology."""
    app = App(outdir=str(folder / "cdk.out"), analytics_reporting=False)
    shipped = shipment(context.charts)
    assembled(app, context, shipped, folder)
    return _read(context, shipped, Path(app.synth().directory), KNOWN)


def elsewhere(deployment: Deployment, region: str) -> Deployment:
    """Give the same stack as it is in another region of the account."""
    known = {**KNOWN, "AWS::Region": region}
    return _read(deployment.context, deployment.shipment, deployment.assembly, known)


def _read(context: Context, shipped: Shipment, assembly: Path, known: Mapping[str, str]) -> Deployment:
    template = json.loads((assembly / f"{NAME}.template.json").read_text(encoding="utf-8"))
    resources = [
        Resource(name, each["Type"], an_object(filled(each.get("Properties", {}), known)), each)
        for name, each in template["Resources"].items()
    ]
    outputs = {name: str(filled(each["Value"], known)) for name, each in template["Outputs"].items()}
    return Deployment(context, shipped, tuple(resources), outputs, template["Parameters"], assembly)


def assembled(app: App, context: Context, shipped: Shipment, folder: Path) -> InstantStart:
    """Put the whole stack of the topology into an app."""
    return InstantStart(app, topology=TOPOLOGY, context=context, packages=Empty(folder), shipment=shipped)


def filled(value: JsonValue, known: Mapping[str, str] = KNOWN) -> JsonValue:
    """Fill in what CloudFormation's functions stand for; `known` are the values of its pseudo parameters."""
    if isinstance(value, list):
        return [filled(each, known) for each in value]
    match value:
        case {"Ref": str(name)}:
            return known.get(name, f"<{name}>")
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Sub": str(text)}:
            for name, each in known.items():
                text = text.replace(f"${{{name}}}", each)
            return text
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(str(filled(part, known)) for part in parts)
        case dict():
            return {name: filled(each, known) for name, each in value.items()}
    return value


def an_object(value: JsonValue) -> dict[str, JsonValue]:
    """Take a value that is an object."""
    assert isinstance(value, dict)
    return value
