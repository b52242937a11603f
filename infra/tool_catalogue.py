"""Writes the catalogue of agents' tools from declarations and OpenAPI document.

Run it as `python -m infra.tool_catalogue [--check]`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from functions.core.declaration import Declaration, Route, Tool
from functions.core.headers import KEY_HEADER
from functions.entry.domains import DECLARATIONS
from infra import generated, openapi
from infra.tool_schemas import OPERATION, expanded, or_null, outline
from mcp_gateway.tools import CATALOGUE, KEY_ARGUMENT, TOKEN_ARGUMENT, GatewayTool, Place

# Said in every tool, so in few words.
_COMMON: Final[dict[str, dict[str, Any]]] = {
    "confirm": {"type": "string", "description": "The digest of your preview of this very call."},
    "dry_run": {"type": "boolean", "default": False, "description": "Only preview."},
    "limit": {"type": "integer", "description": "Rows at most."},
    KEY_ARGUMENT: {"type": "string", "description": "A new key forces a new operation."},
    TOKEN_ARGUMENT: {"type": "string", "description": "That of the answer before."},
}
_UNKNOWN: Final = "unknown"
_JSON: Final = "application/json"
_TEXT: Final = {"type": "object", "properties": {"text": {"type": "string"}}}


@dataclass(frozen=True)
class _Argument:
    name: str
    place: Place
    schema: dict[str, Any]
    needed: bool = False


def catalogue() -> list[GatewayTool]:
    """Make the catalogue, sorted by toolset and name."""
    document = openapi.document()
    made = [_tool(declared, tool, document) for declared in DECLARATIONS for tool in declared.tools]
    return sorted(made, key=lambda tool: (tool.toolset, tool.name))


def text() -> str:
    """Write the catalogue the same way every time."""
    rows = [tool.model_dump(mode="json") for tool in catalogue()]
    return json.dumps(rows, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _tool(declared: Declaration, tool: Tool, document: dict[str, Any]) -> GatewayTool:
    route = next(each for each in declared.routes if each.operation_id == tool.operation_id)
    described = document["paths"][route.path][route.method.lower()]
    arguments = {each.name: each for each in _arguments(described, document) if each.name not in tool.sends}
    for name, says in tool.null_says.items():
        arguments[name] = replace(arguments[name], schema=or_null(arguments[name].schema, says))
    begins = route.success == 202
    output = _output(route, described, document)
    rows = _rows(output) if tool.operation_id.startswith("list_") else None
    if rows is not None and TOKEN_ARGUMENT not in arguments:
        arguments[TOKEN_ARGUMENT] = _Argument(TOKEN_ARGUMENT, Place.GATEWAY, {})
    return GatewayTool(
        name=tool.name,
        operation_id=tool.operation_id,
        toolset=declared.domain,
        title=tool.title,
        description=tool.description,
        method=route.method,
        path=route.path,
        scope=route.scope,
        places={name: each.place for name, each in arguments.items()},
        sends=dict(tool.sends),
        begins=begins,
        destroys=tool.destroys,
        repeats=tool.repeats,
        additional=tool.additional,
        rows=rows,
        input_schema=_input(arguments),
        output_schema=OPERATION if begins else output,
    )


def _input(arguments: dict[str, _Argument]) -> dict[str, Any]:
    required = sorted(name for name, each in arguments.items() if each.needed)
    return {
        "type": "object",
        "properties": {name: _COMMON.get(name, arguments[name].schema) for name in sorted(arguments)},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _arguments(described: dict[str, Any], document: dict[str, Any]) -> Iterator[_Argument]:
    """List what a tool takes: an argument a parameter of its route, and one a member of the route's body."""
    for parameter in described.get("parameters", ()):
        schema = {**expanded(parameter["schema"], document), **_told(parameter)}
        if parameter["in"] == Place.HEADER:
            assert parameter["name"].lower() == KEY_HEADER, parameter
            yield _Argument(KEY_ARGUMENT, Place.HEADER, schema)
        else:
            yield _Argument(parameter["name"], Place(parameter["in"]), schema, parameter.get("required", False))
    if body := described.get("requestBody"):
        whole = expanded(body["content"][_JSON]["schema"], document)
        for name, schema in whole.get("properties", {}).items():
            needed = body.get("required", False) and name in whole.get("required", ())
            yield _Argument(name, Place.BODY, schema, needed)


def _told(parameter: dict[str, Any]) -> dict[str, str]:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _output(route: Route, described: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    if route.media != _JSON:
        return _TEXT
    return outline(described["responses"][str(route.success)]["content"][_JSON]["schema"], document)


def _rows(output: dict[str, Any]) -> str:
    """Name the list that an answer consists of, beside that of what could not be found out."""
    lists = {name for name, schema in output["properties"].items() if schema.get("type") == "array"}
    (rows,) = lists - {_UNKNOWN}
    return str(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the catalogue, or say whether the written one is stale."""
    return generated.main("tools", lambda: {CATALOGUE: text()}, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
