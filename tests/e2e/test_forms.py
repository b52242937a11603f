"""What all forms of the console have in common: each opens, previews and is clean, and none loses what was typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from playwright.sync_api import Route, expect

from tests.host.driver import cluster_request

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.e2e.browser import Console

REFUSED: Final = "Failed to load resource"
EKS: Final = "eks-cluster-ready"
ROLE: Final = "arn:aws:iam::123456789012:role/ann"
# As many rows as a page of a table has, and groups as a fleet has.
ROWS: Final = 50
GROUPS: Final = 300
DOWN: Final = {"title": "Down", "status": 500, "code": "internal_error", "detail": "The table is away."}


class Form(NamedTuple):
    """A form in a dialog of cluster `ready`: the tab and the button that open it, what is typed, and its own button."""

    tab: str
    opens: str
    typed: dict[str, str]
    action: str


FORMS: Final = (
    Form("access", "Grant access", {"Role or user": ROLE}, "Grant access"),
    Form("access", "Create namespace", {"Name": "vision"}, "Create namespace"),
    Form("storage", "Create mount", {"Name": "second"}, "Create mount"),
    Form("dependencies", "Configure again", {}, "Configure"),
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.action)
def test_a_form_opens_previews_and_is_clean(console_of_ready: Console, form: Form) -> None:
    console = console_of_ready
    console.open(f"/clusters/ready/{form.tab}")
    console.click(form.opens)
    dialog = console.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for label, text in form.typed.items():
        dialog.get_by_label(label, exact=True).fill(text)
    if form.opens == "Grant access":
        dialog.get_by_role("button", name="Permission").click()
        console.page.get_by_role("option", name="View").click()
    console.axe_clean()
    if form.typed:
        dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("What would change")).to_be_visible()
    expect(dialog.get_by_role("button", name=form.action, exact=True)).to_be_enabled()
    console.axe_clean()


def test_access_that_was_granted_is_taken_back_by_its_form(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    driver.host.client("iam").create_role(RoleName=ROLE.rpartition("/")[2], AssumeRolePolicyDocument="{}")
    granted = driver.run("/api/clusters/ready/access", {"principal_arn": ROLE, "permission": "view"})
    assert granted["status"] == "SUCCEEDED", granted["error"]
    console.open("/clusters/ready/access")
    console.click(f"Revoke the access of {ROLE}")
    dialog = console.page.get_by_role("dialog")
    expect(dialog.get_by_text("What would change")).to_be_visible()
    console.axe_clean()
    dialog.get_by_role("button", name="Revoke access").click()
    console.page.wait_for_url("**/operations/*")
    console.sees("Change access ready")


def test_access_that_somebody_else_granted_is_taken_back_once_that_is_agreed_to(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    driver.host.client("iam").create_role(RoleName=ROLE.rpartition("/")[2], AssumeRolePolicyDocument="{}")
    driver.host.client("eks").create_access_entry(clusterName=EKS, principalArn=ROLE)
    console.open("/clusters/ready/access")
    console.click(f"Revoke the access of {ROLE}")
    dialog = console.page.get_by_role("dialog")
    consent = dialog.get_by_role("checkbox", name="Also when somebody else made the entry")
    expect(consent).to_have_accessible_description(re.compile("somebody else made the access entry"))
    revoke = dialog.get_by_role("button", name="Revoke access")
    expect(revoke).to_be_disabled()
    console.axe_clean()
    consent.check()
    expect(revoke).to_be_enabled()


def test_an_imported_cluster_is_looked_at_anew_by_its_form(console_of_foreign: Console) -> None:
    console, driver = console_of_foreign, console_of_foreign.driver
    taken = {"eks_cluster_name": "research", "tag": "research", "consents": {"create_access_entry": True}}
    assert driver.run("/api/clusters/import", taken)["status"] == "SUCCEEDED"
    console.open("/clusters/research")
    console.click("Actions")
    console.click("Redetect", "menuitem")
    console.sees("What would change")
    console.axe_clean()
    console.click("Redetect")
    console.page.wait_for_url("**/operations/*")


@pytest.mark.parametrize(
    ("item", "action", "kind"),
    [
        ("Upgrade", "Upgrade", "upgrade_cluster"),
        ("Delete HyperPod cluster", "Delete HyperPod cluster", "delete_hyperpod"),
    ],
)
def test_a_change_of_a_cluster_is_found_among_its_actions_and_begun(
    console_of_ready: Console, item: str, action: str, kind: str
) -> None:
    console = console_of_ready
    # An add-on that has fallen behind is something to upgrade.
    console.driver.host.world.eks.records.clusters[EKS].addons["coredns"].version = "v1.11.4-eksbuild.2"
    console.open("/clusters/ready")
    console.click("Actions")
    console.click(item, "menuitem")
    expect(console.page.locator("h1")).to_be_focused()
    expect(console.page.get_by_role("button", name=action, exact=True)).to_be_enabled()
    console.click(action)
    dialog = console.page.get_by_role("dialog")
    console.axe_clean()
    dialog.get_by_role("textbox").fill("ready")
    # A hand that slips, and one that is in a hurry, lose nothing.
    console.page.mouse.click(5, 300)
    dialog.get_by_role("textbox").press("Escape")
    console.sees("What you typed is not kept.")
    console.axe_clean()
    console.click("Stay")
    expect(dialog.get_by_role("textbox")).to_have_value("ready")
    dialog.get_by_role("button", name=action, exact=True).click()
    console.page.wait_for_url("**/operations/*")
    operation = console.page.url.rpartition("/")[2]
    assert console.driver.get(f"/api/operations/{operation}")["kind"] == kind


def test_what_fades_in_is_judged_once_it_is_there(console: Console) -> None:
    console.page.emulate_media(reduced_motion="no-preference")
    console.open("/import")
    console.page.context.new_cdp_session(console.page).send("Animation.setPlaybackRate", {"playbackRate": 0.1})
    console.page.get_by_role("textbox").first.fill("research")
    console.click("Home", "link")
    console.sees("What you typed is not kept.")
    console.axe_clean()


def submitting(console: Console) -> Locator:
    return console.page.locator("form button:not([type=button])")


def test_no_button_within_a_form_sends_it_but_its_own(console: Console) -> None:
    console.forgive(REFUSED)
    console.page.route("**/api/catalog/importable_clusters*", lambda route: route.fulfill(status=400, json=DOWN))
    console.open("/import")
    console.sees("The table is away.")
    expect(submitting(console)).to_have_text(["Test and review"])
    console.open("/create")
    for section in ("Add instance group", "More settings", "Shortage, recovery and subnets", "Name of the mount"):
        console.click(section)
    for section in ("Foundation", "Owner groups and company tags", "Add label", "Add taint", "Add disk", "Add tag"):
        console.click(section)
    expect(submitting(console)).to_have_text(["Review"])


def test_the_way_back_from_the_review_leads_to_where_it_began(console: Console) -> None:
    console.open("/create")
    console.page.get_by_label("Availability zone").first.fill("us-west-2c")
    console.page.get_by_label("Instance type").first.fill("ml.g6.4xlarge")
    console.click("Review")
    console.click("Back to the form")
    expect(console.page.get_by_role("button", name="Review", exact=True)).to_be_focused()
    console.click("Catalog", "link")
    console.click("Leave")
    expect(console.page.get_by_role("heading", name="Catalog", level=1)).to_be_focused()


def test_what_is_said_of_a_disk_stands_at_its_row_and_one_is_led_there(console: Console) -> None:
    console.forgive(REFUSED)
    console.open("/create")
    console.page.get_by_label("Availability zone").first.fill("us-west-2c")
    console.page.get_by_label("Instance type").first.fill("ml.g6.4xlarge")
    console.click("More settings")
    console.click("Add disk")
    console.click("Add disk")
    console.page.get_by_label("Size of disk 3 in GiB").fill("999999")
    console.click("Review")
    console.click("Instance group workers, more disks", "button")
    wrong = console.page.get_by_label("Size of disk 3 in GiB")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    console.axe_clean()


@pytest.mark.parametrize(("width", "least"), [(700, 600), (400, 340)])
def test_a_page_has_the_room_of_a_narrow_window(console: Console, width: int, least: int) -> None:
    console.page.set_viewport_size({"width": width, "height": 900})
    console.open("/catalog/zones")
    main = console.page.locator("main").first
    assert (main.bounding_box() or {"width": 0})["width"] >= least
    content = console.page.get_by_role("heading", level=1).bounding_box()
    assert content is not None
    assert 0 <= content["x"] <= width - least


def test_a_fleet_of_groups_is_shown_a_page_at_a_time(console_of_ready: Console) -> None:
    def fleet(route: Route) -> None:
        answer = route.fetch()
        cluster = answer.json()
        [group] = cluster["spec"]["instance_groups"]
        cluster["spec"]["instance_groups"] = [group | {"name": f"workers-{each}"} for each in range(GROUPS)]
        route.fulfill(response=answer, json=cluster)

    console_of_ready.page.route("**/api/clusters/ready", fleet)
    console_of_ready.open("/clusters/ready/instance-groups")
    table = console_of_ready.page.get_by_role("grid", name="Instance groups", exact=True)
    expect(table.locator("tbody tr")).to_have_count(ROWS)
    console_of_ready.sees(f"({GROUPS})")
    console_of_ready.page.locator("button", has_text=re.compile("^6$")).first.click()
    expect(table.get_by_text(f"workers-{GROUPS - 1}")).to_be_visible()
    expect(table.locator("tbody tr")).to_have_count(ROWS)


def test_rows_stay_beside_the_reason_why_no_more_could_be_read(console: Console) -> None:
    console.driver.create(cluster_request("ready"))
    console.forgive(REFUSED)

    def short(route: Route) -> None:
        if "next_token" in route.request.url:
            route.fulfill(status=400, json=DOWN)
        else:
            answer = route.fetch()
            route.fulfill(response=answer, json=answer.json() | {"next_token": "more"})

    console.page.route("**/api/operations?*", short)
    console.page.route("**/api/operations", short)
    console.open("/activity")
    console.sees("The table is away.")
    expect(console.page.get_by_role("row").filter(has_text="ready").first).to_be_visible()
    console.axe_clean()
    console.page.unroute_all()
    console.click("Try again")
    expect(console.page.get_by_text("The table is away.")).to_have_count(0)


def test_a_filter_stays_where_nothing_could_be_read_by_it(console_of_ready: Console) -> None:
    console = console_of_ready
    console.forgive(REFUSED)
    console.page.route("**/diagnosis?areas=*", lambda route: route.fulfill(status=400, json=DOWN))
    console.open("/clusters/ready/diagnosis")
    for seen in ("The table is away.", "HyperPod lists 1 Running"):
        console.page.get_by_role("button", name="Areas").click()
        console.page.get_by_role("option", name="Network").click()
        console.page.keyboard.press("Escape")
        console.sees(seen)


def test_a_tab_that_a_page_does_not_have_is_told(console: Console) -> None:
    console.open("/catalog/weather")
    console.sees("This page has no such tab")
    console.click("Show instance types")
    expect(console.page.get_by_role("tab", name="Instance types")).to_have_attribute("aria-selected", "true")
