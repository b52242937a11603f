"""Address planning: which ranges a new cluster gets, decided by real overlap arithmetic."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.network.models import SMALLEST_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Where Kubernetes services of a new cluster live; nothing outside the cluster routes to it.
SERVICE_RANGE = IPv4Network("172.20.0.0/16")
# The same for a VPC that is taken over and may hold that range: the first that it leaves free. EKS takes private ones.
SERVICE_RANGES = (SERVICE_RANGE, IPv4Network("10.100.0.0/16"), IPv4Network("192.168.0.0/16"))
VPC_PREFIX = 16
COMPUTE_PREFIX = 20
# A load balancer needs one (Elastic Load Balancing user guide, "Subnets for your load balancer", read 2026-11-29).
SMALLEST_PUBLIC_PREFIX: Final = 27
# Sizes in which a VPC holds all of a cluster's subnets as they are made when nothing is said of them.
VPC_PREFIXES: Final = range(16, 20)
# Sizes in which it holds them in some size: the largest that a VPC may have, and 112 addresses for two public subnets,
# two of the control plane and one of compute.
CHOSEN_PREFIXES: Final = range(16, 26)
# Where a VPC is looked for, in this order: the private ranges of RFC 1918.
POOLS: Final = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
# Some AWS services use it themselves (Amazon VPC user guide, "VPC CIDR blocks", read 2026-11-29).
USED_BY_AWS: Final = IPv4Network("172.17.0.0/16")
NEVER_FREE: Final = (SERVICE_RANGE, USED_BY_AWS)
_BLOCK_BITS: Final = 4
# Subnets of a kind, in two zones.
_EACH: Final = 2


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
    """Divide a VPC; the small subnets that are not given get room that leaves the most to the others.

    They are 256th parts of the VPC, or as much smaller as they have to be; None when they find no room at all.
    `compute` is the part that is kept for compute subnets; left out, these are made in whatever the others leave.
    """
    services, small = free_service_range([vpc]), _small(vpc, public, control_plane, compute)
    if services is None or small is None:
        return None
    (one, two), (three, four) = small
    size = min(vpc.prefixlen + _BLOCK_BITS, SMALLEST_PREFIX)
    blocks = [block for block in vpc.subnets(new_prefix=size) if not _overlaps(block, (one, two, three, four))]
    inside = tuple(block for block in blocks if compute is None or block.subnet_of(compute))
    return NetworkPlan(vpc, (one, two), (three, four), services, inside)


def _small(
    vpc: IPv4Network, public: Sequence[IPv4Network], control_plane: Sequence[IPv4Network], compute: IPv4Network | None
) -> Sequence[Sequence[IPv4Network]] | None:
    """Settle the public subnets and the control plane's, in the first size in which those that are to be cut fit.

    Without a part of their own, compute subnets count too: the first size that leaves them any room comes before that.
    """
    kept = [*public, *control_plane, *([compute] if compute else [])]
    usual = min(vpc.prefixlen + 2 * _BLOCK_BITS, SMALLEST_PUBLIC_PREFIX)
    fitting = [*_fitting(vpc, kept, public, control_plane, range(usual, SMALLEST_PREFIX + 1))]
    roomy = (small for small in fitting if compute or _leaves_room(vpc, [*small[0], *small[1]]))
    return next(roomy, next(iter(fitting), None))


def _fitting(
    vpc: IPv4Network,
    kept: Sequence[IPv4Network],
    public: Sequence[IPv4Network],
    control_plane: Sequence[IPv4Network],
    prefixes: range,
) -> Iterator[Sequence[Sequence[IPv4Network]]]:
    for prefix in prefixes:
        ones = public or _cut(vpc, kept, min(prefix, SMALLEST_PUBLIC_PREFIX))
        others = control_plane or _cut(vpc, [*kept, *ones], prefix)
        if len(ones) == len(others) == _EACH:
            yield [ones, others]


def _leaves_room(vpc: IPv4Network, taken: Sequence[IPv4Network]) -> bool:
    return any(block.prefixlen <= SMALLEST_PREFIX for block in _free(vpc, taken))


def _cut(vpc: IPv4Network, taken: Sequence[IPv4Network], prefix: int) -> list[IPv4Network]:
    """Cut two subnets from the smallest free blocks that hold them; fewer when there is no room."""
    found: list[IPv4Network] = []
    for _ in range(_EACH):
        fitting = [block for block in _free(vpc, [*taken, *found]) if block.prefixlen <= prefix]
        if fitting:
            block = max(fitting, key=lambda each: each.prefixlen)
            found.append(IPv4Network((block.network_address, prefix)))
    return found


def _free(block: IPv4Network, taken: Sequence[IPv4Network]) -> Iterator[IPv4Network]:
    """List the largest blocks that are free, in their order."""
    inside = [each for each in taken if each.overlaps(block)]
    if not inside:
        yield block
    elif not any(block.subnet_of(each) for each in inside):
        for half in block.subnets():
            yield from _free(half, inside)


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
    if pool.prefixlen > prefix:
        return
    slots, size = 2 ** (prefix - pool.prefixlen), 2 ** (32 - prefix)
    start = int.from_bytes(hashlib.sha256(tag.encode()).digest()[:2]) % slots
    for place in range(start, start + slots):
        yield IPv4Network((int(pool.network_address) + place % slots * size, prefix))


def _overlaps(candidate: IPv4Network, taken: Iterable[IPv4Network]) -> bool:
    return any(candidate.overlaps(other) for other in taken)
