"""The HyperPod cluster with its instance groups, as far as SageMaker goes; nodes are another stage."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.aws import hyperpod, hyperpod_creation, hyperpod_events
from functions.aws.foundations import foundation_of
from functions.capacity.nodes.rules import waiting_for_check
from functions.capacity.rules.counts import complete, counted
from functions.capacity.rules.shortfalls import rolled_back, short_groups
from functions.capacity.stages import drift, shortage
from functions.capacity.stages.building import new_cluster
from functions.core import runtime, settings
from functions.core.errors import Cause, Conflict, Layer, Problem, StageFailed
from functions.core.failures import failure
from functions.core.ledger.made import adopted
from functions.core.ledger.models import Reason
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import stack_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.core.cluster import DesiredGroup
    from functions.core.ledger.models import JsonObject

_IN_CHECK: Final = "DeepHealthCheckInProgress"
# What failed is tried again by HyperPod minutes later, and a deep health check takes an hour and more.
_SLOWER: Final = 4
# A lack of capacity that lasts is looked at less often; a new one may pass at the next try.
_LASTING: Final = timedelta(minutes=10)


class HyperPodCluster:
    """The HyperPod cluster with its instance groups, as far as SageMaker goes."""

    def apply(self, context: StageContext) -> Applied:
        """Create the cluster, or adopt the one of that name on our EKS cluster; one that failed empty makes way."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is None:
            created = hyperpod_creation.create(new_cluster(context))
            return Applied(f"creating {name}", (created,) if created else ())
        _check_ours(context, found)
        if found.status == "Deleting":
            return Applied(f"waiting until the earlier {name} is deleted")
        if _came_to_nothing(context, found):
            _check_disposable(context, found)
            hyperpod.delete(name)
            return Applied(f"deleting {name}, which failed before and has no instance")
        if context.mends:
            return drift.mend(context, found)
        _check_groups(context, found)
        return Applied(f"{name} exists", (found.arn,))

    def observe(self, context: StageContext) -> Observation:
        """Done when every group has its target; InService alone says nothing in continuous mode."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is None:
            return Reapply(f"{name} is gone")
        if found.status == "Deleting":
            return Waiting(_poll_seconds(), f"{name} is being deleted")
        if found.status == "Failed":
            return Failed(_broken(found))
        if found.arn not in context.stage.resources:
            _check_ours(context, found)
        have = {group.name: group.current for group in found.groups}
        wanted = {group.name: group.instance_count for group in context.cluster.instance_groups}
        if found.status == "InService" and complete(have, wanted):
            return Done(_result(context, found), f"{found.status}, {counted(have, wanted)}", (found.arn,))
        progress = f"{found.status}, instances {counted(have, wanted)}"
        if found.status != "InService":
            return Waiting(_poll_seconds(), progress, Reason.WAITING_NODES, (found.arn,))
        return _short(context, found, have, progress)


def _short(context: StageContext, found: hyperpod.Cluster, have: Mapping[str, int], progress: str) -> Observation:
    if given_up := rolled_back(context.cluster.instance_groups, {group.name: group.target for group in found.groups}):
        return Failed(_missed_minimum(found, given_up))
    short = short_groups(context.cluster.instance_groups, have)
    explained = shortage.shortfalls(context, found, short)
    for shortfall in explained:
        if problem := shortage.verdict(context, found, shortfall):
            return Failed(problem)
    words = [shortage.told(context.cluster, shortfall) for shortfall in explained]
    message = "; ".join([progress, *words])
    if any(shortfall.lacks_capacity for shortfall in explained):
        return Waiting(_capacity_seconds(context), message, Reason.WAITING_CAPACITY, (found.arn,))
    if checked := _in_check(context, found, short):
        reason = Reason.WAITING_DEEP_HEALTH_CHECK
        return Waiting(_poll_seconds() * _SLOWER, f"{message}; {checked}", reason, (found.arn,))
    seconds = _poll_seconds() * (_SLOWER if explained else 1)
    return Waiting(seconds, message, Reason.WAITING_NODES, (found.arn,))


def _in_check(context: StageContext, found: hyperpod.Cluster, short: list[DesiredGroup]) -> str | None:
    """Say that instances are under deep health check, and since when; None when none is."""
    checked = {group.name for group in short if group.deep_health_checks}
    if not checked:
        return None
    members = [one for one in hyperpod.instances(found.name) if one.group in checked and one.status == _IN_CHECK]
    if not members:
        return None
    done = hyperpod_events.scripts_completed(found.name, context.stage.started_at or runtime.now())
    started = min((done[one.instance_id] for one in members if one.instance_id in done), default=None)
    return waiting_for_check(len(members), started)


def _poll_seconds() -> int:
    return int(settings.required("HYPERPOD_POLL_SECONDS"))


def _capacity_seconds(context: StageContext) -> int:
    """Say when to look again for capacity: soon at first, later as often as the deployment sets."""
    begun = context.stage.started_at or runtime.now()
    return int(settings.required("CAPACITY_POLL_SECONDS")) if runtime.now() - begun > _LASTING else _poll_seconds()


def _came_to_nothing(context: StageContext, found: hyperpod.Cluster) -> bool:
    """Say whether a cluster failed, or gave up a group, and has nothing running."""
    targets = {group.name: group.target for group in found.groups}
    given_up = rolled_back(context.cluster.instance_groups, targets) is not None
    return found.status == "Failed" or (given_up and not any(group.current for group in found.groups))


def _check_disposable(context: StageContext, found: hyperpod.Cluster) -> None:
    """Delete nothing unasked but an empty cluster that carries our tags."""
    ours = stack_tags(context.cluster)
    tags = hyperpod.tags(found.arn)
    if any(tags.get(key) != value for key, value in ours.items()):
        reason = "it does not carry the tags of this control plane"
    elif hyperpod.has_instances(found.name):
        reason = "it still has instances"
    else:
        return
    problem = _broken(found)
    detail = f"{problem.detail} It is not deleted for a new try, because {reason}."
    remedy = f"Delete {found.name} yourself (aws sagemaker delete-cluster), then retry the operation."
    raise StageFailed(detail, cause=problem.cause, remedy=remedy)


def _broken(found: hyperpod.Cluster) -> Problem:
    cause = Cause(layer=Layer.HYPERPOD, service="sagemaker", code=found.status, resource=found.arn)
    problem = failure(f"The HyperPod cluster {found.name} is {found.status}: {found.failure}", cause)
    remedy = f"{problem.remedy} The retry deletes {found.name} if it has no instance, and creates it anew."
    return type(problem)(problem.detail, cause=problem.cause, remedy=remedy, retryable=problem.retryable)


def _missed_minimum(found: hyperpod.Cluster, group: DesiredGroup) -> StageFailed:
    return StageFailed(
        f"HyperPod gave the group {group.name} up: its {group.min_instance_count} instances at the least did not come "
        "within three hours.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", code="MINIMUM_NOT_REACHED", resource=found.arn),
        remedy="Retry the operation: it creates the HyperPod cluster anew if it has no instance. Ask for fewer at the "
        "least, or for another zone or type, in a new cluster.",
        retryable=True,
    )


def _result(context: StageContext, found: hyperpod.Cluster) -> JsonObject:
    """Name the cluster; on an EKS cluster of others it may be theirs."""
    return {"name": found.name, "arn": found.arn, **(adopted() if drift.is_theirs(context, found) else {})}


def _check_ours(context: StageContext, found: hyperpod.Cluster) -> None:
    expected = foundation_of(context.cluster).eks_arn
    if found.eks_arn != expected:
        raise Conflict(
            f"A HyperPod cluster named {found.name} exists on another EKS cluster, {found.eks_arn}.",
            cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=found.arn),
            remedy="Delete that HyperPod cluster, or create this one under another tag.",
        )


def _check_groups(context: StageContext, found: hyperpod.Cluster) -> None:
    """Adopt only what was asked for: changing a cluster's groups is another operation."""
    have = {(group.name, group.types, group.target) for group in found.groups}
    want = {(group.name, group.types, group.instance_count) for group in context.cluster.instance_groups}
    if have != want:
        listed = ", ".join(f"{name} ({count} x {', '.join(kinds)})" for name, kinds, count in sorted(have))
        raise Conflict(
            f"The HyperPod cluster {found.name} exists with other instance groups: {listed}.",
            cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=found.arn),
            remedy="Ask for exactly these groups to adopt it, or create the groups you want under another tag.",
        )
