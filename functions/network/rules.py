"""Address planning: which ranges a new cluster gets, decided by real overlap arithmetic."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Where Kubernetes services of a new cluster live; nothing outside the cluster routes to it.
SERVICE_RANGE = IPv4Network("172.20.0.0/16")
# The same for a VPC that is taken over and may hold that range: the first that it leaves free. EKS takes private ones.
SERVICE_RANGES = (SERVICE_RANGE, IPv4Network("10.100.0.0/16"), IPv4Network("192.168.0.0/16"))
VPC_PREFIX = 16
COMPUTE_PREFIX = 20
_SMALL_PREFIX = 24
_CANDIDATES = IPv4Network("10.0.0.0/8")


@dataclass(frozen=True)
class NetworkPlan:
    """The ranges of a new VPC: the first /20 holds the small subnets, the rest is for compute."""

    vpc: IPv4Network
    public: tuple[IPv4Network, IPv4Network]
    control_plane: tuple[IPv4Network, IPv4Network]
    services: IPv4Network


def plan_network(tag: str, in_use: Iterable[IPv4Network]) -> NetworkPlan | None:
    """Choose a free /16 of 10.0.0.0/8 and lay it out; None when none is free.

    The search starts at a place that depends on the tag, so that clusters created side by side rarely meet.
    """
    taken = [*in_use, SERVICE_RANGE]
    vpc = next((candidate for candidate in _candidates(tag) if not _overlaps(candidate, taken)), None)
    if vpc is None:
        return None
    small = list(next(vpc.subnets(new_prefix=COMPUTE_PREFIX)).subnets(new_prefix=_SMALL_PREFIX))
    return NetworkPlan(vpc, (small[0], small[1]), (small[2], small[3]), SERVICE_RANGE)


def free_compute_range(
    vpc_ranges: Sequence[IPv4Network], in_use: Iterable[IPv4Network], prefix: int = COMPUTE_PREFIX
) -> IPv4Network | None:
    """Choose the first free range of a size in a VPC for a compute subnet; None when it is full."""
    taken = list(in_use)
    slots = (
        slot
        for vpc_range in sorted(vpc_ranges)
        if vpc_range.prefixlen <= prefix
        for slot in vpc_range.subnets(new_prefix=prefix)
    )
    return next((slot for slot in slots if not _overlaps(slot, taken)), None)


def free_service_range(vpc_ranges: Iterable[IPv4Network]) -> IPv4Network | None:
    """Choose where Kubernetes services live beside a VPC's ranges; None when each candidate overlaps with them."""
    taken = list(vpc_ranges)
    return next((candidate for candidate in SERVICE_RANGES if not _overlaps(candidate, taken)), None)


def _candidates(tag: str) -> Iterator[IPv4Network]:
    slots = list(_CANDIDATES.subnets(new_prefix=VPC_PREFIX))
    start = int.from_bytes(hashlib.sha256(tag.encode()).digest()[:2]) % len(slots)
    yield from slots[start:]
    yield from slots[:start]


def _overlaps(candidate: IPv4Network, taken: Iterable[IPv4Network]) -> bool:
    return any(candidate.overlaps(other) for other in taken)
