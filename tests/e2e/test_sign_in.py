"""People sign in to the console, and sign in again without losing what they were about to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from functions.core.declaration import Scope
from tests.e2e import browser as browsers
from tests.e2e.browser import Console
from tests.host.driver import Driver
from tests.host.people import People


@pytest.fixture
def guarded(browser: Browser, people: People, origin: str) -> Iterator[Console]:
    """The console of a host that asks who comes."""
    with browsers.opened(browser, Driver(people.host), origin) as console:
        yield console


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


def test_a_sign_in_that_has_ended_loses_nothing_that_was_about_to_be_sent(guarded: Console, people: People) -> None:
    guarded.forgive("Failed to load resource")
    operation = begun(people, "unwanted")
    guarded.page.goto(f"{guarded.origin}/operations/{operation}")
    sign_in(guarded.page, "operator")
    guarded.click("Cancel operation")
    people.pass_by(timedelta(days=3))
    guarded.click("Cancel it")
    guarded.sees("Your sign-in has ended")
    guarded.axe_clean()
    with guarded.page.expect_popup() as popup:
        guarded.click("Sign in again")
    sign_in(popup.value, "operator")
    expect(guarded.page.get_by_text("Your sign-in has ended")).to_have_count(0)
    expect(guarded.page.get_by_role("button", name="Cancel operation")).to_be_disabled()
