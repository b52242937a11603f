"""What follows from the shipped facts: which instance types exist, which zones a control plane may use."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Final

from functions.catalog.tables import instance_types, quota_codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.catalog.models import InstanceType, Zone

INSTANCE_TYPE_PATTERN: Final = r"^ml\.[a-z0-9-]+\.[a-z0-9-]+$"
_SUGGESTIONS: Final = 10

# Zones whose subnets EKS refuses for a control plane; nodes may stand there.
# Source: Amazon EKS user guide, "View Amazon EKS networking requirements for VPC and subnets", read 2026-11-29.
ZONES_WITHOUT_CONTROL_PLANE: Final = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


def instance_type(name: str) -> InstanceType | None:
    """Find an instance type by its name."""
    return instance_types().get(name)


def types_with_efa() -> tuple[str, ...]:
    """Name the instance types that have an Elastic Fabric Adapter."""
    return tuple(sorted(name for name, facts in instance_types().items() if facts.efa_interfaces))


def looks_like_an_instance_type(name: str) -> bool:
    """Say whether a name has the form `ml.<family>.<size>`."""
    return re.fullmatch(INSTANCE_TYPE_PATTERN, name) is not None


def similar_instance_types(name: str) -> list[str]:
    """Name the types of the same family, else those spelled most alike."""
    parts = name.split(".")
    family = [known for known, facts in instance_types().items() if len(parts) > 1 and facts.family == parts[1]]
    return family or difflib.get_close_matches(name, instance_types(), _SUGGESTIONS, cutoff=0.4)


def control_plane_zones(zones: Iterable[Zone]) -> list[Zone]:
    """Give the zones in which EKS places control planes."""
    return [zone for zone in zones if zone.id not in ZONES_WITHOUT_CONTROL_PLANE]


def looks_like_a_zone_id(name: str) -> bool:
    """Say whether a zone is written by its id, such as `usw2-az3`."""
    return re.fullmatch(r"[a-z]+\d+-az\d+", name) is not None


def zone_named(name_or_id: str, zones: Iterable[Zone]) -> Zone | None:
    """Find a zone by its name or its id."""
    return next((zone for zone in zones if name_or_id in (zone.name, zone.id)), None)


# Versions of Kubernetes that HyperPod supports on EKS.
# Source: SageMaker developer guide, "Prerequisites for using SageMaker HyperPod with Amazon EKS", read 2026-11-29.
HYPERPOD_KUBERNETES_VERSIONS: Final = ("1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34")


def shared_kubernetes_versions(offered: Iterable[str]) -> list[str]:
    """Give the versions that both EKS offers and HyperPod supports, oldest first."""
    known = set(offered)
    return [version for version in HYPERPOD_KUBERNETES_VERSIONS if version in known]


def newest_kubernetes_version(offered: Iterable[str]) -> str | None:
    """Give the newest version that both EKS offers and HyperPod supports; None when they share none."""
    return next(reversed(shared_kubernetes_versions(offered)), None)


def threads_per_core(name: str) -> int:
    """Say how many threads per core to ask for: what the type has; HyperPod would otherwise turn one off."""
    facts = instance_type(name)
    return (facts.threads_per_core if facts else None) or 1


def has_one_thread(name: str) -> bool:
    """Say whether a type is known to have one thread per core."""
    facts = instance_type(name)
    return facts is not None and facts.threads_per_core == 1


def accelerated(name: str) -> bool:
    """Say whether a type has accelerators."""
    facts = instance_type(name)
    return facts is not None and facts.accelerator_count > 0


def takes_efa_only(name: str) -> bool:
    """Say whether a type may have EFA interfaces without addresses: it needs more than one EFA interface.

    One interface stays for IP traffic. Source: SageMaker API reference, ClusterNetworkInterface.
    """
    facts = instance_type(name)
    return facts is not None and facts.efa_interfaces > 1


def node_addresses(name: str, *, efa_only: bool) -> int:
    """Say how many addresses a node of a type takes from its subnet; at least one for a type that is not listed."""
    facts = instance_type(name)
    if facts is None:
        return 1
    return facts.subnet_ips_efa_only if efa_only else facts.subnet_ips


def node_interfaces(name: str) -> int:
    """Say how many network interfaces a node of a type has: one for IP traffic, and each further EFA interface.

    Source: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC".
    """
    facts = instance_type(name)
    return max(1, facts.efa_interfaces) if facts else 1


def has_efa(name: str) -> bool:
    """Say whether instances of a type have interfaces of the Elastic Fabric Adapter."""
    facts = instance_type(name)
    return facts is not None and facts.efa_interfaces > 0


def known_quota_codes() -> dict[str, str]:
    """Give the codes of quotas of SageMaker that are known beforehand, by name."""
    return dict(quota_codes())
