"""The compute subnets of a cluster as a caller reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.network.models import ComputeSubnet
from functions.network.subnets.rules.identity import GROUP_TAG, KIND_TAG
from functions.network.subnets.rules.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.core.cluster import ClusterSpec
    from functions.network.models import SubnetKind
    from functions.network.subnets.models import Subnet


def compute_subnets(spec: ClusterSpec, found: Iterable[Subnet]) -> list[ComputeSubnet]:
    """Pick the compute subnets among those found, by id, and say which of the cluster's groups stand in each."""
    members = {
        need.parameter: [group.name for group in need.groups]
        for need in needs_of(spec.instance_groups, spec.availability_zone)
    }
    by_id = {subnet.subnet_id: subnet for subnet in found}
    views = (_view(subnet, members) for _, subnet in sorted(by_id.items()))
    return [view for view in views if view]


def _view(subnet: Subnet, members: dict[str, list[str]]) -> ComputeSubnet | None:
    kind, owner = _kind_of(subnet, members), subnet.tags.get(GROUP_TAG)
    if kind is None:
        return None
    parameter = {"given": subnet.subnet_id, "dedicated": f"{subnet.zone}/{owner}", "zone": subnet.zone}[kind]
    return ComputeSubnet(
        subnet_id=subnet.subnet_id,
        kind=kind,
        availability_zone=subnet.zone,
        availability_zone_id=subnet.zone_id,
        cidr=str(subnet.cidr),
        free_addresses=subnet.available_addresses,
        dedicated_to=owner if kind == "dedicated" else None,
        instance_groups=members.get(parameter, []),
    )


def _kind_of(subnet: Subnet, members: dict[str, list[str]]) -> SubnetKind | None:
    match subnet.tags.get(KIND_TAG):
        case "zone":
            return "zone"
        case "dedicated":
            return "dedicated"
        case _:
            return "given" if subnet.subnet_id in members else None
