"""What a cluster takes over: judged once more before anything is built on it; tags are all that is ever written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import network, reuse
from functions.core import settings
from functions.core.cluster import ReusedResources
from functions.core.findings import Level, refusal
from functions.core.stage import Applied, Done, Observation, Reapply
from functions.core.tags import stack_tags
from functions.network.reuse.rules import tags
from functions.network.reuse.rules.checks import check
from functions.network.reuse.rules.roles import Home, role_arns
from functions.network.subnets.rules.identity import identity_of
from functions.network.subnets.rules.needs import needs_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec
    from functions.core.findings import Finding
    from functions.core.stage import StageContext
    from functions.network.reuse.models import Facts
    from functions.network.subnets.rules.needs import Need


class Reuse:
    """VPC, subnets, security group, roles and bucket of the caller's own."""

    def apply(self, context: StageContext) -> Applied:
        """Judge everything; give subnets the tags that the caller wants them to have."""
        reused, facts = _looked_up(context.cluster)
        _judge(context.cluster, facts)
        missing = _to_write(reused, facts)
        for subnet_id, lacking in missing.items():
            network.tag(subnet_id, lacking)
        return Applied(f"tagged {', '.join(missing)}" if missing else _said(reused), tuple(_resources(reused)))

    def observe(self, context: StageContext) -> Observation:
        """Done when everything still is as it has to be; what is good to know is said."""
        reused, facts = _looked_up(context.cluster)
        found = _judge(context.cluster, facts)
        if missing := _to_write(reused, facts):
            return Reapply(f"{', '.join(missing)} lack tags")
        told = "; ".join(finding.message for finding in found if finding.level is Level.WARNING)
        message = f"{_said(reused)}; {told}" if told else _said(reused)
        taken: list[JsonValue] = [*_resources(reused)]
        return Done({"reused": taken}, message, tuple(_resources(reused)))


def _looked_up(cluster: ClusterSpec) -> tuple[ReusedResources, Facts]:
    reused = cluster.reused or ReusedResources()
    return reused, reuse.everything(reused, role_arns(reused), cluster.region, cluster.account_id)


def _judge(cluster: ClusterSpec, facts: Facts) -> list[Finding]:
    """Raise the problem that names all that is wrong; give what is good to know."""
    passable, own = tuple(settings.passable_role_arns()), tuple(settings.own_buckets())
    home = Home(cluster.account_id, cluster.region, passable, own, cluster.tag)
    wanted = needs_of(cluster.instance_groups, cluster.availability_zone, cluster.subnet_prefix)
    needs = [need for need in wanted if not _stands(need, cluster, facts)]
    found = check(cluster.reused or ReusedResources(), cluster.bucket, facts, needs, home)
    if problem := refusal(found):
        raise problem
    return found


def _stands(need: Need, cluster: ClusterSpec, facts: Facts) -> bool:
    """Say whether the subnet for a need is there already: it needs no room any more."""
    found = facts.network(cluster.reused.vpc_id) if cluster.reused and cluster.reused.vpc_id else None
    identity = identity_of(need, need.zone or "", stack_tags(cluster))
    return bool(found and identity.subnets(found.parts.subnets))


def _to_write(reused: ReusedResources, facts: Facts) -> dict[str, dict[str, str]]:
    found = facts.network(reused.vpc_id) if reused.vpc_id and reused.tag_subnets else None
    return tags.lacking(reused, found) if found else {}


def _said(reused: ReusedResources) -> str:
    return f"taken over as it is: {', '.join(_resources(reused))}"


def _resources(reused: ReusedResources) -> list[str]:
    single = (reused.security_group_id, *role_arns(reused), reused.bucket)
    return [each for each in (reused.vpc_id, *reused.subnet_ids, *single) if each]
