"""What the API says, in the words of whoever reads it: an agent knows tools and arguments, and no routes.

Which call a route is, the catalogue says; a route that no tool stands for is told as it is. Reworded is what the
product itself advises, its remedies, and nothing else: what AWS, Kubernetes or a person said in a message, an event or
a name must not come out as a call of a tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, unquote

from pydantic import JsonValue

from functions.core.documents import member
from functions.core.headers import KEY_HEADER
from mcp_gateway.compact import written
from mcp_gateway.tools import KEY_ARGUMENT, GatewayTool, Place, all_tools

Object: TypeAlias = dict[str, JsonValue]
# A call of ours as the agent would make it, beside the operation that the answer is about.
Renaming: TypeAlias = Callable[[Object, Object], Object]

_REMEDY: Final = "remedy"
# Where remedies stand in answers. Below other members are data, whatever their own members are called: tags, results.
_HOLDERS: Final = ("checks", "detected", "drifts", "error", "errors", "findings", "operations", "stages", "unknown")
# Of a result only this is the product's own words.
_RESULT: Final = "result"
_FINDINGS: Final = "findings"
# Whoever confirms has read a preview: no text hands an agent the confirmation.
_NEVER_SAID: Final = "confirm"
_ROUTE: Final = re.compile(
    r"(?<![\w/.-])(?:(?P<verb>[Ss])end )?"
    r"(?P<method>GET|POST|PUT|PATCH|DELETE) (?P<path>/api(?:/[\w{}<>%~-]+(?:\.[\w-]+)*)+)"
    r"(?:\?(?P<query>[\w.%=&<>-]*[\w>]))?(?: with (?P<body>\{[^{}]*\}))?"
)
_BLANK: Final = re.compile(r"[{<](?P<name>\w+)[}>]")
_OPTION: Final = re.compile(r"(?<!\S)\?(?P<name>\w+)(?==)")


class _NoCall(Exception):
    """No call of a tool says what a route does."""


@dataclass(frozen=True)
class Speech:
    """How an answer is told: `known` are the call's arguments, `renamed` gives other calls such a name as it has.

    `note` is a sentence about the call itself.
    """

    known: Mapping[str, JsonValue] = field(default_factory=dict)
    renamed: Renaming = lambda call, _: call
    note: str = ""

    def told(self, value: Object) -> Object:
        """Put an answer into the words of its reader."""
        return self.followed(self.worded(value))

    def worded(self, value: Object) -> Object:
        """Put the remedies of an answer into the words of its reader, and the name of a field that is refused."""
        told = self._remedies(value)
        if "code" in told and isinstance(errors := told.get("errors"), list):
            told["errors"] = [_of_argument(each) for each in errors]
        return told

    def followed(self, told: Object) -> Object:
        """Name the next call as its reader calls it, and say what there is to say of this one."""
        following = told.get("next")
        if isinstance(following, dict):
            told["next"] = called = self.renamed(following, _operation_of(told))
            if "status_tool" in told:
                told["status_tool"] = called["tool"]
        return told | ({"note": self.note} if self.note else {})

    def _remedies(self, value: Object) -> Object:
        return {name: self._member(name, each) for name, each in value.items()}

    def _member(self, name: str, value: JsonValue) -> JsonValue:
        if name == _REMEDY and isinstance(value, str):
            return _OPTION.sub(_option, _ROUTE.sub(self._call, value))
        if name == _RESULT and isinstance(value, dict) and _FINDINGS in value:
            return {**value, _FINDINGS: self._held(value[_FINDINGS])}
        return self._held(value) if name in _HOLDERS else value

    def _held(self, value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [self._held(each) for each in value]
        return self._remedies(value) if isinstance(value, dict) else value

    def _call(self, found: re.Match[str]) -> str:
        try:
            tool, arguments = _meant(found["method"], found["path"], found["query"] or "", self.known)
            body, rest = _body(tool, found["body"])
        except _NoCall:
            return found[0]
        call = self.renamed({"tool": tool.name, "arguments": {**arguments, **body}}, {})
        verb = {"S": "Call ", "s": "call ", None: ""}[found["verb"]]
        said = f" {written(call['arguments'])}" if call["arguments"] else ""
        return f"{verb}{call['tool']}{said}{rest}"


def _of_argument(error: JsonValue) -> JsonValue:
    """Give an error of the header to the argument that it is for an agent."""
    if isinstance(error, dict) and str(error.get("field")).lower() == KEY_HEADER:
        return {**error, "field": KEY_ARGUMENT}
    return error


def _option(found: re.Match[str]) -> str:
    return found[0][1:] if found["name"] in _arguments() else found[0]


def _operation_of(told: Object) -> Object:
    """Give the operation that an answer is about: itself, or the only one that it lists."""
    listed = told.get("operations")
    only = listed[0] if isinstance(listed, list) and len(listed) == 1 else told
    return only if isinstance(only, dict) else told


def _meant(method: str, path: str, query: str, known: Mapping[str, JsonValue]) -> tuple[GatewayTool, Object]:
    """Find the call that a request is; raise _NoCall where there is none."""
    sent = parse_qsl(query, keep_blank_values=True)
    names = {name for name, _ in sent}
    if _NEVER_SAID in names:
        raise _NoCall
    for pattern, tool in _patterns():
        found = pattern.fullmatch(path) if tool.method == method else None
        if found and _takes(tool, names):
            filled = {name: _filled(name, each, known) for name, each in found.groupdict().items()}
            return tool, filled | _chosen(tool, sent)
    raise _NoCall


def _takes(tool: GatewayTool, names: set[str]) -> bool:
    """Say whether a tool is for a request with such a query: one that waits is for those that ask to."""
    waits = {name for name, value in tool.sends.items() if value}
    own = {name for name in names if tool.places.get(name) is Place.QUERY}
    return names - own == waits


def _filled(name: str, written_as: str, known: Mapping[str, JsonValue]) -> JsonValue:
    """Read a name in a path; a blank is what the call was about, if it was about one."""
    return known.get(name, f"<{name}>") if _BLANK.fullmatch(written_as) else unquote(written_as)


def _chosen(tool: GatewayTool, sent: list[tuple[str, str]]) -> Object:
    """Read a query as arguments; what the tool sends by itself is none."""
    chosen: Object = {}
    for name, text in sent:
        if name not in tool.places:
            continue
        value = _typed(tool, name, text)
        earlier = chosen.get(name)
        chosen[name] = [*earlier, *value] if isinstance(earlier, list) and isinstance(value, list) else value
    return chosen


def _typed(tool: GatewayTool, name: str, text: str) -> JsonValue:
    kind = member(member(tool.input_schema, "properties"), name).get("type")
    if kind == "array":
        return [text]
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return int(text) if kind == "integer" and text.isdigit() else text


def _body(tool: GatewayTool, text: str | None) -> tuple[Object, str]:
    """Read a body as arguments; one that is none of the tool's stays behind the call as it was written.

    Raise _NoCall for one that confirms.
    """
    if text is None:
        return {}, ""
    try:
        body = json.loads(text)
    except ValueError:
        return {}, f" with {text}"
    if _NEVER_SAID in body:
        raise _NoCall
    known = all(tool.places.get(name) is Place.BODY for name in body)
    return (body, "") if known else ({}, f" with {text}")


@cache
def _patterns() -> list[tuple[re.Pattern[str], GatewayTool]]:
    """Give the paths of all tools: fixed ones before those with names in them."""
    ordered = sorted(all_tools().values(), key=lambda tool: tool.path.count("{"))
    return [(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", tool.path)), tool) for tool in ordered]


@cache
def _arguments() -> frozenset[str]:
    return frozenset(name for tool in all_tools().values() for name in tool.places) - {_NEVER_SAID}
