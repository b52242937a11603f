"""What Kubernetes gets to know of HyperPod's instances."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod.records import Course, Phase

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, HyperPodRecords, NodeRecord

SAGEMAKER: Final = "sagemaker.amazonaws.com"
HEALTH_LABEL: Final = f"{SAGEMAKER}/node-health-status"
CHECK_LABEL: Final = f"{SAGEMAKER}/deep-health-check-status"
FAULTS_LABEL: Final = f"{SAGEMAKER}/fault-types"
PENDING: Final = {"Replace": "UnschedulablePendingReplacement", "Reboot": "UnschedulablePendingReboot"}
_UNSCHEDULABLE: Final = {"Key": HEALTH_LABEL, "Value": "Unschedulable", "Effect": "NoSchedule"}
# The taint of an interrupted Spot node is not documented; what it does is: its pods are evicted, gracefully.
_INTERRUPTED: Final = {"Key": HEALTH_LABEL, "Value": "Unschedulable", "Effect": "NoExecute"}


@dataclass(frozen=True)
class NodeFacts:
    """One instance as Kubernetes gets to know it; a Node exists once `running`.

    `health` is what HyperPod says of the node's health at the moment.
    """

    instance_id: str
    instance_group: str
    instance_type: str
    zone: str
    zone_id: str
    cluster_name: str
    running: bool
    reachable: bool
    private_ip: str
    created_at: datetime
    labels: dict[str, str]
    former_labels: frozenset[str]
    health: str
    taints: list[dict[str, str]]
    vcpus: int
    memory_mib: int
    accelerator_resource: str | None
    accelerator_count: int
    accelerator: str | None
    efa_count: int
    max_pods: int
    architecture: str
    kubernetes_version: str


def node_facts(records: HyperPodRecords, eks_cluster_name: str) -> list[NodeFacts]:
    """Instances of the HyperPod cluster on an EKS cluster; those of a cluster being deleted run no more."""
    return [
        _facts_of(cluster, group, node)
        for cluster in records.clusters.values()
        if cluster.eks_name == eks_cluster_name
        for group, node in cluster.nodes()
        if node.phase is not Phase.LEAVING
    ]


def _facts_of(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> NodeFacts:
    facts = node.facts
    return NodeFacts(
        instance_id=node.instance_id,
        instance_group=group.name,
        instance_type=node.instance_type,
        zone=node.subnet.zone,
        zone_id=node.subnet.zone_id,
        cluster_name=cluster.name,
        running=node.joined and not cluster.deleted_at,
        reachable=node.phase is not Phase.UPDATING and not (node.health and node.health.course is Course.REBOOTING),
        private_ip=node.private_ip,
        created_at=node.launched_at,
        labels=_labels(node),
        former_labels=node.former_labels | (frozenset() if node.health else {FAULTS_LABEL}),
        health=_health(node),
        taints=_taints(node),
        vcpus=facts.vcpus_at(node.threads_per_core),
        memory_mib=facts.memory_mib,
        accelerator_resource=facts.accelerator_resource,
        accelerator_count=facts.accelerator_count,
        accelerator=facts.accelerator,
        efa_count=facts.efa_count,
        max_pods=facts.max_pods,
        architecture=facts.architecture,
        kubernetes_version=node.software.kubernetes_version,
    )


def _labels(node: NodeRecord) -> dict[str, str]:
    labels = {str(key): str(value) for key, value in node.configured.get("Labels", {}).items()}
    if node.check:
        labels[CHECK_LABEL] = node.check
    if _detected(node) and node.health and node.health.fault:
        labels[FAULTS_LABEL] = node.health.fault
    return labels


def _health(node: NodeRecord) -> str:
    if _detected(node) and node.health:
        return PENDING[node.health.recovery]
    if node.phase is Phase.CHECKING or node.interrupted_until:
        return "Unschedulable"
    return "Schedulable"


def _taints(node: NodeRecord) -> list[dict[str, str]]:
    taints = [{str(key): str(value) for key, value in taint.items()} for taint in node.configured.get("Taints", [])]
    if _health(node) != "Schedulable":
        taints.append(dict(_INTERRUPTED if node.interrupted_until else _UNSCHEDULABLE))
    return taints


def _detected(node: NodeRecord) -> bool:
    return node.health is not None and node.health.course is not Course.SILENT
