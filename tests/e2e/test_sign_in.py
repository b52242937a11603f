"""People sign in to the console, and sign in again without losing what they were about to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from functions.core.declaration import Scope
from tests.e2e import browser as browsers
from tests.e2e.browser import Console
from tests.host.driver import Driver
from tests.host.people import People, signing_in


@pytest.fixture
def guarded(browser: Browser, people: People, origin: str) -> Iterator[Console]:
    """The console of a host that asks who comes."""
    with browsers.opened(browser, Driver(people.host), origin) as console:
        yield console


@pytest.fixture
def two(
    browser: Browser, driver_of_ready: Driver, origin: str, tmp_path: Path
) -> Iterator[tuple[Console, Console, People]]:
    """The consoles of two people, who both look at cluster `ready`."""
    driver = driver_of_ready
    with (
        signing_in(driver.host, tmp_path) as people,
        browsers.opened(browser, driver, origin) as one,
        browsers.opened(browser, driver, origin) as other,
    ):
        driver.host.found_at(origin)
        yield one, other, people


def sign_in(page: Page, user: str) -> None:
    page.locator(f"button[value='{user}']").click()


def begun(people: People, tag: str) -> str:
    answer = people.send("POST", "/api/clusters", people.token(list(Scope)), {"tag": tag})
    return answer.headers["location"].rpartition("/")[2]


def test_a_person_signs_in_and_comes_to_the_page_that_they_wanted(guarded: Console, people: People) -> None:
    operation = begun(people, "wanted")
    guarded.page.goto(f"{guarded.origin}/operations/{operation}")
    sign_in(guarded.page, "operator")
    guarded.sees("Create foundation wanted")
    assert guarded.page.url == f"{guarded.origin}/operations/{operation}"
    guarded.is_live()
    guarded.axe_clean()
    kept = guarded.page.evaluate("() => [...Object.values(sessionStorage), ...Object.values(localStorage)].join()")
    assert kept == ""
    guarded.click("operator")
    guarded.click("Sign out", "menuitem")
    expect(guarded.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_token_that_ends_is_renewed_without_anybody_noticing(guarded: Console, people: People) -> None:
    guarded.forgive("401")
    guarded.page.clock.install()
    guarded.page.goto(guarded.origin)
    sign_in(guarded.page, "reader")
    guarded.sees("No clusters yet")
    people.pass_by(timedelta(hours=2))
    begun(people, "later")
    with guarded.page.expect_response(lambda answer: "/api/clusters" in answer.url and answer.status == 200):
        guarded.page.clock.fast_forward(60_000)
    guarded.sees("later")
    expect(guarded.page.get_by_text("Your sign-in has ended")).to_have_count(0)


def cancel_once_the_sign_in_has_ended(guarded: Console, people: People, tag: str) -> str:
    """Ask for an operation's end when nobody is signed in any more; the request waits."""
    guarded.forgive("Failed to load resource")
    operation = begun(people, tag)
    guarded.page.goto(f"{guarded.origin}/operations/{operation}")
    sign_in(guarded.page, "operator")
    guarded.click("Cancel operation")
    people.pass_by(timedelta(days=3))
    guarded.click("Cancel it")
    guarded.sees("Your sign-in has ended")
    return operation


def test_a_sign_in_that_has_ended_loses_nothing_that_was_about_to_be_sent(guarded: Console, people: People) -> None:
    cancel_once_the_sign_in_has_ended(guarded, people, "unwanted")
    guarded.axe_clean()
    with guarded.page.expect_popup() as popup:
        guarded.click("Sign in again")
    sign_in(popup.value, "operator")
    expect(guarded.page.get_by_text("Your sign-in has ended")).to_have_count(0)
    expect(guarded.page.get_by_role("button", name="Cancel operation")).to_be_disabled()


def test_somebody_else_who_signs_in_instead_sends_nothing_of_it_and_begins_anew(
    guarded: Console, people: People
) -> None:
    operation = cancel_once_the_sign_in_has_ended(guarded, people, "kept")
    with guarded.page.expect_popup() as popup:
        guarded.click("Sign in again")
    sign_in(popup.value, "administrator")
    sign_in(guarded.page, "administrator")
    expect(guarded.page.get_by_role("button", name="administrator")).to_be_visible()
    # Nobody asked for it as this person.
    expect(guarded.page.get_by_role("button", name="Cancel operation")).to_be_enabled()
    answer = people.send("GET", f"/api/operations/{operation}", people.token(list(Scope)))
    assert json.loads(answer.body)["status"] in ("PENDING", "RUNNING")


def test_two_people_see_what_each_other_begins(two: tuple[Console, Console, People]) -> None:
    ann, bob, people = two
    heard = list[str]()
    ann.page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    for console, user in ((ann, "operator"), (bob, "administrator")):
        console.page.goto(f"{console.origin}/clusters/ready")
        sign_in(console.page, user)
        console.is_live()
    bob.click("Actions")
    bob.click("Detect drift", "menuitem")
    bob.page.wait_for_url("**/clusters/ready/drift")
    bob.driver.sleep(2)
    begun = ann.page.locator("[data-operation]")
    expect(begun).to_contain_text("Detect drift")
    expect(begun).to_contain_text(", by console")
    assert any(str(begun.get_attribute("data-operation")) in frame for frame in heard)
    # What is new is told to whoever looks at everything, long before lists are read again.
    ann.click("HyperPod InstantStart", "link")
    bob.click("Activity", "link")
    for console, user, tag in ((ann, "administrator", "of-bob"), (bob, "operator", "of-ann")):
        console.is_live(all=True)
        console.lists_no_operations()
        token = people.signed_in(user)["access_token"]
        assert people.send("POST", "/api/clusters", token, {"tag": tag}).status == 202
        console.driver.sleep(2)
        expect(console.page.get_by_role("link", name=tag, exact=True)).to_be_visible()
    ann.sees("Create foundation of-bob")
