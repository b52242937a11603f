"""Which quotas a cluster is judged by: HyperPod's on instances, and those on what its network consists of.

Sources: AWS General Reference, "Amazon SageMaker AI endpoints and quotas"; Amazon VPC user guide, "Amazon VPC quotas";
Amazon EC2 user guide, "Elastic IP addresses"; read 2026-11-29.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.quotas import ALL_CLUSTERS, ALL_SPOT, PER_CLUSTER, quota_name
from functions.catalog.quotas.models import QuotaView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.capacity.preflight.models import Quota

SAGEMAKER: Final = "sagemaker"
TOTALS: Final = {
    PER_CLUSTER: "Maximum number of instances allowed per SageMaker HyperPod cluster",
    ALL_CLUSTERS: "Total number of instances allowed across SageMaker HyperPod clusters",
    ALL_SPOT: "Total number of Spot instances allowed across SageMaker HyperPod clusters",
}


@dataclass(frozen=True)
class NetworkQuota:
    """A quota on a part of a network; `part` names what is counted."""

    service: str
    code: str
    name: str
    part: str


VPCS: Final = NetworkQuota("vpc", "L-F678F1CE", "VPCs per Region", "vpcs")
INTERFACES: Final = NetworkQuota("vpc", "L-DF5E4CA3", "Network interfaces per Region", "network_interfaces")
ADDRESSES: Final = NetworkQuota("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs", "elastic_ips")
OF_NETWORKS: Final = (VPCS, ADDRESSES, INTERFACES)


def usage_names(types: Sequence[str]) -> list[str]:
    """Name the quotas on the use of instance types in clusters, On-Demand and Spot."""
    names = (quota_name(kind, capacity) for kind in types for capacity in ("on_demand", "spot"))
    return [name for name in names if name]


def usage_view(name: str, found: Quota | None, used: Mapping[str, int] | None) -> QuotaView:
    """Describe the quota on the use of a type; `used` counts by name and code, None where nobody could count."""
    return view(name, SAGEMAKER, found.code if found else None, found, None if used is None else used.get(name, 0))


def total_views(found: Mapping[str, Quota | None], used: Mapping[str, int] | None) -> list[QuotaView]:
    """Describe the quotas on all instances together; that on each cluster is in nobody's use."""
    counted = {code: None if used is None or code == PER_CLUSTER else used.get(code, 0) for code in TOTALS}
    return [view(name, SAGEMAKER, code, found[code], counted[code]) for code, name in TOTALS.items()]


def view(name: str, service: str, code: str | None, found: Quota | None, used: int | None) -> QuotaView:
    """Describe one quota."""
    value = found.value if found else None
    available = None if value is None or used is None else max(int(value) - used, 0)
    return QuotaView(name=name, service=service, code=code, value=value, used=used, available=available)
