"""Whether the address ranges that a request chose for its VPC are free, and leave its subnets room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level
from functions.network.ranges.rules import compute_prefix, free_instead, overlap_of, plan_chosen, without_room
from functions.network.subnets.rules.needs import Need, needs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.clusters.models import HyperPod
    from functions.clusters.preflight.models import Target
    from functions.core.cluster import ChosenRanges
    from functions.network.ranges.models import RangesInUse
    from functions.network.ranges.rules import Overlap

RANGES: Final = "address_ranges"
_FIELD: Final = "foundation.vpc_cidr"


def check(hyperpod: HyperPod | None, target: Target, in_use: RangesInUse | None) -> Iterator[Finding]:
    """Find what is in the way of chosen ranges; what is in use is None when EC2 gave no answer."""
    chosen = target.ranges
    if chosen is None:
        return
    yield from _check_room(hyperpod, chosen)
    overlap = overlap_of(chosen, target.tag, in_use) if in_use else None
    if in_use and overlap:
        yield _overlaps(chosen, overlap, target.tag, in_use)


def _check_room(hyperpod: HyperPod | None, chosen: ChosenRanges) -> Iterator[Finding]:
    field = "foundation.compute_cidr" if chosen.compute_cidr else _FIELD
    plan = plan_chosen(chosen)
    if plan is None:
        message = f"{chosen.vpc_cidr} has no room left for the public and control plane subnets"
        yield _no_room(field, message, "Name their ranges too, or leave more of vpc_cidr free.")
        return
    if lacking := without_room(chosen, plan, _needs(hyperpod, compute_prefix(chosen))):
        whose = f" of {lacking.names}" if lacking.names else ""
        message = f"{chosen.compute_cidr or chosen.vpc_cidr} has no free /{lacking.size} for the compute subnet{whose}"
        remedy = f"Choose a larger range, or smaller subnets by hyperpod.subnet_prefix (above {lacking.size})."
        yield _no_room(field, message, remedy)


def _needs(hyperpod: HyperPod | None, prefix: int | None) -> list[Need]:
    """List the compute subnets of a request; a foundation alone is asked for one later."""
    if hyperpod is None:
        return [Need("", "zone", None, (), prefix)]
    return needs_of(hyperpod.groups, hyperpod.availability_zone, hyperpod.subnet_prefix or prefix)


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
        field=_FIELD,
        message=f"{chosen.vpc_cidr} overlaps {overlap.used} of {overlap.whose}; they could never be connected",
        resource=overlap.whose if overlap.whose.startswith("vpc-") else None,
        remedy=f"{instead}, or leave vpc_cidr out: then one that overlaps with nothing is chosen.",
    )
