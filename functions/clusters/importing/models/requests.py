"""What callers send to import a cluster, to look at it again and to forget it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from functions.clusters.models import ClusterTag
from functions.clusters.settings.models import CompanyTags, OwnerGroups
from functions.core.requests import Wire, check_name

# Source: Amazon EKS API reference, CreateCluster; SageMaker API reference, CreateCluster; IAM API reference, ARNs of
# roles; Amazon S3 user guide, "General purpose bucket naming rules".
EKS_NAME_PATTERN: Final = r"^[0-9A-Za-z][A-Za-z0-9_-]*$"
EKS_NAME_LIMIT: Final = 100
HYPERPOD_NAME_PATTERN: Final = r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$"
HYPERPOD_NAME_LIMIT: Final = 63
ROLE_ARN_PATTERN: Final = r"^arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+$"
ROLE_ARN_LIMIT: Final = 2048
BUCKET_PATTERN: Final = r"^sagemaker-[a-z0-9.-]*[a-z0-9]$"
BUCKET_LIMIT: Final = 63


def check_eks_name(value: str) -> str:
    """Refuse what cannot be the name of an EKS cluster."""
    return check_name(value, "eks_cluster_name", EKS_NAME_PATTERN, EKS_NAME_LIMIT)


def check_hyperpod_name(value: str) -> str:
    """Refuse what cannot be the name of a HyperPod cluster."""
    return check_name(value, "hyperpod_cluster_name", HYPERPOD_NAME_PATTERN, HYPERPOD_NAME_LIMIT)


def check_role_arn(value: str) -> str:
    """Refuse what cannot be the ARN of a role."""
    return check_name(value, "role_arn", ROLE_ARN_PATTERN, ROLE_ARN_LIMIT)


def check_bucket(value: str) -> str:
    """Refuse a bucket that the roles of HyperPod's instances could not read."""
    reason = ": the managed policy of HyperPod's instances reads no others"
    return check_name(value, "bucket", BUCKET_PATTERN, BUCKET_LIMIT, reason)


EksName = Annotated[
    str,
    AfterValidator(check_eks_name),
    Field(json_schema_extra={"pattern": EKS_NAME_PATTERN, "maxLength": EKS_NAME_LIMIT}),
]
HyperPodName = Annotated[
    str,
    AfterValidator(check_hyperpod_name),
    Field(json_schema_extra={"pattern": HYPERPOD_NAME_PATTERN, "maxLength": HYPERPOD_NAME_LIMIT}),
]
RoleArn = Annotated[
    str,
    AfterValidator(check_role_arn),
    Field(
        description="The execution role of HyperPod's instances.",
        json_schema_extra={"pattern": ROLE_ARN_PATTERN, "maxLength": ROLE_ARN_LIMIT},
    ),
]
Bucket = Annotated[
    str,
    AfterValidator(check_bucket),
    Field(
        description="The bucket for lifecycle scripts and data.",
        json_schema_extra={"pattern": BUCKET_PATTERN, "maxLength": BUCKET_LIMIT},
    ),
]


class Consents(Wire):
    """What an import may change; without consent it only reads."""

    move_authentication_mode: bool = Field(
        default=False, description="From CONFIG_MAP to API_AND_CONFIG_MAP, which nobody can take back."
    )
    create_access_entry: bool = Field(
        default=False, description="Let the two roles of the control plane into the cluster, with the rights they need."
    )
    tag_subnets: bool = Field(
        default=False, description="Tag the EKS cluster's subnets so that load balancers find them."
    )


class ImportCluster(Wire):
    """An EKS cluster that somebody else made, with the HyperPod cluster that runs on it, if one does.

    `execution_role_arn` and `bucket` are for a HyperPod cluster yet to be created; those found are known by themselves.
    """

    eks_cluster_name: EksName
    tag: ClusterTag | None = None
    hyperpod_cluster_name: HyperPodName | None = None
    execution_role_arn: RoleArn | None = None
    bucket: Bucket | None = None
    consents: Consents = Field(default_factory=Consents)
    owner_groups: OwnerGroups = Field(default_factory=list)
    company_tags: CompanyTags = Field(default_factory=dict)


class RedetectCluster(Wire):
    """Another look at an imported cluster; what is named here takes the place of what was named before."""

    execution_role_arn: RoleArn | None = None
    bucket: Bucket | None = None


class ForgetCluster(Wire):
    """The end of an import: the ledger forgets the cluster, and AWS keeps it as it is."""

    remove_access_entries: bool = Field(
        default=False,
        description="Take back the rights and access entries that the control plane made, for itself and for people.",
    )
