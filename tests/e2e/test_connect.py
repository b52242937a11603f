"""Connect an agent: what is copied is what `make agents` would have written for this very deployment."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Locator, expect

from infra.agents import OpenDoor, configurations
from infra.host.addresses import mcp_url
from infra.local.sign_in.clients import IDS
from tests.e2e import browser as browsers
from tests.host.driver import Driver

if TYPE_CHECKING:
    from tests.e2e.browser import Console, Scheme
    from tests.host.people import People


def copied(console: Console, path: str) -> str:
    console.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=console.origin)
    console.click(f"Copy: {path}")
    console.sees("Copied")
    return str(console.page.evaluate("() => navigator.clipboard.readText()"))


def test_each_copied_file_is_that_of_the_deployment_that_people_sign_in_to(
    browser: Browser, people: People, origin: str
) -> None:
    with browsers.opened(browser, Driver(people.host), origin) as console:
        console.page.goto(f"{origin}/connect")
        console.page.locator("button[value='operator']").click()
        console.sees("A person signs in")
        expected = configurations(OpenDoor(mcp_url(origin), IDS.agent))
        assert copied(console, ".mcp.json") == expected[PurePosixPath(".mcp.json")]
        console.click("Kiro CLI", "tab")
        console.sees("Nobody has seen Kiro sign in here")
        kiro = ".kiro/agents/hypd-inst-agent.json"
        assert copied(console, kiro) == expected[PurePosixPath(kiro)]


def test_what_is_chosen_changes_the_address_the_files_and_what_the_agent_may_do(console: Console) -> None:
    console.open("/connect")
    table = console.page.get_by_role("grid", name="What it may do")

    def tool(name: str) -> Locator:
        return table.get_by_role("row").filter(has=console.page.get_by_text(name, exact=True))

    expect(tool("cluster_delete")).to_contain_text("Needs its own preview")
    console.page.get_by_role("checkbox", name="Only look").click()
    expect(tool("cluster_delete")).to_have_count(0)
    console.page.get_by_role("button", name="Toolsets").click()
    console.page.get_by_role("option", name="Audit").click()
    console.page.keyboard.press("Escape")
    expect(tool("cluster_list")).to_have_count(0)
    address = f"{mcp_url(console.origin)}?toolsets=audit&readonly"
    assert copied(console, "the address") == address
    assert copied(console, ".mcp.json") == configurations(OpenDoor(address))[PurePosixPath(".mcp.json")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_connect_is_clean_in_both_modes(browser: Browser, driver: Driver, origin: str, scheme: Scheme) -> None:
    with browsers.opened(browser, driver, origin, scheme) as console:
        console.open("/connect")
        console.sees("Create a cluster")
        console.axe_clean()
