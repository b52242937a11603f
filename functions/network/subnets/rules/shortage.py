"""What is said when a subnet has too few addresses for the nodes that are to stand in it, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Conflict, Layer
from functions.network.subnets.rules.needs import addresses, capacity, per_node, prefix_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.network.subnets.rules.needs import Group, Need

SHORTAGE: Final = "SUBNET_IP_SHORTAGE"


def shortage(
    need: Need,
    available: int,
    *,
    subnet_id: str | None = None,
    running: Mapping[str, int] | None = None,
) -> Conflict | None:
    """Make the problem of a subnet whose free addresses do not suffice; None when they do.

    `subnet_id` is None for a subnet yet to be made.
    """
    needed = addresses(need.groups, running)
    if needed <= available:
        return None
    place = f"the subnet {subnet_id}" if subnet_id else f"a new /{need.size} for {need.parameter}"
    figures = f"needs {needed} addresses, {place} has {available}"
    return Conflict(
        f"Instance group {need.names} {figures} ({_arithmetic(need.groups, running)}).",
        cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeSubnets", code=SHORTAGE, resource=subnet_id),
        remedy=_remedy(need, available, subnet_id, running),
    )


def _arithmetic(groups: Sequence[Group], running: Mapping[str, int] | None) -> str:
    have = running or {}
    counts = [(group, max(0, group.instance_count - have.get(group.name, 0))) for group in groups]
    return ", ".join(
        f"{group.name}: {count} x {per_node(group)} of {' or '.join(group.types)}" for group, count in counts
    )


def _remedy(need: Need, available: int, subnet_id: str | None, running: Mapping[str, int] | None) -> str:
    choices = [*_efa_only(need, available, running), *_dedicated(need, subnet_id), *_larger(need, subnet_id, running)]
    return f"Choose one: {'; '.join([*choices, 'ask for fewer instances'])}. Then send the request again."


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


def _dedicated(need: Need, subnet_id: str | None) -> list[str]:
    """Offer a subnet of its own to each group that would fit into one."""
    if need.kind == "dedicated":
        return [f"another name for the group, so that a larger subnet is made for it than {subnet_id}"] * bool(
            subnet_id
        )
    sizes = {group.name: prefix_for(addresses([group])) for group in need.groups}
    fitting = [f"{name} (a /{min(size, 20)} of its own)" for name, size in sizes.items() if size]
    return [f"dedicated_subnet: true for {', '.join(fitting)}"] if fitting else []


def _larger(need: Need, subnet_id: str | None, running: Mapping[str, int] | None) -> list[str]:
    """Offer a larger subnet where the subnet is yet to be made: none can be enlarged later."""
    fitting = prefix_for(addresses(need.groups, running))
    if subnet_id or fitting is None or capacity(fitting) <= capacity(need.size):
        return []
    return [f"subnet_prefix: {fitting}"]


def _named(groups: Sequence[Group]) -> str:
    return ", ".join(group.name for group in groups)
