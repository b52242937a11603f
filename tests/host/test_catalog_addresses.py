"""A suggested range overlaps nothing that EC2 tells of, and is what a creation would take."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest

from infra.local.faults import Kind
from tests.host.catalog import asked, refused, unknown_parts, without
from tests.host.driver import Driver


def ranges_of(suggestion: dict[str, Any]) -> list[IPv4Network]:
    """Every range inside the VPC."""
    kinds = ("public_subnet_cidrs", "control_plane_subnet_cidrs", "compute_subnet_cidrs")
    return [IPv4Network(cidr) for kind in kinds for cidr in suggestion[kind]]


def test_a_suggestion_is_the_whole_network_of_a_cluster_in_two_calls(driver: Driver) -> None:
    body, calls = asked(driver, "cidr_suggestion")
    assert calls == {"DescribeVpcs": 1, "DescribeVpcPeeringConnections": 1}
    assert (body["free"], body["unknown"], body["ranges_in_use"]) == (True, [], ["172.31.0.0/16"])
    vpc, parts = IPv4Network(body["suggestion"]["vpc_cidr"]), ranges_of(body["suggestion"])
    assert (vpc.prefixlen, len(parts)) == (16, 2 + 2 + 15)
    assert all(part.subnet_of(vpc) for part in parts)
    assert not any(one.overlaps(other) for one, other in combinations(parts, 2))
    assert not vpc.overlaps(IPv4Network(body["suggestion"]["service_cidr"]))


def peer_with(driver: Driver, cidr: str) -> None:
    """Peer the default VPC with one that only the connection tells of, as it does of one in another account."""
    ec2 = driver.host.client("ec2")
    own = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0].get("VpcId", "")
    peer = ec2.create_vpc(CidrBlock=cidr)["Vpc"].get("VpcId", "")
    ec2.create_vpc_peering_connection(VpcId=own, PeerVpcId=peer)
    ec2.delete_vpc(VpcId=peer)


def test_the_suggestion_for_a_tag_is_what_its_creation_takes_clear_of_peers_too(driver: Driver) -> None:
    first = asked(driver, "cidr_suggestion?cluster_tag=mine")[0]["suggestion"]["vpc_cidr"]
    peer_with(driver, first)
    second = asked(driver, "cidr_suggestion?cluster_tag=mine")[0]["suggestion"]["vpc_cidr"]
    assert not IPv4Network(first).overlaps(IPv4Network(second))
    operation = driver.post("/api/clusters", {"tag": "mine"})
    driver.until(operation["operation_id"], "foundation")
    driver.sleep(60)
    made = {vpc.get("CidrBlock") for vpc in driver.host.client("ec2").describe_vpcs()["Vpcs"]}
    assert made == {"172.31.0.0/16", second}


# All of 10.0.0.0/8 but 10.0.0.0/14.
ELSEWHERE = "10.4.0.0/14,10.8.0.0/13,10.16.0.0/12,10.32.0.0/11,10.64.0.0/10,10.128.0.0/9"


def test_secondary_ranges_and_peers_are_kept_clear_of(driver: Driver) -> None:
    ec2 = driver.host.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"].get("VpcId", "")
    for other in ("10.1.0.0/17", "10.3.128.0/20"):
        ec2.associate_vpc_cidr_block(VpcId=vpc, CidrBlock=other)
    assert asked(driver, f"cidr_suggestion?exclude={ELSEWHERE}")[0]["suggestion"]["vpc_cidr"] == "10.2.0.0/16"
    peer_with(driver, "10.2.240.0/20")
    body, _ = asked(driver, f"cidr_suggestion?exclude={ELSEWHERE}")
    assert {"10.1.0.0/17", "10.3.128.0/20", "10.2.240.0/20"} <= set(body["ranges_in_use"])
    # The next private range comes, without the addresses of the default VPC, of services and of AWS itself.
    suggested = IPv4Network(body["suggestion"]["vpc_cidr"])
    assert suggested.subnet_of(IPv4Network("172.16.0.0/12"))
    assert not any(suggested.overlaps(IPv4Network(f"172.{second}.0.0/16")) for second in (17, 20, 31))
    smaller, _ = asked(driver, f"cidr_suggestion?exclude={ELSEWHERE},10.2.0.0/16,10.3.0.0/17&prefix=17")
    assert smaller["suggestion"]["vpc_cidr"] == "10.1.128.0/17"


def test_no_free_range_is_said_to_be_none(driver: Driver) -> None:
    body, _ = asked(driver, "cidr_suggestion?exclude=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16")
    assert (body["free"], body["suggestion"], body["unknown"]) == (False, None, [])


@pytest.mark.parametrize("kind", [Kind.DENY, Kind.THROTTLE])
def test_ranges_that_ec2_does_not_tell_are_not_taken_for_free(driver: Driver, kind: Kind) -> None:
    body = without(driver, "ec2", "DescribeVpcs", "cidr_suggestion", kind)
    assert (body["free"], body["suggestion"], body["ranges_in_use"]) == (None, None, None)
    assert unknown_parts(body) == ["ranges_in_use.vpcs"]
    peers = without(driver, "ec2", "DescribeVpcPeeringConnections", "cidr_suggestion", kind)
    assert (peers["free"], unknown_parts(peers)) == (True, ["ranges_in_use.peered_vpcs"])


@pytest.mark.parametrize(
    ("query", "field"), [("prefix=8", "prefix"), ("prefix=20", "prefix"), ("exclude=ten", "exclude")]
)
def test_what_is_no_size_or_no_range_is_refused(driver: Driver, query: str, field: str) -> None:
    assert refused(driver, f"cidr_suggestion?{query}")[:2] == (400, field)
