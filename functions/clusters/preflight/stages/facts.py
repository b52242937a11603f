"""The facts of one request: which calls each check makes. Their number depends on no number of groups or instances.

Beside one call per distinct plan and script, and one per other HyperPod cluster of the region, it is the same for every
request of a kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import (
    artifacts,
    buckets,
    cloudformation,
    eks,
    hyperpod,
    iam,
    network,
    offerings,
    peering,
    quotas,
    security_groups,
    training_plans,
    zones,
)
from functions.capacity.preflight.models import Facts as CapacityFacts
from functions.capacity.preflight.models import Needed as CapacityNeeds
from functions.capacity.preflight.models import Script
from functions.capacity.preflight.rules.offerings import OFFERING
from functions.capacity.preflight.rules.plans import PLAN
from functions.capacity.preflight.rules.quotas import QUOTA, used_by
from functions.capacity.preflight.rules.scripts import SCRIPT, SIZE_LIMIT
from functions.capacity.preflight.rules.security_groups import SECURITY_GROUP
from functions.clusters.preflight.models import (
    Facts,
    HyperPodFound,
    Leftovers,
    NetworkUse,
    PartFound,
    StackFound,
    SubnetsFound,
)
from functions.clusters.preflight.rules.leftovers import BUCKET, EKS_CLUSTER, LEFTOVER
from functions.clusters.preflight.rules.network_quotas import NETWORK_QUOTA, SERVICES
from functions.clusters.preflight.rules.ranges import RANGES
from functions.clusters.preflight.rules.subnets import SUBNET
from functions.clusters.preflight.rules.versions import KUBERNETES_VERSION
from functions.clusters.preflight.rules.zones import ZONE
from functions.core import runtime
from functions.core.deadlines import TimeOver
from functions.core.tags import marked
from functions.network.ranges.models import RangesInUse
from functions.network.subnets.rules.identity import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from functions.capacity.preflight.models import SecurityGroup
    from functions.clusters.preflight.models import Needed, Target
    from functions.core.gathering import Gathering
    from functions.core.runtime import Patience


def gather(needed: Needed, target: Target, look: Gathering) -> Facts:
    """Look up everything that is needed, all at once."""
    patience, in_time = look.patience, look.in_time
    capacity = _ask_capacity(needed.capacity, target, look)
    known = look.ask(ZONE, lambda: zones.describe(patience), wanted=needed.zones)
    versions = look.ask(KUBERNETES_VERSION, lambda: eks.offered_versions(patience), wanted=needed.kubernetes_versions)
    services = {code: SERVICES[code] for code in needed.network_limits}
    limits = look.ask(NETWORK_QUOTA, lambda: quotas.applied(services, in_time, patience), wanted=bool(services))
    use = look.ask(NETWORK_QUOTA, lambda: _network_use(services, look), wanted=bool(services))
    hyperpods = look.ask(LEFTOVER, lambda: _hyperpod(target, patience), wanted=needed.hyperpod)
    founded = look.ask(LEFTOVER, lambda: _foundation(needed, target, look), wanted=needed.stack)
    subnets = look.ask(SUBNET, lambda: _subnets(needed.subnet_ids, target, patience), wanted=needed.subnets)
    ranges = look.ask(RANGES, lambda: _ranges(patience), wanted=needed.ranges_in_use)
    look.make()
    stack, parts = founded.value or (None, [])
    return Facts(
        capacity=capacity(),
        zones=known.value,
        kubernetes_versions=versions.value,
        network_limits=limits.value,
        network_use=use.value,
        leftovers=Leftovers(stack, parts, hyperpods.value),
        subnets=subnets.value,
        ranges_in_use=ranges.value,
    )


def _ask_capacity(needed: CapacityNeeds | None, target: Target, look: Gathering) -> Callable[[], CapacityFacts]:
    """Ask for what the capacity of a request is checked by; the answers are there once all calls are made."""
    if needed is None:
        return CapacityFacts
    patience, in_time, name = look.patience, look.in_time, target.names.hyperpod_cluster
    offered = look.ask(OFFERING, lambda: offerings.zones_by_type(needed.types, patience), wanted=bool(needed.types))
    plans = look.ask(
        PLAN,
        lambda: {arn: training_plans.describe(arn, patience) for arn in needed.plans},
        wanted=bool(needed.plans),
    )
    groups = look.ask(
        SECURITY_GROUP,
        lambda: _security_groups(needed.security_groups, patience),
        wanted=bool(needed.security_groups),
    )
    scripts = look.ask(
        SCRIPT,
        lambda: {place: _script(place, patience) for place in needed.scripts},
        wanted=bool(needed.scripts),
    )
    limits = look.ask(QUOTA, lambda: quotas.read(needed.quotas, needed.quota_codes, in_time, patience))
    used = look.ask(QUOTA, lambda: _used(name, look))
    return lambda: CapacityFacts(
        offerings=offered.value,
        plans=plans.value,
        quotas=limits.value,
        used=used.value,
        security_groups=groups.value,
        scripts=scripts.value,
        at=runtime.now(),
    )


def _used(name: str, look: Gathering) -> dict[str, int]:
    groups = hyperpod.groups_of_others(name, look.in_time, look.patience)
    if groups is None:
        raise TimeOver
    return used_by((group.types, group.capacity_type, group.target) for group in groups)


def _security_groups(group_ids: Sequence[str], patience: Patience) -> dict[str, SecurityGroup | None]:
    found = security_groups.describe(group_ids, patience)
    return {group_id: found.get(group_id) for group_id in group_ids}


def _script(place: str, patience: Patience) -> Script | None:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    found = artifacts.beginning(bucket, key, SIZE_LIMIT, patience)
    return Script(*found) if found else None


def _network_use(limits: dict[str, str], look: Gathering) -> NetworkUse:
    new_vpc = len(limits) > 1
    vpcs = network.count_vpcs(look.patience) if new_vpc else 0
    elastic_ips = network.count_elastic_ips(look.patience) if new_vpc else 0
    interfaces = network.count_interfaces(look.in_time, look.patience)
    if interfaces is None:
        raise TimeOver
    return NetworkUse(vpcs, elastic_ips, interfaces)


def _ranges(patience: Patience) -> RangesInUse:
    return RangesInUse(network.vpc_ranges(patience), peering.peered_vpcs(patience))


def _foundation(needed: Needed, target: Target, look: Gathering) -> tuple[StackFound | None, list[PartFound]]:
    """Look for a stack of the name; without one of ours, for whatever else its parts would meet."""
    stack = _stack(target, look.patience)
    if stack is not None and stack.ours:
        return stack, []
    listed = (_part(kind, name, target, look.patience) for kind, name in needed.parts)
    parts = [part for part in listed if part is not None]
    # A creation that began after the first look makes its stack before the stack's parts.
    again = _stack(target, look.patience) if parts and stack is None else stack
    return again, [] if again is not None and again.ours else parts


def _stack(target: Target, patience: Patience) -> StackFound | None:
    name = target.names.stack
    found = cloudformation.describe(name, patience) if name else None
    return StackFound(found.name, found.stack_id, found.status, marked(found.tags, target.tag)) if found else None


def _part(kind: str, name: str, target: Target, patience: Patience) -> PartFound | None:
    if kind == BUCKET:
        return _bucket(name, target, patience)
    if kind == EKS_CLUSTER:
        found = eks.describe_cluster(name, patience)
        tags = found.tags if found else None
    else:
        tags = iam.tags_of_role(name, patience)
    return None if tags is None else PartFound(kind, name, marked(tags, target.tag))


def _bucket(name: str, target: Target, patience: Patience) -> PartFound | None:
    found = buckets.find(name, target.account_id, patience)
    if found is None:
        return None
    if found.closed:
        whose = "of another account or region, or closed to the control plane: names of buckets are global"
        return PartFound(BUCKET, name, None, whose)
    if found.region not in (None, target.region):
        return PartFound(BUCKET, name, ours=False, whose=f"in {found.region}")
    return PartFound(BUCKET, name, marked(found.tags, target.tag))


def _hyperpod(target: Target, patience: Patience) -> HyperPodFound | None:
    found = hyperpod.describe(target.names.hyperpod_cluster, patience)
    if found is None:
        return None
    groups = frozenset((group.name, group.types, group.target) for group in found.groups)
    instances = sum(group.current for group in found.groups)
    return HyperPodFound(found.name, found.arn, found.status, found.eks_arn, groups, instances)


def _subnets(named: Sequence[str], target: Target, patience: Patience) -> SubnetsFound:
    """Read the cluster's VPC; of a created one its subnets tell which it is."""
    tagged = [] if target.vpc_id else network.subnets_tagged({CLUSTER_TAG: target.tag}, patience)
    vpc_id = target.vpc_id or next((subnet.vpc_id for subnet in tagged), None)
    standing = network.subnets_of_vpc(vpc_id, patience) if vpc_id else []
    own = [subnet for subnet in standing if subnet.tags.get(CLUSTER_TAG) == target.tag]
    given = [subnet for subnet in standing if subnet.subnet_id in named]
    elsewhere = sorted({*named} - {subnet.subnet_id for subnet in given})
    given += network.subnets_named(elsewhere, patience)
    return SubnetsFound(own, given, standing, network.ranges_of_vpc(vpc_id, patience) if vpc_id else ())
