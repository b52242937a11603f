"""All checks of a request to create something: what has to be known for them, and everything that they find."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from functions.capacity.preflight import rules as capacity
from functions.catalog.rules import looks_like_a_zone_id, zone_named
from functions.clusters.models import CreateCluster, HyperPod
from functions.clusters.preflight.models import Needed
from functions.clusters.preflight.rules import leftovers, network_quotas, owners, ranges, subnets, versions, zones
from functions.clusters.preflight.rules.requests import hyperpod_of, listed_groups, makes_vpc, path_of
from functions.clusters.preflight.rules.room import room_of
from functions.clusters.rules import desired_groups
from functions.core.findings import Finding, Level, errors_in
from functions.network.ranges.rules import compute_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from functions.capacity.preflight.models import Placed, TrainingPlan
    from functions.catalog.models import Zone
    from functions.clusters.preflight.models import Facts, Target


def needed(request: CreateCluster | HyperPod, target: Target) -> Needed:
    """Say what has to be gathered for a request."""
    hyperpod, groups = hyperpod_of(request), listed_groups(request)
    placed = capacity.placed(groups, hyperpod.availability_zone if hyperpod else "", {})
    return Needed(
        capacity=capacity.needed(placed) if placed else None,
        zones=bool(zones.named_in(request)),
        kubernetes_versions=isinstance(request, CreateCluster) and request.foundation.kubernetes_version is not None,
        network_limits=list(network_quotas.SERVICES) if makes_vpc(request) else [network_quotas.INTERFACES],
        stack=isinstance(request, CreateCluster),
        parts=_parts(request, target) if isinstance(request, CreateCluster) else [],
        hyperpod=hyperpod is not None,
        subnets=not makes_vpc(request),
        subnet_ids=[group.subnet_id for _, group in groups if group.subnet_id],
        ranges_in_use=makes_vpc(request) and target.chosen_ranges is not None,
    )


def settle(request: CreateCluster | HyperPod, facts: Facts, target: Target) -> list[Finding]:
    """Find everything that is wrong or good to know about a request, errors first.

    Zones are written by their names, groups with a training plan get its zone, and compute subnets the size of a small
    part that was chosen for them.
    """
    found = [*zones.check(request, facts.zones, target.region, facts.capacity.offerings)]
    if facts.zones is not None:
        zones.use_names(request, facts.zones)
    plans = _named(facts.capacity.plans, facts.zones)
    placed = _placed(request, plans, facts.zones)
    if hyperpod := hyperpod_of(request):
        _size_subnets(hyperpod, compute_prefix(target.chosen_ranges))
    found += _check_foundation(request, facts, target)
    if hyperpod:
        capacity_facts = replace(facts, capacity=replace(facts.capacity, plans=plans))
        found += _check_hyperpod(request, hyperpod, capacity_facts, target, placed)
    found += _check_network(request, facts)
    errors = errors_in(found)
    return [*errors, *(finding for finding in found if finding.level is not Level.ERROR)]


def _placed(
    request: CreateCluster | HyperPod, plans: Mapping[str, TrainingPlan | None] | None, known: Sequence[Zone] | None
) -> list[Placed]:
    """Settle into which zones groups go; those with a training plan are written into its zone."""
    hyperpod, groups = hyperpod_of(request), listed_groups(request)
    zone = hyperpod.availability_zone if hyperpod else ""
    placed = [_known(each, known) for each in capacity.placed(groups, zone, plans or {})]
    if plans is not None:
        _use_plan_zones(placed)
    return placed


def _size_subnets(hyperpod: HyperPod, prefix: int | None) -> None:
    if hyperpod.subnet_prefix is None and prefix is not None:
        hyperpod.subnet_prefix = prefix


def _check_foundation(request: CreateCluster | HyperPod, facts: Facts, target: Target) -> Iterator[Finding]:
    if isinstance(request, CreateCluster):
        yield from versions.check(request.foundation.kubernetes_version, facts.kubernetes_versions)
        yield from ranges.check(request, target, facts.ranges_in_use)
        yield from leftovers.check_foundation(facts.leftovers, target)


def _check_hyperpod(
    request: CreateCluster | HyperPod, hyperpod: HyperPod, facts: Facts, target: Target, placed: Sequence[Placed]
) -> Iterator[Finding]:
    groups, new_vpc, found = listed_groups(request), makes_vpc(request), facts.subnets
    vpc_id = target.vpc_id or (found.vpc_id if found else None)
    yield from capacity.check(placed, facts.capacity, new_vpc=new_vpc, vpc_id=vpc_id)
    yield from subnets.check_interfaces(groups)
    yield from subnets.check_given(groups, found, vpc_id, new_vpc=new_vpc)
    yield from owners.check(groups, facts, target)
    if new_vpc or found is not None:
        standing, room = [*found.own, *found.given] if found else [], room_of(request, target, found)
        yield from subnets.check_room(hyperpod, groups, standing, target, room)
    if isinstance(request, HyperPod):
        yield from ranges.check_standing(request, target, found)
    field = f"{path_of(request)}instance_groups"
    yield from leftovers.check_hyperpod(facts.leftovers, target, desired_groups(hyperpod), field)


def _check_network(request: CreateCluster | HyperPod, facts: Facts) -> Iterator[Finding]:
    groups, founds = listed_groups(request), isinstance(request, CreateCluster)
    interfaces = network_quotas.interfaces_of([group for _, group in groups], with_network=founds)
    field = f"{groups[0][0]}.instance_count" if groups else "foundation"
    new_vpc = makes_vpc(request)
    yield from network_quotas.check(facts.network_limits, facts.network_use, interfaces, field, new_vpc=new_vpc)


def _named(
    plans: Mapping[str, TrainingPlan | None] | None, known: Sequence[Zone] | None
) -> dict[str, TrainingPlan | None] | None:
    """Write the zones of plans by their names, where SageMaker gave ids."""
    if plans is None:
        return None
    return {arn: _with_names(plan, known) if plan and known else plan for arn, plan in plans.items()}


def _with_names(plan: TrainingPlan, known: Sequence[Zone]) -> TrainingPlan:
    capacities = tuple(replace(each, zone=zones.name_of(each.zone, known)) for each in plan.capacities)
    return replace(plan, capacities=capacities)


def _known(each: Placed, known: Sequence[Zone] | None) -> Placed:
    """Leave a zone out that the region does not have, or that nobody names: that is said once, for all that follows."""
    if each.zone is None:
        return each
    by_name = not looks_like_a_zone_id(each.zone) if known is None else zone_named(each.zone, known)
    return each if by_name else replace(each, zone=None)


def _use_plan_zones(placed: Sequence[Placed]) -> None:
    for each in placed:
        if each.group.training_plan_arn and each.zone:
            each.group.availability_zone = each.zone


def _parts(request: CreateCluster, target: Target) -> list[tuple[str, str]]:
    """Name what a new foundation makes under a name of its own; what it takes over is there already."""
    taken, names = request.foundation, target.names
    made = [
        (leftovers.EKS_CLUSTER, names.eks_cluster, None),
        (leftovers.BUCKET, names.bucket, taken.bucket),
        (leftovers.ROLE, names.control_plane_role, taken.control_plane_role_arn),
        (leftovers.ROLE, names.execution_role, taken.execution_role_arn),
        (leftovers.ROLE, names.s3_csi_role, taken.s3_csi_role_arn),
    ]
    return [(kind, name) for kind, name, given in made if given is None and name is not None]
