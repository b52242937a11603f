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


def usage_views(
    types: Sequence[str], found: Mapping[str, Quota] | None, used: Mapping[str, int] | None
) -> list[QuotaView]:
    """Describe HyperPod's quotas: on the types asked about, then on all instances together.

    `found` maps what was asked for, names and codes, to what there is, None where Service Quotas did not say; `used`
    counts by name and code. How many instances a cluster has is nobody's use of the quota on each cluster.
    """
    views = [_usage(name, name, found, used) for name in usage_names(types)]
    return views + [_usage(code, name, found, used) for code, name in TOTALS.items()]


def _usage(key: str, name: str, found: Mapping[str, Quota] | None, used: Mapping[str, int] | None) -> QuotaView:
    quota = (found or {}).get(key)
    counted = None if used is None or key == PER_CLUSTER else used.get(key, 0)
    code = quota.code if quota else key if key in TOTALS else None
    return view(name, SAGEMAKER, code, quota.value if quota else None, counted)


def view(name: str, service: str, code: str | None, value: float | None, used: int | None) -> QuotaView:
    """Describe one quota."""
    available = None if value is None or used is None else max(int(value) - used, 0)
    return QuotaView(name=name, service=service, code=code, value=value, used=used, available=available)
