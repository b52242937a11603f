"""Home: nothing yet, a cluster that somebody else begins, what went wrong, and a connection that drops."""

from __future__ import annotations

import re
import time
from typing import Final

import pytest
from playwright.sync_api import Browser, Route, expect

from infra.local.faults import Fault, Kind
from tests.e2e import browser as browsers
from tests.e2e.browser import OPERATIONS, Console, Scheme
from tests.host.agents import Agent
from tests.host.driver import Driver, cluster_request
from tests.workflows.deletions import make_balancer

NO_ANSWER: Final = "Failed to load resource"
# Home reads what it is told all the same once a minute.
_WELL_BELOW_THE_NEXT_READING_MILLISECONDS: Final = 40_000
# It takes fifteen of a machine that does nothing else; what is read as seldom as all else takes forty at least.
_THREE_READINGS_AT_MOST_SECONDS: Final = 35


def test_an_empty_account_leads_to_the_first_cluster(console: Console) -> None:
    console.open()
    console.sees("No clusters yet")
    console.click("Create your first cluster")
    console.page.wait_for_url("**/create")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_is_clean_in_both_modes(browser: Browser, driver_of_ready: Driver, origin: str, scheme: Scheme) -> None:
    driver_of_ready.post("/api/clusters", cluster_request("next"))
    with browsers.opened(browser, driver_of_ready, origin, scheme) as console:
        console.open()
        console.sees("Running operations")
        console.sees("stages stand")
        console.axe_clean()


def test_a_cluster_that_somebody_creates_appears_and_is_followed_to_its_end(console: Console) -> None:
    console.open()
    console.is_live()
    operation = console.driver.post("/api/clusters", cluster_request("theirs"))["operation_id"]
    console.driver.sleep(2)
    expect(console.page.get_by_role("link", name="theirs", exact=True)).to_be_visible()
    console.sees("Create cluster theirs")
    console.driver.until(operation, "hyperpod_cluster")
    console.driver.sleep(2)
    expect(console.page.locator(f"[data-operation='{operation}']")).to_contain_text("HyperPod")
    console.driver.finish(operation)
    console.driver.sleep(2)
    expect(console.page.get_by_role("row", name="theirs")).to_contain_text("Ready")
    expect(console.page.get_by_text("Running operations")).to_have_count(0)


def test_what_an_agent_begins_is_told_to_home_which_asks_for_no_list_while_nothing_happens(console: Console) -> None:
    console.page.clock.install()
    console.open()
    console.is_live(all=True)
    console.has_read()
    asked = list[str]()
    console.page.on("request", lambda request: asked.append(request.url))
    console.page.clock.run_for(_WELL_BELOW_THE_NEXT_READING_MILLISECONDS)
    console.flush()
    assert [url for url in asked if re.search(r"/api/(operations|clusters)", url)] == []
    console.lists_no_operations()
    Agent(console.driver.host).done("cluster_create", tag="theirs")
    console.driver.sleep(2)
    console.sees("Create foundation theirs")
    expect(console.page.get_by_role("row", name="theirs")).to_contain_text("Changing")


def test_while_nobody_can_tell_home_what_others_begin_it_asks_every_few_seconds(console: Console) -> None:
    console.forgive("WebSocket connection")
    console.forgive(NO_ANSWER)
    console.open()
    console.is_live()
    console.page.route("**/api/tickets", lambda route: route.abort())
    console.driver.host.sockets.drop_all()
    console.sees("Connection lost, reconnecting.")
    lost = time.monotonic()
    for _ in range(3):
        with console.page.expect_request(OPERATIONS):
            pass
    assert time.monotonic() - lost < _THREE_READINGS_AT_MOST_SECONDS
    console.driver.post("/api/clusters", {"tag": "unheard"})
    console.sees("Create foundation unheard")
    expect(console.page.get_by_role("link", name="unheard", exact=True)).to_be_visible()


def test_a_creation_that_waits_behind_many_newer_operations_is_still_told(console: Console) -> None:
    def newer_alone(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={"operations": [], "next_token": "more"})

    operation = console.driver.post("/api/clusters", cluster_request("waiting"))["operation_id"]
    console.page.route(OPERATIONS, newer_alone)
    console.open()
    expect(console.page.locator(f"[data-operation='{operation}']")).to_contain_text("stages stand")
    console.open("/clusters/waiting")
    expect(console.page.locator(f"[data-operation='{operation}']")).to_contain_text("stages stand")


def test_what_failed_is_told_with_what_helps_until_it_is_made_good(console: Console) -> None:
    fault = Fault("cloudformation", "CreateStack", Kind.DENY)
    failed = console.driver.failing("/api/clusters", {"tag": "broken"}, fault)
    console.open()
    console.sees("Recent problems")
    console.sees(failed["error"]["remedy"])
    console.is_live()
    console.driver.retry(failed["operation_id"])
    console.driver.sleep(2)
    expect(console.page.get_by_text("Recent problems")).to_have_count(0)


def test_what_stands_in_the_way_of_a_deletion_is_named_with_what_helps_against_each(
    console_of_ready: Console,
) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    for number in range(4):
        make_balancer(driver, "ready", f"theirs-{number}")
    blocked = driver.delete("/api/clusters/ready")["error"]
    named = [each["field"] for each in blocked["errors"]]
    assert len(named) == 4
    console.open()
    console.sees(blocked["remedy"])
    things = console.page.get_by_role("listitem").filter(has_text="What helps: Delete the load balancer.")
    expect(things).to_contain_text(named[:3])
    console.sees("and 1 more")
    console.axe_clean()


def test_a_dropped_connection_is_shown_and_healed_with_nothing_lost(console: Console) -> None:
    console.forgive("WebSocket connection")
    console.open()
    console.is_live()
    operation = console.driver.post("/api/clusters", {"tag": "meanwhile"})["operation_id"]
    console.driver.sleep(2)
    console.sees("Create foundation meanwhile")
    console.page.route("**/api/tickets", lambda route: route.abort())
    console.forgive(NO_ANSWER)
    console.driver.host.sockets.drop_all()
    console.sees("Connection lost, reconnecting.")
    # All of it happens while nobody can be told.
    console.driver.finish(operation)
    console.page.unroute("**/api/tickets")
    console.sees("Connected again, nothing was missed.")
    expect(console.page.get_by_role("row", name="meanwhile")).to_contain_text("Ready")
    expect(console.page.get_by_text("Running operations")).to_have_count(0)


def test_an_api_that_is_down_is_told_and_home_recovers_by_itself(console: Console) -> None:
    def down(route: Route) -> None:
        route.abort()

    console.forgive(NO_ANSWER)
    console.page.route("**/api/clusters*", down)
    console.open()
    console.sees("The API does not answer.")
    console.axe_clean()
    console.page.unroute("**/api/clusters*")
    console.sees("No clusters yet")


def test_a_console_that_does_not_find_its_deployment_says_so_and_starts_once_it_does(console: Console) -> None:
    console.forgive(NO_ANSWER)
    console.page.route("**/config.json", lambda route: route.abort())
    console.page.goto(console.origin)
    console.sees("The API does not answer.")
    console.page.unroute("**/config.json")
    console.sees("No clusters yet")


def test_what_a_newer_api_says_breaks_no_page_nor_does_a_name_that_is_long_or_runs_from_right_to_left(
    console_of_ready: Console,
) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        cluster = body["clusters"][0] | {"tag": "طويل" * 60, "shape": {"of": "tomorrow"}}
        cluster["summary"] |= {"status": "HIBERNATING"}
        cluster["conditions"] = [{"type": "Frozen", "status": "Perhaps", "message": "x" * 400}]
        route.fulfill(response=answer, json={**body, "clusters": [cluster], "forecast": []})

    console_of_ready.page.route("**/api/clusters?*", newer)
    console_of_ready.page.route("**/api/clusters", newer)
    console_of_ready.open()
    console_of_ready.sees("Hibernating")
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert console_of_ready.page.evaluate(wide) == 0
