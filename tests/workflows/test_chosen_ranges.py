"""A cluster whose address ranges were planned by somebody else stands in them and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.host.driver import hyperpod_request
from tests.workflows.subnets import ec2, where

if TYPE_CHECKING:
    from tests.host.driver import Driver, Json

RANGES: Json = {
    "vpc_cidr": "10.90.0.0/16",
    "public_subnet_cidrs": ["10.90.10.0/24", "10.90.11.0/24"],
    "control_plane_subnet_cidrs": ["10.90.7.0/24", "10.90.8.0/24"],
    "compute_cidr": "10.90.200.0/21",
}


def test_a_cluster_stands_in_the_ranges_that_were_chosen_unless_somebody_takes_them_first(driver: Driver) -> None:
    begun = driver.post("/api/clusters", {"tag": "t1", "foundation": RANGES, "hyperpod": hyperpod_request()})
    # Somebody makes a VPC there after the edge found the range free.
    taken = ec2(driver).create_vpc(CidrBlock="10.90.4.0/24")["Vpc"]["VpcId"]
    refused = driver.finish(begun["operation_id"])
    assert (refused["status"], refused["error"]["code"]) == ("FAILED", "conflict")
    assert f"10.90.0.0/16, chosen for the VPC of t1, overlaps 10.90.4.0/24 of {taken}" in refused["error"]["detail"]
    ec2(driver).delete_vpc(VpcId=taken)

    operation = driver.retry(refused["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [vpc] = ec2(driver).describe_vpcs(Filters=where("cidr", "10.90.0.0/16"))["Vpcs"]
    subnets = ec2(driver).describe_subnets(Filters=where("vpc-id", vpc["VpcId"]))["Subnets"]
    found = sorted(subnet["CidrBlock"] for subnet in subnets)
    # The part for compute is smaller than a compute subnet is by itself, so it became one as a whole.
    assert found == sorted([*RANGES["public_subnet_cidrs"], *RANGES["control_plane_subnet_cidrs"], "10.90.200.0/21"])


@pytest.mark.parametrize(
    ("ranges", "asked", "expected"),
    [
        (
            {"vpc_cidr": "10.91.0.0/24", "compute_cidr": "10.91.0.64/26"},
            {},
            ["10.91.0.0/27", "10.91.0.32/27", "10.91.0.64/26", "10.91.0.128/27", "10.91.0.160/27"],
        ),
        # The control plane gets less, so that something is left for compute.
        (
            {"vpc_cidr": "10.91.0.0/25"},
            {"subnet_prefix": 27},
            ["10.91.0.0/27", "10.91.0.32/27", "10.91.0.64/28", "10.91.0.80/28", "10.91.0.96/27"],
        ),
    ],
)
def test_a_cluster_stands_in_a_small_vpc_with_what_was_left_out_cut_beside_what_was_chosen(
    driver: Driver, ranges: Json, asked: Json, expected: list[str]
) -> None:
    group = {"name": "small", "instance_type": "ml.c5.large", "instance_count": 1}
    hyperpod = {"availability_zone": "us-west-2c", "instance_groups": [group], **asked}
    operation = driver.run("/api/clusters", {"tag": "t2", "foundation": ranges, "hyperpod": hyperpod})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [vpc] = ec2(driver).describe_vpcs(Filters=where("cidr", ranges["vpc_cidr"]))["Vpcs"]
    subnets = ec2(driver).describe_subnets(Filters=where("vpc-id", vpc["VpcId"]))["Subnets"]
    assert sorted(subnet["CidrBlock"] for subnet in subnets) == sorted(expected)
