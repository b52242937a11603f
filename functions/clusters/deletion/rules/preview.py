"""What a deletion deletes and keeps, in the order in which it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.deletion.models import Owner, VpcContents
from functions.clusters.deletion.rules.blockers import given_groups, leftovers
from functions.clusters.deletion.rules.interfaces import is_of_a_service, is_of_cluster, load_balancer_of
from functions.clusters.deletion.rules.plan import DELETE_CLUSTER
from functions.core.previews import Action, Change, bounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from functions.clusters.deletion.models import Deletion, Seen, StackResource
    from functions.core.cluster import ClusterSpec
    from functions.core.ledger.models import PlannedStage

STACK_FAILED: Final = "DELETE_FAILED"
_GONE: Final = ("DELETE_COMPLETE", "DELETE_SKIPPED")
# CloudFormation's types in plain words; the rest are told by their own names.
_KINDS: Final = {
    "AWS::EC2::VPC": "VPC",
    "AWS::EC2::NatGateway": "NAT gateway",
    "AWS::EC2::EIP": "Elastic IP address",
    "AWS::EC2::Subnet": "subnet",
    "AWS::EC2::SecurityGroup": "security group",
    "AWS::EC2::InternetGateway": "internet gateway",
    "AWS::EC2::RouteTable": "route table",
    "AWS::EC2::VPCEndpoint": "VPC endpoint",
    "AWS::EKS::Cluster": "EKS cluster",
    "AWS::EKS::Addon": "EKS add-on",
    "AWS::EKS::AccessEntry": "EKS access entry",
    "AWS::IAM::Role": "IAM role",
    "AWS::IAM::OIDCProvider": "IAM identity provider",
    "AWS::S3::Bucket": "S3 bucket",
    "AWS::S3::BucketPolicy": "policy of the S3 bucket",
}
# Links and rules between the others: they go with what they link.
_UNTOLD: Final = (
    "AWS::EC2::Route",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::SecurityGroupEgress",
)
_BUCKET: Final = ("AWS::S3::Bucket", "AWS::S3::BucketPolicy")
FOREIGN: Final = "it does not carry the tags of this cluster"


@dataclass(frozen=True)
class Case:
    """A deletion that is asked for: of what, how, with which stages, and what was found.

    `others` are the stages of a creation whose things somebody else runs on an imported cluster, and `ours` those that
    have made something, or whose things are known to be the control plane's.
    """

    kind: str
    spec: ClusterSpec
    deletion: Deletion
    stages: tuple[PlannedStage, ...]
    seen: Seen
    others: frozenset[str] = frozenset()
    ours: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Say whether the cluster goes, and not its HyperPod cluster alone."""
        return self.kind == DELETE_CLUSTER

    @property
    def shares(self) -> bool:
        """Say whether the cluster stands in a network that was taken over, with others in it."""
        return self.spec.reused is not None and self.spec.reused.vpc_id is not None

    @property
    def owner(self) -> Owner:
        """Say for whom the network is cleared."""
        name, seen = self.spec.names.eks_cluster, self.seen
        return Owner(name, given_groups(self.spec), stands=seen.eks_status is not None, foreign=seen.eks_foreign)

    def made(self, stage: str) -> bool:
        """Say whether a stage is known to have made something that is the control plane's."""
        return stage in self.ours

    def has(self, stage: str) -> bool:
        """Say whether a stage of that name is planned."""
        return any(each.name == stage for each in self.stages)


def changes_of(case: Case) -> list[Change]:
    """List what is deleted, in order, then what is kept."""
    deleted = [*_inside(case), *_hyperpod(case), *_dependencies(case), *_network(case), *_foundation(case)]
    return [*deleted, *_kept(case)]


def read_of(case: Case) -> dict[str, JsonValue]:
    """Give the versions of what was read: another state of these is another deletion."""
    seen = case.seen
    return {
        "spec": case.spec.version,
        "stack": f"{seen.stack.stack_id} {seen.stack.status}" if seen.stack else None,
        "eks": seen.eks_status,
        "hyperpod": seen.hyperpod.arn if seen.hyperpod else None,
        "people": [*seen.people],
        "namespaces": [*seen.namespaces],
        "unchecked": [*sorted(seen.unchecked)],
    }


def _inside(case: Case) -> Iterable[Change]:
    if case.has("load_balancers_removal") and not case.shares:
        for name in balancers(case):
            if is_of_a_service(name):
                why = "a Service or an Ingress of the cluster asked for it, and is deleted"
                yield _deleted("load balancer", name, why, "load_balancers_removal")
    if case.has("own_objects_removal:workloads"):
        for mount in case.spec.mounts:
            why = "the claim and its volume go; what is in the bucket does not"
            yield _deleted("volume and claim", f"{mount.namespace}/{mount.name}", why, "own_objects_removal:workloads")


def _hyperpod(case: Case) -> Iterable[Change]:
    seen = case.seen.hyperpod
    if seen is not None and seen.ours:
        why = f"with its {seen.instances} instances and all that is on their disks; nodes are not drained"
        name = case.spec.names.hyperpod_cluster
        yield _deleted("HyperPod cluster", name, why, "hyperpod_removal", irreversible=True)


def _dependencies(case: Case) -> Iterable[Change]:
    if not case.whole or case.seen.eks_status in (None, "DELETING"):
        return
    for name in case.seen.addons:
        yield _deleted("EKS add-on", name, "the dependencies phase installs it", "addons_removal")
    for stage in case.stages:
        kind, _, parameter = stage.name.partition(":")
        if kind == "identity_chain_removal" and parameter in case.seen.chains:
            why = "its association, and its role with its policies"
            yield _deleted("identity chain", parameter, why, stage.name)
        elif kind == "helm_release_removal" and case.made(f"helm_release:{parameter}"):
            yield _deleted("Helm release", parameter, "the dependencies phase installs it", stage.name)


def _network(case: Case) -> Iterable[Change]:
    for subnet in case.seen.subnets:
        if case.whole or not subnet.dedicated_to:
            why = "no instance stands in it any more; its route table goes along"
            name = f"{subnet.subnet_id} ({subnet.name})"
            yield _deleted("compute subnet", name, why, "compute_subnets_removal")
    left = leftovers(VpcContents(case.seen.interfaces, (), ()), case.owner).interfaces
    for interface in left if case.has("vpc_clearance") else ():
        if not case.shares or is_of_cluster(interface, case.spec.names.eks_cluster):
            why = f"left behind: {interface.description}"
            yield _deleted("network interface", interface.interface_id, why, "vpc_clearance")


def _foundation(case: Case) -> Iterable[Change]:
    stack = case.seen.stack
    if case.has("foundation_removal") and stack is not None and stack.ours:
        yield _deleted("CloudFormation stack", case.spec.stack, "the cluster's foundation", "foundation_removal")
        for each in reversed(stack.resources):
            if _is_told(each) and each.type not in _BUCKET and not _is_retained(case, each):
                yield _of_stack(each)
    if case.has("bucket_removal") and case.seen.bucket and not is_foreign_bucket(case):
        why = "with all its objects and their versions, as asked for"
        yield _deleted("S3 bucket", case.spec.bucket, why, "bucket_removal", irreversible=True)
    yield from _people(case)
    if case.whole:
        why = "its settings and conditions; operations and their audit stay"
        yield _deleted("record of the cluster", case.spec.tag, why, None)


def _people(case: Case) -> Iterable[Change]:
    """Name the people who lose their way in: their entries go with the control plane, or are taken back from it."""
    stage, why = "foundation_removal", "the control plane let this principal in; it goes with the EKS cluster"
    if case.spec.origin == "imported":
        stage = "leave_cluster"
        why = "the control plane let this principal in; an entry that does not carry its tags stays"
    if case.has(stage) and (case.seen.eks_status or "eks" in case.seen.unchecked):
        yield from bounded([_deleted("EKS access entry", each, why, stage) for each in case.seen.people])


def _is_told(resource: StackResource) -> bool:
    return resource.type not in _UNTOLD and resource.status not in _GONE and bool(resource.physical_id)


def _is_retained(case: Case, resource: StackResource) -> bool:
    return resource.logical_id in case.deletion.retain_resources and resource.status == STACK_FAILED


def _of_stack(resource: StackResource) -> Change:
    final = resource.type == "AWS::EKS::Cluster"
    why = "with every object in it" if final else f"{resource.logical_id} of the stack"
    kind = _KINDS.get(resource.type, resource.type)
    return _deleted(kind, resource.physical_id, why, "foundation_removal", irreversible=final)


def _kept(case: Case) -> Iterable[Change]:
    seen, spec = case.seen, case.spec
    if seen.hyperpod is not None and not seen.hyperpod.ours:
        way = (
            "; while it stands on the EKS cluster, the deletion ends BLOCKED" if case.has("foundation_removal") else ""
        )
        yield _keep("HyperPod cluster", spec.names.hyperpod_cluster, f"{FOREIGN}{way}")
    if seen.bucket and is_foreign_bucket(case):
        yield _keep("S3 bucket", spec.bucket, "it is not the control plane's")
    elif seen.bucket and not case.has("bucket_removal"):
        yield _keep("S3 bucket", spec.bucket, "its data outlive the cluster; delete_bucket=true deletes them")
    for subnet in seen.subnets:
        if not case.whole and subnet.dedicated_to:
            why = f"the group {subnet.dedicated_to} keeps it for a successor of its name"
            yield _keep("compute subnet", f"{subnet.subnet_id} ({subnet.name})", why)
    for resource in seen.stack.resources if seen.stack else ():
        if case.whole and _is_retained(case, resource):
            yield _keep(_KINDS.get(resource.type, resource.type), resource.physical_id, "retain_resources names it")
    for volume in seen.volumes if case.whole else ():
        why = f"{volume.size_gib} GiB of the claim {volume.claim}; nobody deletes it once the cluster is gone"
        yield _keep("EBS volume", volume.volume_id, why)
    yield from _kept_beside(case)


def _kept_beside(case: Case) -> Iterable[Change]:
    seen, spec = case.seen, case.spec
    for group in seen.log_groups:
        yield _keep("log group", group, "logs outlive what they tell of")
    for arn in dict.fromkeys(group.training_plan_arn for group in spec.instance_groups if group.training_plan_arn):
        yield _keep("training plan", arn, "it is paid for until its end, and free for another cluster")
    if not case.whole or spec.origin == "imported":
        why = "only HyperPod goes" if not case.whole else "it was imported: only what the control plane made goes"
        yield _keep("EKS cluster", spec.names.eks_cluster, f"{why}; so do the VPC and its network stay")
    yield from _kept_reused(case)
    if case.whole and spec.origin == "imported":
        why = "it stays in the imported cluster with all that others run in it"
        left = sorted({*seen.namespaces, *(mount.namespace for mount in spec.mounts)})
        yield from bounded([_keep("namespace", each, why) for each in left])
    yield from _kept_releases(case)
    for name in balancers(case):
        if not is_of_a_service(name) or not case.has("load_balancers_removal"):
            yield _keep("load balancer", name, "the control plane did not make it")
    if seen.stack is not None and not seen.stack.ours:
        yield _keep("CloudFormation stack", spec.stack, FOREIGN)


def _kept_releases(case: Case) -> Iterable[Change]:
    kinds = [name.partition(":") for name in sorted(case.others)]
    for release in [parameter for kind, _, parameter in kinds if kind == "helm_release" and case.whole]:
        yield _keep("Helm release", release, "the control plane did not install it")


def _kept_reused(case: Case) -> Iterable[Change]:
    """Name what was taken over and stays where the cluster goes."""
    reused = case.spec.reused
    if not case.whole or reused is None:
        return
    if reused.vpc_id:
        why = (
            "it was taken over; interfaces and security groups go that EKS and controllers made for this cluster alone"
        )
        yield _keep("VPC", reused.vpc_id, why)
    why = "it was taken over, and was there before the cluster"
    yield from bounded([_keep("subnet", each, why) for each in reused.subnet_ids])
    if reused.security_group_id:
        yield _keep("security group", reused.security_group_id, why)
    roles = (reused.control_plane_role_arn, reused.execution_role_arn, reused.s3_csi_role_arn)
    for arn in dict.fromkeys(filter(None, roles)):
        yield _keep("IAM role", arn, why)


def is_foreign_bucket(case: Case) -> bool:
    """Say whether there is a bucket that the control plane neither made nor deletes."""
    found = case.seen.bucket
    return found is not None and (case.spec.origin == "imported" or not found.ours)


def balancers(case: Case) -> list[str]:
    """Name the load balancers in the network of a cluster."""
    return list(dict.fromkeys(filter(None, map(load_balancer_of, case.seen.interfaces))))


def _deleted(resource: str, name: str, reason: str, stage: str | None, *, irreversible: bool = False) -> Change:
    return Change(
        action=Action.DELETE, resource=resource, name=name, reason=reason, stage=stage, irreversible=irreversible
    )


def _keep(resource: str, name: str, reason: str) -> Change:
    return Change(action=Action.KEEP, resource=resource, name=name, reason=reason)
