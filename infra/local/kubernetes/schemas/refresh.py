"""Derives `builtin.json`, the field schemas of the built-in kinds, from the models of the `kubernetes` package.

`python -m infra.local.kubernetes.schemas.refresh` writes it anew. The models tell fields, types and what is required;
how lists merge is told by `list_types.py`, because the models leave that out.
"""

from __future__ import annotations

import json
import types
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Union, get_args, get_origin

from kubernetes.client import models
from pydantic import BaseModel

from infra.local.kubernetes.resources import BUILT_IN, Resource
from infra.local.kubernetes.schemas.list_types import ATOMIC_MAPS, INT_OR_STRING, LIST_KEYS, MODELS, QUANTITIES, SETS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

TARGET = Path(__file__).with_name("builtin.json")
ORIGIN = "models of the Python package kubernetes 37 (Kubernetes 1.37); list types from list_types.py"
REFRESH = "python -m infra.local.kubernetes.schemas.refresh"
_SCALARS: dict[object, dict[str, object]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
}
_PLAIN_NAMES = {"var_schema": "$schema", "ref": "$ref", "var_not": "not"}


def main() -> None:
    """Write the schemas of every kind this server has."""
    TARGET.write_text(render(), encoding="utf-8")


def render() -> str:
    """The content of `builtin.json`, one line per definition."""
    definitions: dict[str, object] = {}
    kinds = {f"{resource.api_version}/{resource.kind}": _model_name(resource) for resource in BUILT_IN}
    for name in kinds.values():
        _define(getattr(models, name), definitions)
    lines = [f"{json.dumps(name)}: {json.dumps(definitions[name], sort_keys=True)}" for name in sorted(definitions)]
    head = f'"origin": {json.dumps(ORIGIN)},\n"refresh": {json.dumps(REFRESH)},\n"kinds": {json.dumps(kinds)}'
    return f'{{\n{head},\n"definitions": {{\n' + ",\n".join(lines) + "\n}\n}\n"


def _model_name(resource: Resource) -> str:
    return MODELS.get((resource.group, resource.kind), f"V1{resource.kind}")


def _define(model: type[BaseModel], definitions: dict[str, object]) -> None:
    name = model.__name__
    if name in definitions:
        return
    schema: dict[str, object] = {"type": "object"}
    definitions[name] = schema
    fields = {_wire_name(name, attribute, field): field for attribute, field in model.model_fields.items()}
    schema["properties"] = {
        wire: _property(f"{name}.{wire}", field.annotation, definitions) for wire, field in fields.items()
    }
    required = [wire for wire, field in fields.items() if field.is_required()]
    if required:
        schema["required"] = required
    if name in ATOMIC_MAPS:
        schema["x-kubernetes-map-type"] = "atomic"


def _wire_name(model: str, attribute: str, field: FieldInfo) -> str:
    if model == "V1JSONSchemaProps" and attribute in _PLAIN_NAMES:
        return _PLAIN_NAMES[attribute]
    alias = field.serialization_alias or field.alias or attribute
    return alias.replace("x_kubernetes_", "x-kubernetes-").replace("_", "-") if alias.startswith("x_") else alias


def _property(place: str, annotation: object, definitions: dict[str, object]) -> dict[str, object]:
    schema = _type(place, annotation, definitions)
    field = place.partition(".")[2]
    if place in QUANTITIES:
        quantity: dict[str, object] = {"x-kubernetes-int-or-string": True, "format": "quantity"}
        return {"type": "object", "additionalProperties": quantity} if "additionalProperties" in schema else quantity
    if place in SETS or field == "finalizers":
        schema["x-kubernetes-list-type"] = "set"
    if keys := LIST_KEYS.get(place) or LIST_KEYS.get(field):
        schema |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}
    if place in ATOMIC_MAPS:
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _type(place: str, annotation: object, definitions: dict[str, object]) -> dict[str, object]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(place, arguments[0], definitions)
    if origin in (Union, types.UnionType):
        kept = [argument for argument in arguments if argument is not type(None)]
        if any(_bare(argument) is bytes for argument in kept):
            return {"type": "string", "format": "byte"}
        return _type(place, kept[0], definitions) if len(kept) == 1 else _free()
    if origin is list:
        return {"type": "array", "items": _type(place, arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(place, arguments[1], definitions)}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        _define(annotation, definitions)
        return {"$ref": annotation.__name__}
    if place.partition(".")[2] in INT_OR_STRING:
        return {"x-kubernetes-int-or-string": True}
    return dict(_SCALARS.get(annotation, _free()))


def _bare(annotation: object) -> object:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _free() -> dict[str, object]:
    return {"x-kubernetes-preserve-unknown-fields": True}


if __name__ == "__main__":
    main()
