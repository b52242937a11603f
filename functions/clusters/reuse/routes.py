"""The edge's look at what a request takes over, among all else that the request is checked by.

A check that does not come to an end is made by the stage `reuse`, which looks again before anything is made.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from functions.aws import reuse
from functions.clusters.preflight.rules.owners import names_any
from functions.core import application, settings
from functions.core.cluster import ReusedResources
from functions.core.declaration import Scope
from functions.core.ledger.clusters import specs as all_specs
from functions.network.reuse.models import Facts, Named
from functions.network.reuse.rules import checks, endpoint, kinds
from functions.network.reuse.rules.owners import neighbour
from functions.network.reuse.rules.roles import Home, role_arns
from functions.network.subnets.rules.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from functions.capacity.models import InstanceGroup
    from functions.clusters.models import CreateCluster
    from functions.clusters.preflight.models import Target
    from functions.core.cluster import ClusterSpec
    from functions.core.findings import Finding
    from functions.core.gathering import Gathering
    from functions.network.reuse.models import Neighbour
    from functions.network.subnets.rules.needs import Need


def ask(reused: ReusedResources | None, tag: str, look: Gathering) -> Callable[[], Facts]:
    """Ask for what a cluster takes over, each check on its own; the answers are there once all calls are made."""
    if reused is None:
        return Facts
    specs, deployed = all_specs(), settings.current()
    vpc_id, group_id, name = reused.vpc_id or "", reused.security_group_id or "", reused.bucket or ""
    network = look.ask(kinds.VPC, lambda: reuse.find_network(vpc_id, deployed.region), wanted=bool(vpc_id))
    strangers = look.ask(kinds.SUBNET, lambda: reuse.strangers(reused), wanted=bool(vpc_id))
    groups = look.ask(kinds.SECURITY_GROUP, lambda: reuse.find_security_groups([group_id]), wanted=bool(group_id))
    roles = {arn: look.ask(kinds.ROLE, partial(reuse.find_role, arn)) for arn in role_arns(reused)}
    bucket = look.ask(kinds.BUCKET, lambda: reuse.find_bucket(name, deployed.account_id), wanted=bool(name))
    return lambda: Facts(
        networks={vpc_id: network.value} if network.answered else None,
        strangers=strangers.value or {},
        security_groups=groups.value,
        roles={arn: role.value for arn, role in roles.items() if role.answered},
        buckets={name: bucket.value} if bucket.answered else None,
        neighbours=_neighbours(tag, specs),
        named=_named(specs),
    )


def judge(request: CreateCluster, target: Target, facts: Facts) -> list[Finding]:
    """Find what is wrong or good to know about all that a request takes over, and about who reaches its endpoint."""
    foundation = request.foundation
    found = endpoint.check(foundation.public_access_cidrs, settings.fixed_egress_addresses())
    if foundation.reused is None:
        return found
    bucket = target.names.bucket or ""
    return [*found, *checks.check(foundation.reused, bucket, facts, _needs(request), _home(target.tag))]


def look_at(
    tag: str, execution_role_arn: str | None, bucket: str | None, look: Gathering, standing_bucket: str | None = None
) -> list[Finding]:
    """Find what is wrong with a role and a bucket that an imported cluster is to have; of one that it has only tell."""
    reused = ReusedResources(execution_role_arn=execution_role_arn, bucket=bucket)
    used = bucket or standing_bucket
    if reused == ReusedResources() and used is None:
        return []
    facts = ask(reused.model_copy(update={"bucket": used}), tag, look)
    look.make()
    found = [*checks.check_parts(reused, used, facts(), _home(tag)), *look.findings]
    return [each.model_copy(update={"field": (each.field or "").removeprefix("foundation.") or None}) for each in found]


def named(groups: Iterable[InstanceGroup]) -> Named:
    """Give the clusters that the caller may learn the tag of; they are read where groups name what could be theirs."""
    return _named(all_specs() if names_any(groups) else ())


def _named(specs: Iterable[ClusterSpec]) -> Named:
    caller = application.caller()
    tags = frozenset(spec.tag for spec in specs if caller.owns(spec.owner_groups))
    return Named(tags, every=Scope.ADMIN in caller.scopes)


def _neighbours(tag: str, specs: Iterable[ClusterSpec]) -> list[Neighbour]:
    """Give the other clusters; the caller learns of those whose owner groups are the caller's too which they are."""
    caller = application.caller()
    return [neighbour(spec, known=caller.owns(spec.owner_groups)) for spec in specs if spec.tag != tag]


def _needs(request: CreateCluster) -> list[Need]:
    hyperpod = request.hyperpod
    return needs_of(hyperpod.groups, hyperpod.availability_zone, hyperpod.subnet_prefix) if hyperpod else []


def _home(tag: str) -> Home:
    deployed = settings.current()
    passable, own = tuple(settings.passable_role_arns()), tuple(settings.own_buckets())
    return Home(deployed.account_id, deployed.region, passable, own, tag)
