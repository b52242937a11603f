"""The official SDK's client signs in by what the gateway publishes: it knows its address and a client's id alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from infra.host.addresses import AGENT_CALLBACK
from infra.local.sign_in.clients import IDS
from mcp_gateway.tools import all_tools
from tests.conformance.mcp.conftest import Served
from tests.conformance.mcp.test_clients import own_tools, structured
from tests.host.people import signing_in

_CALLBACK: Final = AnyUrl(AGENT_CALLBACK)


class Kept(TokenStorage):
    """What a client keeps: the id that it was registered with, and its tokens."""

    def __init__(self) -> None:
        self.client = OAuthClientInformationFull(
            client_id=IDS.agent, redirect_uris=[_CALLBACK], token_endpoint_auth_method="none"
        )
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Who is shown the page of the sign-in, and what comes back to the client."""

    def __init__(self, user: str) -> None:
        self._user = user
        self._answer: dict[str, str] = {}

    async def see(self, address: str) -> None:
        """Go through the page."""
        async with httpx2.AsyncClient() as browser:
            page = await browser.get(address, follow_redirects=True)
            assert page.status_code == 200, page.text
            asked = dict(parse_qsl(urlsplit(address).query))
            chosen = await browser.post(page.url.copy_with(query=None), data={**asked, "user": self._user})
        assert chosen.headers["location"].startswith(AGENT_CALLBACK), chosen
        self._answer = dict(parse_qsl(urlsplit(chosen.headers["location"]).query))

    async def answer(self) -> AuthorizationCodeResult:
        """Give what the page sent back."""
        return AuthorizationCodeResult.model_validate(self._answer)


@pytest.fixture
def guarded(served: Served, tmp_path: Path) -> Iterator[Served]:
    """The host, while people have to sign in."""
    with signing_in(served.host, tmp_path):
        served.host.found_at(served.origin)
        yield served


def provider_of(url: str, user: str, kept: Kept) -> OAuthClientProvider:
    person = Person(user)
    asked = OAuthClientMetadata(redirect_uris=[_CALLBACK], token_endpoint_auth_method="none")
    return OAuthClientProvider(url, asked, kept, person.see, person.answer)


@pytest.mark.case(76)
@pytest.mark.parametrize(("user", "may_change"), [("reader", False), ("operator", True)])
def test_a_client_finds_the_sign_in_from_the_challenge_and_gets_what_its_person_may(
    guarded: Served, user: str, may_change: bool
) -> None:
    kept = Kept()
    provider = provider_of(guarded.product, user, kept)

    async def session() -> tuple[list[str], bool]:
        async with (
            httpx2.AsyncClient(auth=provider) as http,
            Client(streamable_http_client(guarded.product, http_client=http)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert structured(await client.call_tool("cluster_list")) is not None
            preview = await client.call_tool("cluster_create", {"tag": "signed-in", "dry_run": True})
            return names, not preview.is_error

    names, changed = asyncio.run(session())
    found = provider.context.protected_resource_metadata
    assert found is not None
    assert (str(found.resource), provider.context.auth_server_url) == (guarded.product, guarded.origin)
    assert names == [name for name in own_tools() if may_change or all_tools()[name].reads]
    assert (changed, kept.tokens is not None) == (may_change, True)
