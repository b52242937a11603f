"""What callers send to import a cluster, what is remembered of what was found, and what a connection test answers.

What is remembered is measured and has three values: present, absent, or unknown with the reason why.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from functions.clusters.models import ClusterTag
from functions.core.cluster import DesiredGroup
from functions.core.findings import Finding
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

Presence = Literal["present", "absent", "unknown"]


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


class RedetectCluster(Wire):
    """Another look at an imported cluster; what is named here takes the place of what was named before."""

    execution_role_arn: RoleArn | None = None
    bucket: Bucket | None = None


class ForgetCluster(Wire):
    """The end of an import: the ledger forgets the cluster, and AWS keeps it as it is."""

    remove_access_entries: bool = Field(
        default=False, description="Take back the access entries and rights that the control plane made for itself."
    )


class Record(BaseModel):
    """Base of what is stored and answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Component(Record):
    """A part of a cluster as it was measured: `managed_by` says who made it, `message` what is wrong or unknown."""

    kind: Literal["addon", "helm_release", "operator", "csi_driver", "access_entry", "oidc_provider", "cluster_role"]
    name: str
    presence: Presence
    namespace: str | None = None
    version: str | None = None
    status: str | None = None
    managed_by: str | None = None
    message: str | None = None


class FoundSubnet(Record):
    """A subnet of the VPC: where its default route leads, whether S3 is reached, and its tags for load balancers."""

    subnet_id: str
    availability_zone: str
    cidr: str
    free_addresses: int
    of_control_plane: bool
    public: bool
    default_route: str | None = None
    reaches_s3: bool = False
    load_balancer_roles: list[str] = []


class FoundNetwork(Record):
    """The VPC of a cluster."""

    vpc_id: str
    subnets: list[FoundSubnet]
    nat_gateways: list[str]
    s3_endpoints: list[str]


class FoundSecurityGroup(Record):
    """A security group of the EKS cluster or of instance groups, as far as EFA asks."""

    group_id: str
    from_itself: bool
    to_itself: bool


class FoundEks(Record):
    """The EKS control plane."""

    name: str
    arn: str
    status: str
    version: str
    authentication_mode: str
    role_arn: str
    vpc_id: str
    public_endpoint: bool
    private_endpoint: bool
    public_cidrs: list[str]
    service_cidr: str
    issuer: str
    cluster_security_group_id: str
    security_group_ids: list[str]


class FoundGroup(Record):
    """An instance group of the HyperPod cluster."""

    name: str
    instance_types: list[str]
    current: int
    target: int
    capacity_type: str
    status: str
    execution_role_arn: str


class FoundHyperPod(Record):
    """The HyperPod cluster that runs on the EKS cluster."""

    name: str
    arn: str
    status: str
    provisioning: Literal["continuous", "classic"]
    node_recovery: str
    groups: list[FoundGroup]


class FoundVolume(Record):
    """A persistent volume on S3 or FSx for Lustre."""

    name: str
    driver: str
    handle: str
    phase: str
    claim: str | None = None


class Unknown(Record):
    """A side of the cluster that could not be looked at, and why."""

    what: str
    reason: str
    code: str | None = None


class Reach(Record):
    """Whether the cluster's API server let the control plane in."""

    reachable: Presence
    reason: str
    message: str


class Outside(Record):
    """What AWS says of a cluster, without a look inside it; `groups` is None where HyperPod could not be looked at."""

    eks: FoundEks
    groups: list[DesiredGroup] | None = None
    network: FoundNetwork | None
    security_groups: list[FoundSecurityGroup] = []
    hyperpod: FoundHyperPod | None
    components: list[Component]
    s3_driver_role_arn: str | None = None
    unknown: list[Unknown] = []


class Inside(Record):
    """What the cluster's API server says."""

    reach: Reach
    components: list[Component] = []
    volumes: list[FoundVolume] = []
    unknown: list[Unknown] = []


class Detected(Record):
    """Everything that was found of an imported cluster, at which moment and by which operation."""

    detected_at: datetime
    operation_id: str
    eks: FoundEks
    network: FoundNetwork | None
    security_groups: list[FoundSecurityGroup]
    hyperpod: FoundHyperPod | None
    components: list[Component]
    volumes: list[FoundVolume]
    reach: Reach
    s3_driver_role_arn: str | None
    findings: list[Finding]
    unknown: list[Unknown]
    changes: list[str] = []

    def component(self, kind: str, name: str) -> Component | None:
        """Find a component; None when nothing is known of it."""
        return next((each for each in self.components if (each.kind, each.name) == (kind, name)), None)


class Check(Record):
    """One step of a connection test; `unknown` means that it was not reached."""

    name: str
    outcome: Literal["passed", "failed", "unknown"]
    message: str
    code: str | None = None
    remedy: str | None = None


class ConnectionReport(Record):
    """Whether and how far the control plane gets into a cluster, step by step."""

    cluster_tag: str
    eks_cluster: str
    connected: bool
    checks: list[Check]
