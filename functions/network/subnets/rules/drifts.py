"""How a compute subnet of ours differs from what was made: property by property."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.drifts import ABSENT, Drift, drift
from functions.network.subnets.rules.identity import missing_tags
from functions.network.subnets.rules.routing import leads_on, said_of, serves

if TYPE_CHECKING:
    from functions.network.subnets.models import RouteTable, Subnet, Vpc
    from functions.network.subnets.rules.identity import Identity

KIND: Final = "compute subnet"
TABLE: Final = "route table of a compute subnet"


def drifts_of(identity: Identity, stage: str, vpc: Vpc) -> list[Drift]:
    """List what differs of the subnet that an identity stands for, in its VPC as it stands."""
    subnets = identity.subnets(vpc.subnets)
    if not subnets:
        return [drift(identity.name, KIND, stage, expected="present", actual=ABSENT)]
    subnet = subnets[0]
    wanted = identity.subnet_tags
    found = [
        drift(subnet.subnet_id, KIND, stage, f"tag {key}", expected=value, actual=subnet.tags.get(key, ABSENT))
        for key, value in missing_tags(wanted, subnet.tags).items()
    ]
    return found + _of_table(identity, stage, subnet, vpc)


def _of_table(identity: Identity, stage: str, subnet: Subnet, vpc: Vpc) -> list[Drift]:
    table = vpc.associated(subnet.subnet_id)
    if table is None or table not in identity.tables(vpc.tables):
        actual = table.route_table_id if table else "the VPC's main table"
        return [drift(subnet.subnet_id, KIND, stage, "route table", expected=identity.table_name, actual=actual)]
    name = table.route_table_id
    found = [
        drift(name, TABLE, stage, f"tag {key}", expected=value, actual=table.tags.get(key, ABSENT))
        for key, value in missing_tags(identity.table_tags, table.tags).items()
    ]
    if not leads_on(table, vpc.nat_gateways):
        expected = "through a NAT gateway that works"
        found.append(drift(name, TABLE, stage, "default route", expected=expected, actual=said_of(table)))
    return found + _of_endpoint(stage, table, vpc)


def _of_endpoint(stage: str, table: RouteTable, vpc: Vpc) -> list[Drift]:
    if serves(table, vpc.endpoints):
        return []
    gateways = [each.endpoint_id for each in vpc.endpoints if each.gateway and each.available]
    actual = f"not served by {', '.join(gateways)}" if gateways else "the VPC has no gateway endpoint for S3"
    return [drift(table.route_table_id, TABLE, stage, "S3 endpoint", expected="served", actual=actual)]
