"""The end of the foundation stack: what its services leave behind is cleared, what is in the way is named.

CloudFormation waits for EKS; interfaces that the control plane forgets make it fail, and the stage clears and repeats.
In a network that was taken over they make nothing fail, and are cleared once the stack is gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from functions.aws import cloudformation, eks, vpcs
from functions.clusters.deletion.models import Deletion, StackResource, VpcContents
from functions.clusters.deletion.rules.blockers import (
    blocked,
    blockers_in,
    leftovers,
    of_cluster,
)
from functions.clusters.deletion.rules.interfaces import Fate, fate_of
from functions.clusters.deletion.rules.interfaces import owner_of as user_of
from functions.clusters.deletion.stages.leftovers import Cleared, clear, ids_of, owner_of, told, verdict
from functions.core import settings
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from functions.aws.cloudformation import Stack
    from functions.clusters.deletion.models import Owner

_POLL_SECONDS: Final = 30
_FAILED: Final = "DELETE_FAILED"
# So a later look knows on what the deletion failed.
_STILL_GOING: Final = "the deletion failed on interfaces that are still going:"
# A stack that comes to be can be deleted; one that is changed has to come to rest first.
_BEGINNING: Final = ("CREATE_IN_PROGRESS", "REVIEW_IN_PROGRESS")
_VPC: Final = "AWS::EC2::VPC"


class FoundationRemoval:
    """The stack that the foundation was made by; one that is not ours is left alone."""

    def apply(self, context: StageContext) -> Applied:
        """Delete the stack; after a failed try clear its VPC first, and retain what was asked for."""
        name = context.cluster.stack
        stack = cloudformation.describe(name)
        if stack is None:
            return told(context, _clear(context, []), f"the stack {name} is gone")
        if not _is_ours(context, stack):
            return Applied(f"the stack {name} is not ours")
        if stack.status.endswith("_IN_PROGRESS") and stack.status not in _BEGINNING:
            return Applied(f"the stack {name} is {stack.status}")
        retained, cleared = list[StackResource](), tuple[str, ...]()
        if stack.status == _FAILED:
            resources = cloudformation.resources(name)
            retained, cleared = _retained(context, resources), _clear(context, resources).gone
        role = settings.required("FOUNDATION_ROLE_ARN")
        cloudformation.delete(name, role, [each.logical_id for each in retained])
        notes = tuple(f"{each.logical_id} ({each.physical_id}) is given up and stays" for each in retained)
        return Applied(f"deleting the stack {name}", (*cleared, stack.stack_id), notes)

    def observe(self, context: StageContext) -> Observation:
        """Done when the stack is gone and EKS knows the cluster no more."""
        name = context.cluster.stack
        stack = cloudformation.describe(name)
        if stack is None:
            return _gone(context)
        if not _is_ours(context, stack):
            return Done({}, f"the stack {name} is not ours and is left alone")
        if stack.status == _FAILED:
            return _after_failure(context, cloudformation.resources(name))
        if stack.status.endswith("_IN_PROGRESS") and stack.status not in _BEGINNING:
            return Waiting(_POLL_SECONDS, _progress(stack, cloudformation.resources(name)))
        return Reapply(f"the stack {name} is {stack.status} and not being deleted")


def _is_ours(context: StageContext, stack: Stack) -> bool:
    return all(stack.tags.get(key) == value for key, value in stack_tags(context.cluster).items())


def _progress(stack: Stack, resources: Sequence[StackResource]) -> str:
    left = [each for each in resources if each.status not in ("DELETE_COMPLETE", "DELETE_SKIPPED")]
    going = sorted(each.logical_id for each in left if each.status == "DELETE_IN_PROGRESS")
    named = f", deleting {', '.join(going[:3])}" if going else ""
    return f"{stack.status}: {len(left)} of {len(resources)} resources left{named}"


def _gone(context: StageContext) -> Observation:
    """Look at what the stack was for: it may have been retained, or made anew by hand."""
    name = context.cluster.names.eks_cluster
    found = eks.describe_cluster(name)
    if found is not None and found.status == "DELETING":
        return Waiting(_POLL_SECONDS, f"the stack is gone, the EKS cluster {name} is {found.status}")
    behind = [] if found else _left_behind(context)
    for each in behind:
        if again := verdict(context, each):
            return again
    # What something of others' uses cannot be deleted, and blocks nothing here: it is named as what stays.
    ids = [each for vpc in behind for each in ids_of(vpc)]
    left = f"; the EKS cluster {name} is not of it and stays" if found else ""
    left += f"; in use, and left behind: {', '.join(ids)}" if ids else ""
    result: dict[str, JsonValue] = {"stack": context.cluster.stack, "retained": [*_left_by_stack(context)]}
    return Done({**result, "left": [*ids]}, f"the stack {context.cluster.stack} is gone{left}")


def _left_behind(context: StageContext) -> list[VpcContents]:
    """Give what EKS and its controllers have left in the networks that stay."""
    owner = owner_of(context)
    return [_left_in(vpc, owner) for vpc in _networks(context, [], owner)]


def _left_in(vpc: VpcContents, owner: Owner) -> VpcContents:
    """Pick what may be cleared away; while EKS's cluster stands, its controllers may still need the groups."""
    left = leftovers(vpc, owner)
    return replace(left, groups=()) if owner.stands else left


def _left_by_stack(context: StageContext) -> list[str]:
    """Give the ids of what the stack has let go; its bucket, which it always lets go, is told of elsewhere.

    A stack that is gone is known by its id for 90 days. Source: CloudFormation API reference, DescribeStackResources.
    """
    stack_ids = [each for each in context.stage.resources if f":stack/{context.cluster.stack}/" in each]
    found = [each for stack_id in stack_ids for each in cloudformation.resources(stack_id)]
    let_go = [each for each in found if each.status == "DELETE_SKIPPED" and not each.type.startswith("AWS::S3::")]
    return list(dict.fromkeys(each.physical_id for each in let_go))


def _retained(context: StageContext, resources: Sequence[StackResource]) -> list[StackResource]:
    """Pick what the stack is to let go: only what could not be deleted can be."""
    wanted = Deletion.model_validate(context.operation.request).retain_resources
    return [each for each in resources if each.logical_id in wanted and each.status == _FAILED]


def _clear(context: StageContext, resources: Sequence[StackResource]) -> Cleared:
    """Delete what EKS and its controllers have left in the VPC: nobody else does so once they are gone."""
    owner = owner_of(context)
    return clear(_left_in(vpc, owner) for vpc in _networks(context, resources, owner))


def _after_failure(context: StageContext, resources: Sequence[StackResource]) -> Observation:
    """Try again where something can be cleared away or has gone; else name what is in the way, or the reasons given."""
    owner, known = owner_of(context), {each.physical_id for each in resources}
    for vpc in _networks(context, resources, owner):
        if left := ids_of(_left_in(vpc, owner)):
            return Reapply(f"the deletion failed, and EKS has left {', '.join(left)} behind")
        if blockers := blockers_in(vpc, owner, known):
            what, otherwise = f"The foundation stack {context.cluster.stack}", _way_out(context, resources)
            return Failed(blocked(what, blockers, context.cluster.tag, otherwise=otherwise))
        if waits := [each for each in vpc.interfaces if fate_of(each, owner.eks_cluster) is Fate.WAIT]:
            return Waiting(_POLL_SECONDS, f"{_STILL_GOING} {user_of(waits[0])}")
    if (context.stage.message or "").startswith(_STILL_GOING):
        return Reapply("what the deletion failed on has gone")
    return Failed(_refused(context, resources))


def _networks(context: StageContext, resources: Sequence[StackResource], owner: Owner) -> list[VpcContents]:
    """Read the VPCs of the stack; of one that was taken over, what is the cluster's."""
    gone = ("DELETE_COMPLETE", "DELETE_SKIPPED")
    own = [each.physical_id for each in resources if each.type == _VPC and each.physical_id and each.status not in gone]
    found, reused = [vpcs.contents(each) for each in own], context.cluster.reused
    if reused is not None and reused.vpc_id:
        found.append(of_cluster(vpcs.contents(reused.vpc_id), owner))
    return found


def _refused(context: StageContext, resources: Sequence[StackResource]) -> StageFailed:
    failed = [each for each in resources if each.status == _FAILED]
    said = "; ".join(f"{each.logical_id} ({each.type} {each.physical_id}): {each.reason}" for each in failed)
    tag, stack = context.cluster.tag, context.cluster.stack
    return StageFailed(
        f"The stack {stack} is {_FAILED}: {said or 'CloudFormation names no resource'}.",
        cause=Cause(
            layer=Layer.AWS,
            service="cloudformation",
            api_call="DeleteStack",
            code=_FAILED,
            resource=failed[0].physical_id if failed else stack,
        ),
        remedy=f"Remove what the message names, then send DELETE /api/clusters/{tag} again. "
        f"{_way_out(context, resources)}",
    )


def _way_out(context: StageContext, resources: Sequence[StackResource]) -> str:
    failed = "&".join(f"retain_resources={each.logical_id}" for each in resources if each.status == _FAILED)
    path = f"DELETE /api/clusters/{context.cluster.tag}?{failed}"
    return f"Or give up what failed: {path} leaves it in the account, outside of any stack."
