"""What the catalog says of instance types: EC2's word first, the shipped table behind it."""

from __future__ import annotations

from typing import Any

import pytest

from functions.catalog.tables import instance_types
from tests.host.catalog import asked, cool, refused, unknown_parts, without
from tests.host.driver import Driver

G6 = "ml.g6.4xlarge"


def test_a_type_is_described_by_ec2_with_price_pods_and_addresses(driver: Driver) -> None:
    cool(driver)
    body, calls = asked(driver, f"instance_types/{G6}")
    assert (body["source"], body["unknown"]) == ("run_time", [])
    zones = body["instance_type"].pop("availability_zones")
    assert zones
    assert set(zones) <= {"us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"}
    assert body["instance_type"] == {
        "name": G6,
        "source": "run_time",
        "architecture": "x86_64",
        "vcpus": 16,
        "memory_gib": 64,
        "accelerator": "NVIDIA L4",
        "accelerator_count": 1,
        "accelerator_memory_gib": 22.35,  # what EC2 says; the shipped table has the marketing's 24
        "efa_interfaces": 0,
        "efa_only_possible": False,
        "addresses_per_node": 30,
        "addresses_per_node_efa_only": 30,
        "max_pods": 29,
        "price": {"currency": "USD", "per_hour": 1.654, "as_of": "2026-11-29"},
    }
    assert calls == {"DescribeInstanceTypes": 1, "DescribeInstanceTypeOfferings": 1}


@pytest.mark.case(22)
def test_the_addresses_of_a_node_are_told_before_a_cluster_is_planned(driver: Driver) -> None:
    described = asked(driver, "instance_types/ml.p5.48xlarge")[0]["instance_type"]
    members = ("addresses_per_node", "addresses_per_node_efa_only", "efa_only_possible", "efa_interfaces")
    assert [described[member] for member in members] == [81, 50, True, 32]


def test_a_type_without_a_listed_price_has_none(driver: Driver) -> None:
    assert asked(driver, "instance_types/ml.p5en.48xlarge")[0]["instance_type"]["price"] is None


def test_a_type_that_ec2_does_not_list_comes_from_the_shipped_table(driver: Driver) -> None:
    body, _ = asked(driver, "instance_types/ml.p6e-gb200.36xlarge")
    described = body["instance_type"]
    assert (body["source"], described["source"], described["accelerator_count"]) == ("shipped", "shipped", 4)
    # EC2 answered, so nothing is unknown; but what it does not list may be there for HyperPod.
    assert (body["unknown"], described["availability_zones"]) == ([], None)


def test_a_type_that_hyperpod_does_not_have_is_not_found_and_its_neighbours_are_named(driver: Driver) -> None:
    answer = driver.send("GET", "/api/catalog/instance_types/ml.g6.5xlarge")
    assert (answer.status, answer.body["code"]) == (404, "not_found")
    assert G6 in answer.body["remedy"]


def every(driver: Driver, query: str = "") -> list[dict[str, Any]]:
    """All pages of a list."""
    found = list[dict[str, Any]]()
    token: str | None = ""
    while token is not None:
        body, _ = asked(driver, f"instance_types?limit=90{query}{token and f'&next_token={token}'}")
        found += body["instance_types"]
        token = body["next_token"]
    return found


def test_the_pages_of_the_list_hold_each_type_once_in_order(driver: Driver) -> None:
    names = [each["name"] for each in every(driver)]
    assert names == sorted(instance_types())


def test_the_list_takes_few_calls_however_long_it_is_and_then_fewer(driver: Driver) -> None:
    first, calls = asked(driver, "instance_types?limit=200")
    # Hardware is the same for everybody, and kept; offerings are not.
    assert calls.pop("DescribeInstanceTypes", 3) == 3
    assert calls == {"DescribeInstanceTypeOfferings": 1}
    assert (len(first["instance_types"]), bool(first["next_token"])) == (200, True)
    _, later = asked(driver, "instance_types?limit=5")
    assert later == {"DescribeInstanceTypeOfferings": 1}
    _, narrowed = asked(driver, "instance_types?availability_zone=us-west-2b")
    assert narrowed == {"DescribeAvailabilityZones": 1, "DescribeInstanceTypeOfferings": 3}


def test_types_are_chosen_by_accelerator_efa_and_zone(driver: Driver) -> None:
    zone_id = "usw2-az1"
    wanted = [
        each
        for each in every(driver)
        if each["accelerator_count"] and each["efa_interfaces"] and "us-west-2b" in (each["availability_zones"] or [])
    ]
    assert wanted
    chosen = every(driver, f"&accelerated=true&efa=true&availability_zone={zone_id}")
    assert chosen == wanted
    rest = every(driver, "&accelerated=false")
    assert {each["accelerator_count"] for each in rest} == {0}
    assert not any(each["efa_interfaces"] for each in every(driver, "&efa=false"))


@pytest.mark.case(9)
def test_a_zone_of_another_region_is_refused_with_the_zones_of_this_one(driver: Driver) -> None:
    status, field, allowed = refused(driver, "instance_types?availability_zone=use1-az2")
    zones = ["us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"]
    assert (status, field, allowed) == (400, "availability_zone", zones)


def test_without_offerings_a_list_of_a_zone_is_unknown_and_any_other_is_not(driver: Driver) -> None:
    narrowed = without(driver, "ec2", "DescribeInstanceTypeOfferings", "instance_types?availability_zone=us-west-2a")
    assert (narrowed["instance_types"], unknown_parts(narrowed)) == (None, ["offerings"])
    whole = without(driver, "ec2", "DescribeInstanceTypeOfferings", "instance_types?limit=3")
    assert [each["availability_zones"] for each in whole["instance_types"]] == [None] * 3
    assert unknown_parts(whole) == ["offerings"]


def test_a_page_token_is_good_for_its_own_filters_only(driver: Driver) -> None:
    token = asked(driver, "instance_types?limit=5&efa=true")[0]["next_token"]
    assert driver.send("GET", f"/api/catalog/instance_types?limit=5&next_token={token}").status == 400
