"""Network interfaces of EC2: which stand in a VPC or a subnet, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.aws.network import tags_in
from functions.clusters.deletion.models import Interface
from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef, NetworkInterfaceTypeDef

    from functions.core.runtime import Patience


def of_vpc(vpc_id: str, patience: Patience | None = None) -> list[Interface]:
    """List the interfaces of a VPC. Raises the client's own errors."""
    return _found([{"Name": "vpc-id", "Values": [vpc_id]}], patience)


def of_subnets(subnet_ids: Sequence[str]) -> list[Interface]:
    """List the interfaces of some subnets. Raises the client's own errors."""
    return _found([{"Name": "subnet-id", "Values": list(subnet_ids)}]) if subnet_ids else []


def delete(interface_id: str) -> bool:
    """Delete an interface and say whether it is gone; one that is in use again is left alone.

    Source of the codes: Amazon EC2 API reference, "Error codes for the Amazon EC2 API".
    """
    try:
        runtime.client("ec2").delete_network_interface(NetworkInterfaceId=interface_id)
    except ClientError as error:
        in_use = ("InvalidParameterValue", "InvalidNetworkInterface.InUse")
        if code_of(error) not in ("InvalidNetworkInterfaceID.NotFound", *in_use):
            raise
        return code_of(error) not in in_use
    return True


def _found(filters: list[FilterTypeDef], patience: Patience | None = None) -> list[Interface]:
    pages = runtime.client("ec2", patience).get_paginator("describe_network_interfaces").paginate(Filters=filters)
    return [_interface(found) for page in pages for found in page["NetworkInterfaces"]]


def _interface(found: NetworkInterfaceTypeDef) -> Interface:
    return Interface(
        interface_id=found.get("NetworkInterfaceId", ""),
        subnet_id=found.get("SubnetId", ""),
        description=found.get("Description", ""),
        available=found.get("Status") == "available",
        instance_id=found.get("Attachment", {}).get("InstanceId", ""),
        tags=tags_in(found.get("TagSet", [])),
    )
