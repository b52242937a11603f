"""How a compute subnet is known, what has to be right about it, and how callers see it."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from functions.network.rules import free_compute_range
from functions.network.subnets.models import NatGateway, Route, RouteTable, S3Endpoint, Subnet, Vpc
from functions.network.subnets.rules import needs, routing
from functions.network.subnets.rules.identity import identity_of, missing_tags, superfluous
from functions.network.subnets.rules.listing import compute_subnets
from tests.unit.test_subnet_needs import GIVEN, OTHER, OURS, ZONE, context, group, subnet


def table(table_id: str = "rtb-1", route: Route | None = None, *, main: bool = False) -> RouteTable:
    return RouteTable(table_id, {} if main else {"subnet-1": "rtbassoc-1"}, route, {}, main)


def nat(nat_id: str = "nat-1", zone: str = ZONE, *, available: bool = True, public: bool = True) -> NatGateway:
    return NatGateway(nat_id, zone, available, public)


def endpoint(*tables: str, gateway: bool = True, available: bool = True, dns: bool = False) -> S3Endpoint:
    return S3Endpoint("vpce-1", gateway, available, frozenset(tables), dns)


# -- identity


def test_a_subnet_of_ours_is_known_by_its_tags_or_its_name() -> None:
    [zone, own] = needs.needs_of([group("a"), group("b", dedicated_subnet=True)], ZONE)
    shared, dedicated = identity_of(zone, ZONE, OURS), identity_of(own, ZONE, OURS)
    assert (shared.name, dedicated.name) == (f"hp-compute-{ZONE}", f"hp-compute-{ZONE}-b")
    by_tag = subnet("subnet-2", OURS | {"instantstart:compute-subnet": "zone"})
    by_name = subnet("subnet-1", OURS | {"Name": shared.name})
    elsewhere = subnet("subnet-0", OURS | {"Name": shared.name}, zone=OTHER)
    foreign = subnet("subnet-3", {"Name": shared.name})
    theirs = {**OURS, "instantstart:compute-subnet": "dedicated", "instantstart:instance-group": "b"}
    found = [by_tag, by_name, elsewhere, foreign, subnet("subnet-4", theirs)]
    assert shared.subnets(found) == [by_name, by_tag]
    assert [each.subnet_id for each in dedicated.subnets(found)] == ["subnet-4"]
    assert shared.foreign(found) == foreign


def test_only_tags_that_differ_are_written() -> None:
    wanted = {"a": "1", "b": "2", "c": "3"}
    assert missing_tags(wanted, {"a": "1", "b": "x", "d": "4"}) == {"b": "2", "c": "3"}


def test_an_operation_takes_away_only_what_it_made_and_nothing_uses() -> None:
    mine = {"instantstart:operation": "o1"}
    extras = [subnet("subnet-1", mine), subnet("subnet-2", mine, free=4090), subnet("subnet-3")]
    whole = dict.fromkeys(("subnet-1", "subnet-2", "subnet-3"), 4091)
    assert [each.subnet_id for each in superfluous(extras, "o1", whole)] == ["subnet-1"]


# -- routes


def test_the_gateway_of_the_foundation_is_used_as_long_as_it_works() -> None:
    others = [nat("nat-3", OTHER), nat("nat-4"), nat("nat-0", public=False), nat("nat-2", available=False)]
    assert routing.choose_nat("nat-3", ZONE, others) == nat("nat-3", OTHER)
    assert routing.choose_nat("nat-2", ZONE, others) == nat("nat-4")
    assert routing.choose_nat("nat-2", ZONE, others[2:]) is None


@pytest.mark.parametrize(
    ("target", "onward"),
    [
        (Route("nat-1"), True),
        (Route("nat-1", active=False), False),
        (Route("tgw-1"), True),
        (Route("vgw-1"), True),
        (Route("eni-1"), True),
        (Route("vpce-1"), True),
        (Route("igw-1"), False),
        (Route("pcx-1"), False),
        (None, False),
    ],
)
def test_a_given_subnet_may_lead_on_by_whatever_takes_private_addresses(target: Route | None, onward: bool) -> None:
    assert routing.onward(table(route=target)) is onward
    assert routing.onward(None) is False


def test_s3_is_reached_by_a_gateway_on_the_table_or_an_interface_with_private_names() -> None:
    assert routing.reaches_s3(table(), [endpoint("rtb-1")])
    assert not routing.reaches_s3(table(), [endpoint("rtb-2")])
    assert not routing.reaches_s3(table(), [endpoint("rtb-1", available=False)])
    assert routing.reaches_s3(table(), [endpoint(gateway=False, dns=True)])
    assert not routing.reaches_s3(None, [endpoint(gateway=False)])


def test_a_subnet_without_a_table_of_its_own_uses_the_main_one() -> None:
    main, own = table("rtb-main", main=True), table("rtb-1")
    vpc = Vpc("vpc-1", (), (main, own), (), ())
    assert (vpc.table_of("subnet-1"), vpc.table_of("subnet-2")) == (own, main)


def test_every_property_of_a_subnet_of_ours_is_looked_at() -> None:
    [need] = needs.needs_of([group()], ZONE)
    identity = identity_of(need, ZONE, OURS)
    whole = subnet(tags=identity.subnet_tags)
    bare = RouteTable("rtb-1", {"subnet-1": "rtbassoc-1"}, Route("nat-1"), identity.table_tags)

    def faults(found: Subnet, own: RouteTable, *endpoints: S3Endpoint, gateway: NatGateway | None = None) -> list[str]:
        vpc = Vpc("vpc-1", (found,), (own,), (gateway or nat(),), endpoints)
        return routing.faults_of_own(identity, found, vpc)

    assert faults(whole, bare, endpoint("rtb-1")) == []
    assert faults(whole, bare) == ["association with the S3 endpoint"]
    assert faults(whole, bare, endpoint("rtb-1"), gateway=nat(available=False)) == ["route through a NAT gateway"]
    unnamed = subnet(tags={key: value for key, value in identity.subnet_tags.items() if key != "Name"})
    assert faults(unnamed, bare, endpoint("rtb-1")) == ["tag Name"]
    other = RouteTable("rtb-2", {"subnet-1": "rtbassoc-1"}, Route("nat-1"), {})
    assert faults(whole, other, endpoint("rtb-2")) == [f"route table hp-compute-{ZONE}-rt"]
    untagged = RouteTable("rtb-1", {"subnet-1": "rtbassoc-1"}, Route("nat-1"), {**OURS, "Name": identity.table_name})
    assert faults(whole, untagged, endpoint("rtb-1")) == ["tag instantstart:compute-subnet on rtb-1"]


# -- ranges and lists


def test_the_first_free_range_of_any_size_is_found_in_every_range_of_the_vpc() -> None:
    vpc = [IPv4Network("10.1.0.0/16"), IPv4Network("100.64.0.0/24")]
    taken = [IPv4Network("10.1.0.0/24"), IPv4Network("10.1.16.0/20")]
    assert free_compute_range(vpc, taken) == IPv4Network("10.1.32.0/20")
    assert free_compute_range(vpc, taken, 24) == IPv4Network("10.1.1.0/24")
    assert free_compute_range(vpc, taken, 19) == IPv4Network("10.1.32.0/19")
    assert free_compute_range(vpc, [IPv4Network("10.1.0.0/16")], 26) == IPv4Network("100.64.0.0/26")
    assert free_compute_range(vpc, [IPv4Network("10.1.0.0/16")], 20) is None


def test_a_list_holds_compute_subnets_and_given_ones_in_use_and_no_others() -> None:
    spec = context(("x", {})).cluster.model_copy(update={"instance_groups": [group("a"), group("f", subnet_id=GIVEN)]})
    zone = subnet("subnet-2", OURS | {"instantstart:compute-subnet": "zone"})
    kept = {"instantstart:compute-subnet": "dedicated", "instantstart:instance-group": "gone"}
    found = [zone, subnet("subnet-1", OURS | kept), subnet("subnet-9", OURS), subnet(GIVEN)]
    listed = compute_subnets(spec, found)
    assert [(each.subnet_id, each.kind, each.dedicated_to, each.instance_groups) for each in listed] == [
        (GIVEN, "given", None, ["f"]),
        ("subnet-1", "dedicated", "gone", []),
        ("subnet-2", "zone", None, ["a"]),
    ]
