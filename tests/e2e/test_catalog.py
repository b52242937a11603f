"""Catalog: what AWS did not say is unknown and never nothing, and how to ask it for more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from playwright.sync_api import Browser, expect

from infra.local.faults import Fault, Kind
from tests.e2e import browser as browsers
from tests.host.catalog import cool

if TYPE_CHECKING:
    from tests.e2e.browser import Console, Scheme
    from tests.host.driver import Driver

# Each part of the page, with something that it shows on every host; few rows, because axe looks at each.
PARTS: Final = {
    "instance-types?words=p5": "ml.p5.48xlarge",
    "instance-types?words=p5&type=ml.p5.48xlarge": "Addresses of a node",
    "quotas?types=ml.g6.4xlarge": "ml.g6.4xlarge for cluster usage",
    "training-plans": "No training plans",
    "zones?types=ml.g6.4xlarge": "us-west-2a",
    "kubernetes-versions": "When none is asked for",
    "address-range": "Public subnets",
}


def test_a_use_that_aws_did_not_say_is_unknown_and_stands_beside_what_it_said(console_of_ready: Console) -> None:
    console = console_of_ready
    cool(console.driver)
    with console.driver.host.faults.planned(Fault("ec2", "DescribeVpcs", Kind.DENY)):
        console.open("/catalog/quotas")
        console.sees("AWS did not say everything")
    console.sees("DescribeVpcs")
    unknown = console.page.get_by_role("row").filter(has_text="VPCs per Region")
    expect(unknown).to_contain_text("Unknown of 5")
    expect(unknown.get_by_role("progressbar")).to_have_count(0)
    known = console.page.get_by_role("row").filter(has_text="EC2-VPC Elastic IPs")
    expect(known).to_contain_text("1 of 5")
    expect(known.get_by_role("progressbar")).to_have_count(1)


def test_plans_and_zones_that_aws_did_not_name_are_unknown_and_not_none(console: Console) -> None:
    cool(console.driver)
    never = 9
    plans = Fault("sagemaker", "ListTrainingPlans", Kind.DENY, times=never)
    zones = Fault("ec2", "DescribeAvailabilityZones", Kind.DENY, times=never)
    with console.driver.host.faults.planned(plans, zones):
        console.open("/catalog/training-plans")
        console.sees("AWS did not say which training plans there are.")
        console.open("/catalog/zones")
        console.sees("AWS did not name the zones.")
        console.axe_clean()


def test_the_nearest_quota_stands_first_with_the_command_that_asks_for_more(console_of_ready: Console) -> None:
    console = console_of_ready
    quota = "ml.g6.4xlarge for cluster usage"
    console.driver.host.world.hyperpod.conditions.set_quota(quota, 1)
    console.open("/catalog/quotas?types=ml.g6.4xlarge")
    expect(console.page.locator("tbody tr").first).to_contain_text(quota)
    [code] = [
        each["code"]
        for each in console.driver.get("/api/catalog/quotas?instance_types=ml.g6.4xlarge")["quotas"]
        if each["name"] == quota
    ]
    console.page.get_by_role("button", name=f"Ask for more of: {quota}").click()
    console.page.get_by_label("How much it should be").fill("8")
    console.sees(
        "aws service-quotas request-service-quota-increase --service-code sagemaker"
        f" --quota-code {code} --desired-value 8 --region us-west-2"
    )


def test_instance_types_are_found_by_words_however_fast_they_are_typed_and_sorted_by_price(console: Console) -> None:
    console.open("/catalog")
    console.sees("ml.p5.48xlarge")
    console.page.get_by_role("searchbox", name="Name or accelerator").press_sequentially("l40s g6e")
    rows = console.page.locator("tbody tr")
    expect(rows).to_have_count(8)
    expect(console.page).to_have_url(f"{console.origin}/catalog?words=l40s+g6e")
    for first in ("ml.g6e.xlarge", "ml.g6e.48xlarge"):
        console.page.get_by_role("button", name="On-Demand price").click()
        expect(rows.first).to_contain_text(first)
        # Nobody knows its price, so it is neither the cheapest nor the dearest.
        expect(rows.last).to_contain_text("ml.g6e.16xlarge")
    # The address without words is the list without words.
    console.click("Catalog", "link")
    expect(console.page.get_by_role("searchbox", name="Name or accelerator")).to_have_value("")
    console.sees("ml.p5.48xlarge")


def test_what_the_api_refuses_to_search_is_told_at_its_field(console: Console) -> None:
    console.forgive("400")
    console.open("/catalog/training-plans")
    console.page.get_by_role("button", name="Instance type").click()
    console.page.get_by_role("option", name="ml.g6.4xlarge", exact=True).click()
    console.click("Search")
    console.sees("ml.g6.4xlarge is reserved by no training plan")
    expect(console.page.get_by_role("alert").filter(has_text="The request")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_part_is_clean_in_both_modes(
    browser: Browser, driver_of_ready: Driver, origin: str, scheme: Scheme
) -> None:
    with browsers.opened(browser, driver_of_ready, origin, scheme) as console:
        for part, shown in PARTS.items():
            console.open(f"/catalog/{part}")
            console.sees(shown)
            console.axe_clean()
