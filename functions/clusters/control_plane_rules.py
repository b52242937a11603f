"""Which two zones a control plane stands in: the caller's, else those EKS named, else the region's first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from functions.catalog.rules import control_plane_zones

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from functions.catalog.models import Zone

_ZONES_NAMED = re.compile(r"choose from these availability zones:\s*([a-z0-9, -]+)", re.IGNORECASE)
_ZONE = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d[a-z]")


def requested_zones(request: Mapping[str, JsonValue]) -> list[str]:
    """Give the zones that the caller asked for; empty when the choice is ours."""
    foundation = request.get("foundation")
    asked = foundation.get("control_plane_availability_zones") if isinstance(foundation, dict) else None
    return [str(zone) for zone in asked] if isinstance(asked, list) else []


def zones_named_in(message: str) -> list[str]:
    """Read the zones that EKS offers in its refusal of another one."""
    found = _ZONES_NAMED.search(message)
    return _ZONE.findall(found[1]) if found else []


def choose_zones(
    request: Mapping[str, JsonValue], available: Sequence[Zone], offered_by_eks: Sequence[str]
) -> tuple[str, str] | None:
    """Choose two zones, away from the compute zone where possible; None when there are no two."""
    asked = requested_zones(request)
    if asked:
        return asked[0], asked[1]
    served = [zone.name for zone in control_plane_zones(available)]
    candidates = [zone for zone in served if zone in offered_by_eks] if offered_by_eks else served
    compute = _compute_zone(request)
    ordered = sorted(candidates, key=lambda zone: (zone == compute, zone))
    return (ordered[0], ordered[1]) if len(ordered) > 1 else None


def _compute_zone(request: Mapping[str, JsonValue]) -> str | None:
    hyperpod = request.get("hyperpod")
    zone = hyperpod.get("availability_zone") if isinstance(hyperpod, dict) else None
    return str(zone) if zone else None
