"""What the EKS simulator remembers, and the statuses that follow from it and the clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from infra.local.simulators.neighbours import ClientFactory

CREATION = timedelta(seconds=540)
DELETION = timedelta(seconds=120)
ADDON_CREATION = timedelta(seconds=40)
ADDON_DELETION = timedelta(seconds=15)
ADDON_UPDATE = timedelta(seconds=40)
VERSION_UPDATE = timedelta(seconds=600)
ACCESS_UPDATE = timedelta(seconds=60)
# Zones where AWS places no control plane (EKS User Guide, "VPC and subnet considerations").
REFUSING_ZONE_IDS = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


@dataclass
class AddonUpdate:
    """What an add-on becomes once its update is through."""

    version: str
    configuration_values: str | None
    begun_at: datetime
    update_id: str
    token: str | None = None


@dataclass
class AccessUpdate:
    """A change of a cluster's authentication mode, until it is through."""

    update_id: str
    mode: str
    begun_at: datetime
    token: str | None

    def due(self) -> datetime:
        """The moment at which it is through."""
        return self.begun_at + ACCESS_UPDATE


@dataclass
class AddonRecord:
    """One add-on of a cluster; `announced` once its creation ended, well or with `failed` and `issues`."""

    name: str
    version: str
    arn: str
    created_at: datetime
    overwrites: bool = False
    service_account_role_arn: str | None = None
    configuration_values: str | None = None
    association_ids: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    deleted_at: datetime | None = None
    preserved: bool = False
    announced: bool = False
    update: AddonUpdate | None = None
    failed: str | None = None
    issues: list[dict[str, Any]] = field(default_factory=list)

    @property
    def in_cluster(self) -> bool:
        """Say whether its objects are in the cluster: a copy that made its creation fail is none of them."""
        return self.announced and self.failed != "CREATE_FAILED"

    def status(self, healthy: bool) -> str:
        """What EKS says of it, where it is not at work, by the health of its objects."""
        if self.deleted_at:
            return "DELETING"
        if not self.announced:
            return "CREATING"
        if self.update:
            return "UPDATING"
        return self.failed or ("ACTIVE" if healthy else "DEGRADED")

    def due(self) -> datetime:
        """The moment, past or future, at which its status changes by itself."""
        if self.deleted_at:
            return self.deleted_at + ADDON_DELETION
        return self.update.begun_at + ADDON_UPDATE if self.update else self.created_at + ADDON_CREATION


@dataclass
class AccessEntryRecord:
    """One principal's way into a cluster; `policies` by ARN are AssociatedAccessPolicy structures."""

    principal_arn: str
    arn: str
    type: str
    username: str
    groups: list[str]
    created_at: datetime
    tags: dict[str, str] = field(default_factory=dict)
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass
class AssociationRecord:
    """One pod identity association."""

    association_id: str
    arn: str
    namespace: str
    service_account: str
    role_arn: str
    created_at: datetime
    owner_arn: str | None = None
    disable_session_tags: bool = False
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class AssociationSpan:
    """From when until when a service account had an association: pods admitted meanwhile got what it takes to use it.

    Source: Amazon EKS user guide, "Understand how EKS Pod Identity works" (the webhook acts when a pod is made).
    """

    namespace: str
    service_account: str
    since: datetime
    until: datetime | None = None

    def covers(self, moment: datetime) -> bool:
        """Whether it stood at a moment, which Kubernetes writes in whole seconds."""
        return self.since.replace(microsecond=0) <= moment and (self.until is None or moment < self.until)


@dataclass
class ClusterUpdate:
    """One update of a cluster's version; `fault` is the error that it ends, or has ended, with."""

    update_id: str
    version: str
    begun_at: datetime
    token: str | None
    fault: dict[str, Any] | None = None
    status: Literal["InProgress", "Failed", "Successful"] = "InProgress"

    @property
    def due(self) -> datetime:
        """The moment at which it ends."""
        return self.begun_at + VERSION_UPDATE


@dataclass
class InsightRecord:
    """What EKS found out about a cluster's readiness for a Kubernetes version."""

    insight_id: str
    name: str
    kubernetes_version: str
    status: str
    reason: str
    recommendation: str = ""
    deprecations: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class ClusterRecord:
    """One EKS cluster; `described` holds what DescribeCluster repeats from the request, defaults filled in."""

    name: str
    arn: str
    version: str
    created_at: datetime
    described: dict[str, Any]
    vpc_id: str
    security_group_id: str
    issuer: str
    request_token: str | None
    tags: dict[str, str] = field(default_factory=dict)
    deleted_at: datetime | None = None
    announced: bool = False
    interface_ids: list[str] = field(default_factory=list)
    access_update: AccessUpdate | None = None
    addons: dict[str, AddonRecord] = field(default_factory=dict)
    entries: dict[str, AccessEntryRecord] = field(default_factory=dict)
    associations: dict[str, AssociationRecord] = field(default_factory=dict)
    spans: list[AssociationSpan] = field(default_factory=list)
    updates: list[ClusterUpdate] = field(default_factory=list)
    insights: dict[str, InsightRecord] = field(default_factory=dict)

    @property
    def running_update(self) -> ClusterUpdate | None:
        """The update that is under way."""
        return next((update for update in self.updates if update.status == "InProgress"), None)

    def bind(self, association: AssociationRecord) -> None:
        """Take an association in."""
        self.associations[association.association_id] = association
        self.spans.append(AssociationSpan(association.namespace, association.service_account, association.created_at))

    def unbind(self, association_id: str, now: datetime) -> None:
        """Let an association go, if it is there."""
        gone = self.associations.pop(association_id, None)
        for span in self.spans if gone else ():
            if gone and (span.namespace, span.service_account) == (gone.namespace, gone.service_account):
                span.until = span.until or now

    def had_association(self, namespace: str, service_account: str, moment: datetime) -> bool:
        """Whether a service account had an association at a moment."""
        return any(
            (span.namespace, span.service_account) == (namespace, service_account) and span.covers(moment)
            for span in self.spans
        )

    def status(self, now: datetime) -> str:
        """CREATING for nine minutes, then ACTIVE, UPDATING while an update of it runs, until deleted."""
        if self.deleted_at:
            return "DELETING"
        if self.running_update or self.access_update:
            return "UPDATING"
        return "ACTIVE" if now >= self.created_at + CREATION else "CREATING"

    @property
    def authentication_mode(self) -> str:
        """How principals get in; CONFIG_MAP, AWS's default, knows no access entries."""
        return str(self.described["accessConfig"]["authenticationMode"])


@dataclass
class EksRecords:
    """Everything the EKS simulator remembers."""

    clusters: dict[str, ClusterRecord] = field(default_factory=dict)
    unsupported_zone_ids: set[str] = field(default_factory=lambda: set(REFUSING_ZONE_IDS))
    forgets_interfaces: bool = False
    """Whether deleted control planes leave their interfaces behind, detached: it happens, and nobody says when."""
    minted: int = 0
    update_faults: dict[str, dict[str, Any]] = field(default_factory=dict)
    """With what the next version update of a cluster ends."""


@dataclass(frozen=True)
class AddonObjects:
    """What add-ons have in a cluster's Kubernetes, each asked for by the names of cluster and add-on."""

    install: Callable[[str, str], None]
    remove: Callable[[str, str], None]
    health: Callable[[str, str], list[dict[str, Any]]]
    conflicts: Callable[[str, str], list[str]]


def nobody(_cluster: str) -> None:
    """Stand for a host that is not interested."""


def no_nodes(_cluster: str) -> Sequence[str]:
    """Stand for a host without nodes."""
    return ()


@dataclass(frozen=True)
class EksHost:
    """What the EKS simulator asks of and tells its host."""

    ec2: ClientFactory
    iam: ClientFactory
    endpoint_of: Callable[[str], str]
    certificate_authority: Callable[[], str]
    on_cluster_active: Callable[[str], None]
    on_cluster_deleted: Callable[[str], None]
    addons: AddonObjects
    on_version_changed: Callable[[str], None] = nobody
    node_versions: Callable[[str], Sequence[str]] = no_nodes
    """The Kubernetes versions of a cluster's kubelets."""
    hold_interface: Callable[[str], None] = lambda _: None
    free_interface: Callable[[str], None] = lambda _: None
    hyperpod_on: Callable[[str], str | None] = lambda _: None
    """Names the HyperPod cluster that stands on an EKS cluster, by its ARN."""


@dataclass
class EksState:
    """Records, clock and host, shared by the groups of EKS operations."""

    now: Callable[[], datetime]
    account_id: str
    region: str
    host: EksHost
    records: EksRecords = field(default_factory=EksRecords)

    def cluster(self, name: str) -> ClusterRecord:
        """A cluster by name, in whatever status."""
        found = self.records.clusters.get(name)
        if found is None:
            message = f"No cluster found for name: {name}."
            raise ServiceError("ResourceNotFoundException", message, 404, clusterName=name)
        return found

    def active_cluster(self, name: str) -> ClusterRecord:
        """A cluster that takes changes."""
        cluster = self.cluster(name)
        status = cluster.status(self.now())
        if status != "ACTIVE":
            message = f"Cluster {name} is in status {status}; it must be ACTIVE for this operation."
            raise ServiceError("InvalidRequestException", message, clusterName=name)
        return cluster

    def mint(self) -> str:
        """A seed no other identifier of this simulator had."""
        self.records.minted += 1
        return f"eks:{self.account_id}:{self.region}:{self.records.minted}"

    def arn(self, resource: str) -> str:
        """An ARN of this account and region."""
        return f"arn:aws:eks:{self.region}:{self.account_id}:{resource}"


def invalid(message: str, **members: object) -> ServiceError:
    """EKS's error for a parameter it does not accept."""
    return ServiceError("InvalidParameterException", message, 400, **members)
