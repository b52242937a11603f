"""The last look at the VPC before its stack goes: what others made there is named before anything of it is touched."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import cloudformation, vpcs
from functions.clusters.deletion.models import VpcContents
from functions.clusters.deletion.rules.blockers import (
    blocked,
    blockers_in,
    going,
    held,
    leftovers,
    of_cluster,
    still_there,
)
from functions.clusters.deletion.stages.leftovers import clear, owner_of, told, verdict
from functions.core import runtime
from functions.core.stage import Applied, Done, Failed, Observation, StageContext, Waiting
from functions.core.tags import stack_tags

if TYPE_CHECKING:
    from functions.clusters.deletion.models import Owner
    from functions.core.cluster import ClusterSpec

_POLL_SECONDS: Final = 15
_PATIENCE: Final = timedelta(minutes=15)
_VPC: Final = "AWS::EC2::VPC"


class VpcClearance:
    """The VPC of the foundation stack, without what the stack itself deletes; in one taken over, the cluster's own."""

    def apply(self, context: StageContext) -> Applied:
        """Delete interfaces and security groups that the cluster's controllers have left behind."""
        owner = owner_of(context)
        left = leftovers(_vpc(context, owner)[0], owner)
        return told(context, clear([left]), "nothing is left behind")

    def observe(self, context: StageContext) -> Observation:
        """Done when nothing but the stack's own things is there; Blocked, with each named, when others' are."""
        owner = owner_of(context)
        vpc, known = _vpc(context, owner)
        left = leftovers(vpc, owner)
        if left.interfaces and (again := verdict(context, left)):
            return again
        foreign, waits = blockers_in(vpc, owner, known), going(vpc.interfaces, owner.eks_cluster)
        waited = runtime.now() - (context.stage.started_at or runtime.now()) >= _PATIENCE
        if waits and not waited and not foreign:
            return Waiting(_POLL_SECONDS, f"waiting for {len(waits)} interfaces to go: {waits[0].description}")
        if foreign or waits:
            what = f"The network of {context.cluster.tag}"
            return Failed(blocked(what, [*foreign, *still_there(waits)], context.cluster.tag))
        return verdict(context, left) or _concluded(context.cluster, left)


def _concluded(cluster: ClusterSpec, left: VpcContents) -> Observation:
    """Judge what was tried in vain: in a network that was taken over it may be in others' use, which blocks nothing."""
    in_use = [*still_there(left.interfaces), *held(left.groups)]
    if in_use and not (cluster.reused and cluster.reused.vpc_id):
        return Failed(blocked(f"The network of {cluster.tag}", in_use, cluster.tag))
    used = next(iter(left.groups), None)
    return Done({}, f"in use: {used.group_id} ({used.name})" if used else "nobody else uses the VPC")


def _vpc(context: StageContext, owner: Owner) -> tuple[VpcContents, set[str]]:
    """Read the VPC of the stack, and what of it the stack holds; of one that was taken over, what is the cluster's."""
    stack = cloudformation.describe(context.cluster.stack)
    ours = stack and all(stack.tags.get(key) == value for key, value in stack_tags(context.cluster).items())
    resources = cloudformation.resources(context.cluster.stack) if ours else []
    gone = ("DELETE_COMPLETE", "DELETE_SKIPPED")
    vpc_id = next((each.physical_id for each in resources if each.type == _VPC and each.status not in gone), "")
    contents = vpcs.contents(vpc_id) if vpc_id else _reused(context.cluster, owner)
    return contents, {each.physical_id for each in resources if each.physical_id}


def _reused(cluster: ClusterSpec, owner: Owner) -> VpcContents:
    reused = cluster.reused
    if reused is None or reused.vpc_id is None:
        return VpcContents((), (), ())
    return of_cluster(vpcs.contents(reused.vpc_id), owner)
