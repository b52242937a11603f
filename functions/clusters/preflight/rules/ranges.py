"""Whether the address ranges that a cluster's VPC was given are free, and leave its compute subnets room."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.clusters.preflight.rules.requests import listed_groups
from functions.clusters.preflight.rules.room import larger_range, room_of
from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level
from functions.network.models import LARGEST_PREFIX, SMALLEST_PREFIX
from functions.network.ranges.rules import either, free_instead, overlap_of, plan_chosen, smaller
from functions.network.reuse.rules.network import ADVISED_ADDRESSES
from functions.network.rules import SMALLEST_PUBLIC_PREFIX
from functions.network.subnets.rules.needs import capacity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.preflight.models import SubnetsFound, Target
    from functions.core.cluster import ChosenRanges
    from functions.network.ranges.models import RangesInUse
    from functions.network.ranges.rules import Overlap, Room
    from functions.network.rules import NetworkPlan
    from functions.network.subnets.rules.needs import Need

RANGES: Final = "address_ranges"
_VPC: Final = "foundation.vpc_cidr"
_COMPUTE: Final = "foundation.compute_cidr"
_LEAVE: Final = "leave more of vpc_cidr free beside the ranges that are named"
# Source: Elastic Load Balancing user guide, "Subnets for your load balancer", read 2026-11-29.
_BALANCERS_ADDRESSES: Final = 8


def check(request: CreateCluster, target: Target, in_use: RangesInUse | None) -> Iterator[Finding]:
    """Find what is in the way of ranges chosen for a new VPC; what is in use is None when EC2 gave no answer."""
    chosen = target.chosen_ranges
    if chosen is None:
        return
    room = room_of(request, target, None)
    yield from _check_room(chosen, room) if room else _without_small(chosen)
    yield from _check_control_plane(chosen, plan_chosen(chosen))
    overlap = overlap_of(chosen, target.tag, in_use) if in_use else None
    if in_use and overlap:
        yield _overlaps(chosen, overlap, target.tag, in_use)


def check_standing(request: HyperPod, target: Target, found: SubnetsFound | None) -> Iterator[Finding]:
    """Find that a VPC that stands, or the part of it chosen for compute subnets, is too full for those of a request.

    What stands is None when EC2 gave no answer.
    """
    room = room_of(request, target, found)
    if room is None or found is None or (lacking := room.lacking) is None:
        return
    part = target.chosen_ranges is not None and target.chosen_ranges.compute_cidr is not None
    why = (
        "; it was chosen for compute subnets when the cluster was created" if part else f"; it is all of {found.vpc_id}"
    )
    choices = [*smaller(room, lacking), *([] if part else [f"add a secondary range to {found.vpc_id}"])]
    choices.append("name a subnet of your own as subnet_id")
    [field, *_] = [path for path, group in listed_groups(request) if group in lacking.groups]
    yield _no_room(field, f"{_full(room, lacking)}{why}", either(choices))


def _without_small(chosen: ChosenRanges) -> Iterator[Finding]:
    """Find that the small subnets that are to be cut find no room, in whatever size."""
    message = (
        f"{chosen.vpc_cidr} has no room left for the public and control plane subnets: two of a "
        f"/{SMALLEST_PUBLIC_PREFIX} and two of a /{SMALLEST_PREFIX} at the least"
    )
    largest = IPv4Network(chosen.vpc_cidr).prefixlen == LARGEST_PREFIX
    choices = [*([] if largest else ["choose a larger vpc_cidr"]), _LEAVE]
    yield _no_room(_COMPUTE if chosen.compute_cidr else _VPC, message, either(choices))


def _check_room(chosen: ChosenRanges, room: Room) -> Iterator[Finding]:
    if lacking := room.lacking:
        larger = larger_range(chosen)
        choices = [f"choose a larger {larger}"] if larger else []
        choices += [*_by_part(chosen, room, lacking), *smaller(room, lacking)]
        remedy = either(choices or [_LEAVE])
        yield _no_room(_COMPUTE if chosen.compute_cidr else _VPC, _full(room, lacking), remedy)


def _check_control_plane(chosen: ChosenRanges, plan: NetworkPlan | None) -> Iterator[Finding]:
    """Find that subnets of the control plane, as they are named or as they are cut, are smaller than EKS advises."""
    named = chosen.control_plane_subnet_cidrs
    made = map(str, plan.control_plane) if plan else named
    small = [each for each in made if _addresses(each) < ADVISED_ADDRESSES]
    if small:
        yield Finding(
            check=RANGES,
            level=Level.WARNING,
            field="foundation.control_plane_subnet_cidrs" if named else _VPC,
            message=f"{', '.join(small)}: EKS advises {ADVISED_ADDRESSES} free addresses for a control plane's subnet, "
            f"and this has {_addresses(small[0])}; internal load balancers, which are placed there, need a "
            f"/{SMALLEST_PUBLIC_PREFIX} with {_BALANCERS_ADDRESSES} free ones",
            remedy=f"{'Choose' if named else 'Leave room for'} a /{SMALLEST_PUBLIC_PREFIX} or larger, unless the "
            "cluster will never be upgraded and none of its services gets an internal load balancer.",
        )


def _addresses(cidr: str) -> int:
    return capacity(IPv4Network(cidr).prefixlen)


def _full(room: Room, lacking: Need) -> str:
    whose = f"the compute subnet of {lacking.names}" if lacking.names else "a compute subnet"
    return f"{room.named} has no free /{lacking.size} for {whose}"


def _by_part(chosen: ChosenRanges, room: Room, lacking: Need) -> list[str]:
    """Offer a part for compute, which gives a zone's subnet its size, where no other size was asked for."""
    zones = [need for need in room.needs if need.kind == "zone"]
    fits = [lacking] == zones and lacking.prefix is None and room.smaller_than(lacking)
    return ["name compute_cidr, which gives a zone's subnet its size"] if fits and not chosen.compute_cidr else []


def _no_room(field: str, message: str, remedy: str) -> Finding:
    return Finding(
        check=RANGES, level=Level.ERROR, code=InvalidRequest.code, field=field, message=message, remedy=remedy
    )


def _overlaps(chosen: ChosenRanges, overlap: Overlap, tag: str, in_use: RangesInUse) -> Finding:
    free = free_instead(tag, chosen, in_use)
    instead = f"Choose another range, such as {free}" if free else "Choose another range"
    return Finding(
        check=RANGES,
        level=Level.ERROR,
        code=Conflict.code,
        field=_VPC,
        message=f"{chosen.vpc_cidr} overlaps {overlap.used} of {overlap.whose}; they could never be connected",
        resource=overlap.whose,
        remedy=f"{instead}, or leave vpc_cidr out: then one that overlaps with nothing is chosen. Where an overlap is "
        "meant, make the VPC yourself and name it as vpc_id.",
    )
