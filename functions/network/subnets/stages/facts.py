"""What the stage reads before it decides: the need it is for, the VPC as it stands, the nodes that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import hyperpod, network, routing
from functions.network.ranges.rules import room_in
from functions.network.subnets.models import Vpc
from functions.network.subnets.rules.needs import need_at
from functions.network.subnets.rules.shortage import shortage

if TYPE_CHECKING:
    from functions.core.stage import StageContext
    from functions.network.ranges.rules import Room
    from functions.network.subnets.models import Subnet
    from functions.network.subnets.rules.needs import Need


def need_of(context: StageContext) -> Need:
    """Give the need that this stage settles."""
    cluster = context.cluster
    return need_at(context.parameter, cluster.instance_groups, cluster.availability_zone, cluster.subnet_prefix)


def vpc_of(vpc_id: str, region: str) -> Vpc:
    """Read a VPC with all that compute subnets hang on."""
    subnets = network.subnets_of_vpc(vpc_id)
    zones = {subnet.subnet_id: subnet.zone for subnet in subnets}
    return Vpc(
        vpc_id=vpc_id,
        subnets=tuple(subnets),
        tables=tuple(routing.tables_of_vpc(vpc_id)),
        nat_gateways=tuple(routing.nat_gateways_of_vpc(vpc_id, zones)),
        endpoints=tuple(routing.s3_endpoints_of_vpc(vpc_id, region)),
    )


def check_addresses(context: StageContext, need: Need, available: int, vpc_id: str, subnet: Subnet | None) -> None:
    """Raise a Conflict when the nodes still to come do not find addresses; those that were launched have theirs."""
    subnet_id = subnet.subnet_id if subnet else None
    if shortage(need, available, subnet_id=subnet_id) is None:
        return
    launched, room = (
        hyperpod.counted_by_group(context.cluster.names.hyperpod_cluster),
        _room(context, need, vpc_id, subnet),
    )
    if problem := shortage(need, available, subnet_id=subnet_id, running=launched, room=room):
        raise problem


def _room(context: StageContext, need: Need, vpc_id: str, subnet: Subnet | None) -> Room:
    """Read where another subnet could be made."""
    taken = [each.cidr for each in network.subnets_of_vpc(vpc_id)]
    return room_in(vpc_id, network.ranges_of_vpc(vpc_id), taken, [] if subnet else [need], context.cluster.ranges)
