"""What can be judged of the network of a request's instance groups; `paths` say where each stands in the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog.rules import has_efa, takes_efa_only
from functions.core.errors import FieldError
from functions.network.subnets.rules.identity import CLUSTER_TAG, identity_of
from functions.network.subnets.rules.needs import capacity
from functions.network.subnets.rules.shortage import shortage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from functions.core.errors import Conflict
    from functions.network.ranges.rules import Room
    from functions.network.subnets.models import Subnet
    from functions.network.subnets.rules.needs import Group, Need


def check_interfaces(groups: Sequence[Group], paths: Sequence[str]) -> list[FieldError]:
    """Refuse a choice of EFA interfaces for a type that has none, and EFA alone for one that has a single interface."""
    return [
        FieldError(field=f"{paths[place]}.network_interface", message=fault)
        for place, group in enumerate(groups)
        if group.network_interface and (fault := _interface_fault(group))
    ]


def _interface_fault(group: Group) -> str | None:
    without = [kind for kind in group.types if not has_efa(kind)]
    if without:
        return f"{without[0]} has no EFA interfaces; leave network_interface out"
    single = [kind for kind in group.types if not takes_efa_only(kind)]
    if group.network_interface == "efa_only" and single:
        return f"{single[0]} has one EFA interface, which has to carry its IP traffic too; leave network_interface out"
    return None


def check_new_vpc(groups: Sequence[Group], paths: Sequence[str]) -> list[FieldError]:
    """Refuse given subnets for a cluster whose VPC does not exist yet."""
    return [
        FieldError(
            field=f"{paths[place]}.subnet_id",
            message=f"{group.subnet_id} cannot be in the VPC that this request makes; leave subnet_id out, or create "
            "the foundation alone, add the subnet to its VPC and then create the HyperPod cluster",
        )
        for place, group in enumerate(groups)
        if group.subnet_id
    ]


def check_given(
    groups: Sequence[Group], found: Sequence[Subnet], vpc_id: str | None, paths: Sequence[str]
) -> list[FieldError]:
    """Refuse given subnets that do not exist, are in another VPC, or in another zone than their group wants."""
    by_id = {subnet.subnet_id: subnet for subnet in found}
    errors: list[FieldError] = []
    for place, group in enumerate(groups):
        if group.subnet_id and (fault := given_fault(group, by_id.get(group.subnet_id), vpc_id)):
            field, message = fault
            errors.append(FieldError(field=f"{paths[place]}.{field}", message=message))
    return errors


def given_fault(group: Group, subnet: Subnet | None, vpc_id: str | None) -> tuple[str, str] | None:
    """Say which field of a group is wrong about its given subnet, and why; None when nothing is."""
    if subnet is None:
        return "subnet_id", f"{group.subnet_id} does not exist in this region"
    if vpc_id and subnet.vpc_id != vpc_id:
        message = f"{subnet.subnet_id} is in {subnet.vpc_id}; the cluster's nodes have to stand in its VPC, {vpc_id}"
        return "subnet_id", message
    if group.availability_zone and group.availability_zone not in (subnet.zone, subnet.zone_id):
        message = (
            f"{subnet.subnet_id} is in {subnet.zone} ({subnet.zone_id}), not in {group.availability_zone}; leave "
            "availability_zone out, or choose a subnet of that zone"
        )
        return "availability_zone", message
    return None


def shortage_of(
    need: Need, found: Sequence[Subnet], tag: str, *, untouched: bool, room: Room | None = None
) -> Conflict | None:
    """Say that a need cannot be met whatever the stages do; what stands is among `found`.

    When none of the groups runs yet (`untouched`) free addresses count, else only what a subnet can hold at all. `room`
    is where other subnets could be made.
    """
    subnet = _standing(need, found, tag)
    if subnet is None:
        return None if need.kind == "given" else shortage(need, capacity(need.size), room=room)
    available = subnet.available_addresses if untouched else capacity(subnet.cidr.prefixlen)
    return shortage(need, available, subnet_id=subnet.subnet_id, room=room)


def still_to_make(needs: Iterable[Need], found: Sequence[Subnet], tag: str) -> list[Need]:
    """List those compute subnets that do not stand yet."""
    return [need for need in needs if need.kind != "given" and _standing(need, found, tag) is None]


def _standing(need: Need, found: Sequence[Subnet], tag: str) -> Subnet | None:
    if need.kind == "given":
        return next((subnet for subnet in found if subnet.subnet_id == need.parameter), None)
    identity = identity_of(need, need.zone or "", {CLUSTER_TAG: tag})
    return next(iter(identity.subnets(found)), None)
