"""What a chain of identity consists of: a service account, its role, what the role may do, and how pods get it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Self

from pydantic import BaseModel, ConfigDict, JsonValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.core.cluster import ClusterSpec

MANAGER: Final = "instantstart"
_ARN: Final = re.compile(r"arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):(\d{12}|aws)?:(.+)")
# Source: Amazon S3 user guide, "General purpose bucket naming rules".
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """How the pods of a service account get their role."""

    POD_IDENTITY = "pod_identity"
    OIDC = "oidc"


class Arn(_Frozen):
    """An ARN in its parts; a bare name cannot become one."""

    partition: str
    service: str
    region: str = ""
    account: str = ""
    resource: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an ARN; raises ValueError for anything else, such as a bucket's name."""
        found = _ARN.fullmatch(text)
        if not found:
            raise ValueError(f"{text} is not an ARN; a bucket's ARN is arn:<partition>:s3:::<bucket>")
        partition, service, region, account, resource = found.groups(default="")
        return cls(partition=partition, service=service, region=region, account=account, resource=resource)

    @classmethod
    def bucket(cls, partition: str, name: str) -> Self:
        """Make the ARN of a bucket from its name; raises ValueError for what is no bucket name."""
        if not _BUCKET.fullmatch(name):
            raise ValueError(f"{name} is not the name of a bucket; give the name alone, not its ARN or address")
        return cls(partition=partition, service="s3", resource=name)

    def under(self, path: str) -> Arn:
        """Name what lies under a resource."""
        return self.model_copy(update={"resource": f"{self.resource}/{path}"})

    def __str__(self) -> str:
        """Write the ARN."""
        return f"arn:{self.partition}:{self.service}:{self.region}:{self.account}:{self.resource}"


class Grant(_Frozen):
    """Actions that a role may take on resources; there is no grant on everything."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[Arn, ...]

    def statement(self) -> dict[str, JsonValue]:
        """Give the policy statement."""
        resources: list[JsonValue] = [str(arn) for arn in self.resources]
        return {"Sid": self.sid, "Effect": "Allow", "Action": list(self.actions), "Resource": resources}


class InlinePolicy(_Frozen):
    """A policy of the role's own."""

    name: str
    grants: tuple[Grant, ...]

    def document(self) -> dict[str, JsonValue]:
        """Give the policy document."""
        return {"Version": "2012-10-17", "Statement": [grant.statement() for grant in self.grants]}


class IdentityChain(_Frozen):
    """One service account, its one role, and everything between them.

    `account_of` names the add-on that makes the service account, nothing when we make it ourselves; `precedes` says
    that the add-on comes after the chain. `role_of_stack` leaves the role's removal to the foundation stack.
    `given_role` is the ARN of a role of the caller's own, which is judged and never written; `role_path` is that of
    a role which we make.
    """

    namespace: str
    service_account: str
    role: str
    role_path: str
    mode: Mode
    inline: tuple[InlinePolicy, ...] = ()
    managed: tuple[Arn, ...] = ()
    also_trusted: tuple[str, ...] = ()
    account_of: str | None = None
    precedes: bool = False
    role_of_stack: bool = False
    given_role: str | None = None

    def role_at(self, place: Place) -> str:
        """Name the role by its ARN."""
        return self.given_role or f"arn:{place.partition}:iam::{place.account}:role{self.role_path}{self.role}"

    @property
    def subject(self) -> str:
        """Name the service account as its tokens do."""
        return f"system:serviceaccount:{self.namespace}:{self.service_account}"


@dataclass(frozen=True)
class Place:
    """Where a chain is: the EKS cluster, its account and partition, and the issuer of its tokens."""

    cluster: str
    account: str
    partition: str
    issuer: str
    tag: str

    @property
    def issuer_name(self) -> str:
        """Give the issuer as IAM writes it, without its scheme."""
        return self.issuer.removeprefix("https://")

    @property
    def provider(self) -> str:
        """Name the IAM identity provider of the cluster."""
        return f"arn:{self.partition}:iam::{self.account}:oidc-provider/{self.issuer_name}"


@dataclass(frozen=True)
class Provider:
    """An IAM identity provider as it stands."""

    audiences: frozenset[str]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Role:
    """A role as it stands."""

    arn: str
    tags: Mapping[str, str]
    trust: Mapping[str, JsonValue]
    inline: Mapping[str, Mapping[str, JsonValue]]
    attached: frozenset[str]


@dataclass(frozen=True)
class Account:
    """A service account as it stands; `annotated_by` are the field managers that own its role's annotation."""

    annotations: Mapping[str, str]
    labels: Mapping[str, str]
    annotated_by: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Association:
    """An EKS pod identity association as it stands; `owner` is the add-on it belongs to."""

    association_id: str
    role_arn: str
    owner: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Facts:
    """What was found of a chain; None is absent, and never unknown."""

    provider: Provider | None = None
    role: Role | None = None
    account: Account | None = None
    association: Association | None = None
    agent: bool = False


def partition_of(region: str) -> str:
    """Name the partition of a region."""
    prefixes = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
    return next((name for prefix, name in prefixes.items() if region.startswith(prefix)), "aws")


def bucket_policy(bucket: Arn, key: Arn | None = None) -> InlinePolicy:
    """Let a driver mount a bucket, with the key that encrypts it where there is one.

    Source: Mountpoint for Amazon S3, "Configuring permissions" (IAM permissions, SSE-KMS).
    """
    objects = ("s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject")
    grants: tuple[Grant, ...] = (
        Grant(sid="ListBucket", actions=("s3:ListBucket",), resources=(bucket,)),
        Grant(sid="UseObjects", actions=objects, resources=(bucket.under("*"),)),
    )
    if key is not None:
        actions = ("kms:Decrypt", "kms:GenerateDataKey")
        grants = (*grants, Grant(sid="UseKey", actions=actions, resources=(key,)))
    return InlinePolicy(name="bucket", grants=grants)


def _s3_csi_driver(cluster: ClusterSpec) -> IdentityChain:
    bucket = cluster.names.bucket
    return IdentityChain(
        namespace="kube-system",
        service_account="s3-csi-driver-sa",
        role=cluster.names.s3_csi_role,
        role_path=cluster.names.role_path,
        mode=Mode.POD_IDENTITY,
        inline=(bucket_policy(Arn.bucket(partition_of(cluster.region), bucket)),) if bucket else (),
        account_of="aws-mountpoint-s3-csi-driver",
        precedes=True,
        role_of_stack=cluster.names.stack is not None,
        given_role=cluster.reused.s3_csi_role_arn if cluster.reused else None,
    )


def _training_operator(cluster: ClusterSpec) -> IdentityChain:
    return IdentityChain(
        namespace="aws-hyperpod",
        service_account="hp-training-operator-controller-manager",
        role=cluster.names.training_role,
        role_path=cluster.names.role_path,
        mode=Mode.POD_IDENTITY,
        managed=(_managed(cluster, "AmazonSageMakerHyperPodTrainingOperatorAccess"),),
        account_of="amazon-sagemaker-hyperpod-training-operator",
        precedes=True,
    )


def _inference_operator(cluster: ClusterSpec) -> IdentityChain:
    return IdentityChain(
        namespace="hyperpod-inference-system",
        service_account="hyperpod-inference-controller-manager",
        role=cluster.names.inference_role,
        role_path=cluster.names.role_path,
        mode=Mode.OIDC,
        managed=(_managed(cluster, "AmazonSageMakerHyperPodInferenceAccess"),),
        also_trusted=("sagemaker.amazonaws.com",),
        account_of="amazon-sagemaker-hyperpod-inference",
        precedes=True,
    )


def _managed(cluster: ClusterSpec, name: str) -> Arn:
    return Arn(partition=partition_of(cluster.region), service="iam", account="aws", resource=f"policy/{name}")


CHAINS: Final = {
    "s3-csi-driver": _s3_csi_driver,
    "training-operator": _training_operator,
    "inference-operator": _inference_operator,
}


def chains_of(cluster: ClusterSpec) -> dict[str, IdentityChain]:
    """Give the chains that a cluster may have, by name; one without a bucket mounts none."""
    named = {name: make for name, make in CHAINS.items() if cluster.names.bucket or name != "s3-csi-driver"}
    return {name: make(cluster) for name, make in named.items()}
