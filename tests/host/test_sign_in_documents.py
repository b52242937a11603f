"""What a deployment publishes for who wants to sign in: agents that know its address alone, and the console."""

from __future__ import annotations

import json

import pytest

from infra.host.addresses import AUTHORIZATION_SERVER_PATH, CONSOLE_CONFIG_PATH, PROTECTED_RESOURCE_PATHS
from infra.local.sign_in.clients import IDS
from tests.host.driver import Driver
from tests.host.people import People

PAGE = "https://inspector.example"


@pytest.mark.case(76)
def test_an_agent_that_knows_the_address_alone_finds_out_how_to_sign_in(people: People) -> None:
    challenged = people.send("POST", "/mcp")
    assert challenged.status == 401
    [metadata] = challenged.headers["www-authenticate"].removeprefix('Bearer resource_metadata="').split('"')[:1]
    assert metadata == f"{people.origin}{PROTECTED_RESOURCE_PATHS[-1]}"
    resource = people.document(metadata.removeprefix(people.origin))
    assert resource["authorization_servers"] == [people.origin]
    server = people.document(AUTHORIZATION_SERVER_PATH)
    assert server["code_challenge_methods_supported"] == ["S256"]
    endpoints = {server[f"{name}_endpoint"] for name in ("authorization", "token", "revocation")}
    assert endpoints == {f"{people.origin}/oauth2/{name}" for name in ("authorize", "token", "revoke")}


def test_the_console_is_told_where_people_sign_in_or_that_nobody_does(people: People, driver: Driver) -> None:
    config = people.document(CONSOLE_CONFIG_PATH)
    assert config["sign_in"]["client_id"] == IDS.console
    assert config["sign_in"]["logout_url"] == f"{people.origin}/logout"
    assert config["websocket_url"] == f"{people.origin.replace('http', 'ws')}/ws"


def test_without_a_sign_in_nothing_describes_one(driver: Driver) -> None:
    config = json.loads(driver.host.request("GET", CONSOLE_CONFIG_PATH).body)
    assert (config["sign_in"], config["agent"], config["signed_mcp_url"]) == (None, None, None)
    for path in (AUTHORIZATION_SERVER_PATH, *PROTECTED_RESOURCE_PATHS, "/oauth2/authorize"):
        assert driver.host.request("GET", path).status == 404


@pytest.mark.parametrize("path", [AUTHORIZATION_SERVER_PATH, *PROTECTED_RESOURCE_PATHS])
def test_an_agent_in_a_browser_looks_up_how_to_sign_in_from_whatever_page_it_is_on(people: People, path: str) -> None:
    first = people.send("OPTIONS", path, headers={"origin": PAGE, "access-control-request-headers": "mcp-name"})
    assert (first.status, first.headers["access-control-allow-headers"]) == (204, "*")
    assert "GET" in first.headers["access-control-allow-methods"]
    for answer in (first, people.send("GET", path, headers={"origin": PAGE})):
        assert answer.headers["access-control-allow-origin"] == "*"


def test_the_settings_of_the_console_are_for_its_own_pages(people: People) -> None:
    answer = people.send("GET", CONSOLE_CONFIG_PATH, headers={"origin": PAGE})
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
