"""Whether roles can do for a cluster what its own would: trusted services, policies, and may we hand them over.

Sources: Amazon EKS user guide, "Amazon EKS cluster IAM role" and "Create IAM role with trust policy required by EKS Pod
Identity"; SageMaker developer guide, "IAM execution role for SageMaker HyperPod" (clusters on EKS).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.findings import Finding, Level
from functions.core.roles import clusters_path_of, is_of_clusters
from functions.identity.chains.models import Arn, bucket_policy, partition_of
from functions.identity.chains.rules.documents import allows, principals, statements, texts
from functions.identity.chains.rules.policy import granted
from functions.network.reuse.rules.kinds import PASS_ROLE, ROLE, ROLE_POLICY, ROLE_TRUST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.cluster import ReusedResources
    from functions.network.reuse.models import Facts, Role

INSTANCE_POLICY: Final = "AmazonSageMakerClusterInstanceRolePolicy"
CLUSTER_POLICY: Final = "AmazonEKSClusterPolicy"
_POD_ACTIONS: Final = ("sts:AssumeRole", "sts:TagSession")
# What the control plane needs at least where the managed policy is not attached.
_CLUSTER_ACTIONS: Final = (
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeInstances",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeVpcs",
)
_ANYWHERE: Final = "*"


@dataclass(frozen=True)
class Home:
    """Where this deployment is, what is its own there, and for the cluster of which tag it takes something over.

    `passable` are roles that it may hand to services beside those under its path.
    """

    account: str
    region: str
    passable: tuple[str, ...] = ()
    own_buckets: tuple[str, ...] = ()
    tag: str = ""

    @property
    def partition(self) -> str:
        """Name the partition of the region."""
        return partition_of(self.region)

    def arn(self, service: str, resource: str) -> str:
        """Name a resource of this account and region."""
        return f"arn:{self.partition}:{service}:{self.region}:{self.account}:{resource}"

    def managed_policy(self, name: str) -> str:
        """Name a managed policy of AWS."""
        return f"arn:{self.partition}:iam::aws:policy/{name}"


@dataclass(frozen=True)
class _Wanted:
    """What one of the roles has to be able to do: each action with a resource it is tried on."""

    member: str
    arn: str
    service: str
    trust_actions: tuple[str, ...]
    needs: tuple[tuple[str, str], ...]
    managed: str | None = None


def check(reused: ReusedResources, bucket: str, facts: Facts, home: Home) -> Iterator[Finding]:
    """Judge every role that is taken over; `bucket` is the cluster's."""
    for wanted in _wanted(reused, bucket, home):
        yield from _check(wanted, facts, home)
    if reused.execution_role_arn and reused.execution_role_arn == reused.control_plane_role_arn:
        said = "is the control plane's role too; EKS and HyperPod need different ones"
        remedy = "Name another role, or leave one of the two out."
        yield _error(ROLE, "execution_role_arn", reused.execution_role_arn, said, remedy)


def role_arns(reused: ReusedResources) -> list[str]:
    """List the roles that are taken over."""
    listed = (reused.control_plane_role_arn, reused.execution_role_arn, reused.s3_csi_role_arn)
    return list(dict.fromkeys(arn for arn in listed if arn))


def passable(arn: str, home: Home) -> bool:
    """Say whether this deployment may hand a role to an AWS service."""
    return is_of_clusters(arn, home.region) or arn in home.passable


def _wanted(reused: ReusedResources, bucket: str, home: Home) -> Iterator[_Wanted]:
    assume = ("sts:AssumeRole",)
    if arn := reused.control_plane_role_arn:
        needs = tuple((action, _ANYWHERE) for action in _CLUSTER_ACTIONS)
        yield _Wanted("control_plane_role_arn", arn, "eks.amazonaws.com", assume, needs, CLUSTER_POLICY)
    if arn := reused.execution_role_arn:
        yield _Wanted("execution_role_arn", arn, "sagemaker.amazonaws.com", assume, _node_needs(home))
    if arn := reused.s3_csi_role_arn:
        grants = bucket_policy(Arn.bucket(home.partition, bucket)).grants
        uses = [(action, str(place)) for grant in grants for place in grant.resources for action in grant.actions]
        yield _Wanted("s3_csi_role_arn", arn, "pods.eks.amazonaws.com", _POD_ACTIONS, tuple(uses))


def _node_needs(home: Home) -> tuple[tuple[str, str], ...]:
    """List what nodes do: their interfaces, images, logs, and the credentials of pods."""
    interface = home.arn("ec2", "network-interface/eni-0123456789abcdef0")
    log = home.arn("logs", "log-group:/aws/sagemaker/Clusters/a/b:log-stream:c")
    interfaces = ("AssignPrivateIpAddresses", "AttachNetworkInterface", "CreateNetworkInterface", "CreateTags")
    seen = ("DescribeInstances", "DescribeNetworkInterfaces", "DescribeSubnets", "DescribeVpcs")
    return (
        *((f"ec2:{action}", interface) for action in interfaces),
        *((f"ec2:{action}", _ANYWHERE) for action in seen),
        ("ecr:GetAuthorizationToken", _ANYWHERE),
        ("ecr:BatchGetImage", home.arn("ecr", "repository/a")),
        ("eks-auth:AssumeRoleForPodIdentity", home.arn("eks", "cluster/a")),
        ("logs:PutLogEvents", log),
    )


def _check(wanted: _Wanted, facts: Facts, home: Home) -> Iterator[Finding]:
    member, arn = wanted.member, wanted.arn
    if arn.split(":")[4] != home.account:
        said = f"{arn} is of another account; AWS services take roles of {home.account} here"
        yield _error(ROLE, member, arn, said, "Name a role of this account.")
        return
    if not passable(arn, home):
        yield _not_passable(wanted, clusters_path_of(home.region))
    if arn not in facts.roles:
        return
    role = facts.roles[arn]
    if role is None:
        yield _error(ROLE, member, arn, f"{arn} does not exist", "Name a role that does, with its path.")
        return
    yield from _trust(wanted, role)
    yield from _policies(wanted, role, home)


def _not_passable(wanted: _Wanted, path: str) -> Finding:
    said = f"{wanted.arn} may not be handed to {wanted.service}: it is not under {path}"
    remedy = f"Deploy the control plane with this ARN in its setting PASSABLE_ROLE_ARNS, or name a role under {path}."
    return _error(PASS_ROLE, wanted.member, wanted.arn, said, remedy)


def _trust(wanted: _Wanted, role: Role) -> Iterator[Finding]:
    missing = [action for action in wanted.trust_actions if not _trusts(role, wanted.service, action)]
    if missing:
        said = f"{role.arn} does not let {wanted.service} call {' and '.join(missing)}"
        remedy = f"Add a statement to the role's trust that allows {wanted.service} {' and '.join(missing)}."
        yield _error(ROLE_TRUST, wanted.member, role.arn, said, remedy)


def _trusts(role: Role, service: str, action: str) -> bool:
    if any(allows(texts(each.get("Action")), action) for each in statements(role.trust, "Deny")):
        return False
    return any(
        service in principals(each, "Service") and allows(texts(each.get("Action")), action)
        for each in statements(role.trust, "Allow")
    )


def _policies(wanted: _Wanted, role: Role, home: Home) -> Iterator[Finding]:
    if wanted.managed and home.managed_policy(wanted.managed) in role.attached:
        return
    missing = [action for action, resource in wanted.needs if not granted(role.documents, action, resource)]
    if not missing:
        return
    named = ", ".join(sorted(set(missing)))
    instead = f"; attaching {wanted.managed} will do" if wanted.managed else ""
    remedy = f"Add a policy to the role that grants {named}{instead}."
    said = f"the policies of {role.arn} do not grant {named}"
    yield _error(ROLE_POLICY, wanted.member, role.arn, said, remedy)


def _error(check: str, member: str, arn: str, message: str, remedy: str) -> Finding:
    place = f"foundation.{member}"
    return Finding(check=check, level=Level.ERROR, field=place, message=message, resource=arn, remedy=remedy)
