"""Nodes as the stages ask for them: which group they belong to, whether pods can run on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.kubernetes_api.objects import NODES, Object, listed, member

if TYPE_CHECKING:
    from functions.kubernetes_api.connection import ClusterClient

# Source: SageMaker developer guide, "SageMaker HyperPod Kubernetes node labels".
_GROUP: Final = "sagemaker.amazonaws.com/instance-group-name"
_HYPERPOD_NODES: Final = "sagemaker.amazonaws.com/compute-type=hyperpod"
_HEALTH: Final = "sagemaker.amazonaws.com/node-health-status"


@dataclass(frozen=True)
class Node:
    """A node as it stands; `reason` says why it is not ready."""

    name: str
    group: str
    instance_type: str
    ready: bool
    schedulable: bool
    reason: str


def hyperpod_nodes(client: ClusterClient) -> list[Node]:
    """List the HyperPod nodes of a cluster."""
    return [_node(item) for item in listed(client, NODES, _HYPERPOD_NODES)]


def _node(item: Object) -> Node:
    metadata, spec = member(item, "metadata"), member(item, "spec")
    labels = member(metadata, "labels")
    ready = _ready_condition(item)
    healthy = labels.get(_HEALTH, "Schedulable") == "Schedulable"
    return Node(
        name=str(metadata.get("name")),
        group=str(labels.get(_GROUP, "")),
        instance_type=str(labels.get("node.kubernetes.io/instance-type", "")),
        ready=ready.get("status") == "True",
        schedulable=healthy and not spec.get("unschedulable"),
        reason=str(ready.get("message") or ready.get("reason") or ""),
    )


def _ready_condition(item: Object) -> Object:
    conditions = member(item, "status").get("conditions")
    found = [c for c in (conditions if isinstance(conditions, list) else []) if isinstance(c, dict)]
    return next((condition for condition in found if condition.get("type") == "Ready"), {})
