"""Creating by form: the main job, what is refused and mended, a preview that is out of date, phase by phase."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Browser, Route, expect

from tests.e2e import browser as browsers
from tests.e2e.browser import Console
from tests.host.driver import Driver
from tests.host.states import driver_of_base, driver_of_prepared, founded_state, prepared_state

__all__ = ["driver_of_base", "driver_of_prepared", "founded_state", "prepared_state"]

REFUSED: Final = "Failed to load resource"
ZONE: Final = "us-west-2c"
TYPE: Final = "ml.g6.4xlarge"


def fill(console: Console, instance_type: str = TYPE) -> None:
    console.page.get_by_label("Availability zone").first.fill(ZONE)
    console.page.get_by_label("Instance type").first.fill(instance_type)


def begun(console: Console, action: str) -> str:
    """Begin what is reviewed, and give the operation to whose page that leads."""
    console.click(action)
    console.page.wait_for_url("**/operations/*")
    return console.page.url.rpartition("/")[2]


def test_a_zone_a_type_and_a_count_make_a_cluster_that_is_followed_to_its_end(console: Console) -> None:
    console.open("/create")
    fill(console)
    console.sees("Quota for cluster usage:")
    console.page.get_by_label("Instances", exact=True).press("Enter")
    console.sees("a tag made up for it")
    console.sees("All checks came to an end.")
    console.sees("per hour in all")
    console.axe_clean()
    operation = begun(console, "Create cluster")
    console.is_live(operation_id=operation)
    tag = console.driver.finish(operation)["cluster_tag"]
    console.driver.sleep(2)
    console.sees("Succeeded")
    cluster = console.driver.get(f"/api/clusters/{tag}")
    [group] = cluster["spec"]["instance_groups"]
    assert (group["name"], group["instance_type"], group["instance_count"]) == ("workers", TYPE, 1)
    assert cluster["summary"]["status"] == "READY"


def test_what_is_refused_is_told_at_its_field_and_mended_there_with_nothing_lost(console: Console) -> None:
    console.forgive(REFUSED)
    console.open("/create")
    console.page.get_by_label("Tag - optional", exact=True).fill("mended")
    fill(console, "ml.g6.4xlarg")
    group = console.page.get_by_label("Instance type").first
    console.click("More settings")
    console.page.get_by_label("Image").fill("ami-nothing")
    console.click("More settings")
    console.click("Review")
    console.sees("2 things are in the way")
    expect(console.page.locator(".news")).to_be_focused()
    console.axe_clean()
    # The section of the other field was closed; what is said of it opens it.
    expect(console.page.get_by_label("Image")).to_be_visible()
    console.click("Instance group workers, instance type")
    expect(group).to_be_focused()
    group.fill(TYPE)
    console.page.get_by_label("Image").fill("")
    expect(console.page.get_by_label("Tag - optional", exact=True)).to_have_value("mended")
    console.click("Review")
    console.sees("What would change")
    console.sees("mended")


def test_what_a_dry_run_finds_leads_back_to_its_field(console: Console) -> None:
    console.open("/create")
    fill(console)
    console.click("Review")
    console.sees("no group without accelerators has an instance from the start")
    console.click("Change")
    toggle = console.page.get_by_label("Add a system group")
    expect(toggle).to_be_focused()
    toggle.click()
    console.click("Review")
    console.sees("All checks came to an end.")
    expect(console.page.get_by_text("no group without accelerators")).to_have_count(0)


def test_an_api_that_is_down_loses_nothing_that_was_typed(console: Console) -> None:
    console.forgive(REFUSED)
    console.page.route("**/api/**", lambda route: route.abort())
    console.open("/create")
    fill(console)
    console.click("Review")
    console.sees("The API does not answer.")
    console.axe_clean()
    console.page.unroute("**/api/**")
    console.click("Review")
    console.sees("What would change")


def test_what_a_newer_api_says_of_a_dry_run_breaks_nothing_nor_does_a_name_that_is_long_or_runs_from_right_to_left(
    console: Console,
) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["findings"].append({"check": "weather", "level": "notice", "message": "y" * 400, "of": "tomorrow"})
        body["preview"]["changes"][0] |= {"action": "hibernate", "name": "طويل" * 60, "reason": "x" * 400}
        route.fulfill(response=answer, json={**body, "forecast": []})

    console.page.route("**/api/clusters?*", newer)
    console.open("/create")
    fill(console)
    console.click("Review")
    console.sees("Hibernate")
    console.sees("Weather")
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert console.page.evaluate(wide) == 0


def test_leaving_what_was_typed_is_asked_first(console: Console) -> None:
    console.open("/create")
    console.page.get_by_label("Tag - optional", exact=True).fill("typed")
    console.click("Cancel")
    console.sees("Leave this page?")
    console.click("Stay")
    expect(console.page.get_by_label("Tag - optional", exact=True)).to_have_value("typed")
    console.click("Cancel")
    console.click("Leave")
    console.sees("No clusters yet")


def test_a_hyperpod_cluster_follows_on_a_foundation_and_what_changed_meanwhile_is_told_before(
    browser: Browser, driver_of_prepared: Driver, origin: str
) -> None:
    with browsers.opened(browser, driver_of_prepared, origin) as console:
        console.forgive(REFUSED)
        console.open("/clusters/base")
        console.click("Actions")
        console.click("Create HyperPod cluster", "menuitem")
        fill(console)
        console.click("Review")
        console.sees("What would change")
        changed = driver_of_prepared.send("PATCH", "/api/clusters/base", {"company_tags": {"team": "vision"}})
        assert changed.status in (201, 202), changed
        driver_of_prepared.finish(changed.body["operation_id"])
        console.click("Create HyperPod cluster")
        console.sees("The preview was out of date, so nothing was begun")
        console.axe_clean()
        operation = begun(console, "Create HyperPod cluster")
        assert driver_of_prepared.finish(operation)["status"] == "SUCCEEDED"


def test_a_hyperpod_cluster_waits_for_the_dependencies_and_the_page_leads_there(
    browser: Browser, driver_of_base: Driver, origin: str
) -> None:
    with browsers.opened(browser, driver_of_base, origin) as console:
        console.open("/clusters/base/nodes")
        console.click("Create HyperPod cluster")
        console.sees("The dependencies come first")
        fill(console)
        console.click("Review")
        console.sees("cluster base does not have the condition DependenciesReady")
        console.sees("Let an operation configure_dependencies on base succeed first.")
        link = console.page.get_by_role("link", name="Configure dependencies", exact=True)
        expect(link).to_have_attribute("href", "/clusters/base/dependencies")


def test_the_form_is_clean_in_the_dark_with_everything_in_it_open(
    browser: Browser, driver: Driver, origin: str
) -> None:
    with browsers.opened(browser, driver, origin, "dark") as console:
        console.open("/create")
        for section in ("More settings", "Shortage, recovery and subnets", "Name of the mount", "Foundation"):
            console.click(section)
        console.click("Owner groups and company tags")
        console.click("Add label")
        console.click("Add taint")
        console.click("Add disk")
        console.page.get_by_label("Add a system group").click()
        suggested = console.driver.get("/api/catalog/cidr_suggestion")["suggestion"]["vpc_cidr"]
        expect(console.page.get_by_label("VPC - optional", exact=True)).to_have_attribute("placeholder", suggested)
        console.axe_clean()
