"""What is said when a subnet has too few addresses for the nodes that are to stand in it, and what would help."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Conflict, Layer
from functions.network.models import LARGEST_PREFIX
from functions.network.rules import COMPUTE_PREFIX
from functions.network.subnets.rules.needs import Need, addresses, capacity, per_node, prefix_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.network.ranges.rules import Room
    from functions.network.subnets.rules.needs import Group

SHORTAGE: Final = "SUBNET_IP_SHORTAGE"


def shortage(
    need: Need,
    available: int,
    *,
    subnet_id: str | None = None,
    running: Mapping[str, int] | None = None,
    room: Room | None = None,
) -> Conflict | None:
    """Make the problem of a subnet whose free addresses do not suffice; None when they do.

    `subnet_id` is None for a subnet yet to be made. No subnet is offered that does not fit where `room` is, which is
    None where nobody knows that.
    """
    needed = addresses(need.groups, running)
    if needed <= available:
        return None
    place = f"the subnet {subnet_id}" if subnet_id else f"a new /{need.size} for {need.parameter}"
    figures = f"needs {needed} addresses, {place} has {available} ({_arithmetic(need.groups, running)})"
    offers = [*_dedicated(need, subnet_id, room), *_larger(need, subnet_id, running, room)]
    size = prefix_for(needed)
    nowhere = f"; {room.named} has no free /{size} left" if room and size and not offers else ""
    choices = [*_efa_only(need, available, running), *(offers or _elsewhere(need, subnet_id, size, room))]
    return Conflict(
        f"Instance group {need.names} {figures}{nowhere}.",
        cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeSubnets", code=SHORTAGE, resource=subnet_id),
        remedy=f"Choose one: {'; '.join([*choices, 'ask for fewer instances'])}. Then send the request again.",
    )


def _arithmetic(groups: Sequence[Group], running: Mapping[str, int] | None) -> str:
    have = running or {}
    counts = [(group, max(0, group.instance_count - have.get(group.name, 0))) for group in groups]
    return ", ".join(
        f"{group.name}: {count} x {per_node(group)} of {' or '.join(group.types)}" for group, count in counts
    )


def _efa_only(need: Need, available: int, running: Mapping[str, int] | None) -> list[str]:
    """Offer interfaces without addresses to the groups that save something by it."""
    have = running or {}
    saving = [group for group in need.groups if per_node(group, efa_only=True) < per_node(group)]
    if not saving:
        return []
    needed = sum(
        per_node(group, efa_only=True) * max(0, group.instance_count - have.get(group.name, 0)) for group in need.groups
    )
    verdict = "which fits" if needed <= available else "which is not enough by itself"
    return [f"network_interface: efa_only for {_named(saving)} (then {needed} addresses are needed, {verdict})"]


def _dedicated(need: Need, subnet_id: str | None, room: Room | None) -> list[str]:
    """Offer a subnet of its own to each group that would fit into one."""
    if need.kind == "dedicated":
        return _another(need, subnet_id, room) if subnet_id else []
    apart: list[Need] = []
    for group in need.groups:
        sizes = [Need(f"{need.zone}/{group.name}", "dedicated", need.zone, (group,), size) for size in _sizes(group)]
        fits = (each for each in sizes if room is None or room.holds_apart(need, [*apart, each]))
        apart += [each for each in [next(fits, None)] if each]
    fitting = [f"{each.names} ({_said(each.size)})" for each in apart]
    return [f"dedicated_subnet: true for {', '.join(fitting)}"] if fitting else []


def _sizes(group: Group) -> list[int]:
    """List the sizes of a subnet of its own in which a group fits: as it is made by itself, and the smallest."""
    size = prefix_for(addresses([group]))
    return [] if size is None else sorted({min(size, COMPUTE_PREFIX), size})


def _said(size: int) -> str:
    return f"a /{size} of its own" if size <= COMPUTE_PREFIX else f"and its own subnet_prefix: {size}"


def _another(need: Need, subnet_id: str, room: Room | None) -> list[str]:
    """Offer a dedicated subnet that is larger than the one that stands."""
    larger = [replace(need, prefix=size) for group in need.groups for size in _sizes(group)]
    if not any(room is None or room.holds_apart(each, [each]) for each in larger):
        return []
    return [f"another name for the group, so that a larger subnet is made for it than {subnet_id}"]


def _larger(need: Need, subnet_id: str | None, running: Mapping[str, int] | None, room: Room | None) -> list[str]:
    """Offer a larger subnet where the subnet is yet to be made: none can be enlarged later."""
    fitting = prefix_for(addresses(need.groups, running))
    if subnet_id or fitting is None or capacity(fitting) <= capacity(need.size):
        return []
    return [f"subnet_prefix: {fitting}"] if room is None or room.holds_sized(need, fitting) else []


def _elsewhere(need: Need, subnet_id: str | None, size: int | None, room: Room | None) -> list[str]:
    """Offer what makes more room where no larger subnet fits."""
    if room is None or size is None:
        return []
    wish = f"subnet_prefix: {size}"
    if subnet_id:
        renamed = "another name for the group, whose subnet is then made"
        wish = renamed if need.kind == "dedicated" else f"dedicated_subnet: true for {need.names}"
    own = "a subnet of your own that is large enough, as subnet_id"
    # No subnet is larger than a VPC.
    return [*([f"{wish} in {room.larger}"] if room.larger and size > LARGEST_PREFIX else []), *([own] * room.standing)]


def _named(groups: Sequence[Group]) -> str:
    return ", ".join(group.name for group in groups)
