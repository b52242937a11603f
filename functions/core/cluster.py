"""What every domain knows of the cluster it works on: its tag, its place and the names of its parts."""

from __future__ import annotations

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


class ClusterIdentity(BaseModel):
    """The part of a cluster's `spec` record that stages of every domain need."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tag: str
    account_id: str
    region: str
    names: ClusterNames


class ApiServer(BaseModel):
    """Where a cluster's Kubernetes API answers, and the PEM certificate of the authority to trust there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cluster: str
    endpoint: str
    certificate_authority: str
