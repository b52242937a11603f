"""An operation's page: by its address, live, failed and retried, cancelled."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from infra.local.faults import Fault, Kind
from tests.e2e import browser as browsers
from tests.e2e.browser import Console, Scheme
from tests.host.by_hand import ByHand
from tests.host.driver import Driver, cluster_request


def stage(console: Console, name: str) -> Locator:
    return console.page.locator(f"[data-stage='{name}']")


def test_stages_move_as_they_proceed(console: Console) -> None:
    operation = console.driver.post("/api/clusters", cluster_request("moving"))["operation_id"]
    console.open(f"/operations/{operation}")
    console.is_live()
    foundation = console.driver.operation(operation)["stages"][0]["name"]
    console.driver.until(operation, foundation)
    console.driver.sleep(60)
    expect(stage(console, foundation)).to_have_attribute("data-status", "RUNNING")
    expect(stage(console, foundation)).to_contain_text("resources")
    console.driver.until(operation, foundation, "SUCCEEDED")
    console.driver.sleep(2)
    expect(stage(console, foundation)).to_have_attribute("data-status", "SUCCEEDED")
    console.driver.finish(operation)
    console.driver.sleep(2)
    console.sees("15 of 15 stages stand")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_failed_operation_says_why_and_goes_on_from_there(
    browser: Browser, driver: Driver, origin: str, scheme: Scheme
) -> None:
    failed = driver.failing("/api/clusters", {"tag": "denied"}, Fault("cloudformation", "CreateStack", Kind.DENY))
    with browsers.opened(browser, driver, origin, scheme) as console:
        console.open(f"/operations/{failed['operation_id']}")
        console.sees(failed["error"]["detail"])
        console.sees(failed["error"]["remedy"])
        console.axe_clean()
        console.click("Retry")
        console.sees("Goes on from")
        again = console.page.url.rpartition("/")[2]
        assert again != failed["operation_id"]
        console.is_live(operation_id=again)
        driver.finish(again)
        driver.sleep(2)
        expect(console.page.get_by_role("button", name="Retry")).to_have_count(0)


def test_an_operation_is_cancelled_after_it_was_asked_for_twice(console: Console) -> None:
    operation = console.driver.post("/api/clusters", {"tag": "unwanted"})["operation_id"]
    console.open(f"/operations/{operation}")
    console.is_live()
    console.click("Cancel operation")
    console.click("Cancel it")
    expect(console.page.get_by_role("button", name="Cancel operation")).to_be_disabled()
    assert console.driver.finish(operation)["status"] == "CANCELLED"
    console.driver.sleep(2)
    console.sees("Cancelled")
    expect(console.page.get_by_text(re.compile(r"^\d+ of \d+ stages stand$"))).to_be_visible()


def test_what_is_sent_again_by_hand_after_no_answer_came_is_the_same_request(console: Console) -> None:
    sent = list[str]()

    def lost(route: Route) -> None:
        sent.append(route.request.headers["idempotency-key"])
        route.abort()

    console.forgive("Failed to load resource")
    operation = console.driver.post("/api/clusters", {"tag": "unheard"})["operation_id"]
    console.page.route("**/cancel?*", lost)
    console.page.route("**/cancel", lost)
    console.open(f"/operations/{operation}")
    console.click("Cancel operation")
    console.click("Cancel it")
    console.sees("The API does not answer.")
    by_itself = len(sent)
    console.click("Cancel it")
    expect(console.page.get_by_text("The API does not answer.")).to_have_count(0)
    console.sees("The API does not answer.")
    assert len(sent) > by_itself
    assert len(set(sent)) == 1


def test_what_the_last_look_found_stands_with_what_helps_on_the_operations_page(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    ByHand(driver, "ready").place_efa_plugin()
    operation = driver.run("/api/clusters/ready/storage", {})
    [warning] = operation["result"]["findings"]
    console.open(f"/operations/{operation['operation_id']}")
    # The stage says it too, and what came of it, folded away.
    for text in (warning["message"], warning["remedy"]):
        expect(console.page.get_by_text(text).locator("visible=true")).to_have_count(1)
    console.axe_clean()


def test_an_operation_that_is_not_there_is_told_as_missing(console: Console) -> None:
    console.forgive("Failed to load resource")
    console.open("/operations/01ARZ3NDEKTSV4RRFFQ69G5FAV")
    console.sees("Not found")
    console.axe_clean()


def test_an_address_that_no_page_has_leads_home(console: Console) -> None:
    console.open("/clusters/x/y/z")
    console.sees("There is no page here")
    console.axe_clean()
    console.click("Go home")
    console.sees("No clusters yet")
