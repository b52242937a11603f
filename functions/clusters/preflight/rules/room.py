"""Where the compute subnets of a request are to be made, and which of them are."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from functions.clusters.preflight.rules.requests import hyperpod_of, makes_vpc
from functions.network.models import LARGEST_PREFIX
from functions.network.ranges.rules import Room, compute_prefix, compute_ranges, plan_chosen, room_in
from functions.network.rules import plan_network
from functions.network.subnets.rules.needs import Need, needs_of
from functions.network.subnets.rules.requests import still_to_make

if TYPE_CHECKING:
    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.preflight.models import SubnetsFound, Target
    from functions.core.cluster import ChosenRanges
    from functions.network.rules import NetworkPlan


def room_of(request: CreateCluster | HyperPod, target: Target, found: SubnetsFound | None) -> Room | None:
    """Say where a request's compute subnets are made; None when nobody knows, or a new VPC has no room for the others.

    What stands is None when EC2 gave no answer.
    """
    chosen = target.chosen_ranges
    needs = _needs(request, compute_prefix(chosen))
    if makes_vpc(request):
        # All VPCs of a size are laid out alike, so that any will do for one whose range is yet to be found.
        plan = plan_chosen(chosen) if chosen else plan_network(target.tag, [])
        return _in_new(plan, [need for need in needs if need.kind != "given"], chosen) if plan else None
    if found is None or not compute_ranges(chosen, found.ranges):
        return None
    taken = [subnet.cidr for subnet in found.standing]
    return room_in(found.vpc_id or "", found.ranges, taken, still_to_make(needs, found.own, target.tag), chosen)


def larger_range(chosen: ChosenRanges | None) -> str | None:
    """Name what could be larger, so that more fits in; None when it is as large as AWS has it."""
    if chosen is None:
        return None
    vpc = IPv4Network(chosen.vpc_cidr).prefixlen
    if not chosen.compute_cidr:
        return "vpc_cidr" if vpc > LARGEST_PREFIX else None
    if IPv4Network(chosen.compute_cidr).prefixlen > vpc + 1:
        return "compute_cidr"
    # The VPC holds other subnets beside this part, which is half of it.
    return "compute_cidr in a larger vpc_cidr" if vpc > LARGEST_PREFIX else None


def _in_new(plan: NetworkPlan, needs: list[Need], chosen: ChosenRanges | None) -> Room:
    field = larger_range(chosen)
    around = " (and vpc_cidr, where that has no room for it)" if field == "compute_cidr" else ""
    larger = f"a larger foundation.{field}{around}" if field else None
    words = None if chosen else f"a new /{plan.vpc.prefixlen} VPC"
    return Room(compute_ranges(chosen, [plan.vpc]), [*plan.public, *plan.control_plane], needs, larger, words=words)


def _needs(request: CreateCluster | HyperPod, prefix: int | None) -> list[Need]:
    """List the compute subnets of a request; a foundation alone is asked for one later, of the size of its part."""
    hyperpod = hyperpod_of(request)
    if hyperpod is None:
        return [Need("", "zone", None, (), prefix)]
    return needs_of(hyperpod.groups, hyperpod.availability_zone, hyperpod.subnet_prefix)
