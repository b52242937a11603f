"""Node objects of HyperPod instances, as the kubelet and HyperPod's own controllers would report them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from infra.local.kubernetes.documents import JsonObject, name_of, objects, text, value_at
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.patch import merge_patch
from infra.local.kubernetes.resources import NODES
from infra.local.kubernetes.store import Store

SAGEMAKER = "sagemaker.amazonaws.com"
HEALTH_LABEL = f"{SAGEMAKER}/node-health-status"
COMPUTE_LABEL = f"{SAGEMAKER}/compute-type"
NETWORK_NOT_READY = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)
DEVICES = "simulator.instantstart/devices"
"""The annotation that says what devices the instance has, whatever the node offers of them."""
Recovery = Literal["Reboot", "Replace"]
_RECOVERIES: Final[Mapping[str, Recovery]] = {
    "UnschedulablePendingReplacement": "Replace",
    "UnschedulablePendingReboot": "Reboot",
}
SAID = "simulator.instantstart/health"
"""The annotation that keeps what HyperPod last wrote into the health label."""
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
    """What HyperPod knows of one instance; `reason` says why it is not ready (no CNI plugin, when empty).

    A node that is not `reachable` has a kubelet that stopped reporting. Accelerators and EFA interfaces are hardware:
    the node offers them once their device plugins run on it. HyperPod writes `health` into the health label whenever
    it has changed; labels it once set are in `former_labels`.
    """

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
    efa_count: int = 0
    reachable: bool = True
    health: str = "Schedulable"
    former_labels: frozenset[str] = frozenset()
    version: str = ""
    """The kubelet's; the cluster's own where it is left out."""


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
            wanted = _node(fact, current, store)
            if current is None or merge_patch(current, wanted) != current:
                store.upsert(NODES, wanted, fact.created_at)
        names = {node_name(fact.instance_id) for fact in nodes}
        for node in store.select(NODES, labels=f"{COMPUTE_LABEL}=hyperpod"):
            if name_of(node) not in names:
                store.delete(NODES, name_of(node))


def _node(fact: NodeFact, current: JsonObject | None, store: Store) -> JsonObject:
    news = current is None or text(current, "metadata", "annotations", SAID) != fact.health
    return {
        "metadata": {
            "name": node_name(fact.instance_id),
            "labels": {
                **_lost_labels(fact, current),
                **({HEALTH_LABEL: fact.health} if news else {}),
                **_identity_labels(fact),
                **fact.labels,
            },
            "annotations": {DEVICES: _devices(fact), SAID: fact.health},
        },
        "spec": {
            "providerID": f"aws:///{fact.zone}/sagemaker/cluster/{node_name(fact.instance_id)}",
            "taints": _taints(fact, current or {}, timestamp(store.now())) or None,
        },
        "status": _status(fact, objects(current, "status", "conditions"), store),
    }


def _lost_labels(fact: NodeFact, current: JsonObject | None) -> JsonObject:
    labels = value_at(current, "metadata", "labels") if current else None
    return {name: None for name in fact.former_labels if isinstance(labels, dict) and name in labels}


def recoveries_asked(store: Store) -> dict[str, Recovery]:
    """Name the instances whose health label somebody set by hand to ask for a recovery, and which."""
    asked: dict[str, Recovery] = {}
    for node in store.select(NODES, labels=f"{COMPUTE_LABEL}=hyperpod"):
        label = text(node, "metadata", "labels", HEALTH_LABEL)
        recovery = _RECOVERIES.get(label)
        if recovery and label != text(node, "metadata", "annotations", SAID):
            asked[name_of(node).removeprefix("hyperpod-")] = recovery
    return asked


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


def _taints(fact: NodeFact, current: JsonObject, at: str) -> list[JsonObject]:
    """The fact's taints, and what the node controller adds for a node that is not ready or cordoned."""
    taints: list[JsonObject] = [{"key": t.key, "value": t.value, "effect": t.effect} for t in fact.taints]
    if value_at(current, "spec", "unschedulable"):
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    if not fact.ready or not fact.reachable:
        key = "node.kubernetes.io/not-ready" if fact.reachable else "node.kubernetes.io/unreachable"
        known = [t for t in objects(current, "spec", "taints") if (t.get("key"), t.get("effect")) == (key, "NoExecute")]
        since = text(known[0], "timeAdded") if known else at
        taints += [{"key": key, "effect": "NoSchedule"}, {"key": key, "effect": "NoExecute", "timeAdded": since}]
    return taints


def _devices(fact: NodeFact) -> str:
    counts = {fact.accelerator_resource or "": fact.accelerator_count, "vpc.amazonaws.com/efa": fact.efa_count}
    return json.dumps({name: count for name, count in counts.items() if name and count})


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
        "nodeInfo": _node_info(fact, fact.version or store.git_version),
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
    return {
        "cpu": str(millicores // 1000) if whole else f"{millicores}m",
        "memory": f"{max(mib, 0) * 1024}Ki",
        "pods": str(fact.max_pods),
    }


def _conditions(fact: NodeFact) -> list[JsonObject]:
    pressures: list[JsonObject] = [
        {"type": kind, "status": "False", "reason": reason, "message": message}
        for kind, (reason, message) in _PRESSURES.items()
    ]
    ready: JsonObject = {"type": "Ready", "status": "True", "reason": "KubeletReady",
                         "message": "kubelet is posting ready status"}  # fmt: skip
    if not fact.reachable:
        message = "Kubelet stopped posting node status."
        ready = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": message}
    elif not fact.ready:
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
