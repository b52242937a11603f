"""Agents as they come to the local host: with calls of tools, in the newest revision of MCP or in an older one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from jsonschema import Draft202012Validator

from infra.local.host import LocalHost
from infra.local.messages import HttpRequest, HttpResponse
from mcp_gateway import legacy
from mcp_gateway.tools import all_tools
from tests.host.driver import Json

if TYPE_CHECKING:
    from pydantic import JsonValue

NEWEST: Final = "2026-07-28"
OLDER: Final = "2025-11-25"
_META: Final = "io.modelcontextprotocol"


@dataclass(frozen=True)
class Told:
    """A tool's result; `content` is what it holds for programs, which is the same as its text."""

    is_error: bool
    content: Json

    @property
    def next(self) -> Json:
        """The call that the answer names as the next one."""
        return dict(self.content["next"])


@dataclass(frozen=True)
class Agent:
    """An MCP client without a library: what it sends is what the test says."""

    host: LocalHost
    query: str = ""
    revision: str = NEWEST
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, content: bytes, **headers: str) -> HttpResponse:
        """Send whatever is in a body."""
        usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        usual |= {"mcp-protocol-version": self.revision, **self.headers}
        usual |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.host.handle(HttpRequest("POST", "/mcp", self.query, usual, content))

    def request(self, method: str, params: Mapping[str, JsonValue] | None = None, **headers: str) -> HttpResponse:
        """Send one request of the protocol."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        routing = {}
        if self.revision == NEWEST:
            meta = {f"{_META}/protocolVersion": NEWEST, f"{_META}/clientCapabilities": {}}
            body["params"]["_meta"] = meta
            routing = {"mcp_method": method}
            if name := body["params"].get("name") or body["params"].get("uri"):
                routing["mcp_name"] = name
        return self.send(json.dumps(body).encode(), **(routing | headers))

    def ask(self, method: str, params: Mapping[str, JsonValue] | None = None) -> Json:
        """Send a request that is answered, and give its result."""
        response = self.request(method, params)
        assert response.status == 200, response
        return dict(json.loads(response.body)["result"])

    def call(self, name: str, arguments: Mapping[str, JsonValue] | None = None, /, **more: JsonValue) -> Told:
        """Call a tool."""
        result = self.ask("tools/call", {"name": name, "arguments": {**(arguments or {}), **more}})
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        if not result["isError"]:
            hold_to_schema(name, result["structuredContent"])
        return Told(result["isError"], result["structuredContent"])

    def done(self, name: str, /, **arguments: JsonValue) -> Json:
        """Call a tool that must not fail."""
        told = self.call(name, arguments)
        assert not told.is_error, told
        return told.content

    def follow(self, told: Json) -> Json:
        """Call what an answer names as next until it has ended, and give the last answer."""
        while "next" in told and told.get("status") not in ("SUCCEEDED", "FAILED", "CANCELLED"):
            told = self.done(told["next"]["tool"], **told["next"]["arguments"])
        return told

    def error(self, method: str, params: Mapping[str, JsonValue] | None = None) -> Json:
        """Send a request that is refused by the protocol, and give the error."""
        response = self.request(method, params)
        assert response.status < 500, response
        return dict(json.loads(response.body)["error"])


def hold_to_schema(name: str, content: Json) -> None:
    """Hold a tool's result to what the tool's description says of it; clients that are told something else fail."""
    tool = all_tools().get(legacy.TOOLS[name].tool if name in legacy.TOOLS else name)
    if tool is not None:
        Draft202012Validator(tool.output_schema).validate(content)
