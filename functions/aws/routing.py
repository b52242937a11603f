"""EC2 routing as the stages use it: route tables, NAT gateways and endpoints for S3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of
from functions.network.subnets.models import NatGateway, Route, RouteTable, S3Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from types_boto3_ec2.type_defs import (
        FilterTypeDef,
        NatGatewayTypeDef,
        RouteTableTypeDef,
        RouteTypeDef,
        VpcEndpointTypeDef,
    )

    from functions.network.subnets.models import Subnet

from functions.aws.network import specified, tags_in

_EVERYWHERE: Final = "0.0.0.0/0"


def tables_of_vpc(vpc_id: str) -> list[RouteTable]:
    """List the route tables of a VPC."""
    pages = runtime.client("ec2").get_paginator("describe_route_tables").paginate(Filters=_in_vpc(vpc_id))
    return [_table(found) for page in pages for found in page["RouteTables"]]


def nat_gateways_of_vpc(vpc_id: str, zones: Mapping[str, str]) -> list[NatGateway]:
    """List the NAT gateways of a VPC; `zones` maps its subnets to their zones."""
    pages = runtime.client("ec2").get_paginator("describe_nat_gateways").paginate(Filters=_in_vpc(vpc_id))
    return [nat_gateway(found, zones) for page in pages for found in page["NatGateways"]]


def s3_endpoints_of_vpc(vpc_id: str, region: str) -> list[S3Endpoint]:
    """List the endpoints for S3 of a VPC."""
    wanted: list[FilterTypeDef] = [*_in_vpc(vpc_id), {"Name": "service-name", "Values": [s3_service(region)]}]
    pages = runtime.client("ec2").get_paginator("describe_vpc_endpoints").paginate(Filters=wanted)
    return [s3_endpoint(found) for page in pages for found in page["VpcEndpoints"]]


def s3_endpoint(found: VpcEndpointTypeDef) -> S3Endpoint:
    """Read an endpoint for S3 as EC2 describes it."""
    return S3Endpoint(
        endpoint_id=found.get("VpcEndpointId", ""),
        gateway=found.get("VpcEndpointType") == "Gateway",
        available=found.get("State", "").lower() == "available",
        route_table_ids=frozenset(found.get("RouteTableIds", [])),
        private_dns=found.get("PrivateDnsEnabled", False),
    )


def s3_service(region: str) -> str:
    """Name the service that an endpoint for S3 is for."""
    return f"com.amazonaws.{region}.s3"


def create_table(vpc_id: str, tags: Mapping[str, str]) -> RouteTable:
    """Create a route table."""
    answer = runtime.client("ec2").create_route_table(VpcId=vpc_id, TagSpecifications=specified("route-table", tags))
    return _table(answer["RouteTable"])


def delete_table(route_table_id: str) -> bool:
    """Delete a route table; False when it was gone before, or a subnet uses it and it stays."""
    client = runtime.client("ec2")
    return _made(
        lambda: client.delete_route_table(RouteTableId=route_table_id),
        unless=("InvalidRouteTableID.NotFound", "DependencyViolation"),
    )


def route_through_nat(table: RouteTable, nat_gateway_id: str) -> None:
    """Send everything else through a NAT gateway; a route that is there, or came in between, is replaced."""
    client = runtime.client("ec2")
    if table.default_route is None and _made(
        lambda: client.create_route(
            RouteTableId=table.route_table_id, DestinationCidrBlock=_EVERYWHERE, NatGatewayId=nat_gateway_id
        ),
        unless=("RouteAlreadyExists",),
    ):
        return
    client.replace_route(
        RouteTableId=table.route_table_id, DestinationCidrBlock=_EVERYWHERE, NatGatewayId=nat_gateway_id
    )


def associate(table: RouteTable, subnet: Subnet, instead_of: RouteTable | None) -> None:
    """Let a subnet use a route table, instead of the one that it is associated with now."""
    client = runtime.client("ec2")
    if instead_of is None:
        # A subnet that has a table meanwhile is looked at once more by whoever observes.
        _made(
            lambda: client.associate_route_table(RouteTableId=table.route_table_id, SubnetId=subnet.subnet_id),
            unless=("Resource.AlreadyAssociated",),
        )
        return
    # The id of an association ends with it: gone means that this very call, or another, has replaced it.
    _made(
        lambda: client.replace_route_table_association(
            AssociationId=instead_of.associations[subnet.subnet_id], RouteTableId=table.route_table_id
        ),
        unless=("InvalidAssociationID.NotFound",),
    )


def serve_by_endpoint(endpoint_id: str, route_table_id: str) -> None:
    """Let a gateway endpoint serve a route table too, unless it does so meanwhile."""
    client = runtime.client("ec2")
    _made(
        lambda: client.modify_vpc_endpoint(VpcEndpointId=endpoint_id, AddRouteTableIds=[route_table_id]),
        unless=("RouteAlreadyExists",),
    )


def serve_no_longer(endpoint_id: str, route_table_id: str) -> None:
    """Let a gateway endpoint serve a route table no longer; it, the table or the link may be gone."""
    client = runtime.client("ec2")
    _made(
        lambda: client.modify_vpc_endpoint(VpcEndpointId=endpoint_id, RemoveRouteTableIds=[route_table_id]),
        unless=("InvalidVpcEndpointId.NotFound", "InvalidRouteTableId.NotFound", "InvalidRouteTableID.NotFound"),
    )


def tables_tagged(tags: Mapping[str, str]) -> list[RouteTable]:
    """List the route tables of the region that bear all of some tags."""
    wanted: list[FilterTypeDef] = [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]
    pages = runtime.client("ec2").get_paginator("describe_route_tables").paginate(Filters=wanted)
    return [_table(found) for page in pages for found in page["RouteTables"]]


def _made(call: Callable[[], object], *, unless: tuple[str, ...]) -> bool:
    """Make a call that has no idempotency token; False when its very effect refuses it, as after a lost answer.

    Source of the codes: Amazon EC2 API reference, "Error codes for the Amazon EC2 API".
    """
    try:
        call()
    except ClientError as error:
        if code_of(error) not in unless:
            raise
        return False
    return True


def _in_vpc(vpc_id: str) -> list[FilterTypeDef]:
    return [{"Name": "vpc-id", "Values": [vpc_id]}]


def _table(found: RouteTableTypeDef) -> RouteTable:
    links = found.get("Associations", [])
    default = [route for route in found.get("Routes", []) if route.get("DestinationCidrBlock") == _EVERYWHERE]
    return RouteTable(
        route_table_id=found.get("RouteTableId", ""),
        associations={
            link["SubnetId"]: link.get("RouteTableAssociationId", "") for link in links if link.get("SubnetId")
        },
        default_route=_route(default[0]) if default else None,
        tags=tags_in(found.get("Tags", [])),
        main=any(link.get("Main", False) for link in links),
        vpc_id=found.get("VpcId", ""),
    )


def _route(found: RouteTypeDef) -> Route:
    target = (
        found.get("NatGatewayId")
        or found.get("TransitGatewayId")
        or found.get("GatewayId")
        or found.get("NetworkInterfaceId")
        or found.get("InstanceId")
        or found.get("VpcPeeringConnectionId")
        or found.get("CoreNetworkArn")
        or "another target"
    )
    return Route(target, active=found.get("State") == "active")


def nat_gateway(found: NatGatewayTypeDef, zones: Mapping[str, str]) -> NatGateway:
    """Read a NAT gateway as EC2 describes it; `zones` are those of subnets."""
    return NatGateway(
        nat_gateway_id=found.get("NatGatewayId", ""),
        zone=zones.get(found.get("SubnetId", ""), ""),
        available=found.get("State") == "available",
        public=found.get("ConnectivityType", "public") == "public",
    )
