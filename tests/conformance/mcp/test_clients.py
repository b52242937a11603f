"""Clients of the official SDK speak with the gateway: those of today in each way to begin, and those of yesterday."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextContent, TextResourceContents

from mcp_gateway.tools import all_tools
from tests.conformance.mcp import walk
from tests.conformance.mcp.conftest import Served
from tests.infrastructure.outsiders import ENVIRONMENTS

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    Json = dict[str, Any]

Seen = TypeVar("Seen")
# What is negotiated in each way to begin.
MODES: Final = {"auto": "2026-07-28", "2026-07-28": "2026-07-28", "legacy": "2025-11-25"}
_ENDED: Final = ("SUCCEEDED", "FAILED", "CANCELLED")
# What is the same whoever asks.
_WALKED: Final = ("resources", "page", "prompts", "prompt")
OLDER: Final = ENVIRONMENTS / "mcp1" / "bin"

each_mode = pytest.mark.parametrize("mode", MODES)
# Who asks first speaks as who knows it.
each_era = pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])


def own_tools() -> list[str]:
    """Name the tools that who asks for nothing else is shown."""
    return [tool.name for tool in all_tools().values() if not tool.additional]


def seen_by(served: Served, mode: str, look: Callable[[Client], Awaitable[Seen]]) -> Seen:
    """Connect as a client does, look, and give what was seen."""

    async def session() -> Seen:
        async with Client(served.product, mode=mode) as client:
            assert client.protocol_version == MODES[mode]
            return await look(client)

    return asyncio.run(session())


def structured(result: CallToolResult) -> Json:
    """Give the structured content, which the client has held against the tool's schema; the text says the same."""
    [text] = result.content
    assert isinstance(text, TextContent)
    assert isinstance(result.structured_content, dict)
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


# -- clients of today


@each_mode
def test_a_client_finds_the_tools_and_lists_clusters(served: Served, mode: str) -> None:
    async def look(client: Client) -> tuple[list[str], CallToolResult]:
        listed = await client.list_tools()
        return [tool.name for tool in listed.tools], await client.call_tool("cluster_list")

    names, clusters = seen_by(served, mode, look)
    assert names == own_tools()
    assert not clusters.is_error
    assert isinstance(structured(clusters)["clusters"], list)


@each_era
def test_a_client_previews_begins_and_waits_for_a_cluster(served: Served, mode: str) -> None:
    tag = f"by-{mode}"

    async def look(client: Client) -> list[CallToolResult]:
        results = [await client.call_tool("cluster_create", {"tag": tag, "dry_run": True})]
        results.append(await client.call_tool("cluster_create", {"tag": tag}))
        while structured(results[-1])["status"] not in _ENDED:
            following = structured(results[-1])["next"]
            results.append(await client.call_tool(following["tool"], following["arguments"]))
        results.append(await client.call_tool("cluster_get", {"tag": tag}))
        return results

    preview, begun, *_, ended, cluster = seen_by(served, mode, look)
    assert "operation_id" not in structured(preview)
    assert structured(ended)["operation_id"] == structured(begun)["operation_id"]
    assert (structured(ended)["status"], structured(cluster)["tag"]) == ("SUCCEEDED", tag)


@each_era
def test_a_refusal_is_a_result_with_cause_and_remedy(served: Served, mode: str) -> None:
    result = seen_by(served, mode, lambda client: client.call_tool("cluster_get", {"tag": "no-such"}))
    assert (result.is_error, structured(result)["code"]) == (True, "not_found")
    assert structured(result)["remedy"]


@each_era
def test_what_there_is_not_is_refused_with_what_there_is(served: Served, mode: str) -> None:
    async def look(client: Client) -> list[MCPError]:
        calls = [client.call_tool("cluster_destroy"), client.read_resource("skill://x"), client.get_prompt("x")]
        found = await asyncio.gather(*calls, return_exceptions=True)
        return [each for each in found if isinstance(each, MCPError)]

    errors = seen_by(served, mode, look)
    assert [error.code for error in errors] == [INVALID_PARAMS] * 3


@each_era
def test_a_client_reads_a_skill_as_a_resource_and_as_a_prompt(served: Served, mode: str) -> None:
    async def look(client: Client) -> tuple[str, str]:
        assert (await client.list_resource_templates()).resource_templates == []
        [first, *_] = (await client.list_resources()).resources
        [page] = (await client.read_resource(first.uri)).contents
        [prompt, *_] = (await client.list_prompts()).prompts
        [message] = (await client.get_prompt(prompt.name, {"request": "Look around."})).messages
        assert isinstance(page, TextResourceContents)
        assert isinstance(message.content, TextContent)
        return page.text, message.content.text

    page, message = seen_by(served, mode, look)
    assert page.startswith("---\n")
    assert message.endswith("# The request\n\nLook around.")


# -- clients of yesterday


def walked(*place: str | Path, env: Mapping[str, str] | None = None) -> Json:
    """Walk with the older SDK to an address, or through a program of its environment."""
    program = OLDER / "python"
    assert program.exists(), f"There is no {program}: `make test` makes its environment."
    command, around = [program, walk.__file__, *place], {**os.environ, **(env or {})}
    done = subprocess.run(command, env=around, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    seen: Json = json.loads(done.stdout)
    return seen


def test_a_client_of_the_sdk_1_sees_what_one_of_today_sees(served: Served) -> None:
    old, new = walked(served.product), asyncio.run(walk.walk(served.product))
    assert [tool["name"] for tool in old["tools"]["tools"]] == own_tools()
    assert old["begun"]["protocolVersion"] == MODES["legacy"]
    assert (old["refused"]["isError"], old["preview"]["isError"]) == (True, False)
    for name in _WALKED:
        # The newer one adds what its revision has beside it.
        assert {**new[name], **old[name]} == new[name]
