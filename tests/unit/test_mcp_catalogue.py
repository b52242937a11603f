"""The tools that agents see: one for each route, named and described so that no client and no model stumbles."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest
from jsonschema import Draft202012Validator

from functions.core.declaration import Scope
from functions.core.documents import member
from functions.core.phases import LOOKING
from functions.entry.domains import DECLARATIONS
from infra import openapi, tool_catalogue
from mcp_gateway import legacy
from mcp_gateway.server import described, described_legacy
from mcp_gateway.tools import CATALOGUE, STATUS_TOOL, GatewayTool, Place, all_tools
from tests.unit.test_mcp_selection import listed

ROUTES: Final = {route.operation_id: route for declared in DECLARATIONS for route in declared.routes}
TOOLS: Final = [*all_tools().values()]
# Routes that mean nothing to whoever calls tools.
NOT_FOR_AGENTS: Final = {
    "create_ticket": "opens a WebSocket, and an agent has none",
    "get_openapi": "describes the API, and tools/list describes the tools",
}


def test_the_written_catalogue_is_that_of_the_declarations() -> None:
    assert CATALOGUE.read_text(encoding="utf-8") == tool_catalogue.text(), "run `make tools`"


def test_every_route_has_a_tool_and_every_tool_a_route() -> None:
    assert {tool.operation_id for tool in TOOLS} == ROUTES.keys() - NOT_FOR_AGENTS.keys()
    names = [tool.name for declared in DECLARATIONS for tool in declared.tools]
    assert sorted(names) == sorted(all_tools()), "a name twice"


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_its_route(tool: GatewayTool) -> None:
    route = ROUTES[tool.operation_id]
    assert (tool.method, tool.path, tool.scope) == (route.method, route.path, route.scope)
    assert tool.begins == (route.success == 202)
    in_path = {name for name, place in tool.places.items() if place is Place.PATH}
    assert in_path == {*re.findall(r"\{(\w+)\}", route.path)} <= {*required(tool)}
    assert tool.places.keys() == tool.input_schema["properties"].keys()  # type: ignore[union-attr]  # an object


def required(tool: GatewayTool) -> list[str]:
    return list(tool.input_schema.get("required", []))  # type: ignore[arg-type]  # a list of names


@pytest.mark.case(78)
def test_names_fit_into_what_clients_make_of_them_and_the_order_is_always_the_same() -> None:
    names = [*all_tools(), *legacy.TOOLS, legacy.WAIT]
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)] == []
    assert max(map(len, all_tools())) <= 32
    assert max(map(len, legacy.TOOLS)) <= 33
    assert max(len(f"mcp__{'x' * 21}__{name}") for name in names) <= 64
    assert [*all_tools()] == [tool.name for tool in tool_catalogue.catalogue()]


def test_what_everybody_gets_to_see_is_small() -> None:
    usual = [described(tool) for tool in listed()]
    text = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in usual])
    assert len(usual) <= 40
    assert len(text.encode()) <= 48 * 1024


def test_what_carries_over_from_suggested_ranges_to_a_new_cluster_is_said_by_the_names_that_it_has_there() -> None:
    suggested = openapi.document()["components"]["schemas"]["NetworkSuggestion"]["properties"]
    foundation = member(member(all_tools()["cluster_create"].input_schema, "properties"), "foundation")
    asked = member(foundation, "properties")
    said = {*re.findall(r"\w+_cidrs?\b", all_tools()["cidr_suggestion_get"].description)}
    assert said & suggested.keys() == asked.keys() & suggested.keys()
    assert said <= asked.keys(), "whatever is named is to be sent"


@pytest.mark.case(79)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_hints_are_true_so_that_a_client_may_rely_on_them(tool: GatewayTool) -> None:
    hints = described(tool).annotations
    assert hints is not None
    assert hints.read_only_hint == (tool.method == "GET")
    assert hints.open_world_hint is False
    if not hints.read_only_hint:
        assert (hints.destructive_hint, hints.idempotent_hint) == (tool.destroys, not tool.repeats)
        # What can be lost is confirmed by a digest, so there has to be a place for it.
        assert "confirm" in tool.places or not tool.destroys


def test_the_same_call_again_does_the_same_again_exactly_where_it_only_looks() -> None:
    assert {tool.operation_id for tool in TOOLS if tool.repeats} == LOOKING


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_described_for_a_model_and_its_schemas_are_valid(tool: GatewayTool) -> None:
    assert tool.title and 20 <= len(tool.description) <= 400
    assert tool.description.endswith(".")
    for schema in (tool.input_schema, tool.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert "$ref" not in json.dumps(schema)
    assert tool.input_schema["additionalProperties"] is False


def test_every_tool_that_begins_an_operation_leads_to_the_tool_that_tells_its_end() -> None:
    beginning = [tool for tool in TOOLS if tool.begins]
    assert {tool.name for tool in TOOLS if tool.scope is not Scope.READ and not tool.reads} == {
        t.name for t in beginning
    }
    assert all("status_tool" in tool.output_schema["properties"] for tool in beginning)  # type: ignore[operator]
    assert all("dry_run" in tool.places for tool in beginning)
    assert all_tools()[STATUS_TOOL].sends == {"wait": 20}


@pytest.mark.parametrize("tool", [*legacy.TOOLS.values()], ids=lambda tool: tool.name)
def test_a_legacy_tool_is_listed_as_truthfully_as_the_one_that_answers_it(tool: legacy.LegacyTool) -> None:
    shown, answering = described_legacy(tool), all_tools()[tool.tool]
    assert shown.annotations == described(answering).annotations
    assert {*tool.needs} <= tool.takes.keys()
    Draft202012Validator.check_schema(shown.input_schema)
