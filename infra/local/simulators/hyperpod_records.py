"""What the HyperPod simulator remembers: clusters, groups, nodes, events, capacity."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from infra.local.simulators.instance_facts import instance_facts
from infra.local.simulators.paging import LETTERS_AND_DIGITS, identifier
from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from infra.local.simulators.bus_event import BusEvent
    from infra.local.simulators.eks import EksView
    from infra.local.simulators.neighbours import ClientFactory, Subnet

CREATION = timedelta(seconds=60)
DELETION = timedelta(seconds=300)
LIFECYCLE_AFTER = timedelta(seconds=240)
RUNNING_AFTER = timedelta(seconds=120)
STAGGER = timedelta(seconds=5)
RETRY_EVERY = timedelta(minutes=10)
MINIMUM_WITHIN = timedelta(hours=3)
EVENTS_KEPT = 500


@dataclass
class NodeRecord:
    """One instance: placed, then running its lifecycle script, then Running; `message` is its last failure."""

    instance_id: str
    logical_id: str
    subnet: Subnet
    private_ip: str
    launched_at: datetime
    lifecycle_at: datetime
    settling: timedelta
    scripted_at: datetime | None = None
    running_since: datetime | None = None
    failed: bool = False
    message: str | None = None

    @property
    def running_at(self) -> datetime | None:
        """When the instance joins, known once its script has succeeded."""
        return self.scripted_at + self.settling if self.scripted_at else None

    @property
    def status(self) -> str:
        """The API's word."""
        if self.failed:
            return "Failure"
        return "Running" if self.running_since else "Pending"


@dataclass
class GroupRecord:
    """One instance group; `spec` is its ClusterInstanceGroupSpecification."""

    spec: dict[str, Any]
    target: int
    minimum: int
    subnets: list[Subnet]
    next_attempt: datetime | None
    minimum_deadline: datetime | None
    nodes: list[NodeRecord] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The group's name."""
        return str(self.spec["InstanceGroupName"])

    @property
    def instance_type(self) -> str:
        """The group's instance type."""
        return str(self.spec["InstanceType"])

    @property
    def threads_per_core(self) -> int:
        """Threads per core; hyper-threading is off unless asked for (facts 1.3)."""
        return int(self.spec.get("ThreadsPerCore", 1))

    @property
    def current(self) -> int:
        """Instances that are Running."""
        return sum(1 for node in self.nodes if node.running_since)


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
    completed: bool = False
    deleted_at: datetime | None = None
    events: list[EventRecord] = field(default_factory=list)

    def status(self, now: datetime) -> str:
        """Creating, then InService before its nodes exist, until deleted (Continuous mode)."""
        if self.deleted_at:
            return "Deleting"
        return "InService" if now >= self.created_at + CREATION else "Creating"


@dataclass
class HyperPodRecords:
    """Everything the HyperPod simulator remembers; a (type, zone) that `capacity` does not list is unlimited."""

    clusters: dict[str, HyperPodRecord] = field(default_factory=dict)
    capacity: dict[tuple[str, str], int] = field(default_factory=dict)
    minted: int = 0

    def nodes(self) -> Iterator[tuple[GroupRecord, NodeRecord]]:
        """Every instance there is."""
        for cluster in self.clusters.values():
            for group in cluster.groups.values():
                for node in group.nodes:
                    yield group, node


@dataclass(frozen=True)
class HyperPodHost:
    """What the HyperPod simulator asks of and tells its host."""

    ec2: ClientFactory
    iam: ClientFactory
    s3: ClientFactory
    eks_cluster: Callable[[str], EksView | None]
    dependencies_installed: Callable[[str], bool]
    admit_nodes: Callable[[str, str], None]
    publish: Callable[[BusEvent], None]


@dataclass
class HyperPodState:
    """Records, clock and host, shared by the parts of the HyperPod simulator."""

    now: Callable[[], datetime]
    account_id: str
    region: str
    host: HyperPodHost
    records: HyperPodRecords = field(default_factory=HyperPodRecords)

    def cluster(self, name_or_arn: str) -> HyperPodRecord:
        """A cluster by name or ARN."""
        for cluster in self.records.clusters.values():
            if name_or_arn in (cluster.name, cluster.arn):
                return cluster
        raise ServiceError("ResourceNotFound", f"Cluster with name {name_or_arn} does not exist.")

    def mint(self, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """An identifier that this simulator never gave before."""
        self.records.minted += 1
        return identifier(f"hyperpod:{self.account_id}:{self.region}:{self.records.minted}", length, alphabet)


@dataclass(frozen=True)
class NodeFacts:
    """One instance as Kubernetes gets to know it; a Node exists once `running`."""

    instance_id: str
    instance_group: str
    instance_type: str
    zone: str
    zone_id: str
    cluster_name: str
    running: bool
    private_ip: str
    created_at: datetime
    labels: dict[str, str]
    taints: list[dict[str, str]]
    vcpus: int
    memory_mib: int
    accelerator_resource: str | None
    accelerator_count: int
    accelerator: str | None
    efa_count: int
    max_pods: int
    architecture: str


def node_facts(records: HyperPodRecords, eks_cluster_name: str) -> list[NodeFacts]:
    """Instances of the HyperPod cluster on an EKS cluster; those of a cluster being deleted run no more."""
    return [
        _facts_of(cluster, group, node)
        for cluster in records.clusters.values()
        if cluster.eks_arn.rpartition("/")[2] == eks_cluster_name
        for group in cluster.groups.values()
        for node in group.nodes
    ]


def _facts_of(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> NodeFacts:
    facts = instance_facts()[group.instance_type]
    kubernetes = group.spec.get("KubernetesConfig", {})
    return NodeFacts(
        instance_id=node.instance_id,
        instance_group=group.name,
        instance_type=group.instance_type,
        zone=node.subnet.zone,
        zone_id=node.subnet.zone_id,
        cluster_name=cluster.name,
        running=bool(node.running_since) and not cluster.deleted_at,
        private_ip=node.private_ip,
        created_at=node.launched_at,
        labels={str(key): str(value) for key, value in kubernetes.get("Labels", {}).items()},
        taints=[{str(key): str(value) for key, value in taint.items()} for taint in kubernetes.get("Taints", [])],
        vcpus=facts.vcpus_at(group.threads_per_core),
        memory_mib=facts.memory_mib,
        accelerator_resource=facts.accelerator_resource,
        accelerator_count=facts.accelerator_count,
        accelerator=facts.accelerator,
        efa_count=facts.efa_count,
        max_pods=facts.max_pods,
        architecture=facts.architecture,
    )
