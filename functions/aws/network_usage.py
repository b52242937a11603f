"""How much of the quotas on networks is in use in the region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core import runtime

if TYPE_CHECKING:
    from functions.core.runtime import Patience

# What EC2 gives at most in a page (Amazon EC2 API reference, DescribeVpcs and DescribeNetworkInterfaces).
_PAGE: Final = 1_000


def count_vpcs(patience: Patience | None = None) -> int:
    """Count the VPCs, the default one too. Raises the client's own errors."""
    pages = runtime.client("ec2", patience).get_paginator("describe_vpcs")
    return sum(len(page["Vpcs"]) for page in pages.paginate(PaginationConfig={"PageSize": _PAGE}))


def count_elastic_ips(patience: Patience | None = None) -> int:
    """Count the Elastic IP addresses of VPCs; EC2 lists them without pages. Raises the client's own errors."""
    answer = runtime.client("ec2", patience).describe_addresses(Filters=[{"Name": "domain", "Values": ["vpc"]}])
    return len(answer["Addresses"])


def count_network_interfaces(patience: Patience | None = None) -> int:
    """Count the network interfaces. Raises the client's own errors."""
    pages = runtime.client("ec2", patience).get_paginator("describe_network_interfaces")
    return sum(len(page["NetworkInterfaces"]) for page in pages.paginate(PaginationConfig={"PageSize": _PAGE}))
