"""The cluster, our unit, as every domain knows it: its desired state, the names of its parts, where it answers."""

from __future__ import annotations

from datetime import datetime

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


class DesiredGroup(DesiredGroupNetwork):
    """An instance group as it was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    instance_type: str
    instance_count: int
    capacity_type: str

    @property
    def types(self) -> tuple[str, ...]:
        """Give the types that the instances may have."""
        return (self.instance_type,)


class DesiredMount(BaseModel):
    """A mount as it was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    namespace: str


class ClusterSpec(BaseModel):
    """The desired state of a cluster; `version` counts its changes.

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
    mounts: list[DesiredMount] = []
    created_at: datetime
    version: int = 1


class ApiServer(BaseModel):
    """Where a cluster's Kubernetes API answers, and the PEM certificate of the authority to trust there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cluster: str
    endpoint: str
    certificate_authority: str
