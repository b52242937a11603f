"""What is remembered of a cluster that was looked at.

All of it is measured and has three values: present, absent, or unknown with the reason why.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from functions.core.cluster import DesiredGroup
from functions.core.findings import Finding

# The status of an EKS cluster that was there and is not; EKS itself has no such status.
ABSENT: Final = "ABSENT"
Presence = Literal["present", "absent", "unknown"]


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
    """The EKS control plane with its network and its doors; `authentication_mode` says how principals get in."""

    name: str
    arn: str
    status: str
    version: str
    authentication_mode: str
    role_arn: str
    vpc_id: str
    subnet_ids: list[str]
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
    """What AWS says of a cluster, without a look inside it; `groups` is None where HyperPod could not be looked at.

    `hyperpod_marked` says whether the HyperPod cluster carries the tags of this cluster; None where that is not known.
    """

    eks: FoundEks
    groups: list[DesiredGroup] | None = None
    network: FoundNetwork | None = None
    security_groups: list[FoundSecurityGroup] = []
    hyperpod: FoundHyperPod | None = None
    hyperpod_marked: bool | None = None
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
    network: FoundNetwork | None = None
    security_groups: list[FoundSecurityGroup]
    hyperpod: FoundHyperPod | None = None
    components: list[Component]
    volumes: list[FoundVolume]
    reach: Reach
    s3_driver_role_arn: str | None = None
    findings: list[Finding]
    unknown: list[Unknown]
    changes: list[str] = []

    def component(self, kind: str, name: str) -> Component | None:
        """Find a component; None when nothing is known of it."""
        return next((each for each in self.components if (each.kind, each.name) == (kind, name)), None)
