"""The official Inspector, on the command line, in both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mcp_gateway import skills
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


def test_the_inspector_has_nothing_to_say_against_the_schemas_of_the_tools(served: Served, tmp_path: Path) -> None:
    asked = ("--cli", served.product, "--transport", "http", "--method", "tools/list", "--strict")
    done = outsiders.run("mcp-inspector", *asked, env={"HOME": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == own_tools()


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_calls_a_tool(inspect: Inspect, era: str) -> None:
    code, result = inspect("tools/call", "--tool-name", "cluster_list", "--protocol-era", era)
    assert (code, result["isError"]) == (0, False)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_the_inspector_sees_a_refusal(inspect: Inspect) -> None:
    code, result = inspect("tools/call", "--tool-name", "cluster_get", "--tool-arg", "tag=no-such")
    assert (code, result["isError"], result["structuredContent"]["code"]) == (_REFUSED, True, "not_found")


def test_the_inspector_lists_skills_as_resources_and_reads_one(inspect: Inspect) -> None:
    code, listed = inspect("resources/list")
    uris = [each["uri"] for each in listed["resources"]]
    assert (code, uris) == (0, [each.uri for each in skills.resources()])
    code, page = inspect("resources/read", "--uri", uris[0])
    assert (code, page["contents"][0]["text"]) == (0, skills.read(uris[0]))


def test_the_inspector_finds_no_templates(inspect: Inspect) -> None:
    assert inspect("resources/templates/list") == (0, {"resourceTemplates": []})


def test_the_inspector_lists_skills_as_prompts_and_gets_one(inspect: Inspect) -> None:
    code, listed = inspect("prompts/list")
    names = [each["name"] for each in listed["prompts"]]
    assert (code, names) == (0, [each.name for each in skills.prompts()])
    code, prompt = inspect("prompts/get", "--prompt-name", names[0])
    assert (code, prompt["messages"][0]["role"]) == (0, "user")
