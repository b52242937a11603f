"""Which subnet each instance group needs, the stage that settles it, and the addresses its nodes take there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from functions.catalog.rules import node_addresses
from functions.core.errors import PreconditionFailed
from functions.network.models import LARGEST_PREFIX
from functions.network.rules import COMPUTE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from functions.core.stage import StageContext
    from functions.network.models import SubnetKind

STAGE: Final = "compute_subnet"
# The first four addresses of a subnet and its last. Source: Amazon VPC user guide, "Subnet sizing", read 2026-11-29.
RESERVED_ADDRESSES: Final = 5


class Group(Protocol):
    """An instance group, as it is asked for in a request or kept in a cluster's desired state."""

    @property
    def name(self) -> str:
        """Give its name."""

    @property
    def types(self) -> Sequence[str]:
        """Give the types that its instances may have."""

    @property
    def instance_count(self) -> int:
        """Give how many there are to be."""

    @property
    def availability_zone(self) -> str | None:
        """Give the zone asked for; None for the cluster's."""

    @property
    def subnet_id(self) -> str | None:
        """Give the subnet that the caller chose."""

    @property
    def dedicated_subnet(self) -> bool:
        """Say whether it wants a subnet of its own."""

    @property
    def subnet_prefix(self) -> int | None:
        """Give the size asked for its own subnet."""

    @property
    def network_interface(self) -> str | None:
        """Give `efa` or `efa_only`, None for the service's default."""


@dataclass(frozen=True)
class Need:
    """One subnet that groups of a cluster need; `parameter` tells it from the others in the name of its stage."""

    parameter: str
    kind: SubnetKind
    zone: str | None
    groups: tuple[Group, ...]
    prefix: int | None = None

    @property
    def names(self) -> str:
        """Name the groups, for the reader."""
        return ", ".join(group.name for group in self.groups)

    @property
    def owner(self) -> str | None:
        """Name the group that a dedicated subnet is kept for."""
        return self.parameter.partition("/")[2] or None

    @property
    def size(self) -> int:
        """Give the prefix of the subnet to make: as asked, else a /20, or larger where a dedicated one has to be."""
        if self.prefix is not None:
            return self.prefix
        fitting = prefix_for(addresses(self.groups)) if self.kind == "dedicated" else None
        return min(COMPUTE_PREFIX, fitting or COMPUTE_PREFIX)


def needs_of(groups: Sequence[Group], default_zone: str | None, default_prefix: int | None = None) -> list[Need]:
    """List the distinct subnets that groups need, in the order in which the groups name them."""
    members: dict[str, list[Group]] = {}
    for group in groups:
        members.setdefault(_parameter_of(group, default_zone), []).append(group)
    return [_need(parameter, found, default_zone, default_prefix) for parameter, found in members.items()]


def stages_for(groups: Sequence[Group], default_zone: str | None) -> list[str]:
    """Name the stages that settle the subnets of groups: one per subnet, however many groups share it."""
    return [f"{STAGE}:{need.parameter}" for need in needs_of(groups, default_zone)]


def stage_of(group: Group, default_zone: str | None) -> str:
    """Name the stage that settles the subnet of a group."""
    return f"{STAGE}:{_parameter_of(group, default_zone)}"


def subnet_of(context: StageContext, group: Group) -> str:
    """Give the id of the subnet for a group's nodes, as this operation's stage has found or made it.

    Raises PreconditionFailed when the operation has no such stage or it is not done.
    """
    stage = stage_of(group, context.cluster.availability_zone)
    found = context.result_at(stage).get("subnet_id")
    if not isinstance(found, str):
        raise PreconditionFailed(
            f"The subnet of instance group {group.name} is not settled: the stage {stage} has no result.",
            remedy="Send the request that changes the instance group again, so that its subnet is settled first.",
        )
    return found


def need_at(parameter: str, groups: Sequence[Group], default_zone: str | None, default_prefix: int | None) -> Need:
    """Give the need that a stage is named after, with the groups that have it now.

    The groups are those of the whole cluster: what one has planned, another cannot plan with.
    """
    found = (need for need in needs_of(groups, default_zone, default_prefix) if need.parameter == parameter)
    return next(found, _need(parameter, [], default_zone, default_prefix))


def addresses(groups: Iterable[Group], running: Mapping[str, int] | None = None) -> int:
    """Count the addresses that the nodes still to come take from the groups' subnet; `running` by name of group."""
    have = running or {}
    return sum(per_node(group) * max(0, group.instance_count - have.get(group.name, 0)) for group in groups)


def per_node(group: Group, *, efa_only: bool = False) -> int:
    """Count the addresses that one node of a group takes, by its interfaces and the greediest of its types."""
    spared = efa_only or group.network_interface == "efa_only"
    return max(node_addresses(kind, efa_only=spared) for kind in group.types)


def capacity(prefix: int) -> int:
    """Count the addresses that a new subnet of a size has to give."""
    return int(2 ** (32 - prefix)) - RESERVED_ADDRESSES


def prefix_for(needed: int) -> int | None:
    """Give the smallest subnet that holds so many addresses; None when not even the largest does."""
    fitting = (prefix for prefix in range(28, LARGEST_PREFIX - 1, -1) if capacity(prefix) >= needed)
    return next(fitting, None)


def _parameter_of(group: Group, default_zone: str | None) -> str:
    zone = group.availability_zone or default_zone or ""
    if group.subnet_id:
        return group.subnet_id
    return f"{zone}/{group.name}" if group.dedicated_subnet else zone


def _need(parameter: str, groups: Sequence[Group], default_zone: str | None, default_prefix: int | None) -> Need:
    members = tuple(groups)
    if parameter.startswith("subnet-"):
        return Need(parameter, "given", None, members)
    zone, _, owner = parameter.partition("/")
    if owner:
        own = next((group.subnet_prefix for group in groups if group.name == owner), None)
        return Need(parameter, "dedicated", zone or default_zone, members, own)
    return Need(parameter, "zone", zone or default_zone, members, default_prefix)
