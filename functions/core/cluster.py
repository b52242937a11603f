"""The cluster, our unit, as every domain knows it: its desired state, the names of its parts, where it answers."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class ClusterNames(BaseModel):
    """The names of what a cluster consists of, fixed when it is created or imported; nothing derives them again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    eks_cluster: str
    hyperpod_cluster: str
    stack: str
    bucket: str
    control_plane_role: str
    execution_role: str
    s3_csi_role: str


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


class ClusterSpec(BaseModel):
    """The desired state of a cluster; `version` counts its changes.

    `owner_groups` name who may change it, nobody in particular when empty; `company_tags` go onto all that is made for
    it, beside the deployment's.

    What is stored is not judged again by the rules for new requests, so that it stays readable when those change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tag: str
    account_id: str
    region: str
    names: ClusterNames
    control_plane_availability_zones: list[str] | None = None
    availability_zone: str | None = None
    subnet_prefix: int | None = None
    instance_groups: list[DesiredGroup] = []
    node_recovery: str | None = None
    on_shortage: str = "wait"
    mounts: list[DesiredMount] = []
    origin: Literal["created", "imported"] = "created"
    owner_groups: list[str] = []
    company_tags: dict[str, str] = {}
    created_at: datetime
    version: int = 1


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
