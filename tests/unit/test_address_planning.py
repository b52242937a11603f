"""Address planning against an oracle that knows nothing but single addresses: exhaustive where pools are small."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from itertools import combinations, product

import pytest

from functions.network.rules import NEVER_FREE, POOLS, VPC_PREFIXES, NetworkPlan, free_compute_range, plan_network

SMALL_POOLS = (IPv4Network("10.0.0.0/23"), IPv4Network("192.168.8.0/23"))
SMALL_PREFIX = 24
# What may be taken of a slot, by prefix and place: nothing, its first or last address, all of it, its neighbour too.
PIECES = (None, (32, 0), (32, -1), (24, 0), (22, 0))


def addresses(network: IPv4Network) -> range:
    return range(int(network.network_address), int(network.broadcast_address) + 1)


def free_slots(pools: Sequence[IPv4Network], taken: Sequence[IPv4Network], prefix: int) -> set[IPv4Network]:
    """The oracle for small pools: a slot is free when not one of its addresses is taken."""
    held = {address for network in taken for address in addresses(network)}
    slots = [IPv4Network((start, prefix)) for pool in pools for start in addresses(pool)[:: 2 ** (32 - prefix)]]
    return {slot for slot in slots if held.isdisjoint(addresses(slot))}


def free_slots_by_bounds(pools: Sequence[IPv4Network], taken: Sequence[IPv4Network], prefix: int) -> set[int]:
    """The oracle for large pools: the first addresses of slots that lie before or after each taken range."""
    size, bounds = 2 ** (32 - prefix), [(addresses(each)[0], addresses(each)[-1]) for each in taken]
    starts = (start for pool in pools for start in range(addresses(pool)[0], addresses(pool)[-1], size))
    return {start for start in starts if all(start + size - 1 < first or last < start for first, last in bounds)}


def check_layout(plan: NetworkPlan) -> None:
    parts = [*plan.public, *plan.control_plane, *plan.compute]
    assert all(set(addresses(part)) <= set(addresses(plan.vpc)) for part in parts)
    assert not any(set(addresses(one)) & set(addresses(other)) for one, other in combinations(parts, 2))


def situations() -> Iterator[list[IPv4Network]]:
    """Every way in which each slot of the small pools may be taken, whole or in part."""
    slots = [slot for pool in SMALL_POOLS for slot in pool.subnets(new_prefix=SMALL_PREFIX)]
    for choice in product(PIECES, repeat=len(slots)):
        taken = []
        for slot, piece in zip(slots, choice, strict=True):
            if piece is not None:
                prefix, place = piece
                inside = (
                    [slot.supernet(new_prefix=prefix)] if prefix < SMALL_PREFIX else [*slot.subnets(new_prefix=prefix)]
                )
                taken.append(inside[place])
        yield taken


def test_each_way_to_fill_small_pools_gives_a_free_range_exactly_when_there_is_one() -> None:
    for number, taken in enumerate(situations()):
        free = free_slots(SMALL_POOLS, taken, SMALL_PREFIX)
        plan = plan_network(f"t{number}", taken, SMALL_PREFIX, SMALL_POOLS)
        assert (plan.vpc in free) if plan else not free, taken


def test_pools_are_used_in_their_order_and_none_that_is_smaller_than_a_slot() -> None:
    first, second = SMALL_POOLS
    taken = [first]
    plan = plan_network("t", taken, SMALL_PREFIX, SMALL_POOLS)
    assert plan
    assert plan.vpc in second.subnets(new_prefix=SMALL_PREFIX)
    assert plan_network("t", [], SMALL_PREFIX - 2, [second]) is None
    check_layout(plan)


@pytest.mark.parametrize("prefix", VPC_PREFIXES)
def test_of_the_private_ranges_one_is_found_exactly_when_one_is_free(prefix: int) -> None:
    chance = random.Random(prefix)
    for number in range(12):
        taken = [somewhere(chance) for _ in range(chance.choice((0, 3, 40)))]
        taken += chance.sample(POOLS, chance.randrange(len(POOLS) + 1))
        free = free_slots_by_bounds(POOLS, [*taken, *NEVER_FREE], prefix)
        plan = plan_network(f"t{number}", taken, prefix)
        assert (int(plan.vpc.network_address) in free) if plan else not free, taken
        assert plan is None or (plan.vpc.prefixlen, plan.vpc.overlaps(plan.services)) == (prefix, False)


def test_what_services_and_aws_itself_use_is_never_suggested() -> None:
    pool = IPv4Network("172.16.0.0/12")
    free = [IPv4Network("172.17.0.0/16"), IPv4Network("172.20.0.0/16")]
    taken = [each for each in pool.subnets(new_prefix=16) if each not in free]
    assert [plan_network("t", taken, prefix, [pool]) for prefix in VPC_PREFIXES] == [None] * len(VPC_PREFIXES)


def somewhere(chance: random.Random) -> IPv4Network:
    """A range of any size somewhere in the private ranges."""
    pool = chance.choice(POOLS)
    prefix = chance.randint(pool.prefixlen + 1, 28)
    return IPv4Network((chance.choice(addresses(pool)), prefix), strict=False)


def test_the_last_free_range_is_found_from_wherever_the_search_starts() -> None:
    pool = IPv4Network("10.0.0.0/8")
    last = IPv4Network("10.77.0.0/16")
    taken = [each for each in pool.subnets(new_prefix=16) if each != last]
    assert {plan.vpc for n in range(20) if (plan := plan_network(f"t{n}", taken, 16, [pool]))} == {last}


@pytest.mark.parametrize("prefix", VPC_PREFIXES)
def test_the_parts_of_a_network_fill_it_and_do_not_overlap(prefix: int) -> None:
    plan = plan_network("t", [], prefix)
    assert plan
    check_layout(plan)
    assert sum(part.num_addresses for part in plan.compute) == plan.vpc.num_addresses * 15 // 16
    assert {part.prefixlen for part in (*plan.public, *plan.control_plane)} == {prefix + 8}


def test_a_compute_range_is_found_exactly_when_one_is_free() -> None:
    vpc = [IPv4Network("10.0.0.0/24"), IPv4Network("100.64.0.0/25")]
    chance = random.Random(1)
    for _ in range(400):
        prefix = chance.choice((25, 26, 28))
        taken = [
            IPv4Network((chance.choice(addresses(chance.choice(vpc))), chance.choice((25, 27, 28, 30))), strict=False)
            for _ in range(chance.randrange(9))
        ]
        free = free_slots(vpc, taken, prefix)
        found = free_compute_range(vpc, taken, prefix)
        assert found == min(free, default=None), taken
