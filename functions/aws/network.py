"""EC2 networking as the stages use it: address ranges in use, and compute subnets with all that hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from types_boto3_ec2.literals import ResourceTypeType
    from types_boto3_ec2.type_defs import FilterTypeDef, TagSpecificationTypeDef, TagTypeDef


@dataclass(frozen=True)
class Subnet:
    """A subnet as it stands."""

    subnet_id: str
    vpc_id: str
    zone: str
    cidr: IPv4Network
    available_addresses: int
    tags: Mapping[str, str]


@dataclass(frozen=True)
class RouteTable:
    """A route table as it stands; `default_route` is the target of 0.0.0.0/0."""

    route_table_id: str
    subnet_ids: tuple[str, ...]
    default_route: str | None


def address_ranges_in_use() -> list[IPv4Network]:
    """List every IPv4 range of every VPC of the region, secondary ones too."""
    pages = runtime.client("ec2").get_paginator("describe_vpcs").paginate()
    vpcs = [vpc for page in pages for vpc in page["Vpcs"]]
    primary = [vpc["CidrBlock"] for vpc in vpcs if "CidrBlock" in vpc]
    associated = [
        association["CidrBlock"]
        for vpc in vpcs
        for association in vpc.get("CidrBlockAssociationSet", [])
        if association.get("CidrBlockState", {}).get("State") in (None, "associating", "associated")
        and "CidrBlock" in association
    ]
    return sorted({IPv4Network(cidr) for cidr in primary + associated})


def ranges_of_vpc(vpc_id: str) -> list[IPv4Network]:
    """List the associated IPv4 ranges of a VPC."""
    vpc = runtime.client("ec2").describe_vpcs(VpcIds=[vpc_id])["Vpcs"][0]
    return [
        IPv4Network(association["CidrBlock"])
        for association in vpc.get("CidrBlockAssociationSet", [])
        if association.get("CidrBlockState", {}).get("State") == "associated" and "CidrBlock" in association
    ]


def subnets_of_vpc(vpc_id: str) -> list[Subnet]:
    """List the subnets of a VPC."""
    filters: list[FilterTypeDef] = [{"Name": "vpc-id", "Values": [vpc_id]}]
    pages = runtime.client("ec2").get_paginator("describe_subnets").paginate(Filters=filters)
    return [
        Subnet(
            subnet_id=found["SubnetId"],
            vpc_id=vpc_id,
            zone=found["AvailabilityZone"],
            cidr=IPv4Network(found["CidrBlock"]),
            available_addresses=found["AvailableIpAddressCount"],
            tags=_tags(found.get("Tags", [])),
        )
        for page in pages
        for found in page["Subnets"]
    ]


def create_subnet(vpc_id: str, zone: str, cidr: IPv4Network, tags: Mapping[str, str]) -> str | None:
    """Create a subnet and give its id; None when another caller took the range first."""
    try:
        answer = runtime.client("ec2").create_subnet(
            VpcId=vpc_id, AvailabilityZone=zone, CidrBlock=str(cidr), TagSpecifications=_specified("subnet", tags)
        )
    except ClientError as error:
        if code_of(error) == "InvalidSubnet.Conflict":
            return None
        raise
    return answer["Subnet"]["SubnetId"]


def tag(resource_id: str, tags: Mapping[str, str]) -> None:
    """Put tags on a resource."""
    runtime.client("ec2").create_tags(Resources=[resource_id], Tags=_listed(tags))


def route_tables_of_vpc(vpc_id: str) -> dict[str, RouteTable]:
    """Map the names (tag Name) of a VPC's route tables to the tables."""
    filters: list[FilterTypeDef] = [{"Name": "vpc-id", "Values": [vpc_id]}]
    pages = runtime.client("ec2").get_paginator("describe_route_tables").paginate(Filters=filters)
    tables: dict[str, RouteTable] = {}
    for found in (table for page in pages for table in page["RouteTables"]):
        routes = [route for route in found.get("Routes", []) if route.get("DestinationCidrBlock") == "0.0.0.0/0"]
        associated = [link["SubnetId"] for link in found.get("Associations", []) if link.get("SubnetId")]
        default = routes[0].get("NatGatewayId") or routes[0].get("GatewayId") if routes else None
        name = _tags(found.get("Tags", [])).get("Name", found["RouteTableId"])
        tables[name] = RouteTable(found["RouteTableId"], tuple(associated), default)
    return tables


def create_route_table(vpc_id: str, tags: Mapping[str, str]) -> str:
    """Create a route table and give its id."""
    answer = runtime.client("ec2").create_route_table(VpcId=vpc_id, TagSpecifications=_specified("route-table", tags))
    return answer["RouteTable"]["RouteTableId"]


def route_through_nat(route_table_id: str, nat_gateway_id: str, *, replace: bool) -> None:
    """Send everything else through a NAT gateway; a route that came in between is replaced."""
    client = runtime.client("ec2")
    if not replace and _made(
        lambda: client.create_route(
            RouteTableId=route_table_id, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat_gateway_id
        ),
        unless="RouteAlreadyExists",
    ):
        return
    client.replace_route(RouteTableId=route_table_id, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat_gateway_id)


def associate(route_table_id: str, subnet_id: str) -> None:
    """Give a subnet its route table, unless it has one meanwhile."""
    client = runtime.client("ec2")
    _made(
        lambda: client.associate_route_table(RouteTableId=route_table_id, SubnetId=subnet_id),
        unless="Resource.AlreadyAssociated",
    )


def endpoint_route_tables(endpoint_id: str) -> Sequence[str]:
    """List the route tables that a gateway endpoint serves."""
    answer = runtime.client("ec2").describe_vpc_endpoints(VpcEndpointIds=[endpoint_id])
    return answer["VpcEndpoints"][0].get("RouteTableIds", [])


def serve_by_endpoint(endpoint_id: str, route_table_id: str) -> None:
    """Let a gateway endpoint serve a route table too, unless it does so meanwhile."""
    client = runtime.client("ec2")
    _made(
        lambda: client.modify_vpc_endpoint(VpcEndpointId=endpoint_id, AddRouteTableIds=[route_table_id]),
        unless="RouteAlreadyExists",
    )


def _made(call: Callable[[], object], *, unless: str) -> bool:
    """Make a call that has no idempotency token; False when its very effect refuses it, as after a lost answer.

    Source of the codes: Amazon EC2 API reference, "Error codes for the Amazon EC2 API".
    """
    try:
        call()
    except ClientError as error:
        if code_of(error) != unless:
            raise
        return False
    return True


def _tags(listed: Sequence[TagTypeDef]) -> dict[str, str]:
    return {tag.get("Key", ""): tag.get("Value", "") for tag in listed}


def _listed(tags: Mapping[str, str]) -> list[TagTypeDef]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _specified(kind: ResourceTypeType, tags: Mapping[str, str]) -> list[TagSpecificationTypeDef]:
    return [{"ResourceType": kind, "Tags": _listed(tags)}]
