"""Address planning: which ranges a new cluster gets, decided by real overlap arithmetic."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Where Kubernetes services of a new cluster live; nothing outside the cluster routes to it.
SERVICE_RANGE = IPv4Network("172.20.0.0/16")
# The same for a VPC that is taken over and may hold that range: the first that it leaves free. EKS takes private ones.
SERVICE_RANGES = (SERVICE_RANGE, IPv4Network("10.100.0.0/16"), IPv4Network("192.168.0.0/16"))
VPC_PREFIX = 16
COMPUTE_PREFIX = 20
# A VPC may have a /16 at most, and its small subnets a /27 at least: a load balancer needs one (Elastic Load Balancing
# user guide, "Subnets for your load balancer", read 2026-11-29).
VPC_PREFIXES: Final = range(16, 20)
# Where a VPC is looked for, in this order: the private ranges of RFC 1918.
POOLS: Final = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
# Some AWS services use it themselves (Amazon VPC user guide, "VPC CIDR blocks", read 2026-11-29).
USED_BY_AWS: Final = IPv4Network("172.17.0.0/16")
NEVER_FREE: Final = (SERVICE_RANGE, USED_BY_AWS)
_BLOCK_BITS: Final = 4


@dataclass(frozen=True)
class NetworkPlan:
    """The ranges of a new VPC: of its sixteen blocks the first holds the small subnets, the others are for compute."""

    vpc: IPv4Network
    public: tuple[IPv4Network, IPv4Network]
    control_plane: tuple[IPv4Network, IPv4Network]
    services: IPv4Network
    compute: tuple[IPv4Network, ...] = ()


def plan_network(
    tag: str, in_use: Iterable[IPv4Network], prefix: int = VPC_PREFIX, pools: Iterable[IPv4Network] = POOLS
) -> NetworkPlan | None:
    """Choose a free range for a VPC and lay it out; None when no pool has one.

    The search starts at a place that depends on the tag, so that clusters created side by side rarely meet.
    """
    taken = [*in_use, *NEVER_FREE]
    candidates = (candidate for pool in pools for candidate in _candidates(tag, pool, prefix))
    vpc = next((candidate for candidate in candidates if not _overlaps(candidate, taken)), None)
    return lay_out(vpc) if vpc else None


def lay_out(
    vpc: IPv4Network,
    public: Sequence[IPv4Network] = (),
    control_plane: Sequence[IPv4Network] = (),
    compute: IPv4Network | None = None,
) -> NetworkPlan | None:
    """Divide a VPC; the small subnets that are not given get the first room that is left, which may be too little.

    `compute` is the part that is kept for compute subnets, all of the VPC when left out.
    """
    given = [*public, *control_plane]
    kept = [*given, *([compute] if compute else [])]
    services = free_service_range([vpc])
    small = [slot for slot in vpc.subnets(prefixlen_diff=2 * _BLOCK_BITS) if not _overlaps(slot, kept)]
    ones, others = (public or small[:2]), (control_plane or small[0 if public else 2 :][:2])
    if services is None or len(ones) != 2 or len(others) != 2:
        return None
    taken = [*ones, *others]
    blocks = [block for block in vpc.subnets(prefixlen_diff=_BLOCK_BITS) if not _overlaps(block, taken)]
    inside = tuple(block for block in blocks if compute is None or block.subnet_of(compute))
    return NetworkPlan(vpc, (ones[0], ones[1]), (others[0], others[1]), services, inside)


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


def _candidates(tag: str, pool: IPv4Network, prefix: int) -> Iterator[IPv4Network]:
    slots = list(pool.subnets(new_prefix=prefix)) if pool.prefixlen <= prefix else []
    if not slots:
        return
    start = int.from_bytes(hashlib.sha256(tag.encode()).digest()[:2]) % len(slots)
    yield from slots[start:]
    yield from slots[:start]


def _overlaps(candidate: IPv4Network, taken: Iterable[IPv4Network]) -> bool:
    return any(candidate.overlaps(other) for other in taken)
