"""What traffic of a VPC hangs on in EC2: network ACLs, NAT gateways and endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws.routing import nat_gateway, s3_endpoint, s3_service
from functions.core import runtime
from functions.diagnostics.models.traffic import AclRule, Endpoints, NetworkAcl

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import (
        FilterTypeDef,
        NetworkAclEntryTypeDef,
        NetworkAclTypeDef,
        VpcEndpointTypeDef,
    )

    from functions.network.subnets.models import NatGateway

_ALL_PORTS: Final = (0, 65_535)


def acls_of(vpc_id: str) -> tuple[NetworkAcl, ...]:
    """List the network ACLs of a VPC."""
    pages = runtime.client("ec2").get_paginator("describe_network_acls").paginate(Filters=_in_vpc(vpc_id))
    return tuple(_acl(found) for page in pages for found in page["NetworkAcls"])


def nat_gateways_of(vpc_id: str) -> tuple[tuple[NatGateway, ...], dict[str, str]]:
    """Read the NAT gateways of a VPC, their zones aside, and which subnet each stands in: regional ones in none."""
    pages = runtime.client("ec2").get_paginator("describe_nat_gateways").paginate(Filters=_in_vpc(vpc_id))
    listed = [found for page in pages for found in page["NatGateways"]]
    subnets = {found.get("NatGatewayId", ""): found.get("SubnetId", "") for found in listed if found.get("SubnetId")}
    return tuple(nat_gateway(found, {}) for found in listed), subnets


def endpoints_of(vpc_id: str, region: str) -> Endpoints:
    """Read the endpoints of a VPC."""
    pages = runtime.client("ec2").get_paginator("describe_vpc_endpoints").paginate(Filters=_in_vpc(vpc_id))
    listed = [found for page in pages for found in page["VpcEndpoints"]]
    serving = [found for found in listed if found.get("VpcEndpointType") == "Interface" and _available(found)]
    named = [found for found in serving if found.get("PrivateDnsEnabled", False)]
    services, every = ({_service(found, region) for found in each} for each in (named, serving))
    s3 = tuple(s3_endpoint(found) for found in listed if found.get("ServiceName") == s3_service(region))
    places = {subnet_id for found in named for subnet_id in found.get("SubnetIds", [])}
    subnets = {
        place: frozenset(_service(found, region) for found in named if place in found.get("SubnetIds", []))
        for place in sorted(places)
    }
    return Endpoints(frozenset(services), frozenset(every - services), s3, subnets)


def _service(found: VpcEndpointTypeDef, region: str) -> str:
    return found.get("ServiceName", "").removeprefix(f"com.amazonaws.{region}.")


def _available(found: VpcEndpointTypeDef) -> bool:
    return found.get("State", "").lower() == "available"


def _in_vpc(vpc_id: str) -> list[FilterTypeDef]:
    return [{"Name": "vpc-id", "Values": [vpc_id]}]


def _acl(found: NetworkAclTypeDef) -> NetworkAcl:
    links, entries = found.get("Associations", []), found.get("Entries", [])
    return NetworkAcl(
        acl_id=found.get("NetworkAclId", ""),
        subnet_ids=frozenset(link.get("SubnetId", "") for link in links),
        rules=tuple(_rule(entry) for entry in entries if "CidrBlock" in entry),
        other_numbers=frozenset(
            (entry.get("Egress", False), entry.get("RuleNumber", 0)) for entry in entries if "CidrBlock" not in entry
        ),
    )


def _rule(entry: NetworkAclEntryTypeDef) -> AclRule:
    ports = entry.get("PortRange", {})
    given = (ports.get("From", _ALL_PORTS[0]), ports.get("To", _ALL_PORTS[1]))
    return AclRule(
        number=entry.get("RuleNumber", 0),
        outbound=entry.get("Egress", False),
        allows=entry.get("RuleAction") == "allow",
        protocol=entry.get("Protocol", "-1"),
        cidr=entry.get("CidrBlock", ""),
        ports=None if given == _ALL_PORTS else given,
    )
