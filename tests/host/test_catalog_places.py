"""What the catalog says of the region and its zones, and what it says when EC2 does not."""

from __future__ import annotations

import pytest

from infra.local.faults import Kind
from tests.host.catalog import asked, refused, unknown_parts, without
from tests.host.driver import Driver

ZONES = ["us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"]


def test_the_deployments_region_is_listed_with_its_zones_in_one_call(driver: Driver) -> None:
    body, calls = asked(driver, "regions")
    region = {
        "name": "us-west-2",
        "hyperpod": True,
        "availability_zones": ZONES,
        "control_plane_zones": ZONES,
    }
    assert (body, calls) == (
        {"source": "run_time", "unknown": [], "regions": [region]},
        {"DescribeAvailabilityZones": 1},
    )


@pytest.mark.case(14)
def test_zones_tell_what_they_offer_in_two_calls(driver: Driver) -> None:
    body, calls = asked(driver, "availability_zones?instance_types=ml.trn1.32xlarge,ml.p6e-gb200.36xlarge")
    assert calls == {"DescribeAvailabilityZones": 1, "DescribeInstanceTypeOfferings": 1}
    zones = {zone["name"]: zone for zone in body["availability_zones"]}
    assert sorted(zones) == ZONES
    assert {name: zone["id"] for name, zone in zones.items()}["us-west-2b"] == "usw2-az1"
    assert all(zone["control_plane"] and zone["state"] == "available" for zone in zones.values())
    offered = {
        name: {each["instance_type"]: each["offered"] for each in zone["instance_types"]}
        for name, zone in zones.items()
    }
    ec2 = driver.host.client("ec2")
    listed = ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": ["trn1.32xlarge"]}]
    )
    truth = {each.get("Location") for each in listed["InstanceTypeOfferings"]}
    assert {name for name, types in offered.items() if types["ml.trn1.32xlarge"]} == truth
    assert {types["ml.trn1.32xlarge"] for types in offered.values()} == {True, False}
    # EC2 lists this one nowhere, which says nothing about HyperPod.
    assert {types["ml.p6e-gb200.36xlarge"] for types in offered.values()} == {None}


@pytest.mark.case(9)
def test_types_that_do_not_exist_are_refused_with_those_that_come_close(driver: Driver) -> None:
    status, field, allowed = refused(driver, "availability_zones?instance_types=ml.p5.49xlarge")
    assert (status, field, allowed) == (400, "instance_types", ["ml.p5.48xlarge", "ml.p5.4xlarge"])
    many = ",".join(f"ml.c5.{number}xlarge" for number in range(30))
    assert refused(driver, f"availability_zones?instance_types={many}")[:2] == (400, "instance_types")


@pytest.mark.parametrize("kind", [Kind.DENY, Kind.THROTTLE, Kind.HANG])
def test_zones_that_ec2_does_not_name_are_unknown_and_not_none(driver: Driver, kind: Kind) -> None:
    body = without(driver, "ec2", "DescribeAvailabilityZones", "availability_zones", kind)
    [unknown] = body["unknown"]
    assert (body["availability_zones"], unknown["part"]) == (None, "availability_zones")
    assert unknown["reason"].startswith("AWS ")
    assert unknown["remedy"]
    region = without(driver, "ec2", "DescribeAvailabilityZones", "regions", kind)
    assert (region["source"], unknown_parts(region)) == ("shipped", ["availability_zones"])
    assert [region["regions"][0][member] for member in ("hyperpod", "availability_zones")] == [True, None]
    # Nothing of a failure is kept.
    assert asked(driver, "availability_zones")[0]["unknown"] == []


def test_offerings_that_ec2_does_not_tell_leave_the_zones(driver: Driver) -> None:
    path = "availability_zones?instance_types=ml.p5.48xlarge"
    body = without(driver, "ec2", "DescribeInstanceTypeOfferings", path)
    assert unknown_parts(body) == ["offered"]
    assert [zone["instance_types"] for zone in body["availability_zones"]] == [
        [{"instance_type": "ml.p5.48xlarge", "offered": None}]
    ] * len(ZONES)
