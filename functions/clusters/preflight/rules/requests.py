"""What a request asks for, and where in it that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.models import CreateCluster, HyperPod
from functions.clusters.preflight.models import Target
from functions.core.phases import CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.capacity.models import InstanceGroup
    from functions.clusters.models import Condition
    from functions.core.cluster import ClusterSpec


def target_of(spec: ClusterSpec, conditions: Iterable[Condition]) -> Target:
    """Give the cluster that there is as what a request is for."""
    tried = any(condition.type == CONDITIONS["hyperpod"] for condition in conditions)
    reused, found = spec.reused, spec.surroundings
    vpc_id = (reused.vpc_id if reused else None) or (found.vpc_id if found else None)
    return Target(spec.tag, spec.account_id, spec.region, spec.names, vpc_id, tried, chosen_ranges=spec.ranges)


def hyperpod_of(request: CreateCluster | HyperPod) -> HyperPod | None:
    """Give the HyperPod cluster that a request asks for; None when it asks for a foundation alone."""
    return request if isinstance(request, HyperPod) else request.hyperpod


def path_of(request: CreateCluster | HyperPod) -> str:
    """Say where the HyperPod cluster stands in a request, with the point after it."""
    return "" if isinstance(request, HyperPod) else "hyperpod."


def makes_vpc(request: CreateCluster | HyperPod) -> bool:
    """Say whether a request makes a VPC of its own."""
    return isinstance(request, CreateCluster) and request.foundation.vpc_id is None


def listed_groups(request: CreateCluster | HyperPod) -> list[tuple[str, InstanceGroup]]:
    """List the instance groups of a request, the cluster's own last, each with where it stands."""
    hyperpod, path = hyperpod_of(request), path_of(request)
    if hyperpod is None:
        return []
    listed = [(f"{path}instance_groups[{place}]", group) for place, group in enumerate(hyperpod.instance_groups)]
    return [*listed, *([(f"{path}system_group", hyperpod.system_group.group)] if hyperpod.system_group else [])]
