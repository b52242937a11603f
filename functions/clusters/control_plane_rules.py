"""Which two zones a control plane stands in: the caller's, else those EKS named, else the region's first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from functions.catalog.rules import control_plane_zones

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.catalog.models import Zone
    from functions.core.cluster import ClusterSpec

_ZONES_NAMED: Final = re.compile(r"choose from these availability zones:\s*([a-z0-9, -]+)", re.IGNORECASE)
_ZONE: Final = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d[a-z]")


def zones_named_in(message: str) -> list[str]:
    """Read the zones that EKS offers in its refusal of another one."""
    found = _ZONES_NAMED.search(message)
    return _ZONE.findall(found[1]) if found else []


def choose_zones(
    cluster: ClusterSpec, available: Sequence[Zone], offered_by_eks: Sequence[str]
) -> tuple[str, str] | None:
    """Choose two zones, away from the compute zone where possible; None when there are no two."""
    if cluster.control_plane_availability_zones:
        first, second, *_ = cluster.control_plane_availability_zones
        return first, second
    served = [zone.name for zone in control_plane_zones(available)]
    candidates = [zone for zone in served if zone in offered_by_eks] if offered_by_eks else served
    ordered = sorted(candidates, key=lambda zone: (zone == cluster.availability_zone, zone))
    return (ordered[0], ordered[1]) if len(ordered) > 1 else None


def unknown_zones(cluster: ClusterSpec, available: Sequence[Zone]) -> list[str]:
    """Name the zones of the desired state that are not zones' names of the region."""
    names = {zone.name for zone in available}
    wanted = [*(cluster.control_plane_availability_zones or []), *filter(None, [cluster.availability_zone])]
    return [zone for zone in wanted if zone not in names]
