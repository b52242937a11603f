"""Quotas of EC2 and of VPCs that a cluster needs room in: names, codes and AWS's own defaults.

Sources: Amazon VPC user guide, "Amazon VPC quotas"; Amazon EC2 user guide, "Elastic IP addresses"; read 2026-11-29.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class NetworkQuota:
    """One quota of a region; `service` is the code that Service Quotas lists it under."""

    service: str
    service_name: str
    code: str
    name: str
    default: float


_VPC: Final = ("vpc", "Amazon Virtual Private Cloud (Amazon VPC)")
_EC2: Final = ("ec2", "Amazon Elastic Compute Cloud (Amazon EC2)")
VPCS: Final = NetworkQuota(*_VPC, "L-F678F1CE", "VPCs per Region", 5.0)
INTERFACES: Final = NetworkQuota(*_VPC, "L-DF5E4CA3", "Network interfaces per Region", 5_000.0)
ADDRESSES: Final = NetworkQuota(*_EC2, "L-0263D0A3", "EC2-VPC Elastic IPs", 5.0)
BY_CODE: Final = {quota.code: quota for quota in (VPCS, INTERFACES, ADDRESSES)}
BY_NAME: Final = {quota.name: quota for quota in BY_CODE.values()}
SERVICES: Final = frozenset(quota.service for quota in BY_CODE.values())
