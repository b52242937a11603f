"""Whether the address ranges that a cluster's VPC was given are free, and leave its compute subnets room."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level
from functions.network.models import SMALLEST_PREFIX
from functions.network.ranges.rules import (
    compute_prefix,
    compute_ranges,
    free_instead,
    overlap_of,
    plan_chosen,
    without_room,
)
from functions.network.reuse.rules.network import ADVISED_ADDRESSES
from functions.network.rules import SMALLEST_PUBLIC_PREFIX
from functions.network.subnets.rules.needs import Need, capacity, needs_of
from functions.network.subnets.rules.requests import still_to_make

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.clusters.models import HyperPod
    from functions.clusters.preflight.models import SubnetsFound, Target
    from functions.core.cluster import ChosenRanges
    from functions.network.ranges.models import RangesInUse
    from functions.network.ranges.rules import Overlap
    from functions.network.rules import NetworkPlan

RANGES: Final = "address_ranges"
_VPC: Final = "foundation.vpc_cidr"
_COMPUTE: Final = "foundation.compute_cidr"


def check(hyperpod: HyperPod | None, target: Target, in_use: RangesInUse | None) -> Iterator[Finding]:
    """Find what is in the way of ranges chosen for a new VPC; what is in use is None when EC2 gave no answer."""
    chosen = target.chosen_ranges
    if chosen is None:
        return
    plan = plan_chosen(chosen)
    yield from _check_room(hyperpod, chosen, plan) if plan else _without_small(chosen)
    yield from _check_control_plane(chosen, plan)
    overlap = overlap_of(chosen, target.tag, in_use) if in_use else None
    if in_use and overlap:
        yield _overlaps(chosen, overlap, target.tag, in_use)


def check_standing(hyperpod: HyperPod, target: Target, found: SubnetsFound | None) -> Iterator[Finding]:
    """Find that the part chosen for compute subnets, when the cluster was created, is too full for those of a request.

    What stands is None when EC2 gave no answer.
    """
    part = target.chosen_ranges.compute_cidr if target.chosen_ranges else None
    if part is None or found is None:
        return
    needs = still_to_make(_needs(hyperpod, compute_prefix(target.chosen_ranges)), found.own, target.tag)
    lacking = without_room([IPv4Network(part)], [subnet.cidr for subnet in found.own], needs)
    if lacking:
        place = [group.name for group in hyperpod.groups].index(lacking.groups[0].name)
        message = f"{_full(part, lacking)}; it was chosen for compute subnets when the cluster was created"
        remedy = f"{_smaller(lacking)}, or name a subnet of your own as subnet_id."
        field = f"instance_groups[{place}]" if place < len(hyperpod.instance_groups) else "system_group"
        yield _no_room(field, message, remedy)


def _without_small(chosen: ChosenRanges) -> Iterator[Finding]:
    """Find that the small subnets that are to be cut find no room, in whatever size."""
    message = (
        f"{chosen.vpc_cidr} has no room left for the public and control plane subnets: two of a "
        f"/{SMALLEST_PUBLIC_PREFIX} and two of a /{SMALLEST_PREFIX} at the least"
    )
    remedy = "Choose a larger vpc_cidr, or leave more of it free beside the ranges that are named."
    yield _no_room(_COMPUTE if chosen.compute_cidr else _VPC, message, remedy)


def _check_room(hyperpod: HyperPod | None, chosen: ChosenRanges, plan: NetworkPlan) -> Iterator[Finding]:
    needs = [need for need in _needs(hyperpod, compute_prefix(chosen)) if need.kind != "given"]
    taken = [*plan.public, *plan.control_plane]
    if lacking := without_room(compute_ranges(chosen, [plan.vpc]), taken, needs):
        field, part = (_COMPUTE, chosen.compute_cidr) if chosen.compute_cidr else (_VPC, chosen.vpc_cidr)
        named = "" if chosen.compute_cidr else ", or name compute_cidr, which gives a zone's subnet its size"
        remedy = f"Choose a larger range{named}, or: {_smaller(lacking)}."
        yield _no_room(field, _full(part, lacking), remedy)


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
            f"and this has {_addresses(small[0])}",
            remedy=f"{'Choose' if named else 'Leave room for'} a /27 or larger, unless the cluster will never be "
            "upgraded.",
        )


def _addresses(cidr: str) -> int:
    return capacity(IPv4Network(cidr).prefixlen)


def _needs(hyperpod: HyperPod | None, prefix: int | None) -> list[Need]:
    """List the compute subnets of a request; a foundation alone is asked for one later."""
    if hyperpod is None:
        return [Need("", "zone", None, (), prefix)]
    return needs_of(hyperpod.groups, hyperpod.availability_zone, hyperpod.subnet_prefix or prefix)


def _full(part: str, lacking: Need) -> str:
    whose = f" of {lacking.names}" if lacking.names else ""
    return f"{part} has no free /{lacking.size} for the compute subnet{whose}"


def _smaller(lacking: Need) -> str:
    """Say how a compute subnet is asked for that is smaller: one of a group's own has a size of its own."""
    where = f"by subnet_prefix of group {lacking.owner}" if lacking.owner else "by subnet_prefix beside instance_groups"
    return f"Ask for a smaller subnet than a /{lacking.size} {where}"


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
