"""What is right and wrong about the routes of a compute subnet: nodes fetch images, scripts and data through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.network.subnets.rules.identity import missing_tags

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.network.subnets.models import NatGateway, RouteTable, S3Endpoint, Subnet, Vpc
    from functions.network.subnets.rules.identity import Identity

# Targets that take traffic of private addresses onwards: NAT gateway, transit gateway, virtual private gateway,
# an appliance's interface or instance, a firewall's endpoint, a core network.
# Source: Amazon VPC user guide, "Example routing options", read 2026-11-29.
ONWARD_TARGETS: Final = ("nat-", "tgw-", "vgw-", "eni-", "i-", "vpce-", "arn:")


def choose_nat(wanted: str, zone: str, gateways: Iterable[NatGateway]) -> NatGateway | None:
    """Choose the NAT gateway for a zone: the foundation's, else one that stands in for it; None when none is able."""
    able = [each for each in gateways if each.available and each.public]
    return min(
        able, key=lambda each: (each.nat_gateway_id != wanted, each.zone != zone, each.nat_gateway_id), default=None
    )


def choose_endpoint(wanted: str, endpoints: Iterable[S3Endpoint]) -> S3Endpoint | None:
    """Choose the gateway endpoint for S3: the foundation's, else one that stands in for it; None when there is none."""
    able = [each for each in endpoints if each.available and each.gateway]
    return min(able, key=lambda each: (each.endpoint_id != wanted, each.endpoint_id), default=None)


def leads_on(table: RouteTable, gateways: Iterable[NatGateway]) -> bool:
    """Say whether a table of ours leads to the internet through a NAT gateway that works."""
    able = {each.nat_gateway_id for each in gateways if each.available and each.public}
    route = table.default_route
    return route is not None and route.active and route.target in able


def serves(table: RouteTable, endpoints: Iterable[S3Endpoint]) -> bool:
    """Say whether some gateway endpoint for S3 serves a route table."""
    return any(each.gateway and each.available and table.route_table_id in each.route_table_ids for each in endpoints)


def faults_of_own(identity: Identity, subnet: Subnet, vpc: Vpc, *, needs_endpoint: bool = True) -> list[str]:
    """List what is wrong with a subnet of ours, for the reader; empty when every property is right.

    A VPC that has no endpoint for S3 and `needs_endpoint` not is used by its NAT gateway alone.
    """
    faults = [f"tag {key}" for key in missing_tags(identity.subnet_tags, subnet.tags)]
    table = vpc.associated(subnet.subnet_id)
    if table is None or table not in identity.tables(vpc.tables):
        return [*faults, f"route table {identity.table_name}"]
    faults += [f"tag {key} on {table.route_table_id}" for key in missing_tags(identity.table_tags, table.tags)]
    if not leads_on(table, vpc.nat_gateways):
        faults.append("route through a NAT gateway")
    has_one = needs_endpoint or choose_endpoint("", vpc.endpoints) is not None
    if has_one and not serves(table, vpc.endpoints):
        faults.append("association with the S3 endpoint")
    return faults


def reaches_s3(table: RouteTable | None, endpoints: Iterable[S3Endpoint]) -> bool:
    """Say whether S3 is reached without a default route: by a gateway on the table or an interface in the VPC."""
    listed = [each for each in endpoints if each.available]
    private = any(not each.gateway and each.private_dns for each in listed)
    return private or (table is not None and serves(table, listed))


def onward(table: RouteTable | None) -> bool:
    """Say whether a table has a default route that takes traffic of private addresses onwards."""
    route = table.default_route if table else None
    return route is not None and route.active and route.target.startswith(ONWARD_TARGETS)


def said_of(table: RouteTable | None) -> str:
    """Say for the reader where the default route of a table leads."""
    if table is None:
        return "no route table"
    route = table.default_route
    if route is None:
        return f"{table.route_table_id} has no default route"
    state = "" if route.active else ", which is gone"
    return f"the default route of {table.route_table_id} leads to {route.target}{state}"
