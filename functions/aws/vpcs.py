"""What stands in a VPC, and what of it can be deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.aws import network_interfaces
from functions.aws.network import tags_in
from functions.clusters.deletion.models import Group, Part, VpcContents
from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef


def contents(vpc_id: str) -> VpcContents:
    """Read what stands in a VPC beside what EC2 itself makes with it. Raises the client's own errors."""
    return VpcContents(
        interfaces=tuple(network_interfaces.of_vpc(vpc_id)),
        groups=tuple(_groups(vpc_id)),
        parts=(*_subnets(vpc_id), *_tables(vpc_id), *_endpoints(vpc_id)),
    )


def delete_group(group_id: str) -> bool:
    """Delete a security group and say whether it is gone; one that something uses stays."""
    try:
        runtime.client("ec2").delete_security_group(GroupId=group_id)
    except ClientError as error:
        if code_of(error) not in ("InvalidGroup.NotFound", "DependencyViolation"):
            raise
        return code_of(error) == "InvalidGroup.NotFound"
    return True


def _groups(vpc_id: str) -> list[Group]:
    pages = runtime.client("ec2").get_paginator("describe_security_groups").paginate(Filters=_in(vpc_id))
    return [
        Group(found["GroupId"], found["GroupName"], tags_in(found.get("Tags", [])))
        for page in pages
        for found in page["SecurityGroups"]
        if found["GroupName"] != "default"
    ]


def _subnets(vpc_id: str) -> list[Part]:
    pages = runtime.client("ec2").get_paginator("describe_subnets").paginate(Filters=_in(vpc_id))
    found = [subnet for page in pages for subnet in page["Subnets"]]
    return [Part(each["SubnetId"], "subnet", tags_in(each.get("Tags", []))) for each in found]


def _tables(vpc_id: str) -> list[Part]:
    pages = runtime.client("ec2").get_paginator("describe_route_tables").paginate(Filters=_in(vpc_id))
    return [
        Part(found.get("RouteTableId", ""), "route table", tags_in(found.get("Tags", [])))
        for page in pages
        for found in page["RouteTables"]
        if not any(link.get("Main") for link in found.get("Associations", []))
    ]


def _endpoints(vpc_id: str) -> list[Part]:
    pages = runtime.client("ec2").get_paginator("describe_vpc_endpoints").paginate(Filters=_in(vpc_id))
    return [
        Part(found.get("VpcEndpointId", ""), "VPC endpoint", tags_in(found.get("Tags", [])))
        for page in pages
        for found in page["VpcEndpoints"]
        if found.get("State", "").lower() not in ("deleting", "deleted")
    ]


def _in(vpc_id: str) -> list[FilterTypeDef]:
    return [{"Name": "vpc-id", "Values": [vpc_id]}]
