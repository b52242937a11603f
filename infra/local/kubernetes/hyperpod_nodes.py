"""Node objects of HyperPod instances, as the kubelet and HyperPod's own controllers would report them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes.documents import JsonObject, name_of, objects, text
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import NODES
from infra.local.kubernetes.store import Store

SAGEMAKER = "sagemaker.amazonaws.com"
HEALTH_LABEL = f"{SAGEMAKER}/node-health-status"
COMPUTE_LABEL = f"{SAGEMAKER}/compute-type"
NETWORK_NOT_READY = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)
_PRESSURES = {
    "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
}
_ARM_FAMILIES = ("c6g", "c7g", "c8g", "g5g", "m6g", "m7g", "m8g", "p6e-gb200", "r6g", "r7g", "r8g", "t4g")


@dataclass(frozen=True)
class Taint:
    """One taint of a node."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True)
class NodeFact:
    """What HyperPod knows of one instance; `reason` says why it is not ready (no CNI plugin, when empty)."""

    instance_id: str
    instance_group: str
    instance_type: str
    zone: str
    cluster_name: str
    ready: bool
    reason: str
    private_ip: str
    cpu: int
    memory_mib: int
    accelerator_resource: str | None
    accelerator_count: int
    max_pods: int
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    created_at: datetime


def node_name(instance_id: str) -> str:
    """The name of the node on an instance."""
    return f"hyperpod-{instance_id}"


def sync_nodes(store: Store, nodes: Sequence[NodeFact]) -> None:
    """Make the HyperPod nodes of a cluster exactly these; an unchanged node is not written.

    Labels and cordons that others set stay, a health label set by hand included, unless the fact names the label.
    The taints are the facts' ones.
    """
    with store.lock:
        for fact in nodes:
            current = store.find(NODES, node_name(fact.instance_id))
            store.upsert(NODES, _node(fact, current, store), fact.created_at)
        wanted = {node_name(fact.instance_id) for fact in nodes}
        for node in store.select(NODES, labels=f"{COMPUTE_LABEL}=hyperpod"):
            if name_of(node) not in wanted:
                store.delete(NODES, name_of(node))


def _node(fact: NodeFact, current: JsonObject | None, store: Store) -> JsonObject:
    first_labels = {HEALTH_LABEL: "Schedulable"} if current is None else {}
    return {
        "metadata": {
            "name": node_name(fact.instance_id),
            "labels": {**first_labels, **_identity_labels(fact), **fact.labels},
        },
        "spec": {
            "providerID": f"aws:///{fact.zone}/sagemaker/cluster/{node_name(fact.instance_id)}",
            "taints": _taints(fact) or None,
        },
        "status": _status(fact, objects(current, "status", "conditions"), store),
    }


def _identity_labels(fact: NodeFact) -> dict[str, str]:
    return {
        COMPUTE_LABEL: "hyperpod",
        f"{SAGEMAKER}/cluster-name": fact.cluster_name,
        f"{SAGEMAKER}/instance-group-name": fact.instance_group,
        "node.kubernetes.io/instance-type": fact.instance_type,
        "beta.kubernetes.io/instance-type": fact.instance_type,
        "topology.kubernetes.io/zone": fact.zone,
        "topology.kubernetes.io/region": fact.zone.rstrip("abcdefgh"),
        "kubernetes.io/hostname": node_name(fact.instance_id),
        "kubernetes.io/arch": _architecture(fact),
        "kubernetes.io/os": "linux",
    }


def _taints(fact: NodeFact) -> list[JsonObject]:
    taints: list[JsonObject] = [{"key": t.key, "value": t.value, "effect": t.effect} for t in fact.taints]
    not_ready: JsonObject = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    return taints if fact.ready else [*taints, not_ready]


def _status(fact: NodeFact, known: list[JsonObject], store: Store) -> JsonObject:
    at = timestamp(store.now())
    return {
        "addresses": [
            {"type": "InternalIP", "address": fact.private_ip},
            {"type": "Hostname", "address": node_name(fact.instance_id)},
        ],
        "capacity": _resources(fact, fact.cpu * 1000, fact.memory_mib),
        "allocatable": _resources(fact, fact.cpu * 1000 - _reserved_millicores(fact.cpu),
                                  fact.memory_mib - _reserved_mib(fact.max_pods)),
        "conditions": [_settled(condition, known, at) for condition in _conditions(fact)],
        "nodeInfo": _node_info(fact, store.git_version),
    }  # fmt: skip


def _node_info(fact: NodeFact, version: str) -> JsonObject:
    """Give every field the API requires: typed clients refuse a node that lacks one."""
    machine = uuid.uuid5(uuid.NAMESPACE_OID, fact.instance_id)
    return {
        "architecture": _architecture(fact),
        "operatingSystem": "linux",
        "kubeletVersion": version,
        "kubeProxyVersion": version,
        "osImage": "Amazon Linux 2023",
        "kernelVersion": "6.1.0",
        "containerRuntimeVersion": "containerd://2.0.0",
        "machineID": machine.hex,
        "systemUUID": str(machine),
        "bootID": str(uuid.uuid5(machine, "boot")),
    }


def _resources(fact: NodeFact, millicores: int, mib: int) -> JsonObject:
    whole = millicores % 1000 == 0
    resources: JsonObject = {
        "cpu": str(millicores // 1000) if whole else f"{millicores}m",
        "memory": f"{max(mib, 0) * 1024}Ki",
        "pods": str(fact.max_pods),
    }
    if fact.accelerator_resource and fact.accelerator_count:
        resources[fact.accelerator_resource] = str(fact.accelerator_count)
    return resources


def _conditions(fact: NodeFact) -> list[JsonObject]:
    pressures: list[JsonObject] = [
        {"type": kind, "status": "False", "reason": reason, "message": message}
        for kind, (reason, message) in _PRESSURES.items()
    ]
    ready: JsonObject = {"type": "Ready", "status": "True", "reason": "KubeletReady",
                         "message": "kubelet is posting ready status"}  # fmt: skip
    if not fact.ready:
        message = fact.reason or NETWORK_NOT_READY
        ready = {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": message}
    return [*pressures, ready]


def _settled(condition: JsonObject, known: list[JsonObject], at: str) -> JsonObject:
    """The condition with its times, the known ones as long as nothing about it changed."""
    before = next((c for c in known if c.get("type") == condition["type"]), {})
    if all(before.get(key) == value for key, value in condition.items()):
        return before
    same_status = before.get("status") == condition["status"]
    since = text(before, "lastTransitionTime") if same_status else at
    return {**condition, "lastHeartbeatTime": at, "lastTransitionTime": since}


def _reserved_millicores(cpu: int) -> int:
    """What EKS reserves: 6 % of the first core, 1 % of the second, 0.5 % of two more, 0.25 % of the rest."""
    first, second = min(cpu, 1), min(max(cpu - 1, 0), 1)
    next_two, rest = min(max(cpu - 2, 0), 2), max(cpu - 4, 0)
    return int(first * 60 + second * 10 + next_two * 5 + rest * 2.5)


def _reserved_mib(max_pods: int) -> int:
    """What EKS reserves for the kubelet and the eviction threshold."""
    return 255 + 11 * max_pods + 100


def _architecture(fact: NodeFact) -> str:
    family = fact.instance_type.removeprefix("ml.").partition(".")[0]
    return "arm64" if family.startswith(_ARM_FAMILIES) else "amd64"
