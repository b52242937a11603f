"""Decisions about what a cluster takes over, over facts as they might be found."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

import pytest

from functions.clusters import foundation_rules
from functions.core.cluster import ReusedResources
from functions.core.findings import Level
from functions.network.reuse.models import Facts, Network, Role
from functions.network.reuse.rules import endpoint, network, roles, tags
from functions.network.reuse.rules.names import names_in
from functions.network.rules import free_service_range, plan_network
from functions.network.subnets.models import NatGateway, Route, RouteTable, S3Endpoint, Subnet, Vpc
from functions.network.subnets.rules.identity import identity_of
from functions.network.subnets.rules.needs import Need, needs_of
from functions.network.subnets.rules.routing import faults_of_own
from tests.unit.test_identity_chain_rules import spec
from tests.unit.test_subnet_needs import OURS, ZONE, group

if TYPE_CHECKING:
    from pydantic import JsonValue

ACCOUNT = "123456789012"
HOME = roles.Home(ACCOUNT, "us-west-2")
VPC = "vpc-1"
REUSED = ReusedResources(vpc_id=VPC, control_plane_subnet_ids=["subnet-a", "subnet-b"])


def subnet(name: str, zone: str = "a", cidr: str = "10.1.0.0/24", free: int = 200, **found: str) -> Subnet:
    zones = {"a": "usw2-az2", "b": "usw2-az1", "d": "usw2-az4"}
    return Subnet(f"subnet-{name}", VPC, f"us-west-2{zone}", zones[zone], IPv4Network(cidr), free, found)


def vpc(*subnets: Subnet, ranges: tuple[str, ...] = ("10.1.0.0/16",)) -> Network:
    """A VPC with which nothing is wrong, of the subnets of `REUSED` unless others are given."""
    found = subnets or (subnet("a"), subnet("b", "b", "10.1.1.0/24"))
    nat = NatGateway("nat-1", "us-west-2a", available=True, public=True)
    gateway = S3Endpoint("vpce-1", gateway=True, available=True, route_table_ids=frozenset())
    parts = Vpc(VPC, found, (), (nat,), (gateway,))
    return Network(tuple(map(IPv4Network, ranges)), dns_support=True, dns_hostnames=True, parts=parts)


def judged(found: Network | None, needs: list[Need] | None = None, **changes: object) -> list[tuple[str, Level]]:
    reused = REUSED.model_copy(update=changes)
    findings = network.check(reused, Facts(networks={VPC: found}), needs or [])
    return [(finding.check, finding.level) for finding in findings]


# -- the network


def test_a_vpc_that_carries_a_cluster_has_nothing_to_be_said_of_it() -> None:
    assert judged(vpc(), needs_of([group("gpu")], ZONE)) == []


@pytest.mark.parametrize(
    ("free", "level"), [(16, None), (15, Level.WARNING), (6, Level.WARNING), (5, Level.ERROR), (0, Level.ERROR)]
)
def test_a_control_plane_needs_six_addresses_and_is_advised_sixteen(free: int, level: Level | None) -> None:
    found = judged(vpc(subnet("a", free=free), subnet("b", "b")))
    assert found == ([("reused_subnet_addresses", level)] if level else [])


def test_zones_are_told_apart_and_one_without_control_planes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "control_plane_zones", lambda zones: [zone for zone in zones if zone.name[-1] != "d"])
    assert judged(vpc(subnet("a"), subnet("b", "d"))) == [("reused_subnet", Level.ERROR)]
    assert judged(vpc(subnet("a"), subnet("b"))) == [("reused_subnet", Level.ERROR)]


@pytest.mark.parametrize(
    ("ranges", "chosen"),
    [
        (("10.1.0.0/16",), "172.20.0.0/16"),
        (("172.16.0.0/12",), "10.100.0.0/16"),
        (("10.0.0.0/8", "172.20.128.0/24"), "192.168.0.0/16"),
        (("10.0.0.0/8", "172.16.0.0/12", "192.168.3.0/24"), None),
    ],
)
def test_services_get_the_first_range_that_a_vpc_leaves_free_secondary_ranges_included(
    ranges: tuple[str, ...], chosen: str | None
) -> None:
    found = free_service_range(map(IPv4Network, ranges))
    assert (str(found) if found else None) == chosen
    assert judged(vpc(ranges=ranges)) == ([] if chosen else [("service_range_overlap", Level.ERROR)])


def test_room_is_counted_for_all_compute_subnets_together_and_in_secondary_ranges() -> None:
    two = needs_of([group("a", dedicated_subnet=True), group("b", dedicated_subnet=True)], ZONE)
    full = vpc(subnet("a", cidr="10.1.0.0/20"), subnet("b", "b", "10.1.16.0/20"), ranges=("10.1.0.0/18",))
    assert judged(full, two) == []
    third = needs_of([group(name, dedicated_subnet=True) for name in "abc"], ZONE)
    assert judged(full, third) == [("reused_vpc_room", Level.ERROR)]
    assert judged(replace(full, ranges=(*full.ranges, IPv4Network("10.9.0.0/20"))), third) == []


def test_a_vpc_without_nat_gateway_is_refused_for_compute_subnets_of_ours_only() -> None:
    shut = replace(vpc(), parts=replace(vpc().parts, nat_gateways=()))
    assert judged(shut, needs_of([group("a")], ZONE)) == [("reused_vpc_routes", Level.ERROR)]
    assert judged(shut, needs_of([group("a", subnet_id="subnet-0123456789")], ZONE)) == [
        ("reused_vpc_routes", Level.WARNING)
    ]


def test_a_vpc_without_an_s3_endpoint_is_used_and_the_price_is_said() -> None:
    without = replace(vpc(), parts=replace(vpc().parts, endpoints=()))
    assert judged(without, needs_of([group("a")], ZONE)) == [("reused_vpc_routes", Level.WARNING)]
    [need] = needs_of([group("a")], ZONE)
    identity = identity_of(need, ZONE, OURS)
    mine = replace(subnet("c"), zone=ZONE, tags=identity.subnet_tags)
    table = RouteTable("rtb-1", {mine.subnet_id: "rtbassoc-1"}, Route("nat-1"), identity.table_tags)
    parts = Vpc(VPC, (mine,), (table,), vpc().parts.nat_gateways, ())
    assert faults_of_own(identity, mine, parts, needs_endpoint=False) == []
    assert faults_of_own(identity, mine, parts) == ["association with the S3 endpoint"]
    # As soon as there is one it is joined.
    assert faults_of_own(identity, mine, replace(parts, endpoints=vpc().parts.endpoints), needs_endpoint=False) == [
        "association with the S3 endpoint"
    ]


def test_a_compute_subnet_of_another_cluster_in_the_vpc_is_no_strangers() -> None:
    [need] = needs_of([group("a")], ZONE)
    mine = identity_of(need, ZONE, OURS)
    another = identity_of(need, ZONE, OURS | {"instantstart:cluster": "t2"})
    theirs = replace(subnet("c"), zone=ZONE, tags=another.subnet_tags)
    assert (mine.subnets([theirs]), mine.foreign([theirs])) == ([], None)
    stranger = replace(theirs, tags={"Name": mine.name})
    assert mine.foreign([theirs, stranger]) == stranger


@pytest.mark.case(60)
def test_each_subnet_lacks_the_tag_of_its_own_role_only() -> None:
    reused = REUSED.model_copy(update={"public_subnet_ids": ["subnet-p"]})
    tagged = replace(subnet("a"), tags={"kubernetes.io/role/internal-elb": "1"})
    found = vpc(tagged, subnet("b", "b"), subnet("p"))
    assert tags.lacking(reused, found) == {
        "subnet-b": {"kubernetes.io/role/internal-elb": "1"},
        "subnet-p": {"kubernetes.io/role/elb": "1"},
    }


# -- roles


def statement(actions: list[JsonValue], resource: str = "*", effect: str = "Allow") -> dict[str, JsonValue]:
    return {"Statement": [{"Effect": effect, "Action": actions, "Resource": resource}]}


def trust(service: str, *actions: str) -> dict[str, JsonValue]:
    return {"Statement": {"Effect": "Allow", "Principal": {"Service": service}, "Action": [*actions]}}


def role_findings(role: Role | None, arn: str, home: roles.Home = HOME, **members: str) -> list[str]:
    reused = ReusedResources.model_validate(members)
    found = roles.check(reused, "sagemaker-t1", Facts(roles={arn: role}), home)
    return [finding.check for finding in found]


ARN = f"arn:aws:iam::{ACCOUNT}:role/instantstart/us-west-2/clusters/x"
OUTSIDE = f"arn:aws:iam::{ACCOUNT}:role/x"


def test_a_control_plane_s_role_does_with_awss_policy_or_with_what_it_grants() -> None:
    trusting = trust("eks.amazonaws.com", "sts:AssumeRole")
    managed = frozenset({"arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"})
    by_policy = Role(ARN, trusting, (), managed)
    by_grants = Role(ARN, trusting, (statement(["ec2:Describe*"]),), frozenset())
    denied = replace(by_grants, documents=(*by_grants.documents, statement(["ec2:DescribeVpcs"], effect="Deny")))
    assert role_findings(by_policy, ARN, control_plane_role_arn=ARN) == []
    assert role_findings(by_grants, ARN, control_plane_role_arn=ARN) == []
    assert role_findings(denied, ARN, control_plane_role_arn=ARN) == ["reused_role_policy"]
    assert role_findings(
        replace(by_policy, trust=trust("ec2.amazonaws.com", "sts:*")), ARN, control_plane_role_arn=ARN
    ) == ["reused_role_trust"]


def test_a_driver_s_role_has_to_let_sessions_be_tagged() -> None:
    bucket = (statement(["s3:*"]),)
    half = Role(ARN, trust("pods.eks.amazonaws.com", "sts:AssumeRole"), bucket, frozenset())
    assert role_findings(half, ARN, s3_csi_role_arn=ARN) == ["reused_role_trust"]
    whole = replace(half, trust=trust("pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession"))
    assert role_findings(whole, ARN, s3_csi_role_arn=ARN) == []


def test_a_role_is_passable_under_our_path_or_by_the_deployments_choice() -> None:
    able = Role(OUTSIDE, trust("eks.amazonaws.com", "sts:AssumeRole"), (statement(["ec2:*"]),), frozenset())
    assert role_findings(able, OUTSIDE, control_plane_role_arn=OUTSIDE) == ["pass_role"]
    there = ARN.replace("us-west-2", "eu-west-1")
    assert role_findings(replace(able, arn=there), there, control_plane_role_arn=there) == ["pass_role"]
    chosen = roles.Home(ACCOUNT, "us-west-2", (OUTSIDE,))
    assert role_findings(able, OUTSIDE, chosen, control_plane_role_arn=OUTSIDE) == []


def test_nodes_and_control_plane_have_different_roles() -> None:
    able = Role(
        ARN,
        {"Statement": [trust(f"{name}.amazonaws.com", "sts:AssumeRole")["Statement"] for name in ("eks", "sagemaker")]},
        (statement(["*"]),),
        frozenset(),
    )
    assert role_findings(able, ARN, control_plane_role_arn=ARN, execution_role_arn=ARN) == ["reused_role"]


# -- names and parameters


def test_parts_that_are_taken_over_keep_their_names() -> None:
    arn = f"arn:aws:iam::{ACCOUNT}:role/team/a/nodes"
    assert names_in(ReusedResources(execution_role_arn=arn, bucket="data")) == {
        "execution_role": "nodes",
        "bucket": "data",
    }


def test_a_stack_gets_a_word_for_each_parameter_whatever_is_taken_over() -> None:
    plan = plan_network("t1", [])
    assert plan is not None
    made = foundation_rules.new_network(plan, ("us-west-2a", "us-west-2b"))
    taken = foundation_rules.reused_network(REUSED, vpc(ranges=("172.20.0.0/16",)))
    assert made.keys() == taken.keys()
    assert {made[name] for name in made if name.startswith("Reused")} == {"none"}
    assert {name: value for name, value in taken.items() if value != "none"} == {
        "VpcCidr": "172.20.0.0/16",
        "ServiceCidr": "10.100.0.0/16",
        "ReusedVpcId": VPC,
        "ReusedControlPlaneSubnetOne": "subnet-a",
        "ReusedControlPlaneSubnetTwo": "subnet-b",
        "ReusedNatGatewayId": "nat-1",
        "ReusedS3EndpointId": "vpce-1",
    }


def test_a_part_is_made_under_its_name_or_taken_over_never_both() -> None:
    cluster = spec()
    reused = ReusedResources(bucket="data", s3_csi_role_arn=ARN)
    parts = foundation_rules.parts(cluster.model_copy(update={"reused": reused, "public_access_cidrs": ["1.2.3.0/24"]}))
    assert parts == {
        "BucketName": "none",
        "ReusedBucketName": "data",
        "ControlPlaneRoleName": "instantstart-t1-us-west-2-eks",
        "ReusedControlPlaneRoleArn": "none",
        "ExecutionRoleName": "instantstart-t1-us-west-2-execution",
        "ReusedExecutionRoleArn": "none",
        "S3CsiRoleName": "none",
        "ReusedS3CsiRoleArn": ARN,
        "PublicAccessCidrs": "1.2.3.0/24",
    }
    assert foundation_rules.parts(cluster)["PublicAccessCidrs"] == "0.0.0.0/0"


# -- the endpoint


@pytest.mark.parametrize(
    ("ranges", "egress", "reached", "checks"),
    [
        (None, [], None, []),
        (["0.0.0.0/0"], [], None, []),
        (["203.0.113.0/24"], [], ["203.0.113.0/24"], [("no_fixed_egress", Level.ERROR)]),
        (["203.0.113.0/24"], ["203.0.113.9"], ["203.0.113.0/24"], []),
        (
            ["203.0.113.0/24", "203.0.113.0/24"],
            ["198.51.100.7"],
            ["203.0.113.0/24", "198.51.100.7/32"],
            [("endpoint_access", Level.INFO)],
        ),
    ],
)
def test_our_own_addresses_are_always_among_those_that_reach_the_endpoint(
    ranges: list[str] | None, egress: list[str], reached: list[str] | None, checks: list[tuple[str, Level]]
) -> None:
    assert endpoint.reach(ranges, egress) == reached
    assert [(finding.check, finding.level) for finding in endpoint.check(ranges, egress)] == checks


def test_ranges_that_eks_does_not_take_with_ours_are_refused() -> None:
    forty = [f"203.0.113.{number}/32" for number in range(40)]
    [finding] = endpoint.check(forty, ["198.51.100.7"])
    assert (finding.level, "41 ranges" in finding.message) == (Level.ERROR, True)
    assert endpoint.check(forty, ["203.0.113.3"]) == []
