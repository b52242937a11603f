"""What is said of zones: which host control planes, which offer an instance type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.catalog.places.models import Offered, RegionView, ZoneView
from functions.catalog.rules import control_plane_zones
from functions.catalog.tables import regions_with_hyperpod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.catalog.models import Zone


def region_view(name: str, zones: Sequence[Zone] | None) -> RegionView:
    """Describe a region by its zones, None where EC2 did not name them."""
    return RegionView(
        name=name,
        hyperpod=True if name in regions_with_hyperpod() else None,
        availability_zones=None if zones is None else sorted(zone.name for zone in zones),
        control_plane_zones=None if zones is None else sorted(zone.name for zone in control_plane_zones(zones)),
    )


def zone_view(zone: Zone, types: Sequence[str], offerings: Mapping[str, frozenset[str]] | None) -> ZoneView:
    """Describe a zone with what it offers of some types of HyperPod; `offerings` are EC2's, by its own type names."""
    return ZoneView(
        name=zone.name,
        id=zone.id,
        state=zone.state,
        control_plane=bool(control_plane_zones([zone])),
        instance_types=[Offered(instance_type=kind, offered=offered_in(kind, zone.name, offerings)) for kind in types],
    )


def offered_in(instance_type: str, zone: str, offerings: Mapping[str, frozenset[str]] | None) -> bool | None:
    """Say whether a zone offers a type; None where EC2 did not say, or lists the type in no zone of the region.

    HyperPod has types that EC2 does not list (p6e-gb200), so absence from the whole region says nothing.
    """
    zones = (offerings or {}).get(instance_type.removeprefix("ml."))
    return None if not zones else zone in zones
