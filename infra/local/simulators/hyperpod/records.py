"""What the HyperPod simulator remembers of clusters: groups, nodes, events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from infra.local.simulators.hyperpod.outcomes import CapacityChange, Outcomes
from infra.local.simulators.hyperpod.plan_records import OfferingRecord, PlanRecord
from infra.local.simulators.hyperpod.software_records import Software, SoftwareUpdate
from infra.local.simulators.instance_facts import InstanceFacts, instance_facts

if TYPE_CHECKING:
    from infra.local.simulators.neighbours import Subnet


class Phase(StrEnum):
    """Where an instance stands; the value is the API's word for it."""

    STARTING = "Pending"
    FAILED = "Failure"
    JOINING = "Joining"
    CHECKING = "DeepHealthCheckInProgress"
    RUNNING = "Running"
    UPDATING = "SystemUpdating"
    LEAVING = "ShuttingDown"


class Course(StrEnum):
    """How far a node's fault has come."""

    SILENT = "silent"
    DETECTED = "detected"
    REBOOTING = "rebooting"


@dataclass
class Health:
    """A fault of a node: what it is, what would cure it (Reboot or Replace), and how far things are."""

    fault: str
    recovery: str
    course: Course
    due: datetime | None

    @property
    def waiting(self) -> bool:
        """Whether it is known and nobody does anything about it."""
        return self.course is Course.DETECTED and self.due is None


@dataclass
class NodeRecord:
    """One instance; `due` is the moment at which its phase changes by itself, `message` its last failure."""

    instance_id: str
    logical_id: str
    instance_type: str
    subnet: Subnet
    addresses: tuple[str, ...]
    interface_id: str
    launched_at: datetime
    index: int
    threads_per_core: int
    due: datetime | None
    configured: dict[str, Any]
    """Its KubernetesConfig, as far as it was put on the node."""
    software: Software
    phase: Phase = Phase.STARTING
    timing_out: bool = False
    message: str | None = None
    running_since: datetime | None = None
    leaving_since: datetime | None = None
    joins: bool = True
    configure_at: datetime | None = None
    former_labels: frozenset[str] = frozenset()
    check: str | None = None
    """The deep health check's label: InProgress, Passed or Failed."""
    health: Health | None = None
    interrupted_until: datetime | None = None
    replaces: str | None = None
    software_attempts: int = 0
    updated_at: datetime | None = None

    @property
    def private_ip(self) -> str:
        """The primary address."""
        return self.addresses[0]

    @property
    def status(self) -> str:
        """The API's word."""
        return "Pending" if self.phase is Phase.JOINING else self.phase.value

    @property
    def joined(self) -> bool:
        """Whether Kubernetes has a node of it."""
        up = self.phase in (Phase.CHECKING, Phase.RUNNING, Phase.UPDATING)
        up = up or (self.phase is Phase.FAILED and self.check == "Failed")
        return up and self.joins

    @property
    def facts(self) -> InstanceFacts:
        """Its type's facts."""
        return instance_facts()[self.instance_type]

    def deadlines(self) -> Iterator[datetime]:
        """Moments at which something about it changes."""
        yield from filter(None, (self.due, self.configure_at, self.interrupted_until))
        if self.health and self.health.due:
            yield self.health.due


@dataclass
class RequestedNode:
    """A node that has no instance yet; an unfulfilled one of these is a shortage."""

    logical_id: str
    asked_at: datetime
    replaces: str | None = None


@dataclass(frozen=True)
class Settled:
    """What a group goes back to when an update of it fails."""

    spec: dict[str, Any]
    target: int
    minimum: int


@dataclass
class GroupRecord:
    """One instance group; `spec` is its ClusterInstanceGroupSpecification."""

    spec: dict[str, Any]
    target: int
    minimum: int
    subnets: list[Subnet]
    security_groups: list[str]
    ready_at: datetime
    configured: dict[str, Any]
    software: Software
    """What its next instances are made with."""
    next_attempt: datetime | None = None
    minimum_deadline: datetime | None = None
    before: Settled | None = None
    deleting: bool = False
    failed: bool = False
    announced_network: bool = False
    inherited_image: str | None = None
    software_update: SoftwareUpdate | None = None
    nodes: list[NodeRecord] = field(default_factory=list)
    requested: list[RequestedNode] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The group's name."""
        return str(self.spec["InstanceGroupName"])

    @property
    def instance_types(self) -> list[str]:
        """The group's types, in the order of preference."""
        flexible = self.spec.get("InstanceRequirements")
        return list(flexible["InstanceTypes"]) if flexible else [str(self.spec["InstanceType"])]

    @property
    def threads_per_core(self) -> int:
        """Threads per core; hyper-threading is off unless asked for (facts 1.3)."""
        return int(self.spec.get("ThreadsPerCore", 1))

    @property
    def spot(self) -> bool:
        """Whether it is made of Spot capacity."""
        return "Spot" in self.spec.get("CapacityRequirements", {})

    @property
    def plan(self) -> str | None:
        """The ARN of its training plan."""
        return self.spec.get("TrainingPlanArn") or None

    @property
    def image(self) -> str | None:
        """Its image, where that is not HyperPod's own."""
        return self.spec.get("ImageId") or self.inherited_image

    @property
    def efa_only(self) -> bool:
        """Whether its EFA devices take no addresses."""
        return bool(self.spec.get("NetworkInterface", {}).get("InterfaceType") == "efa-only")

    @property
    def present(self) -> list[NodeRecord]:
        """Instances that are not on their way out."""
        return [node for node in self.nodes if node.phase is not Phase.LEAVING]

    @property
    def current(self) -> int:
        """CurrentCount: what runs, and for a while what did (facts 1.5)."""
        return sum(1 for node in self.nodes if node.running_since)

    @property
    def standing(self) -> Settled:
        """What it is asked to be now."""
        return Settled(dict(self.spec), self.target, self.minimum)

    def addresses_of(self, instance_type: str) -> int:
        """Say how many addresses of its subnet one instance takes (facts 5, ENI/IP)."""
        facts = instance_facts()[instance_type]
        return facts.subnet_ips_efa_only if self.efa_only else facts.subnet_ips


@dataclass
class EventRecord:
    """One cluster event; `metadata` is its EventMetadata union."""

    event_id: str
    time: datetime
    resource_type: str
    description: str
    level: str
    group: str | None
    instance_id: str | None
    metadata: dict[str, Any]


@dataclass
class HyperPodRecord:
    """One HyperPod cluster; `described` holds what DescribeCluster repeats from the request."""

    name: str
    cluster_id: str
    arn: str
    eks_arn: str
    created_at: datetime
    described: dict[str, Any]
    groups: dict[str, GroupRecord]
    tags: dict[str, str]
    changed_at: datetime
    """When the operation began whose failure would be rolled back."""
    status: str = "Creating"
    due: datetime | None = None
    """When its status changes by itself."""
    failure: str = ""
    announced: str = ""
    """The status that the event bus was told last."""
    former_nodes: dict[str, str] = field(default_factory=dict)
    """The groups of nodes whose instances are gone, by logical id."""
    autoscaling_ready_at: datetime | None = None
    deleted_at: datetime | None = None
    events: list[EventRecord] = field(default_factory=list)

    @property
    def continuous(self) -> bool:
        """Whether nodes come one by one and never fail the cluster."""
        return self.described.get("NodeProvisioningMode") == "Continuous"

    @property
    def recovers(self) -> bool:
        """Whether HyperPod repairs unhealthy nodes; it does unless told otherwise."""
        return bool(self.described.get("NodeRecovery", "Automatic") == "Automatic")

    @property
    def eks_name(self) -> str:
        """The EKS cluster's name."""
        return self.eks_arn.rpartition("/")[2]

    def nodes(self) -> list[tuple[GroupRecord, NodeRecord]]:
        """Its instances with their groups."""
        return [(group, node) for group in self.groups.values() for node in group.nodes]


@dataclass
class HyperPodRecords:
    """Everything the HyperPod simulator remembers; a (type, zone) without an entry has unlimited capacity."""

    clusters: dict[str, HyperPodRecord] = field(default_factory=dict)
    capacity: dict[tuple[str, str], int] = field(default_factory=dict)
    spot_capacity: dict[tuple[str, str], int] = field(default_factory=dict)
    quotas: dict[str, float] = field(default_factory=dict)
    offerings: dict[str, OfferingRecord] = field(default_factory=dict)
    plans: dict[str, PlanRecord] = field(default_factory=dict)
    outcomes: Outcomes = field(default_factory=Outcomes)
    lingering: dict[str, datetime] = field(default_factory=dict)
    minted: int = 0
    releases: list[str] = field(default_factory=lambda: ["1.0.0"])
    """The releases of HyperPod's own images, the newest last."""

    def nodes(self) -> Iterator[tuple[GroupRecord, NodeRecord]]:
        """Every instance there is."""
        for cluster in self.clusters.values():
            yield from cluster.nodes()

    def change_capacity(self, change: CapacityChange) -> None:
        """Give a pool another limit, or none."""
        pool = self.spot_capacity if change.spot else self.capacity
        pool.pop(change.place, None)
        if change.count is not None:
            pool[change.place] = change.count

    def groups(self) -> Iterator[GroupRecord]:
        """Every group there is."""
        for cluster in self.clusters.values():
            yield from cluster.groups.values()
