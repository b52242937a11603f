"""A cluster's page: all its sides, what others do to it, a failure and its retry, drift and its repair, its end."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Browser, Route, expect

from infra.local.faults import Fault, Kind
from tests.e2e import browser as browsers
from tests.e2e.browser import Console
from tests.host.by_hand import ByHand
from tests.host.driver import Driver, Json, cluster_request

TABS: Final = (
    "Overview",
    "Instance groups",
    "Nodes",
    "Dependencies",
    "Storage",
    "Events",
    "Operations",
    "Access",
    "Drift",
    "Diagnosis",
)
CHANGES: Final = ("delete", "delete-hyperpod", "upgrade", "repair")
# The browser says so of every answer with an error, and of a cluster that is gone among them.
NOT_THERE: Final = "Failed to load resource"


def running(driver: Driver, tag: str) -> Json:
    """The newest operation of a cluster."""
    operation: Json = driver.get(f"/api/operations?cluster_tag={tag}")["operations"][0]
    return operation


def shows(console: Console, tab: str) -> None:
    """Go to a tab, and wait until it stands."""
    console.click(tab, "tab")
    expect(console.page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
    settled(console)


def settled(console: Console) -> None:
    """Wait until nothing is being read any more."""
    # What is loaded reads only then.
    expect(console.page.get_by_text("Loading ")).to_have_count(0)
    expect(console.page.get_by_text("Reading ")).to_have_count(0)


def test_every_side_of_a_finished_cluster_is_shown_and_clean(console_of_ready: Console) -> None:
    console = console_of_ready
    console.open("/clusters/ready")
    console.sees("aws eks update-kubeconfig --name eks-cluster-ready --region us-west-2 --alias ready")
    for tab in TABS:
        shows(console, tab)
        console.axe_clean()
    console.sees("HyperPod lists 1 Running")


def test_what_a_newer_api_says_of_a_cluster_breaks_nothing_nor_do_long_names_nor_those_from_right_to_left(
    console_of_ready: Console,
) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        cluster = answer.json() | {"shape": {"of": "tomorrow"}}
        cluster["summary"] |= {"status": "HIBERNATING", "reason": "WinterCame", "message": "طويل" * 80}
        cluster["conditions"] = [{"type": "Frozen", "status": "Perhaps", "message": "x" * 400}]
        cluster["spec"] |= {"origin": "borrowed", "owner_groups": ["ש" * 200], "season": "winter"}
        cluster["spec"]["names"] |= {"bucket": "b" * 300}
        route.fulfill(response=answer, json=cluster)

    console_of_ready.page.route("**/api/clusters/ready", newer)
    console_of_ready.page.set_viewport_size({"width": 700, "height": 900})
    console_of_ready.open("/clusters/ready")
    console_of_ready.sees("Hibernating")
    console_of_ready.sees("Borrowed")
    console_of_ready.axe_clean()
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert console_of_ready.page.evaluate(wide) == 0
    shows(console_of_ready, "Instance groups")
    console_of_ready.sees("ml.g6.4xlarge")


def test_what_a_change_would_come_to_is_shown_and_clean_in_the_dark(
    browser: Browser, driver_of_ready: Driver, origin: str
) -> None:
    with browsers.opened(browser, driver_of_ready, origin, "dark") as console:
        for change in CHANGES:
            console.open(f"/clusters/ready/{change}")
            expect(console.page.get_by_role("heading", name="What ").first).to_be_visible()
            settled(console)
            console.axe_clean()


def test_what_others_change_appears_and_only_what_was_touched_is_sent(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    console.open("/clusters/ready")
    console.is_live()
    driver.post("/api/clusters/ready", {"company_tags": {"cost-center": "4711"}}, method="PATCH")
    driver.sleep(2)
    console.sees("cost-center = 4711")
    console.click("Edit owners and tags")
    console.click("Add a group")
    console.page.get_by_role("textbox", name="Group").last.fill("ml-platform")
    console.click("Preview")
    console.sees("What would change")
    console.click("Save")
    expect(console.page.get_by_role("dialog")).to_have_count(0)
    driver.finish(running(driver, "ready")["operation_id"])
    driver.sleep(2)
    assert set(running(driver, "ready")["request"]) - {"dropped_tags"} == {"owner_groups"}
    console.open("/clusters/ready")
    console.sees("ml-platform")
    console.sees("cost-center = 4711")


def test_why_the_dependencies_failed_is_told_and_they_are_retried_from_the_cluster(console: Console) -> None:
    driver = console.driver
    failed = driver.failing("/api/clusters", cluster_request("broken"), Fault("eks", "CreateAddon", Kind.DENY))
    assert failed["status"] == "FAILED"
    console.open("/clusters/broken/dependencies")
    console.sees("Degraded")
    console.sees(failed["error"]["detail"])
    console.sees(failed["error"]["remedy"])
    console.axe_clean()
    console.click("Retry")
    console.page.wait_for_url("**/operations/*")
    console.click("broken", "link")
    console.is_live(cluster_tag="broken")
    console.sees("stages stand")
    driver.finish(running(driver, "broken")["operation_id"])
    driver.sleep(2)
    expect(console.page.locator("[data-status='READY']")).to_be_visible()


def test_drift_is_detected_seen_and_repaired(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    ByHand(driver, "ready").delete_addon()
    driver.sleep(60)
    console.open("/clusters/ready/drift")
    console.sees("Drift was never detected")
    console.is_live()
    console.click("Detect now")
    console.sees("Detect drift")
    driver.finish(running(driver, "ready")["operation_id"])
    driver.sleep(2)
    expect(console.page.get_by_role("row", name="coredns")).to_contain_text("Mends it")
    console.axe_clean()
    console.click("Repair")
    expect(console.page.get_by_role("row", name="coredns")).to_contain_text("Create")
    console.click("Repair")
    console.page.wait_for_url("**/operations/*")
    assert driver.finish(running(driver, "ready")["operation_id"])["status"] == "SUCCEEDED"
    console.open("/clusters/ready/drift")
    console.sees("Nothing drifted")


def test_what_could_not_be_looked_at_is_told_with_why_and_beneath_it_what_helps(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    with driver.host.faults.planned(Fault("cloudformation", "DetectStackDrift", Kind.DENY)):
        report = ByHand(driver, "ready").detected()
    [unseen] = report["unknown"]
    console.open("/clusters/ready/drift")
    row = console.page.get_by_role("row", name=unseen["resource"])
    expect(row).to_contain_text(unseen["why"])
    expect(row).to_contain_text(f"What helps: {unseen['remedy']}")
    console.axe_clean()


def test_a_cluster_is_deleted_by_its_typed_name_as_it_was_seen_to_be(console_of_ready: Console) -> None:
    console, driver = console_of_ready, console_of_ready.driver
    console.forgive(NOT_THERE)
    mounting = driver.post("/api/clusters/ready/storage", {"name": "second"})["operation_id"]
    console.open("/clusters/ready/delete")
    console.is_live()
    # What stands in the way is told, and that it no longer does.
    console.sees(f"operation {mounting} holds the scope 'storage' of ready")
    expect(console.page.get_by_role("button", name="Delete cluster")).to_be_disabled()
    driver.finish(mounting)
    driver.sleep(2)
    expect(console.page.get_by_role("button", name="Delete cluster")).to_be_enabled()
    expect(console.page.get_by_role("row", name="hp-cluster-ready").first).to_contain_text("Cannot be undone")
    console.sees("What is kept")
    # What the person looks at is not what would happen any more.
    driver.run("/api/clusters/ready/storage", {"name": "third"})
    typed(console, "ready")
    console.sees("The preview was out of date, so nothing was begun")
    console.sees("Delete volume and claim default/third")
    assert running(driver, "ready")["kind"] != "delete_cluster"
    typed(console, "ready")
    console.page.wait_for_url("**/operations/*")
    operation = running(driver, "ready")
    assert (operation["kind"], operation["actor"]["channel"]) == ("delete_cluster", "console")
    # Whoever looks at the cluster meanwhile learns of it.
    console.click("ready", "link")
    console.is_live(cluster_tag="ready")
    console.sees("This cluster is being deleted.")
    assert driver.finish(operation["operation_id"])["status"] == "SUCCEEDED"
    driver.sleep(2)
    console.sees("This cluster is gone")
    console.axe_clean()
    console.click("See all clusters")
    console.sees("No clusters yet")


def typed(console: Console, tag: str) -> None:
    """Delete as a person does: by the button, the name, and the button again."""
    console.click("Delete cluster")
    dialog = console.page.get_by_role("dialog")
    confirm = dialog.get_by_role("button", name="Delete cluster")
    expect(confirm).to_be_disabled()
    console.axe_clean()
    dialog.get_by_role("textbox").fill(tag)
    confirm.click()


def test_what_was_found_of_an_imported_cluster_is_shown_and_it_is_forgotten(console_of_foreign: Console) -> None:
    console, driver = console_of_foreign, console_of_foreign.driver
    consents = {"create_access_entry": True}
    taken = {"eks_cluster_name": "research", "hyperpod_cluster_name": "research-hp", "tag": "research"}
    assert driver.run("/api/clusters/import", taken | {"consents": consents})["status"] == "SUCCEEDED"
    console.forgive(NOT_THERE)
    console.open("/clusters/research")
    console.sees("Found in AWS")
    console.axe_clean()
    for tab in ("Instance groups", "Dependencies", "Storage"):
        shows(console, tab)
        console.axe_clean()
    console.click("Actions")
    console.click("Forget", "menuitem")
    console.sees("What is kept")
    console.axe_clean()
    console.click("Forget cluster")
    console.page.get_by_role("dialog").get_by_role("textbox").fill("research")
    console.page.get_by_role("dialog").get_by_role("button", name="Forget cluster").click()
    console.page.wait_for_url("**/operations/*")
    assert driver.finish(running(driver, "research")["operation_id"])["status"] == "SUCCEEDED"
    console.open("/clusters/research")
    console.sees("There is no such cluster")
    console.sees("Last done under this tag:")
