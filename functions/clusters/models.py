"""What callers send to the clusters routes, what the ledger keeps of a cluster, and what callers get.

A request's fields are judged where they stand. What is stored is not judged again: it has to stay readable when the
rules for new requests change.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from functions.capacity.models import InstanceGroup, OnShortage, SystemGroup
from functions.clusters.importing.models.found import Detected
from functions.clusters.names import TAG_LIMIT, TAG_PATTERN
from functions.clusters.settings.models import CompanyTags, OwnerGroups
from functions.core.cluster import ClusterSpec
from functions.core.requests import Wire, check_name
from functions.network.models import ClusterNetwork, ZoneName
from functions.network.ranges.models import NetworkRanges
from functions.network.reuse.models import EndpointReach, ReusedParts

GROUPS_LIMIT: Final = 100
KUBERNETES_NAME_PATTERN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
KUBERNETES_NAME_LIMIT: Final = 63
KUBERNETES_VERSION_PATTERN: Final = r"^1\.[0-9]{2}$"

NodeRecovery = Literal["automatic", "none"]


def check_tag(value: str) -> str:
    """Refuse a tag from which some name of AWS could not be made."""
    return check_name(value, "cluster_tag", TAG_PATTERN, TAG_LIMIT, ", so that every name made from it fits")


def check_kubernetes_name(value: str) -> str:
    """Refuse a name that Kubernetes would refuse as a label."""
    return check_name(value, "kubernetes_name", KUBERNETES_NAME_PATTERN, KUBERNETES_NAME_LIMIT)


def check_two_zones(value: list[str]) -> list[str]:
    """Refuse any number of control plane zones but the two that a foundation has subnets for."""
    if len(value) != 2:
        message = "names {count} zones; a control plane stands in exactly two"
        raise PydanticCustomError("two_zones", message, {"count": len(value)})
    return value


ClusterTag = Annotated[
    str, AfterValidator(check_tag), Field(json_schema_extra={"pattern": TAG_PATTERN, "maxLength": TAG_LIMIT})
]
KubernetesName = Annotated[
    str,
    AfterValidator(check_kubernetes_name),
    Field(json_schema_extra={"pattern": KUBERNETES_NAME_PATTERN, "maxLength": KUBERNETES_NAME_LIMIT}),
]
KubernetesVersion = Annotated[str, Field(pattern=KUBERNETES_VERSION_PATTERN, examples=["1.33"])]
TwoZones = Annotated[
    list[ZoneName], AfterValidator(check_two_zones), Field(json_schema_extra={"minItems": 2, "maxItems": 2})
]


class HyperPod(ClusterNetwork, Wire):
    """The HyperPod cluster: where its instances stand and how many of which there are.

    `on_shortage` says what a lack of capacity means: wait for it, fail, or fail with what is to be had instead.
    """

    availability_zone: ZoneName
    instance_groups: list[InstanceGroup] = Field(min_length=1, max_length=GROUPS_LIMIT)
    node_recovery: NodeRecovery = "automatic"
    on_shortage: OnShortage = "wait"
    system_group: SystemGroup | None = None

    @property
    def groups(self) -> list[InstanceGroup]:
        """Give all groups, the cluster's own last."""
        return [*self.instance_groups, *([self.system_group.group] if self.system_group else [])]

    @field_validator("instance_groups")
    @classmethod
    def _names_are_unique(cls, groups: list[InstanceGroup]) -> list[InstanceGroup]:
        counts = Counter(group.name for group in groups)
        if twice := ", ".join(name for name, count in counts.items() if count > 1):
            raise PydanticCustomError("group_names", "has more than one group named {names}", {"names": twice})
        return groups

    @field_validator("system_group")
    @classmethod
    def _system_group_stands_beside(cls, system: SystemGroup | None, info: ValidationInfo) -> SystemGroup | None:
        groups: list[InstanceGroup] | None = info.data.get("instance_groups")
        if groups is None:
            return system
        if system is not None and system.name in [group.name for group in groups]:
            message = "is named {name}, as one of the instance_groups is"
            raise PydanticCustomError("group_names", message, {"name": system.name})
        if system is not None and len(groups) == GROUPS_LIMIT:
            message = "makes one group more than the {limit} that a cluster has"
            raise PydanticCustomError("group_count", message, {"limit": GROUPS_LIMIT})
        return system


class Foundation(NetworkRanges, ReusedParts, EndpointReach, Wire):
    """The network and the EKS control plane; zones and ranges left out are chosen, what is not taken over is made."""

    control_plane_availability_zones: TwoZones | None = None
    kubernetes_version: KubernetesVersion | None = Field(
        default=None, description="A minor version; left out, the newest that EKS offers and HyperPod supports."
    )

    @field_validator("control_plane_availability_zones")
    @classmethod
    def _zones_follow_from_subnets(cls, zones: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if zones and info.data.get("control_plane_subnet_ids"):
            raise PydanticCustomError(
                "zones_of_subnets", "has to be left out beside control_plane_subnet_ids, whose zones count"
            )
        return zones


class S3Mount(Wire):
    """The cluster's bucket as a volume that pods claim by name."""

    name: KubernetesName = "s3-claim"
    namespace: KubernetesName = "default"


class CreateCluster(Wire):
    """A whole cluster, or its foundation alone when `hyperpod` is left out.

    `storage` left out means the bucket mounted under its default name; null means no mount.
    """

    tag: ClusterTag | None = None
    region: str | None = Field(default=None, description="If sent, it has to be the region of this deployment.")
    foundation: Foundation = Field(default_factory=Foundation)
    hyperpod: HyperPod | None = None
    storage: S3Mount | None = None
    owner_groups: OwnerGroups = Field(default_factory=list)
    company_tags: CompanyTags = Field(default_factory=dict)

    @field_validator("storage")
    @classmethod
    def _storage_needs_nodes(cls, storage: S3Mount | None, info: ValidationInfo) -> S3Mount | None:
        if storage is not None and "hyperpod" in info.data and info.data["hyperpod"] is None:
            raise PydanticCustomError(
                "storage_without_hyperpod", "has to be left out without hyperpod: a mount needs nodes to serve it"
            )
        return storage

    @model_validator(mode="after")
    def _mount_by_default(self) -> CreateCluster:
        if self.hyperpod is not None and "storage" not in self.model_fields_set:
            self.storage = S3Mount()
            # Nobody sent it: a dump of what was sent leaves it out.
            self.model_fields_set.discard("storage")
        return self


class ConfigureDependencies(Wire):
    """The add-ons that HyperPod and the storage need.

    `addon_conflicts` says what becomes of a self-managed copy of an add-on whose fields differ from it.
    """

    addon_conflicts: Literal["refuse", "overwrite"] = "refuse"


class ChooseActiveCluster(Wire):
    """The cluster a person works with from now on."""

    cluster_tag: ClusterTag


class Record(BaseModel):
    """Base of what is stored and answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Condition(Record):
    """What a pipeline last found out about one side of a cluster; as in Kubernetes, Unknown is not False."""

    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str | None = None
    message: str | None = None
    since: datetime | None = None


class SummaryStatus(StrEnum):
    """How a cluster stands, in one word."""

    READY = "READY"
    CHANGING = "CHANGING"
    DEGRADED = "DEGRADED"
    UNKNOWN = "UNKNOWN"


class Summary(Record):
    """How a cluster stands, and by what."""

    status: SummaryStatus
    reason: str
    message: str
    since: datetime | None = None


class LastOperation(Record):
    """The newest operation on a cluster, in short."""

    operation_id: str
    kind: str
    status: str
    created_at: datetime
    finished_at: datetime | None


class ClusterView(Record):
    """A cluster as one reads it; `detected` is what was found of one that was imported.

    `drift_detected_at` is when its drift was last detected, None for never.
    """

    tag: str
    spec: ClusterSpec
    summary: Summary
    conditions: list[Condition]
    active_operation_ids: list[str]
    last_operation: LastOperation | None
    detected: Detected | None = None
    drift_detected_at: datetime | None = None


class ClusterSummary(Record):
    """A cluster as one line of a list."""

    tag: str
    region: str
    availability_zone: str | None
    origin: str
    owner_groups: list[str]
    created_at: datetime
    summary: Summary
    conditions: list[Condition]
    active_operation_ids: list[str]


class ClusterPage(Record):
    """One page of clusters, by tag."""

    clusters: list[ClusterSummary]
    next_token: str | None = None


class ActiveCluster(Record):
    """The cluster a person works with; null until one is chosen."""

    cluster_tag: str | None
