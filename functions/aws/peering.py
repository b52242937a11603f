"""VPCs of other accounts and regions that VPCs of this region are peered with: only the connections tell of them."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from functions.core import runtime
from functions.network.ranges.models import VpcRanges

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef, VpcPeeringConnectionVpcInfoTypeDef

    from functions.core.runtime import Patience

# Source: Amazon VPC peering guide, "VPC peering connection lifecycle": those that stand or may come to.
_STANDING: Final = ("initiating-request", "pending-acceptance", "provisioning", "active")


def peered_address_ranges(patience: Patience | None = None) -> list[IPv4Network]:
    """List the IPv4 ranges of both sides of every peering connection that stands, or is about to.

    Raises the client's own errors.
    """
    return sorted({used for vpc in peered_vpcs(patience) for used in vpc.ranges})


def peered_vpcs(patience: Patience | None = None) -> list[VpcRanges]:
    """List both sides of every peering connection that stands, or is about to. Raises the client's own errors."""
    wanted: list[FilterTypeDef] = [{"Name": "status-code", "Values": list(_STANDING)}]
    pages = runtime.client("ec2", patience).get_paginator("describe_vpc_peering_connections").paginate(Filters=wanted)
    connections = [each for page in pages for each in page["VpcPeeringConnections"]]
    sides = [each.get("AccepterVpcInfo", {}) for each in connections]
    sides += [each.get("RequesterVpcInfo", {}) for each in connections]
    return [VpcRanges(side.get("VpcId", ""), tuple(map(IPv4Network, _ranges_of(side))), {}) for side in sides]


def _ranges_of(side: VpcPeeringConnectionVpcInfoTypeDef) -> list[str]:
    listed = [block["CidrBlock"] for block in side.get("CidrBlockSet", []) if "CidrBlock" in block]
    return [*listed, *([side["CidrBlock"]] if side.get("CidrBlock") else [])]
