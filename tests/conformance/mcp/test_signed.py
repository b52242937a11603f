"""The door of roles: a client whose requests are signed on the way, and the proxy that agents are told of."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Final

import httpx2
import pytest
from botocore.credentials import Credentials
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from infra.agents import SignedDoor
from tests.conformance.mcp import walk
from tests.conformance.mcp.conftest import AGENT_ROLE, Served
from tests.conformance.mcp.test_clients import OLDER, own_tools, structured, walked
from tests.host.roles import session_of, signed_by

if TYPE_CHECKING:
    Json = dict[str, Any]

MODES: Final = ("2026-07-28", "legacy")


class Signature(httpx2.Auth):
    """Signs what a client sends, its body included."""

    requires_request_body = True

    def __init__(self, keys: Credentials) -> None:
        self._keys = keys

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        sent = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
        request.headers.update(signed_by(self._keys, request.method, str(request.url), sent, request.content))
        yield request


async def looked(served: Served, mode: str, keys: Credentials) -> tuple[list[str], object]:
    """Connect as a client does that signs, list the tools and the clusters."""
    async with (
        httpx2.AsyncClient(auth=Signature(keys)) as http,
        Client(streamable_http_client(served.signed, http_client=http), mode=mode) as client,
    ):
        listed = await client.list_tools()
        clusters = structured(await client.call_tool("cluster_list"))["clusters"]
        return [tool.name for tool in listed.tools], clusters


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_signs_with_a_role_finds_the_tools_and_calls_one(served: Served, mode: str) -> None:
    with served.host.clock.busy():
        keys = session_of(served.host, AGENT_ROLE)
    names, clusters = asyncio.run(looked(served, mode, keys))
    assert names == own_tools()
    assert isinstance(clusters, list)


def test_a_client_with_a_secret_that_is_not_the_roles_is_refused(served: Served) -> None:
    with served.host.clock.busy():
        keys = session_of(served.host, AGENT_ROLE)
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"accept": "application/json, text/event-stream"}
    for secret, status in ((keys.secret_key, 200), ("x" * 40, 403)):
        signature = Signature(Credentials(keys.access_key, secret, keys.token))
        answer = httpx2.post(served.signed, json=asked, headers=headers, auth=signature)
        assert answer.status_code == status, answer.text


def through_the_proxy(served: Served, keys: Credentials) -> Json:
    """Walk through the proxy, started as configurations of agents start it, with a role's keys around it."""
    entry = SignedDoor(served.signed, "us-west-2").entry
    assert isinstance(entry["args"], list)
    proxy, *arguments = map(str, entry["args"])
    name = proxy.partition("@")[0]
    assert keys.token is not None
    env = {
        "AWS_ACCESS_KEY_ID": keys.access_key,
        "AWS_SECRET_ACCESS_KEY": keys.secret_key,
        "AWS_SESSION_TOKEN": keys.token,
        # The proxy reads it from a deployment's address; this one says none.
        "AWS_REGION": "us-west-2",
    }
    return walked(OLDER / name, *arguments, env=env)


def test_the_proxy_of_agents_configurations_hands_on_all_that_a_client_sees_itself(served: Served) -> None:
    with served.host.clock.busy():
        keys = session_of(served.host, AGENT_ROLE)
    signed, seen = through_the_proxy(served, keys), asyncio.run(walk.walk(served.product))
    assert [tool["name"] for tool in signed["tools"]["tools"]] == own_tools()
    assert (signed["refused"]["isError"], signed["preview"]["isError"]) == (True, False)
    refusal, same = signed["refused"]["structuredContent"], seen["refused"]["structuredContent"]
    # Each request has an id of its own.
    assert refusal == {**same, "request_id": refusal["request_id"]}
    assert signed["clusters"]["structuredContent"] == seen["clusters"]["structuredContent"]
    # The proxy adds words of its own to lists.
    for listed in ("resources", "prompts"):
        assert [each["name"] for each in signed[listed][listed]] == [each["name"] for each in seen[listed][listed]]
    assert signed["page"]["contents"] == seen["page"]["contents"]
    assert signed["prompt"]["messages"] == seen["prompt"]["messages"]
