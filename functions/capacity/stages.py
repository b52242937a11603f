"""HyperPod capacity: the lifecycle scripts in the bucket, and the cluster on SageMaker's side."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from functions.aws import artifacts, cloudformation, hyperpod
from functions.capacity.rules import complete, counted
from functions.catalog.rules import threads_per_core
from functions.core import runtime, settings
from functions.core.errors import Cause, Conflict, Layer, Problem, StageFailed
from functions.core.failures import CAPACITY, failure, recognise
from functions.core.ledger.models import Reason
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import tags_of

_POLL_SECONDS: Final = 15
_SCRIPT: Final = "on_create.sh"
_PREFIX: Final = "lifecycle"
_RECENT: Final = timedelta(minutes=15)
# The training operator's managed policy is conditioned on this tag (SageMaker developer guide, training operator).
_SERVICE_TAGS: Final = {"SageMaker": "true"}


class LifecycleScripts:
    """The release's own lifecycle scripts in the cluster's bucket, where its instances fetch them."""

    def apply(self, context: StageContext) -> Applied:
        """Copy the script unless the bucket has this release's."""
        source_bucket, source_key = settings.required("ARTIFACT_BUCKET"), _source_key()
        bucket, key = context.cluster.names.bucket, f"{_PREFIX}/{_SCRIPT}"
        artifacts.ensure(source_bucket, source_key, bucket, key)
        return Applied(f"s3://{bucket}/{key}", (f"s3://{bucket}/{key}",))

    def observe(self, context: StageContext) -> Observation:
        """Done when the bucket has the script."""
        bucket, key = context.cluster.names.bucket, f"{_PREFIX}/{_SCRIPT}"
        if artifacts.entity_tag(bucket, key) is None:
            return Reapply(f"s3://{bucket}/{key} is missing")
        place = f"s3://{bucket}/{key}"
        return Done({"uri": f"s3://{bucket}/{_PREFIX}", "script": _SCRIPT}, f"{place} is this release's", (place,))


class HyperPodCluster:
    """The HyperPod cluster with its instance groups, as far as SageMaker goes; nodes are another stage."""

    def apply(self, context: StageContext) -> Applied:
        """Create the cluster, or adopt the one of that name on our EKS cluster."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is not None:
            _check_ours(context, found)
            _check_groups(context, found)
            return Applied(f"{name} exists", (found.arn,))
        hyperpod.create(_new_cluster(context))
        return Applied(f"creating {name}")

    def observe(self, context: StageContext) -> Observation:
        """Done when every group has its target; InService alone says nothing in continuous mode."""
        name = context.cluster.names.hyperpod_cluster
        found = hyperpod.describe(name)
        if found is None:
            return Reapply(f"{name} is gone")
        if found.status in ("Failed", "RollingBack"):
            return Failed(_broken(found))
        _check_ours(context, found)
        have = {group.name: group.current for group in found.groups}
        wanted = {group.name: group.instance_count for group in context.cluster.instance_groups}
        if found.status == "InService" and complete(have, wanted):
            return Done(_result(found), f"{found.status}, {counted(have, wanted)}", (found.arn,))
        return _short(found, counted(have, wanted))


def _short(found: hyperpod.Cluster, progress: str) -> Waiting:
    since = runtime.now() - _RECENT
    latest = hyperpod.latest_failure(found.name, since) if found.status == "InService" else None
    known = recognise(latest) if latest else None
    message = f"{found.status}, instances {progress}" + (f"; {latest}" if latest else "")
    reason = Reason.WAITING_CAPACITY if known and known.code == CAPACITY else Reason.WAITING_NODES
    return Waiting(_POLL_SECONDS, message, reason, (found.arn,))


def _broken(found: hyperpod.Cluster) -> Problem:
    """Nothing deletes a HyperPod cluster unasked, so a failed one is the caller's to remove."""
    cause = Cause(layer=Layer.HYPERPOD, service="sagemaker", code=found.status, resource=found.arn)
    problem = failure(f"The HyperPod cluster {found.name} is {found.status}: {found.failure}", cause)
    remedy = f"{problem.remedy} First delete {found.name} (aws sagemaker delete-cluster): a failed one stays so."
    return StageFailed(problem.detail, cause=problem.cause, remedy=remedy)


def _result(found: hyperpod.Cluster) -> dict[str, str]:
    return {"name": found.name, "arn": found.arn}


def _check_ours(context: StageContext, found: hyperpod.Cluster) -> None:
    expected = cloudformation.outputs_of(context.cluster.names.stack)["EksClusterArn"]
    if found.eks_arn != expected:
        raise Conflict(
            f"A HyperPod cluster named {found.name} exists on another EKS cluster, {found.eks_arn}.",
            cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=found.arn),
            remedy="Delete that HyperPod cluster, or create this one under another tag.",
        )


def _check_groups(context: StageContext, found: hyperpod.Cluster) -> None:
    """Adopt only what was asked for: changing a cluster's groups is another operation."""
    have = {(group.name, group.instance_type, group.target) for group in found.groups}
    want = {(group.name, group.instance_type, group.instance_count) for group in context.cluster.instance_groups}
    if have != want:
        listed = ", ".join(f"{name} ({count} x {kind})" for name, kind, count in sorted(have))
        raise Conflict(
            f"The HyperPod cluster {found.name} exists with other instance groups: {listed}.",
            cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=found.arn),
            remedy="Ask for exactly these groups to adopt it, or create the groups you want under another tag.",
        )


def _new_cluster(context: StageContext) -> hyperpod.NewCluster:
    cluster = context.cluster
    outputs = cloudformation.outputs_of(cluster.names.stack)
    scripts = context.result_of("lifecycle_scripts")
    return hyperpod.NewCluster(
        name=cluster.names.hyperpod_cluster,
        eks_arn=outputs["EksClusterArn"],
        execution_role=outputs["ExecutionRoleArn"],
        subnet_id=str(context.result_of("compute_subnet")["subnet_id"]),
        security_group_id=outputs["ComputeSecurityGroupId"],
        lifecycle_uri=str(scripts["uri"]),
        lifecycle_script=str(scripts["script"]),
        automatic_recovery=cluster.node_recovery != "none",
        groups=[
            hyperpod.NewGroup(
                group.name, group.instance_type, group.instance_count, threads_per_core(group.instance_type)
            )
            for group in cluster.instance_groups
        ],
        tags=tags_of(cluster, context.operation.operation_id) | _SERVICE_TAGS,
    )


def _source_key() -> str:
    return f"{settings.required('RELEASE')}/lifecycle/{_SCRIPT}"


STAGES: Behaviours = {"lifecycle_scripts": LifecycleScripts(), "hyperpod_cluster": HyperPodCluster()}
