"""Whether the account's quotas leave room for the network that a request makes: VPC, Elastic IP, network interfaces.

Sources: Amazon VPC user guide, "Amazon VPC quotas"; AWS general reference, "Amazon Elastic Compute Cloud endpoints and
quotas"; SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC" (the interfaces of nodes
are the account's); Amazon EKS user guide, "View Amazon EKS networking requirements" (two to four of a control plane).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.catalog.quotas import rules as catalog
from functions.catalog.rules import node_interfaces
from functions.core.errors import QuotaExceeded
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from functions.capacity.preflight.models import Quota
    from functions.clusters.preflight.models import NetworkUse
    from functions.network.subnets.rules.needs import Group

NETWORK_QUOTA: Final = "network_quota"
VPCS: Final = catalog.VPCS.code
ELASTIC_IPS: Final = catalog.ADDRESSES.code
INTERFACES: Final = catalog.INTERFACES.code
SERVICES: Final = {VPCS: "vpc", ELASTIC_IPS: "ec2", INTERFACES: "vpc"}
# One of the NAT gateway, and those that EKS puts into the control plane's subnets at the least.
_OF_A_FOUNDATION: Final = 3
_REUSE: Final = "or build in a VPC that you have: foundation.vpc_id with control_plane_subnet_ids"


@dataclass(frozen=True)
class _Asked:
    """What a request takes of one quota: how many, of how many that are in use, and what else would help."""

    code: str
    what: str
    field: str
    used: int
    asked: int
    instead: str


def interfaces_of(groups: Iterable[Group], *, with_network: bool) -> int:
    """Count the network interfaces that a request's nodes and, if it makes one, its network come to at the least."""
    nodes = sum(max(map(node_interfaces, group.types)) * group.instance_count for group in groups)
    return nodes + _OF_A_FOUNDATION * with_network


def check(
    limits: Mapping[str, Quota] | None, use: NetworkUse | None, interfaces: int, field: str, *, new_vpc: bool
) -> Iterator[Finding]:
    """Compare what is in use and asked for with what is allowed; `field` is where instances are asked for."""
    if limits is None or use is None:
        return
    network = [
        _Asked(VPCS, "VPCs", "foundation.vpc_id", use.vpcs, 1, _REUSE),
        _Asked(ELASTIC_IPS, "Elastic IP addresses", "foundation.vpc_id", use.elastic_ips, 1, _REUSE),
    ]
    nodes = _Asked(INTERFACES, "network interfaces", field, use.interfaces, interfaces, "or ask for fewer instances")
    for asked in [*(network if new_vpc else []), nodes]:
        limit = limits.get(asked.code)
        if limit is not None and asked.asked and asked.used + asked.asked > limit.value:
            yield _finding(asked, limit)


def _finding(asked: _Asked, limit: Quota) -> Finding:
    service = SERVICES[asked.code]
    return Finding(
        check=NETWORK_QUOTA,
        level=Level.ERROR,
        code=QuotaExceeded.code,
        field=asked.field,
        message=f"{asked.used} of {limit.value:g} {asked.what} of the region are in use, and this request needs "
        f"{asked.asked} more",
        resource=asked.code,
        remedy=f"Request an increase of the quota '{limit.name}' (service {service}, code {asked.code}) to at least "
        f"{asked.used + asked.asked}, remove what is unused, {asked.instead}.",
    )
