"""What tools say of their answers, held to the answers themselves: strict clients refuse one that differs."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from functions.core.web import WebAnswer
from infra import openapi
from infra.tool_schemas import expanded
from mcp_gateway.answers import result_of
from mcp_gateway.requests import request_of
from mcp_gateway.tools import all_tools

SAMPLES: Final[dict[str, Any]] = {"string": "text", "integer": 1, "object": {"a": 1}, "array": ["text"]}
LISTS: Final[dict[str, Any]] = {
    "phases": [{"name": "storage", "status": "RUNNING"}],
    "stages": [{"name": "mount", "status": "RUNNING"}, {"name": "verify", "status": "PENDING"}],
}


def an_operation() -> dict[str, Any]:
    """An operation with something in every member that the API knows."""
    document = openapi.document()
    members = expanded(document["components"]["schemas"]["Operation"], document)["properties"]
    return {name: SAMPLES[kind(each)] for name, each in members.items()} | LISTS


def kind(schema: dict[str, Any]) -> str:
    told = schema["type"]
    return next(each for each in told if each != "null") if isinstance(told, list) else str(told)


@pytest.mark.parametrize("name", ["operation_get", "operation_wait"])
def test_an_operation_is_told_as_its_tool_describes_it_and_with_nothing_left_out(name: str) -> None:
    tool = all_tools()[name]
    answer = WebAnswer(200, {"content-type": "application/json"}, json.dumps(an_operation()).encode())
    arguments = {"operation_id": "01"}
    told = result_of(tool, arguments, request_of(tool, arguments), answer).structured_content or {}
    Draft202012Validator(tool.output_schema).validate(told)
    assert told.keys() - {"next"} == tool.output_schema["properties"].keys()  # type: ignore[union-attr]  # JSON
