"""How chosen ranges become a network, and what is in the way of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from functions.core.tags import marked
from functions.network.models import SMALLEST_PREFIX
from functions.network.rules import COMPUTE_PREFIX, NetworkPlan, free_compute_range, lay_out, plan_network
from functions.network.subnets.rules.needs import addresses, capacity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from functions.core.cluster import ChosenRanges
    from functions.network.ranges.models import RangesInUse
    from functions.network.subnets.rules.needs import Need


@dataclass(frozen=True)
class Room:
    """Where compute subnets are to be made, what of that is taken, and those to be made, in their order.

    `larger` says where there would be more room, None when nowhere; `standing` that the VPC is there already. `words`
    name ranges that are yet to be found.
    """

    ranges: Sequence[IPv4Network]
    taken: Sequence[IPv4Network]
    needs: Sequence[Need]
    larger: str | None = None
    standing: bool = False
    words: str | None = None

    @property
    def named(self) -> str:
        """Name the ranges, for the reader."""
        return self.words or ", ".join(map(str, self.ranges))

    @property
    def lacking(self) -> Need | None:
        """Find the first compute subnet for which the others leave no room; None when all of them fit."""
        return self._lacking(self.needs)

    def holds_sized(self, wanted: Need, prefix: int) -> bool:
        """Say whether all fit when one has another size: the subnets of zones have theirs in common."""
        return self._lacking([_sized(need, wanted, prefix) for need in self.needs]) is None

    def smaller_than(self, lacking: Need) -> int | None:
        """Give the largest size, smaller than a subnet's own, that fits and that its nodes fit in; None without one."""
        most = max(addresses(need.groups) for need in self.needs if _sized_alike(need, lacking))
        sizes = (size for size in range(lacking.size + 1, SMALLEST_PREFIX + 1) if capacity(size) >= most)
        return next((size for size in sizes if self.holds_sized(lacking, size)), None)

    def holds_apart(self, wanted: Need, apart: Sequence[Need]) -> bool:
        """Say whether all fit when some groups of one have subnets of their own."""
        gone = {need.names for need in apart}
        rest = replace(wanted, groups=tuple(group for group in wanted.groups if group.name not in gone))
        kept = (rest if need == wanted else need for need in self.needs)
        return self._lacking([*(need for need in kept if need.groups), *apart]) is None

    def _lacking(self, needs: Iterable[Need]) -> Need | None:
        held = [*self.taken]
        for need in needs:
            found = free_compute_range(self.ranges, held, need.size)
            if found is None:
                return need
            held.append(found)
        return None


@dataclass(frozen=True)
class Overlap:
    """A range in use that a chosen one overlaps, and whose it is."""

    used: IPv4Network
    whose: str


def plan_chosen(chosen: ChosenRanges) -> NetworkPlan | None:
    """Lay out a network in the ranges that were chosen; None when the subnets to be added find no room."""
    compute = IPv4Network(chosen.compute_cidr) if chosen.compute_cidr else None
    return lay_out(
        IPv4Network(chosen.vpc_cidr),
        public=[*map(IPv4Network, chosen.public_subnet_cidrs)],
        control_plane=[*map(IPv4Network, chosen.control_plane_subnet_cidrs)],
        compute=compute,
    )


def compute_ranges(chosen: ChosenRanges | None, vpc_ranges: Sequence[IPv4Network]) -> Sequence[IPv4Network]:
    """Give the ranges in which compute subnets are made: the part chosen for them, else all of the VPC."""
    return [IPv4Network(chosen.compute_cidr)] if chosen and chosen.compute_cidr else vpc_ranges


def compute_prefix(chosen: ChosenRanges | None) -> int | None:
    """Give the size of compute subnets where the part chosen for them is smaller than they are by themselves."""
    prefix = IPv4Network(chosen.compute_cidr).prefixlen if chosen and chosen.compute_cidr else 0
    return prefix if prefix > COMPUTE_PREFIX else None


def room_in(
    vpc_id: str,
    vpc_ranges: Sequence[IPv4Network],
    taken: Sequence[IPv4Network],
    needs: Sequence[Need],
    chosen: ChosenRanges | None,
) -> Room:
    """Give where compute subnets are to be made in a VPC that stands."""
    part = chosen is not None and chosen.compute_cidr is not None
    larger = None if part else f"a secondary range that is added to {vpc_id}"
    return Room(compute_ranges(chosen, vpc_ranges), taken, needs, larger, standing=True)


def overlap_of(chosen: ChosenRanges, tag: str, in_use: RangesInUse) -> Overlap | None:
    """Find what a chosen VPC range overlaps; the cluster's own VPC, from an earlier attempt, does not count."""
    wanted, own = IPv4Network(chosen.vpc_cidr), {vpc.vpc_id for vpc in in_use.vpcs if marked(vpc.tags, tag)}
    others = [vpc for vpc in (*in_use.vpcs, *in_use.peers) if vpc.vpc_id not in own]
    return next(
        (Overlap(used, vpc.vpc_id) for vpc in others for used in vpc.ranges if used.overlaps(wanted)),
        None,
    )


def free_instead(tag: str, chosen: ChosenRanges, in_use: RangesInUse) -> IPv4Network | None:
    """Suggest a free range of the size of a chosen one."""
    plan = plan_network(tag, in_use.all, IPv4Network(chosen.vpc_cidr).prefixlen)
    return plan.vpc if plan else None


def _sized(need: Need, wanted: Need, prefix: int) -> Need:
    return replace(need, prefix=prefix) if _sized_alike(need, wanted) else need


def _sized_alike(need: Need, wanted: Need) -> bool:
    return need.kind == wanted.kind == "zone" or need == wanted


def smaller(room: Room, lacking: Need) -> list[str]:
    """Offer a smaller compute subnet where one fits: one of a group's own has a size of its own."""
    fitting = room.smaller_than(lacking)
    if fitting is None or not lacking.groups:
        return []
    where = f"of group {lacking.owner}" if lacking.owner else "beside instance_groups"
    return [f"ask for a /{fitting} or a smaller one by subnet_prefix {where}"]


def either(choices: Sequence[str]) -> str:
    """Write choices as one sentence."""
    *others, last = choices
    said = f"{', '.join(others)}, or {last}" if len(others) > 1 else " or ".join(choices)
    return f"{said[0].upper()}{said[1:]}."
