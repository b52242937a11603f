"""The schemas of served kinds as an OpenAPI document names them, for `kubectl explain` and validating clients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, copy_of, mapping
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.schema import built_in, custom_schema, model_name

_PREFIX = "#/components/schemas/"
_OWN = ("apiVersion", "kind")


def components(served: list[Resource]) -> JsonObject:
    """The schema of each resource, and of everything these refer to."""
    found: JsonObject = {}
    for resource in served:
        name = model_name(resource)
        identity: JsonObject = {"group": resource.group, "version": resource.version, "kind": resource.kind}
        if resource.custom:
            found[f"{resource.group}.{resource.version}.{resource.kind}"] = _custom(resource, identity)
            _add_built_in("V1ObjectMeta", found)
        elif name:
            _add_built_in(name, found)
            found[_shown(name)] = {**mapping(found, _shown(name)), "x-kubernetes-group-version-kind": [identity]}
    return found


def _custom(resource: Resource, identity: JsonObject) -> JsonObject:
    schema = copy_of(custom_schema(resource)) or {"type": "object"}
    properties = {**mapping(schema, "properties"), **{field: {"type": "string"} for field in _OWN}}
    properties["metadata"] = {"$ref": f"{_PREFIX}ObjectMeta"}
    return {**schema, "properties": properties, "x-kubernetes-group-version-kind": [identity]}


def _add_built_in(name: str, found: JsonObject) -> None:
    if _shown(name) in found:
        return
    schema = mapping(built_in(), "definitions", name)
    found[_shown(name)] = _pointing(schema)
    for reference in _references(schema):
        _add_built_in(reference, found)


def _shown(name: str) -> str:
    """A definition's name as people read it: without the version that the models put before it."""
    return re.sub(r"^V\d+", "", name)


def _pointing(value: object) -> object:
    if isinstance(value, list):
        return [_pointing(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$ref"), str):
        return {"$ref": f"{_PREFIX}{_shown(value['$ref'])}"}
    return {key: _pointing(inner) for key, inner in value.items()}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield str(value["$ref"])
        else:
            for inner in value.values():
                yield from _references(inner)
