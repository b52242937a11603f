"""From a tool call to the one request to the API that it stands for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from functions.core.documents import member
from functions.core.errors import FieldError, InvalidRequest
from functions.core.headers import KEY_HEADER
from mcp_gateway.paging import Position
from mcp_gateway.tools import KEY_ARGUMENT, TOKEN_ARGUMENT, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from mcp_gateway.tools import GatewayTool

    Arguments = Mapping[str, JsonValue]

# Rows of a page, when a caller says nothing: an agent reads all of them.
_ROWS: Final = 20
_LIMIT: Final = "limit"
_LONGEST_WAIT: Final = 20


@dataclass(frozen=True)
class ApiRequest:
    """One request to the API; `path` comes with its query, `position` says which row of the answer comes first."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    position: Position = field(default_factory=Position)


def request_of(tool: GatewayTool, arguments: Arguments, longest_wait: int = _LONGEST_WAIT) -> ApiRequest:
    """Make the request; raise InvalidRequest for arguments that have no place in one. What they say, the API judges.

    `longest_wait` are the seconds that there are for the API to wait.
    """
    _refuse_unknown(tool, arguments)
    _refuse_lists(tool, arguments)
    placed = {place: {n: v for n, v in arguments.items() if tool.places[n] is place} for place in Place}
    position = Position.parse(arguments.get(TOKEN_ARGUMENT)) if tool.rows else Position()
    sent = {name: min(value, max(longest_wait, 0)) for name, value in tool.sends.items()}
    query = {**_defaults(tool), **placed[Place.QUERY], **sent}
    if tool.places.get(TOKEN_ARGUMENT) is Place.QUERY:
        query[TOKEN_ARGUMENT] = position.token
    headers = {"content-type": "application/json"}
    if (key := arguments.get(KEY_ARGUMENT)) is not None:
        headers[KEY_HEADER] = _printable(KEY_ARGUMENT, key)
    body = _body(tool, placed[Place.BODY])
    return ApiRequest(tool.method, f"{_path(tool, placed[Place.PATH])}{_query(query)}", headers, body, position)


def _refuse_unknown(tool: GatewayTool, arguments: Arguments) -> None:
    allowed = [*tool.places]
    unknown = [name for name in arguments if name not in tool.places]
    missing = [name for name, place in tool.places.items() if place is Place.PATH and arguments.get(name) in (None, "")]
    errors = [FieldError(field=name, message=f"is no argument of {tool.name}", allowed=allowed) for name in unknown]
    errors += [FieldError(field=name, message="is required") for name in missing]
    if errors:
        raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=errors)


def _refuse_lists(tool: GatewayTool, arguments: Arguments) -> None:
    """Refuse what a query would lose without a word: lists, and no value at all where that would count as false."""
    for name, value in arguments.items():
        schema = member(member(tool.input_schema, "properties"), name)
        kind = schema.get("type", "string")
        wrong = isinstance(value, list) and kind != "array"
        if tool.places[name] is Place.QUERY and (wrong or (value is None and schema.get("default") is False)):
            error = FieldError(field=name, message=f"has to be of the type {kind}")
            raise InvalidRequest(f"{name}: {error.message}", errors=[error])


def _defaults(tool: GatewayTool) -> dict[str, JsonValue]:
    return {_LIMIT: _ROWS} if tool.rows and tool.places.get(_LIMIT) is Place.QUERY else {}


def _path(tool: GatewayTool, values: Arguments) -> str:
    texts = {name: quote(_name(name, value), safe="") for name, value in values.items()}
    return tool.path.format_map(texts)


def _name(name: str, value: JsonValue) -> str:
    """Write what names a resource in a path: nothing that would make another path of it."""
    text = _scalar(name, value)
    if text.isprintable() and "/" not in text and text.strip("."):
        return text
    error = FieldError(field=name, message="has characters that no name has")
    raise InvalidRequest(f"{name}: {error.message}", errors=[error])


def _query(values: Mapping[str, JsonValue]) -> str:
    """Write a query: a list as its values one after the other, and what is null not at all."""
    pairs = [
        (name, _scalar(name, each))
        for name, value in values.items()
        for each in (value if isinstance(value, list) else [value])
        if each is not None
    ]
    return f"?{urlencode(pairs, quote_via=quote)}" if pairs else ""


def _body(tool: GatewayTool, values: Arguments) -> bytes:
    """Write a body where the route takes one; an empty one lets its defaults count."""
    takes_one = Place.BODY in tool.places.values()
    return json.dumps(dict(values)).encode() if takes_one else b""


def _printable(name: str, value: JsonValue) -> str:
    text = _scalar(name, value)
    if text.isascii() and text.isprintable():
        return text
    error = FieldError(field=name, message="has to consist of printable ASCII characters")
    raise InvalidRequest(f"{name}: {error.message}", errors=[error])


def _scalar(name: str, value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    error = FieldError(field=name, message="has to be a text, a number or a truth value")
    raise InvalidRequest(f"{name}: {error.message}", errors=[error])
