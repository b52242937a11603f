"""JSON schemas of the API as agents read them: references resolved, and nothing said twice or for forms alone."""

from __future__ import annotations

from typing import Any, Final

from mcp_gateway.tools import UNTOLD

Schema = dict[str, Any]
_REFERENCE: Final = "$ref"
# What is for readers of a document: a model goes by names and descriptions.
_UNREAD: Final = ("title", "examples")
_NAMES: Final = "propertyNames"
# Nobody has it in mind to send less or more than that; who does, is told by the API.
_SELF_EVIDENT: Final = {"minLength": 1, "minItems": 1}
_LONGEST_LIMIT: Final = 100
_LONGEST_PATTERN: Final = 40

_NULL: Final = {"type": "null"}

# What every tool answers that begins an operation. A dry run answers with findings and preview instead.
OPERATION: Final[Schema] = {
    "type": "object",
    "properties": {
        "operation_id": {"type": "string"},
        "cluster_tag": {"type": "string"},
        "status": {"type": "string"},
        "expected_seconds": {"type": "integer"},
        "status_tool": {"type": "string"},
        "replayed": {"type": "boolean"},
        "preview": {"type": "object"},
        "findings": {"type": "array"},
    },
}
# What the gateway tells of an operation otherwise than the API does.
_TOLD_OTHERWISE: Final[Schema] = {"phases": {"type": "object"}, "pending_stages": {"type": "integer"}}
_STAGES: Final = "stages"


def expanded(schema: Schema, document: Schema, around: tuple[str, ...] = ()) -> Schema:
    """Give a schema without references; one within itself says only that it is there."""
    if _REFERENCE in schema:
        name = schema[_REFERENCE].rpartition("/")[2]
        beside = {key: value for key, value in schema.items() if key != _REFERENCE}
        if name in around:
            return beside
        return {**expanded(document["components"]["schemas"][name], document, (*around, name)), **beside}
    kept = {key: value for key, value in schema.items() if key not in _UNREAD or isinstance(value, dict)}
    if isinstance(kept.get("type"), str):  # else these are members, and one has that name
        kept.pop(_NAMES, None)
    return _brief({key: _inner(value, document, around) for key, value in kept.items()})


def _inner(value: object, document: Schema, around: tuple[str, ...]) -> object:
    if isinstance(value, dict):
        return expanded(value, document, around)
    if isinstance(value, list):
        return [_inner(each, document, around) for each in value]
    return value


def _is_told(key: str, value: object) -> bool:
    if key == "default":
        return value not in (None, [], {})
    if key == "pattern" and isinstance(value, str):
        return len(value) <= _LONGEST_PATTERN
    if key in ("maxLength", "maxProperties") and isinstance(value, int):
        return value <= _LONGEST_LIMIT
    return _SELF_EVIDENT.get(key) != value


def _brief(schema: Schema) -> Schema:
    """Leave out what tells a model nothing: also that null says the same as nothing, for clients take one type."""
    schema = {key: value for key, value in schema.items() if _is_told(key, value)}
    described = schema.get("description")
    if isinstance(described, str):
        schema["description"] = " ".join(described.split())
    either = schema.get("anyOf", ())
    others = [each for each in either if each != _NULL]
    if len(others) == len(either):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**others[0], **rest} if len(others) == 1 else {**rest, "anyOf": others}


def or_null(schema: Schema, says: str) -> Schema:
    """Give the schema of what may also be null, which says something else than leaving it out."""
    described = " ".join(filter(None, (schema.get("description"), f"Null says {says}.")))
    others = {key: value for key, value in schema.items() if key != "description"}
    return {"anyOf": [others, _NULL], "description": described}


def outline(schema: Schema, document: Schema) -> Schema:
    """Give the members of an answer and their types; what is absent or null in it is left out of it."""
    whole = expanded(schema, document)
    members = {name: _kind(each) for name, each in whole.get("properties", {}).items()}
    if _STAGES in members:
        members = {name: each for name, each in members.items() if name not in UNTOLD} | _TOLD_OTHERWISE
    return {"type": "object", "properties": members}


def _kind(schema: Schema) -> Schema:
    return {"type": schema["type"]} if "type" in schema else {}
