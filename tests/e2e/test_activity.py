"""Activity: what an agent does appears as it happens, filters live in the address, long histories stay small."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from playwright.sync_api import Browser, Route, expect

from infra.local.faults import Fault, Kind
from tests.e2e import browser as browsers
from tests.host.agents import Agent
from tests.host.driver import Driver, cluster_request

if TYPE_CHECKING:
    from tests.e2e.browser import Console, Scheme
    from tests.host.people import People

MOST_ROWS: Final = 200


def test_what_an_agent_does_appears_as_it_happens_with_its_door_and_its_client(console: Console) -> None:
    console.open("/activity")
    console.sees("Nobody has done anything yet")
    console.is_live()
    console.lists_no_operations()
    operation = Agent(console.driver.host).done("cluster_create", tag="theirs")["operation_id"]
    console.driver.sleep(2)
    row = console.page.get_by_role("row").filter(has=console.page.get_by_role("link", name="theirs", exact=True))
    expect(row).to_contain_text("Agent")
    expect(row).to_contain_text(console.driver.operation(operation)["actor"]["client"])
    console.driver.finish(operation)
    console.driver.sleep(2)
    expect(row).to_contain_text("Succeeded")
    console.click("Audit", "tab")
    expect(console.page.get_by_role("row").filter(has_text="Agent")).to_contain_text("create_foundation of theirs")
    console.page.get_by_role("link", name="Create foundation").click()
    console.page.wait_for_url(f"**/operations/{operation}")


def test_filters_are_the_address_and_the_address_is_the_filters(console_of_ready: Console) -> None:
    console = console_of_ready
    console.driver.failing("/api/clusters", {"tag": "broken"}, Fault("cloudformation", "CreateStack", Kind.DENY))
    console.open("/activity?status=FAILED")
    console.sees("Status = Failed")
    expect(console.page.get_by_role("link", name="broken", exact=True)).to_be_visible()
    expect(console.page.get_by_role("link", name="ready", exact=True)).to_have_count(0)
    console.click("Clear filters")
    expect(console.page.get_by_role("link", name="ready", exact=True)).to_be_visible()
    assert console.page.url == f"{console.origin}/activity"
    box = console.page.get_by_role("combobox", name="Filter operations")
    box.fill("Cluster = ready")
    box.press("Enter")
    console.page.wait_for_url("**/activity?cluster_tag=ready")
    expect(console.page.get_by_role("link", name="broken", exact=True)).to_have_count(0)


def test_what_is_told_keeps_to_the_filters(console: Console) -> None:
    console.open("/activity?status=RUNNING&cluster_tag=theirs")
    console.sees("No operation is like that")
    console.is_live()
    console.lists_no_operations()
    wanted = console.driver.post("/api/clusters", cluster_request("theirs"))["operation_id"]
    console.driver.post("/api/clusters", cluster_request("others"))
    console.driver.sleep(2)
    rows = console.page.locator("tbody tr")
    expect(rows.get_by_role("link", name="theirs", exact=True)).to_be_visible()
    expect(rows).to_have_count(1)
    console.driver.cancel(wanted)
    console.driver.finish(wanted)
    console.driver.sleep(2)
    expect(console.page.get_by_role("link", name="theirs", exact=True)).to_have_count(0)
    console.sees("No operation is like that")


def test_a_long_history_of_short_pages_stays_small_and_is_read_on_by_page(console_of_ready: Console) -> None:
    console = console_of_ready
    [sample] = console.driver.get("/api/operations")["operations"]

    def long(route: Route) -> None:
        found = re.search(r"next_token=(\d+)", route.request.url)
        first = int(found[1]) if found else 0
        page = [sample | {"operation_id": f"O{number}"} for number in range(first, first + 30)]
        route.fulfill(json={"operations": page, "next_token": str(first + 30) if first < 900 else None})

    console.page.route(re.compile(r"/api/operations(\?|$)"), long)
    console.open("/activity")
    rows = console.page.locator("tbody tr")
    expect(rows).to_have_count(50)
    console.page.get_by_role("button", name="Next page").click()
    expect(console.page.locator("a[href='/operations/O50']")).to_be_visible()
    assert rows.count() <= MOST_ROWS


def test_whoever_may_not_read_the_audit_is_told_what_helps_and_still_sees_operations(
    browser: Browser, people: People, origin: str
) -> None:
    with browsers.opened(browser, Driver(people.host), origin) as console:
        console.forgive("403")
        console.page.goto(f"{origin}/activity/audit")
        console.page.locator("button[value='reader']").click()
        console.sees("Your groups do not grant this. Ask an administrator for one that does")
        console.click("Operations", "tab")
        console.sees("Nobody has done anything yet")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_activity_is_clean_in_both_modes(
    browser: Browser, driver_of_ready: Driver, origin: str, scheme: Scheme
) -> None:
    driver_of_ready.post("/api/clusters", cluster_request("next"))
    with browsers.opened(browser, driver_of_ready, origin, scheme) as console:
        for path in ("/activity?cluster_tag=next", "/activity/audit"):
            console.open(path)
            expect(console.page.get_by_role("link", name="next", exact=True).first).to_be_visible()
            console.axe_clean()
