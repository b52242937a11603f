"""Address ranges that a caller chooses: what is refused by itself, and how the rest is laid out."""

from __future__ import annotations

import random
from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from pydantic import ValidationError

from functions.clusters.models import Foundation
from functions.core.cluster import ChosenRanges
from functions.network.ranges.models import RangesInUse, VpcRanges
from functions.network.ranges.rules import compute_prefix, free_instead, overlap_of, plan_chosen
from functions.network.rules import SERVICE_RANGE, plan_network

VPC = "10.20.0.0/16"
PUBLIC = ["10.20.10.0/24", "10.20.11.0/24"]
CONTROL_PLANE = ["10.20.7.0/24", "10.20.8.0/24"]


@pytest.mark.parametrize(
    ("members", "field", "said"),
    [
        ({"vpc_cidr": "10.20.0.0"}, "vpc_cidr", "its size is missing"),
        ({"vpc_cidr": VPC, "compute_cidr": "10.20.16.0/29"}, "compute_cidr", "a /28"),
        ({"vpc_cidr": "10.20.1.0/16"}, "vpc_cidr", "did you mean 10.20.0.0/16?"),
        ({"vpc_cidr": "all"}, "vpc_cidr", "all is not an IPv4 range, such as 10.20.0.0/16"),
        ({"vpc_cidr": "10.0.0.0/15"}, "vpc_cidr", "no size"),
        ({"vpc_cidr": "10.0.0.0/26"}, "vpc_cidr", "do not fit into one smaller than a /25"),
        ({"vpc_cidr": "54.10.0.0/16"}, "vpc_cidr", "not a range of private addresses"),
        ({"vpc_cidr": "172.17.128.0/17"}, "vpc_cidr", "SageMaker"),
        ({"vpc_id": "vpc-12345678", "control_plane_subnet_ids": ["subnet-12345678", "subnet-12345679"],
          "vpc_cidr": VPC}, "vpc_cidr", "beside vpc_id"),
        ({"public_subnet_cidrs": PUBLIC}, "public_subnet_cidrs", "goes with vpc_cidr"),
        ({"compute_cidr": "10.20.16.0/20"}, "compute_cidr", "goes with vpc_cidr"),
        ({"vpc_cidr": VPC, "public_subnet_cidrs": PUBLIC[:1]}, "public_subnet_cidrs", "at least 2"),
        ({"vpc_cidr": VPC, "public_subnet_cidrs": [PUBLIC[0], PUBLIC[0]]}, "public_subnet_cidrs", "overlaps"),
        ({"vpc_cidr": VPC, "public_subnet_cidrs": [PUBLIC[0], "10.21.0.0/24"]}, "public_subnet_cidrs", "does not lie"),
        ({"vpc_cidr": VPC, "public_subnet_cidrs": [PUBLIC[0], "10.20.9.0/28"]}, "public_subnet_cidrs", "a /27"),
        ({"vpc_cidr": VPC, "control_plane_subnet_cidrs": [CONTROL_PLANE[0], "10.20.9.0/29"]},
         "control_plane_subnet_cidrs", "a /28"),
        ({"vpc_cidr": VPC, "public_subnet_cidrs": PUBLIC, "control_plane_subnet_cidrs": PUBLIC},
         "control_plane_subnet_cidrs", "10.20.10.0/24 overlaps 10.20.10.0/24"),
        ({"vpc_cidr": VPC, "control_plane_subnet_cidrs": CONTROL_PLANE, "compute_cidr": "10.20.0.0/20"},
         "compute_cidr", "10.20.0.0/20 overlaps 10.20.7.0/24"),
        ({"vpc_cidr": VPC, "compute_cidr": "10.0.0.0/8"}, "compute_cidr", "does not lie in vpc_cidr"),
    ],
)  # fmt: skip
def test_ranges_that_cannot_be_are_refused_at_their_field_with_what_would_be_right(
    members: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        Foundation.model_validate(members)
    [error] = refused.value.errors()
    assert (error["loc"][0], said in error["msg"]) == (field, True), error


@pytest.mark.parametrize("vpc", [VPC, "172.20.0.0/17", "192.168.0.0/18", "100.64.32.0/19"])
def test_a_chosen_range_is_laid_out_as_a_found_one_with_services_beside_it(vpc: str) -> None:
    foundation = Foundation.model_validate({"vpc_cidr": vpc})
    assert foundation.chosen
    plan = plan_chosen(foundation.chosen)
    assert plan
    assert (str(plan.vpc), plan.services.overlaps(plan.vpc)) == (vpc, False)
    assert (plan.services == SERVICE_RANGE) == (vpc != "172.20.0.0/17")
    found = plan_network("t", [], plan.vpc.prefixlen, [plan.vpc])
    assert found is None or (found.public, found.control_plane, found.compute) == (
        plan.public,
        plan.control_plane,
        plan.compute,
    )


def test_whatever_is_chosen_the_rest_lies_in_the_vpc_and_overlaps_nothing_of_it() -> None:
    chance, unplaced = random.Random(7), 0
    for _ in range(300):
        vpc = IPv4Network(VPC)
        parts = chance.sample([*vpc.subnets(new_prefix=chance.choice((18, 20, 24)))], 3)
        chosen = ChosenRanges(
            vpc_cidr=VPC,
            public_subnet_cidrs=[str(next(part.subnets(new_prefix=26))) for part in parts[:2]]
            if chance.random() < 0.5
            else [],
            compute_cidr=str(parts[2]) if chance.random() < 0.8 else None,
        )
        plan = plan_chosen(chosen)
        if plan is None:
            unplaced += 1
            continue
        small = [*plan.public, *plan.control_plane]
        kept = [IPv4Network(chosen.compute_cidr)] if chosen.compute_cidr else []
        assert all(each.subnet_of(vpc) for each in [*small, *plan.compute])
        assert not any(one.overlaps(other) for one, other in combinations([*small, *kept], 2))
        assert not any(block.overlaps(each) for block in plan.compute for each in small)
        assert not kept or all(block.subnet_of(kept[0]) for block in plan.compute)
    assert unplaced == 0


def test_small_subnets_are_cut_exactly_when_there_is_room_for_them_in_their_least_size() -> None:
    """The oracle counts pieces: two /27 have to be free, and so have four /28 for these and two for the others."""
    chance, cut = random.Random(11), 0
    for _ in range(400):
        vpc = IPv4Network(("10.20.0.0", chance.randint(23, 25)))
        compute = chance.choice([*vpc.subnets(new_prefix=chance.randint(vpc.prefixlen, 28))])
        plan = plan_chosen(ChosenRanges(vpc_cidr=str(vpc), compute_cidr=str(compute)))
        pairs, pieces = (
            [each for each in vpc.subnets(new_prefix=size) if not each.overlaps(compute)] for size in (27, 28)
        )
        assert (plan is not None) == (len(pairs) >= 2 and len(pieces) >= 6), (vpc, compute)
        if plan:
            cut += 1
            small = [*plan.public, *plan.control_plane]
            assert not any(one.overlaps(other) for one, other in combinations([*small, compute], 2))
            assert max(each.prefixlen for each in plan.public) <= 27
            assert all(each.subnet_of(vpc) for each in small)
    assert 100 < cut < 400


def test_of_a_small_vpc_without_a_part_for_compute_something_is_left_for_it_wherever_the_others_are() -> None:
    """The oracle: in a /25 two public /27 leave 64 addresses, of which two /28 of the control plane take half."""
    pieces = [*IPv4Network("10.20.0.0/25").subnets(new_prefix=27)]
    for pair in [(), *combinations(pieces, 2)]:
        chosen = ChosenRanges(vpc_cidr="10.20.0.0/25", public_subnet_cidrs=[*map(str, pair)])
        plan = plan_chosen(chosen)
        assert plan
        assert {each.prefixlen for each in plan.control_plane} == {28}
        assert sum(block.num_addresses for block in plan.compute) == 32, plan
    whole = plan_chosen(ChosenRanges(vpc_cidr="10.20.0.0/24"))
    assert whole
    assert {each.prefixlen for each in (*whole.public, *whole.control_plane)} == {27}, "there is room enough as usual"


def test_small_subnets_are_cut_where_they_leave_the_largest_room() -> None:
    chosen = ChosenRanges(vpc_cidr="10.20.0.0/19", public_subnet_cidrs=["10.20.16.0/26", "10.20.16.64/26"])
    plan = plan_chosen(chosen)
    assert plan
    assert not any(each.overlaps(IPv4Network("10.20.0.0/20")) for each in plan.control_plane)


def test_ranges_that_are_all_given_are_taken_as_they_are() -> None:
    members = {"vpc_cidr": VPC, "public_subnet_cidrs": PUBLIC, "control_plane_subnet_cidrs": CONTROL_PLANE}
    foundation = Foundation.model_validate(members | {"compute_cidr": "10.20.128.0/17"})
    assert foundation.chosen
    plan = plan_chosen(foundation.chosen)
    assert plan
    assert [*map(str, (*plan.public, *plan.control_plane))] == [*PUBLIC, *CONTROL_PLANE]
    assert {str(block.supernet(new_prefix=17)) for block in plan.compute} == {"10.20.128.0/17"}


def test_a_part_for_compute_that_is_the_whole_vpc_leaves_no_room() -> None:
    assert plan_chosen(ChosenRanges(vpc_cidr=VPC, compute_cidr=VPC)) is None


def test_a_clusters_own_vpc_of_an_earlier_attempt_is_not_in_its_way() -> None:
    chosen = ChosenRanges(vpc_cidr=VPC)
    marks = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}
    own = VpcRanges("vpc-1", [IPv4Network(VPC)], marks)
    in_use = RangesInUse([own], [])
    assert overlap_of(chosen, "t1", in_use) is None
    # Nor is it as one side of a peering.
    assert overlap_of(chosen, "t1", RangesInUse([own], [VpcRanges("vpc-1", [IPv4Network(VPC)], {})])) is None
    other = overlap_of(chosen, "t2", in_use)
    assert other
    assert (str(other.used), other.whose) == (VPC, "vpc-1")
    secondary = VpcRanges("vpc-2", [IPv4Network("10.0.0.0/16"), IPv4Network("10.20.255.0/24")], {})
    assert overlap_of(chosen, "t1", RangesInUse([secondary], [])) is not None
    peer = VpcRanges("vpc-3", [IPv4Network("10.20.255.240/28")], {})
    assert overlap_of(chosen, "t1", RangesInUse([], [peer])) is not None


def test_what_is_suggested_instead_has_the_size_that_was_chosen_and_is_free() -> None:
    own, peer = (VpcRanges(each, [IPv4Network(each)], {}) for each in ("10.0.0.0/8", "192.168.0.0/16"))
    in_use = RangesInUse([own], [peer])
    free = free_instead("t", ChosenRanges(vpc_cidr="10.32.0.0/19"), in_use)
    assert free
    assert (free.prefixlen, any(free.overlaps(used) for used in in_use.all)) == (19, False)


@pytest.mark.parametrize(
    ("compute", "prefix"), [(None, None), ("10.20.128.0/17", None), ("10.20.16.0/20", None), ("10.20.16.0/24", 24)]
)
def test_a_part_smaller_than_a_compute_subnet_becomes_one_as_a_whole(compute: str | None, prefix: int | None) -> None:
    assert compute_prefix(ChosenRanges(vpc_cidr=VPC, compute_cidr=compute)) == prefix
