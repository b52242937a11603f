"""EC2 networking as the stages use it: address ranges in use, and compute subnets."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime, settings
from functions.core.failures import code_of
from functions.network.ranges.models import VpcRanges
from functions.network.subnets.models import Subnet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from types_boto3_ec2.literals import ResourceTypeType, VpcAttributeNameType
    from types_boto3_ec2.type_defs import FilterTypeDef, SubnetTypeDef, TagSpecificationTypeDef, TagTypeDef, VpcTypeDef

    from functions.core.runtime import Patience

_PAGE: Final = 1000
# A range that goes, or never came, is none of the VPC's; one on its way is given to nobody else, and takes no subnets
# yet. A state that EC2 left out says nothing against a range. Source: Amazon EC2 API reference, "VpcCidrBlockState".
_ASSOCIATED: Final = (None, "associated")
_HELD: Final = (*_ASSOCIATED, "associating")


def address_ranges_in_use() -> list[IPv4Network]:
    """List every IPv4 range of every VPC of the region, secondary ones too."""
    return sorted({used for vpc in vpc_ranges() for used in vpc.ranges})


def vpc_ranges(patience: Patience | None = None) -> list[VpcRanges]:
    """List the VPCs of the region with their IPv4 ranges. Raises the client's own errors."""
    pages = runtime.client("ec2", patience).get_paginator("describe_vpcs").paginate()
    return [
        VpcRanges(vpc.get("VpcId", ""), ranges_in(vpc), tags_in(vpc.get("Tags", [])))
        for page in pages
        for vpc in page["Vpcs"]
    ]


def ranges_in(vpc: VpcTypeDef, states: Sequence[str | None] = _HELD) -> tuple[IPv4Network, ...]:
    """Read the IPv4 ranges of a VPC as EC2 describes it: the primary one first, then secondary ones."""
    secondary = [
        each["CidrBlock"]
        for each in vpc.get("CidrBlockAssociationSet", [])
        if each.get("CidrBlockState", {}).get("State") in states and "CidrBlock" in each
    ]
    return tuple(IPv4Network(cidr) for cidr in dict.fromkeys([vpc.get("CidrBlock", ""), *secondary]) if cidr)


def ranges_of_vpc(vpc_id: str, patience: Patience | None = None) -> tuple[IPv4Network, ...]:
    """List the IPv4 ranges of a VPC, secondary ones and those on their way too; none when there is no such VPC."""
    wanted: list[FilterTypeDef] = [{"Name": "vpc-id", "Values": [vpc_id]}]
    found = runtime.client("ec2", patience).describe_vpcs(Filters=wanted)["Vpcs"]
    return tuple(cidr for vpc in found for cidr in ranges_in(vpc))


def associated_ranges_of_vpc(vpc_id: str) -> tuple[IPv4Network, ...]:
    """List the IPv4 ranges of a VPC in which subnets can be made by now."""
    return ranges_in(runtime.client("ec2").describe_vpcs(VpcIds=[vpc_id])["Vpcs"][0], _ASSOCIATED)


def dns_of(vpc_id: str) -> tuple[bool, bool]:
    """Say whether names are resolved in a VPC, and whether what stands in it has names."""
    return _attribute(vpc_id, "enableDnsSupport"), _attribute(vpc_id, "enableDnsHostnames")


def _attribute(vpc_id: str, name: VpcAttributeNameType) -> bool:
    answer = runtime.client("ec2").describe_vpc_attribute(VpcId=vpc_id, Attribute=name)
    found = answer["EnableDnsSupport" if name == "enableDnsSupport" else "EnableDnsHostnames"]
    return found.get("Value", False)


def subnets_of_vpc(vpc_id: str, patience: Patience | None = None) -> list[Subnet]:
    """List the subnets of a VPC."""
    return _subnets([{"Name": "vpc-id", "Values": [vpc_id]}], patience)


def subnets_tagged(tags: Mapping[str, str], patience: Patience | None = None) -> list[Subnet]:
    """List the subnets of the region that bear all of some tags."""
    return _subnets([{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()], patience)


def subnets_named(subnet_ids: Sequence[str], patience: Patience | None = None) -> list[Subnet]:
    """List those of some subnets that exist."""
    return _subnets([{"Name": "subnet-id", "Values": list(subnet_ids)}], patience) if subnet_ids else []


def count_vpcs(patience: Patience | None = None) -> int:
    """Count the account's VPCs of the region: those that others share with it are theirs.

    Raises the client's own errors.
    """
    account = settings.current().account_id
    pages = runtime.client("ec2", patience).get_paginator("describe_vpcs").paginate()
    return sum(vpc.get("OwnerId", account) == account for page in pages for vpc in page["Vpcs"])


def count_elastic_ips(patience: Patience | None = None) -> int:
    """Count the Elastic IP addresses of the region. Raises the client's own errors."""
    return len(runtime.client("ec2", patience).describe_addresses()["Addresses"])


def count_interfaces(in_time: Callable[[], bool], patience: Patience | None = None) -> int | None:
    """Count the network interfaces of the region, a thousand at a time; None when `in_time` ended the listing.

    Raises the client's own errors.
    """
    pages = runtime.client("ec2", patience).get_paginator("describe_network_interfaces")
    count = 0
    for page in pages.paginate(PaginationConfig={"PageSize": _PAGE}):
        count += len(page["NetworkInterfaces"])
        if page.get("NextToken") and not in_time():
            return None
    return count


def _subnets(filters: list[FilterTypeDef], patience: Patience | None = None) -> list[Subnet]:
    pages = runtime.client("ec2", patience).get_paginator("describe_subnets").paginate(Filters=filters)
    # A subnet for IPv6 alone has no IPv4 range, and nodes cannot stand in it.
    return [_subnet(found) for page in pages for found in page["Subnets"] if found.get("CidrBlock")]


def _subnet(found: SubnetTypeDef) -> Subnet:
    return Subnet(
        subnet_id=found["SubnetId"],
        vpc_id=found["VpcId"],
        zone=found["AvailabilityZone"],
        zone_id=found["AvailabilityZoneId"],
        cidr=IPv4Network(found["CidrBlock"]),
        available_addresses=found["AvailableIpAddressCount"],
        tags=tags_in(found.get("Tags", [])),
    )


def create_subnet(vpc_id: str, zone: str, cidr: IPv4Network, tags: Mapping[str, str]) -> Subnet | None:
    """Create a subnet; None when its range is taken, by another caller or by this call before its answer was lost."""
    try:
        answer = runtime.client("ec2").create_subnet(
            VpcId=vpc_id, AvailabilityZone=zone, CidrBlock=str(cidr), TagSpecifications=specified("subnet", tags)
        )
    except ClientError as error:
        if code_of(error) == "InvalidSubnet.Conflict":
            return None
        raise
    return _subnet(answer["Subnet"])


def delete_subnet(subnet_id: str) -> bool:
    """Delete a subnet, gone before or now; False when something uses it, and it stays."""
    try:
        runtime.client("ec2").delete_subnet(SubnetId=subnet_id)
    except ClientError as error:
        if code_of(error) == "DependencyViolation":
            return False
        if code_of(error) != "InvalidSubnetID.NotFound":
            raise
    return True


def tag(resource_id: str, tags: Mapping[str, str]) -> None:
    """Put tags on a resource."""
    runtime.client("ec2").create_tags(Resources=[resource_id], Tags=_listed(tags))


def tags_in(listed: Sequence[TagTypeDef]) -> dict[str, str]:
    """Read EC2's list of tags."""
    return {tag.get("Key", ""): tag.get("Value", "") for tag in listed}


def specified(kind: ResourceTypeType, tags: Mapping[str, str]) -> list[TagSpecificationTypeDef]:
    """Write tags for a resource that is created with them."""
    return [{"ResourceType": kind, "Tags": _listed(tags)}]


def _listed(tags: Mapping[str, str]) -> list[TagTypeDef]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
