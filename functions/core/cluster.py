"""The cluster, our unit, as every domain knows it: its desired state, the names of its parts, where it answers."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from functions.core.errors import PreconditionFailed


class ClusterNames(BaseModel):
    """The names of what a cluster consists of, fixed when it is created or imported; nothing derives them again.

    An imported cluster has no stack, and a bucket only where one was found or named. What else it lacks has the name
    that it would get. The roles that we make stand under `role_path`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    eks_cluster: str
    hyperpod_cluster: str
    stack: str | None = None
    bucket: str | None = None
    control_plane_role: str
    execution_role: str
    s3_csi_role: str
    training_role: str
    inference_role: str
    role_path: str

    @property
    def roles(self) -> tuple[str, ...]:
        """List the names of all roles of the cluster."""
        return (
            self.control_plane_role,
            self.execution_role,
            self.s3_csi_role,
            self.training_role,
            self.inference_role,
        )


class Surroundings(BaseModel):
    """Where an imported EKS cluster stands: what the outputs of its stack say of a created one.

    `execution_role_arn` is that of its instance groups, None until one was found or named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    eks_arn: str
    vpc_id: str
    security_group_id: str
    execution_role_arn: str | None = None


class DesiredGroupNetwork(BaseModel):
    """Where a group's nodes get their addresses, as it was asked for; the zone left out is the cluster's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    availability_zone: str | None = None
    subnet_id: str | None = None
    dedicated_subnet: bool = False
    subnet_prefix: int | None = None
    network_interface: str | None = None


class DesiredTaint(BaseModel):
    """A taint of each node of a group, as it was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    value: str | None = None
    effect: str


class DesiredVolume(BaseModel):
    """A disk of each instance of a group, as it was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: bool = False
    size_gib: int | None = None
    kms_key_id: str | None = None


class DesiredLifecycle(BaseModel):
    """A lifecycle script of the caller's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_uri: str
    on_create: str | None = None
    on_init_complete: str | None = None


class DesiredGroup(DesiredGroupNetwork):
    """An instance group as it was asked for: of one instance type, or of several in order of preference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    instance_type: str | None = None
    instance_types: list[str] | None = None
    instance_count: int
    min_instance_count: int | None = None
    capacity_type: str
    training_plan_arn: str | None = None
    security_group_ids: list[str] | None = None
    threads_per_core: int | None = None
    deep_health_checks: list[str] = []
    labels: dict[str, str] = {}
    taints: list[DesiredTaint] = []
    volumes: list[DesiredVolume] = []
    lifecycle: DesiredLifecycle | None = None
    image_id: str | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """Give the instance types of the group in order of preference."""
        return tuple(self.instance_types or filter(None, [self.instance_type]))


class DesiredMount(BaseModel):
    """A mount as it was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    namespace: str


class ReusedResources(BaseModel):
    """What a cluster took over instead of making it; it is never deleted with the cluster.

    `tag_subnets` says that the subnets may be given the tags by which load balancers find them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    vpc_id: str | None = None
    control_plane_subnet_ids: list[str] = []
    public_subnet_ids: list[str] = []
    security_group_id: str | None = None
    tag_subnets: bool = False
    control_plane_role_arn: str | None = None
    execution_role_arn: str | None = None
    s3_csi_role_arn: str | None = None
    bucket: str | None = None

    @property
    def subnet_ids(self) -> list[str]:
        """Give all subnets that were taken over, those of the control plane first."""
        return [*self.control_plane_subnet_ids, *self.public_subnet_ids]


class ChosenRanges(BaseModel):
    """The address ranges that a caller chose for a new VPC; what is empty was left to the control plane."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vpc_cidr: str
    public_subnet_cidrs: list[str] = []
    control_plane_subnet_cidrs: list[str] = []
    compute_cidr: str | None = None


class ClusterSpec(BaseModel):
    """The desired state of a cluster; `version` counts its changes.

    `owner_groups` name who may change it, nobody in particular when empty; `company_tags` go onto all that is made for
    it, beside the deployment's, and `dropped_tags` are the keys that it once had. `kubernetes_version` is what was
    asked for, or what an upgrade brought all of it to; None for the newest that both EKS and HyperPod have when the
    foundation is made. `ranges` are those that the caller chose for a new VPC. `public_access_cidrs` are all ranges
    that the cluster's endpoint answers, the control plane's own among them; None for everywhere.

    What is stored is not judged again by the rules for new requests, so that it stays readable when those change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tag: str
    account_id: str
    region: str
    names: ClusterNames
    control_plane_availability_zones: list[str] | None = None
    kubernetes_version: str | None = None
    reused: ReusedResources | None = None
    ranges: ChosenRanges | None = None
    public_access_cidrs: list[str] | None = None
    availability_zone: str | None = None
    subnet_prefix: int | None = None
    instance_groups: list[DesiredGroup] = []
    node_recovery: str | None = None
    on_shortage: str = "wait"
    mounts: list[DesiredMount] = []
    origin: Literal["created", "imported"] = "created"
    owner_groups: list[str] = []
    company_tags: dict[str, str] = {}
    dropped_tags: list[str] = []
    created_at: datetime
    version: int = 1
    surroundings: Surroundings | None = None

    @property
    def stack(self) -> str:
        """Name the foundation's stack; raises PreconditionFailed for an imported cluster, which has none."""
        remedy = "Change the foundation of an imported cluster where it was made."
        return _there(self.names.stack, f"Cluster {self.tag} was imported and has no stack of ours.", remedy)

    @property
    def bucket(self) -> str:
        """Name the cluster's bucket; raises PreconditionFailed for an imported cluster that was given none."""
        remedy = f'Send POST /api/clusters/{self.tag}/redetect with {{"bucket": "sagemaker-..."}}.'
        return _there(self.names.bucket, f"Cluster {self.tag} was imported without a bucket.", remedy)


def _there(name: str | None, missing: str, remedy: str) -> str:
    if name is None:
        raise PreconditionFailed(missing, remedy=remedy)
    return name


class AccessRole(StrEnum):
    """The roles of ours that clusters let in, by the setting that holds the role's ARN."""

    ADMIN = "KUBERNETES_ADMIN_ROLE_ARN"
    OPERATOR = "KUBERNETES_OPERATOR_ROLE_ARN"


class ApiServer(BaseModel):
    """Where a cluster's Kubernetes API answers, and the PEM certificate of the authority to trust there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cluster: str
    endpoint: str
    certificate_authority: str


class DesiredAccess(BaseModel):
    """What a principal of AWS was granted in a cluster: what everywhere, and what in which namespace."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    principal_arn: str
    everywhere: str | None = None
    namespaces: dict[str, str] = {}
