"""Which zones a request may name: by name or id, compared by id, and which of them offer what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.offerings import zones_of
from functions.catalog.rules import control_plane_zones, looks_like_a_zone_id, zone_named
from functions.clusters.models import CreateCluster
from functions.clusters.preflight.rules.requests import hyperpod_of, listed_groups, path_of
from functions.core.errors import InvalidRequest, Unavailable
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from functions.catalog.models import Zone
    from functions.clusters.models import HyperPod
    from functions.network.subnets.rules.needs import Group

ZONE: Final = "zone"
ZONE_UNKNOWN: Final = "zone_unknown"
_CONTROL_PLANE: Final = "foundation.control_plane_availability_zones"

Offerings = Mapping[str, frozenset[str]] | None


def named_in(request: CreateCluster | HyperPod) -> list[tuple[str, str]]:
    """List the zones that a request names, each with its field."""
    hyperpod, path = hyperpod_of(request), path_of(request)
    named = [(f"{path}availability_zone", hyperpod.availability_zone)] if hyperpod else []
    named += [
        (f"{field}.availability_zone", group.availability_zone)
        for field, group in listed_groups(request)
        if group.availability_zone
    ]
    if isinstance(request, CreateCluster):
        wanted = request.foundation.control_plane_availability_zones or []
        named += [(f"{_CONTROL_PLANE}[{place}]", zone) for place, zone in enumerate(wanted)]
    return named


def check(
    request: CreateCluster | HyperPod, zones: Sequence[Zone] | None, region: str, offerings: Offerings
) -> Iterator[Finding]:
    """Find zones that the region does not have, or in which EKS places no control plane.

    Without an answer about zones (None) only ids are in the way: stages are named after zones, by their names.
    """
    if zones is None:
        yield from (_unknown(field, zone) for field, zone in named_in(request) if looks_like_a_zone_id(zone))
        return
    hyperpod = hyperpod_of(request)
    if hyperpod and zone_named(hyperpod.availability_zone, zones) is None:
        following = [group for group in hyperpod.groups if not (group.availability_zone or group.training_plan_arn)]
        field = f"{path_of(request)}availability_zone"
        yield _no_zone(field, hyperpod.availability_zone, region, _fitting(following, zones, offerings))
    for field, group in listed_groups(request):
        if group.availability_zone and zone_named(group.availability_zone, zones) is None:
            fitting = _fitting([group], zones, offerings)
            yield _no_zone(f"{field}.availability_zone", group.availability_zone, region, fitting)
    if isinstance(request, CreateCluster):
        yield from _check_control_plane(request.foundation.control_plane_availability_zones or [], zones, region)


def use_names(request: CreateCluster | HyperPod, zones: Sequence[Zone]) -> None:
    """Write the zones of a request by their names, where the caller wrote ids."""
    if hyperpod := hyperpod_of(request):
        hyperpod.availability_zone = name_of(hyperpod.availability_zone, zones)
        for group in hyperpod.instance_groups:
            group.availability_zone = name_of(group.availability_zone, zones) if group.availability_zone else None
    if isinstance(request, CreateCluster) and (wanted := request.foundation.control_plane_availability_zones):
        request.foundation.control_plane_availability_zones = [name_of(zone, zones) for zone in wanted]


def name_of(wanted: str, zones: Iterable[Zone]) -> str:
    """Give the name of a zone that is written by its name or id; what is no zone stays as it is."""
    zone = zone_named(wanted, zones)
    return zone.name if zone else wanted


def _fitting(groups: Iterable[Group], zones: Sequence[Zone], offerings: Offerings) -> list[str]:
    """Name the zones that offer what groups ask for, all zones where that is not known or true of none."""
    wanted = [[zones_of(kind, offerings or {}) for kind in group.types] for group in groups]
    # What EC2 lists nowhere in the region may still be there for HyperPod.
    known = [{zone for offered in each for zone in offered} for each in wanted if all(each)]
    fitting = [zone.name for zone in zones if all(zone.name in each for each in known)]
    return fitting or [zone.name for zone in zones]


def _no_zone(field: str, wanted: str, region: str, allowed: list[str]) -> Finding:
    return Finding(
        check=ZONE,
        level=Level.ERROR,
        code=InvalidRequest.code,
        field=field,
        message=f"{wanted} is not a zone of {region}",
        allowed=allowed,
        remedy=f"Name one of {', '.join(allowed)}, which offer what is asked for, or its id.",
    )


def _unknown(field: str, zone: str) -> Finding:
    return Finding(
        check=ZONE_UNKNOWN,
        level=Level.ERROR,
        code=Unavailable.code,
        field=field,
        message=f"EC2 does not say at present which zone {zone} is; nothing was begun",
        remedy="Name the zones by their names, or send the request again in a moment.",
    )


def _check_control_plane(wanted: Sequence[str], zones: Sequence[Zone], region: str) -> Iterator[Finding]:
    allowed = [zone.name for zone in control_plane_zones(zones)]
    for place, name in enumerate(wanted):
        if message := _fault(name, wanted[:place], zones, region):
            yield Finding(
                check=ZONE,
                level=Level.ERROR,
                code=InvalidRequest.code,
                field=f"{_CONTROL_PLANE}[{place}]",
                message=message,
                allowed=allowed,
                remedy=f"Name two of {', '.join(allowed)}, or leave the zones out: then two of them are chosen.",
            )


def _fault(name: str, before: Sequence[str], zones: Sequence[Zone], region: str) -> str | None:
    zone, served = zone_named(name, zones), control_plane_zones(zones)
    if zone is None:
        return f"{name} is not a zone of {region}"
    if zone not in served:
        allowed = ", ".join(each.name for each in served)
        return f"EKS places no control plane in {zone.name} ({zone.id}); choose from {allowed}"
    if zone in [zone_named(other, zones) for other in before]:
        return f"{zone.name} is named twice; a control plane needs two different zones"
    return None
