"""What EKS offers as add-ons: versions by cluster version, and the schemas that configurations are held to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import yaml

from infra.local.simulators.eks_catalog import ADDON_SCHEMAS, ADDONS, VERSIONS
from infra.local.simulators.eks_records import invalid
from infra.local.simulators.paging import page
from infra.local.simulators.service import refuse_unverified, unverified

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject, ServiceRequest

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "integer": (int,),
    "number": (int, float), "null": (type(None),),
}  # fmt: skip
_JUDGED = frozenset({"$schema", "$ref", "definitions", "title", "description", "type", "properties", "items", "enum",
                     "required", "additionalProperties"})  # fmt: skip


class AddonOffers:
    """The operations of EKS that ask about add-ons and not about a cluster."""

    def describe_versions(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeAddonVersions."""
        refuse_unverified(params, {"kubernetesVersion", "maxResults", "nextToken", "addonName", "owners"})
        asked = params.get("kubernetesVersion")
        clusters = [asked] if asked else list(VERSIONS)
        offered = [
            addon.described(clusters)
            for name, addon in sorted(ADDONS.items())
            if name == params.get("addonName", name) and addon.owner in params.get("owners", [addon.owner])
        ]
        chosen, token = page(
            [info for info in offered if info["addonVersions"]],
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"addons": chosen, "nextToken": token}

    def describe_configuration(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeAddonConfiguration."""
        name, version = params["addonName"], params["addonVersion"]
        addon = ADDONS.get(name)
        if addon is None or all(version not in addon.versions(each) for each in VERSIONS):
            raise invalid(f"Addon {name} of version {version} is not supported", addonName=name)
        schema = json.dumps(_schema_of(name))
        return {"addonName": name, "addonVersion": version, "configurationSchema": schema}


def refuse_configuration(addon: str, text: str | None) -> None:
    """Refuse a configuration that is no JSON or YAML object, or that the add-on's schema does not allow."""
    if text is None:
        return
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise invalid("ConfigurationValue is not in valid JSON/YAML format") from error
    if not isinstance(document, dict):
        raise invalid("ConfigurationValue is not a JSON/YAML object")
    schema = _schema_of(addon)
    if faults := list(_faults(schema, schema, document, "$")):
        said = f"Json schema validation failed with error: [{', '.join(faults)}]"
        raise invalid(f"ConfigurationValue provided in request is not supported: {said}", addonName=addon)


def _schema_of(addon: str) -> JsonObject:
    if addon not in ADDON_SCHEMAS:
        raise unverified(f"the configuration schema of the add-on {addon}")
    return ADDON_SCHEMAS[addon]


def _faults(root: JsonObject, schema: JsonObject, value: object, path: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].rpartition("/")[2]]
    assert not schema.keys() - _JUDGED, schema
    wanted = schema.get("type", "")
    if wanted and (not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean")):
        yield f"{path}: {_type_of(value)} found, {wanted} expected"
    elif value not in schema.get("enum", [value]):
        yield f"{path}: does not have a value in the enumeration {schema['enum']}"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(root, schema.get("items", {}), item, f"{path}[{index}]")
    elif isinstance(value, dict):
        yield from _faults_of_members(root, schema, value, path)


def _faults_of_members(root: JsonObject, schema: JsonObject, value: JsonObject, path: str) -> Iterator[str]:
    yield from (
        f"{path}.{name}: is missing but it is required" for name in schema.get("required", ()) if name not in value
    )
    others = schema.get("additionalProperties", {})
    for name, item in value.items():
        known = schema.get("properties", {}).get(name, others)
        if known is False:
            yield f"{path}.{name}: is not defined in the schema and the schema does not allow additional properties"
        elif known is not True:
            yield from _faults(root, known, item, f"{path}.{name}")


def _type_of(value: object) -> str:
    return next(name for name, types in _TYPES.items() if type(value) in types)
