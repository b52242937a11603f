"""The official Inspector, on the command line, in both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conformance.mcp.conftest import Served
from tests.conformance.mcp.test_clients import own_tools
from tests.infrastructure import outsiders

Json = dict[str, Any]
Inspect = Callable[..., tuple[int, Json]]
# How the program ends where a tool refuses.
_REFUSED: Final = 5


@pytest.fixture
def inspect(served: Served, tmp_path: Path) -> Inspect:
    """Runs the Inspector against the product; gives how it ends and what it prints."""

    def run(method: str, *arguments: str) -> tuple[int, Json]:
        asked = ("--cli", served.product, "--transport", "http", "--method", method, *arguments)
        done = outsiders.run("mcp-inspector", *asked, env={"HOME": str(tmp_path)})
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    return run


def test_the_inspector_finds_no_error_in_the_schemas_of_the_tools(inspect: Inspect) -> None:
    code, listed = inspect("tools/list", "--strict")
    assert (code, [tool["name"] for tool in listed["tools"]]) == (0, own_tools())


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_calls_a_tool(inspect: Inspect, era: str) -> None:
    code, result = inspect("tools/call", "--tool-name", "cluster_list", "--protocol-era", era)
    assert (code, result["isError"]) == (0, False)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_the_inspector_sees_a_refusal(inspect: Inspect) -> None:
    code, result = inspect("tools/call", "--tool-name", "cluster_get", "--tool-arg", "tag=no-such")
    assert (code, result["isError"], result["structuredContent"]["code"]) == (_REFUSED, True, "not_found")


def test_the_inspector_reads_a_resource_of_the_list(inspect: Inspect) -> None:
    code, listed = inspect("resources/list")
    uri = listed["resources"][0]["uri"]
    read, page = inspect("resources/read", "--uri", uri)
    assert (code, read, page["contents"][0]["uri"]) == (0, 0, uri)


def test_the_inspector_finds_no_templates(inspect: Inspect) -> None:
    assert inspect("resources/templates/list") == (0, {"resourceTemplates": []})


def test_the_inspector_gets_a_prompt_of_the_list(inspect: Inspect) -> None:
    code, listed = inspect("prompts/list")
    got, prompt = inspect("prompts/get", "--prompt-name", listed["prompts"][0]["name"])
    assert (code, got, prompt["messages"][0]["role"]) == (0, 0, "user")
