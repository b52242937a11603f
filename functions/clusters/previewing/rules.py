"""The changes of a creation, read off its planned stages: what each stage makes, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.preflight.rules.leftovers import LEFTOVER
from functions.core.cluster import ReusedResources
from functions.core.findings import Finding, Level
from functions.core.previews import Action, Change
from functions.network.reuse.rules.changes import taken_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from functions.core.cluster import ClusterSpec, DesiredGroup
    from functions.core.ledger.models import PlannedStage

# What a stage of each kind makes one of, named by its parameter, and why a cluster has it.
_MADE: Final = {
    "access_entry": ("EKS access entry", "lets a role of the control plane into the cluster"),
    "cluster_role": ("Kubernetes cluster role", "says what the control plane may do in the cluster"),
    "helm_release": ("Helm release", "HyperPod creates no cluster on an EKS cluster without it"),
    "addon": ("EKS add-on", "the cluster's pods or its storage need it"),
    "identity_chain": ("IAM role of a service account", "gives the pods of an add-on their AWS rights"),
    "compute_subnet": ("compute subnet", "gives the nodes of instance groups their addresses"),
    "mount": ("volume and claim", "lets pods use the cluster's bucket as files"),
}
_FOUNDATION: Final = "foundation"
_VPC: Final = "VPC"
# What only waits or looks makes nothing.
_MAKES_NOTHING: Final = frozenset({"preflight", "hyperpod_nodes", "verify"})


def creation(stages: Iterable[PlannedStage], cluster: ClusterSpec, groups: Sequence[DesiredGroup]) -> list[Change]:
    """List what the stages of a creation make, in their order; `cluster` is as it is to be."""
    listed = [change for stage in stages for change in _changes(stage, cluster, groups)]
    return [_as_chosen(change, cluster) for change in listed]


def standing(changes: Iterable[Change], findings: Iterable[Finding]) -> list[Change]:
    """Say of what an earlier cluster of the tag has left that it is adopted: its stack with all of it, its bucket."""
    left = {each.resource for each in findings if each.check == LEFTOVER and each.level is Level.INFO and each.resource}
    stack = any(":stack/" in resource for resource in left)
    return [_adopted(each) if each.name in left or (stack and each.stage == _FOUNDATION) else each for each in changes]


def _adopted(change: Change) -> Change:
    reason = f"{change.reason}; it stands from an earlier cluster of the tag"
    return change.model_copy(update={"action": Action.ADOPT, "reason": reason})


def _as_chosen(change: Change, cluster: ClusterSpec) -> Change:
    """Say of a change what the request chose about it."""
    reach, ranges = cluster.public_access_cidrs, cluster.ranges
    if reach and change.name == cluster.names.eks_cluster:
        return _said(change, f"its public endpoint answers {', '.join(reach)} alone")
    if ranges and change.resource == _VPC:
        return _said(change, f"its range is {ranges.vpc_cidr}, as asked for")
    return change


def _said(change: Change, more: str) -> Change:
    return change.model_copy(update={"reason": f"{change.reason}; {more}"})


def _changes(stage: PlannedStage, cluster: ClusterSpec, groups: Sequence[DesiredGroup]) -> list[Change]:
    kind, _, parameter = stage.name.partition(":")
    match kind:
        case "reuse":
            return taken_over(cluster.reused or ReusedResources(), stage.name)
        case kind if kind == _FOUNDATION:
            return [change for change in _foundation(stage.name, cluster) if not _instead(change, cluster)]
        case "lifecycle_scripts":
            why = "every instance runs them when it starts"
            return [_created("objects in S3", f"s3://{cluster.names.bucket}/lifecycle/", why, stage.name)]
        case "hyperpod_cluster":
            why = "holds the instance groups"
            return [
                _created("HyperPod cluster", cluster.names.hyperpod_cluster, why, stage.name),
                *(_group(group, stage.name) for group in groups),
            ]
        case _ if kind in _MAKES_NOTHING:
            return []
        case _:
            resource, why = _MADE.get(kind, (stage.title, "the request needs it"))
            return [_created(resource, parameter, why, stage.name)]


def _foundation(stage: str, cluster: ClusterSpec) -> list[Change]:
    names = cluster.names
    stack, bucket = names.stack or "", names.bucket or ""
    return [
        _created("CloudFormation stack", stack, "holds what follows, as far as it is of the foundation", stage),
        _created(_VPC, stack, "the cluster's own network, with public and control plane subnets", stage),
        _created("NAT gateway", stack, "the nodes' way out; it has an Elastic IP address", stage),
        _created("EKS cluster", names.eks_cluster, "the control plane of HyperPod", stage),
        _created("IAM role", names.control_plane_role, "EKS runs the control plane with it", stage),
        _created("IAM role", names.execution_role, "the instances run with it", stage),
        _created("IAM role", names.s3_csi_role, "mounts the bucket", stage),
        _created("S3 bucket", bucket, "holds lifecycle scripts and the data of pods", stage),
    ]


def _instead(change: Change, cluster: ClusterSpec) -> bool:
    """Say whether a caller's own takes the place of what a foundation makes."""
    names, reused = cluster.names, cluster.reused or ReusedResources()
    named = {
        names.bucket: reused.bucket,
        names.control_plane_role: reused.control_plane_role_arn,
        names.execution_role: reused.execution_role_arn,
        names.s3_csi_role: reused.s3_csi_role_arn,
    }
    return bool(reused.vpc_id and change.resource in (_VPC, "NAT gateway")) or bool(named.get(change.name))


def _group(group: DesiredGroup, stage: str) -> Change:
    reason = f"{group.instance_count} x {' or '.join(group.types)} ({group.capacity_type}), as asked for"
    return _created("instance group", group.name, reason, stage)


def _created(resource: str, name: str, reason: str, stage: str) -> Change:
    return Change(action=Action.CREATE, resource=resource, name=name, reason=reason, stage=stage)
