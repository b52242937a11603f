"""Importing what others made: chosen or named, tested, consented to, taken in."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import expect

from infra.local.faults import Fault, Kind
from tests.e2e.browser import Console

LETS_IN: Final = "Let the control plane into the cluster"
MOVES: Final = "Move the cluster from CONFIG_MAP to API_AND_CONFIG_MAP"


def test_a_cluster_that_somebody_else_made_is_chosen_tested_and_taken_in(console_of_foreign: Console) -> None:
    console = console_of_foreign
    console.open("/import")
    console.sees("research-hp")
    console.axe_clean()
    console.click("Choose research")
    console.page.get_by_label(LETS_IN).check()
    console.click("Test and review")
    console.sees("EKS access entry")
    console.axe_clean()
    console.click("Import cluster")
    console.page.wait_for_url("**/operations/*")
    begun = console.page.url.rpartition("/")[2]
    console.is_live(operation_id=begun)
    operation = console.driver.finish(begun)
    assert (operation["status"], operation["cluster_tag"]) == ("SUCCEEDED", "research")
    console.driver.sleep(2)
    console.sees("Succeeded")


def test_what_an_import_needs_consent_for_is_told_at_the_name_and_given_below(console_of_foreign: Console) -> None:
    console = console_of_foreign
    console.open("/import")
    console.page.get_by_label("Name of the EKS cluster").fill("legacy-1")
    console.click("Test and review")
    console.sees("One thing is in the way")
    console.sees("HyperPod needs access entries")
    console.page.get_by_label(MOVES).check()
    console.click("Test and review")
    console.sees("Cannot be undone")
    expect(console.page.get_by_role("button", name="Import cluster", exact=True)).to_be_enabled()


def test_what_aws_does_not_list_is_not_taken_for_nothing(console: Console) -> None:
    fault = Fault("eks", "ListClusters", Kind.DENY, times=100)
    with console.driver.host.faults.planned(fault):
        console.open("/import")
        console.sees("AWS did not say everything")
        console.sees("Nothing is known")
        console.axe_clean()
    expect(console.page.get_by_text("No EKS cluster to import")).to_have_count(0)
