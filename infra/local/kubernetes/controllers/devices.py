"""Device plugins: a node offers GPUs, EFA or Neuron devices only while the matching plugin's pod runs on it."""

from __future__ import annotations

import json
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key
from infra.local.kubernetes.controllers.manager import Controller, itself
from infra.local.kubernetes.controllers.matching import labels_of
from infra.local.kubernetes.controllers.pods import is_ready
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, string_map, text
from infra.local.kubernetes.hyperpod_nodes import DEVICES
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import NODES, PODS

PLUGINS = {
    "nvidia-device-plugin": "nvidia.com/",
    "aws-efa-k8s-device-plugin": "vpc.amazonaws.com/efa",
    "neuron-device-plugin": "aws.amazon.com/neuron",
}
"""Part of the name of a plugin's pods, and of the resources it registers."""


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Let one node offer the devices whose plugins run on it."""
    node = cluster.get(NODES, key[1])
    if node is None:
        return None
    hardware = devices_of(node)
    if not hardware:
        return None
    registered = _registered(cluster, node)
    status = mapping(node, "status")
    capacity, allocatable = {**mapping(status, "capacity")}, {**mapping(status, "allocatable")}
    for name, count in hardware.items():
        if name.startswith(tuple(registered)):
            capacity[name] = allocatable[name] = str(count)
        elif name in allocatable:
            allocatable[name] = "0"
    cluster.set_status(NODES, node, {**status, "capacity": capacity, "allocatable": allocatable})
    return None


def devices_of(node: JsonObject) -> dict[str, int]:
    """The devices a node has, by resource name."""
    written = string_map(node, "metadata", "annotations").get(DEVICES, "")
    found = json.loads(written) if written else {}
    return {name: count for name, count in found.items() if isinstance(count, int)} if isinstance(found, dict) else {}


def _registered(cluster: Cluster, node: JsonObject) -> list[str]:
    pods = [pod for pod in cluster.pods_on(name_of(node)) if is_ready(pod) and not is_deleting(pod)]
    return sorted({PLUGINS[plugin] for pod in pods if (plugin := plugin_of(pod))})


def plugin_of(pod: JsonObject) -> str:
    """Which device plugin a pod is, empty when none."""
    labels = labels_of(pod)
    names = [name_of(pod), labels.get("name", ""), labels.get("app.kubernetes.io/name", "")]
    return next((plugin for plugin in PLUGINS if any(plugin in name for name in names)), "")


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    pod = change.after or change.before or {}
    node = text(pod, "spec", "nodeName")
    return [("", node)] if node and plugin_of(pod) else []


CONTROLLER = Controller("device-plugins", {NODES.key: itself, PODS.key: _of_pod}, reconcile)
