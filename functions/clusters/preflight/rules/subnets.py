"""Whether the groups of a request can stand where they are to: the stages look again when it is their turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from functions.capacity.models import InstanceGroup
from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level
from functions.network.subnets.rules import requests
from functions.network.subnets.rules.needs import needs_of
from functions.network.subnets.rules.shortage import SHORTAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.clusters.models import HyperPod
    from functions.clusters.preflight.models import SubnetsFound, Target
    from functions.core.errors import FieldError
    from functions.network.ranges.rules import Room
    from functions.network.subnets.models import Subnet

NETWORK_INTERFACE: Final = "network_interface"
SUBNET: Final = "subnet"
SUBNET_ADDRESSES: Final = SHORTAGE.lower()
_REMEDIES: Final = {
    NETWORK_INTERFACE: "Leave network_interface out: then the service's default for the type is used.",
    SUBNET: "Name a subnet of the cluster's VPC in the group's zone, or leave subnet_id out: then one is made.",
}
# For each offer all subnets are laid out anew: of a fleet of groups the refusal would come too late.
_FEW: Final = 30

Listed = Sequence[tuple[str, InstanceGroup]]


def check_interfaces(groups: Listed) -> Iterator[Finding]:
    """Refuse a choice of EFA interfaces that a type does not have."""
    paths, members = [path for path, _ in groups], [group for _, group in groups]
    yield from (_invalid(NETWORK_INTERFACE, error) for error in requests.check_interfaces(members, paths))


def check_given(groups: Listed, found: SubnetsFound | None, vpc_id: str | None, *, new_vpc: bool) -> Iterator[Finding]:
    """Refuse given subnets that are not of the cluster's VPC or the group's zone."""
    paths, members = [path for path, _ in groups], [group for _, group in groups]
    if new_vpc:
        yield from (_invalid(SUBNET, error) for error in requests.check_new_vpc(members, paths))
    elif found is not None:
        errors = requests.check_given(members, found.given, vpc_id, paths)
        yield from (_invalid(SUBNET, error) for error in errors)


def check_room(
    hyperpod: HyperPod, groups: Listed, found: Sequence[Subnet], target: Target, room: Room | None
) -> Iterator[Finding]:
    """Refuse more nodes than a subnet has addresses for; those of an earlier attempt may hold theirs already."""
    members = [group for _, group in groups]
    known = room if len(members) <= _FEW else None
    for need in needs_of(members, hyperpod.availability_zone, hyperpod.subnet_prefix):
        problem = requests.shortage_of(need, found, target.tag, untouched=not target.tried, room=known)
        if problem is not None:
            yield from (_shortage(problem, path) for path, group in groups if group in need.groups)


def _shortage(problem: Conflict, path: str) -> Finding:
    return Finding(
        check=SUBNET_ADDRESSES,
        level=Level.ERROR,
        code=Conflict.code,
        field=f"{path}.instance_count",
        message=problem.detail.rstrip("."),
        resource=problem.cause.resource if problem.cause else None,
        remedy=problem.remedy,
    )


def _invalid(check: str, error: FieldError) -> Finding:
    return Finding(
        check=check,
        level=Level.ERROR,
        code=InvalidRequest.code,
        field=error.field,
        message=error.message,
        allowed=error.allowed,
        remedy=_REMEDIES[check],
    )
