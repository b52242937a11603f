"""Nodes as the stages ask for them: which group they belong to, whether pods can run on them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from functions.core.documents import member
from functions.kubernetes_api.objects import NODES, Object, listed

if TYPE_CHECKING:
    from functions.kubernetes_api.connection import ClusterClient

# Source: SageMaker developer guide, "SageMaker HyperPod Kubernetes node labels".
_GROUP: Final = "sagemaker.amazonaws.com/instance-group-name"
_HYPERPOD_NODES: Final = "sagemaker.amazonaws.com/compute-type=hyperpod"
_HEALTH: Final = "sagemaker.amazonaws.com/node-health-status"
_CHECK: Final = "sagemaker.amazonaws.com/deep-health-check-status"
_NAME_PREFIX: Final = "hyperpod-"


@dataclass(frozen=True)
class Node:
    """A node as it stands; `reason` says why it is not ready, `in_check` whether its deep health check runs."""

    name: str
    group: str
    instance_type: str
    ready: bool
    schedulable: bool
    reason: str
    in_check: bool = False
    created_at: datetime | None = None

    @property
    def instance_id(self) -> str:
        """Give the id of the node's instance, by which HyperPod names it."""
        return self.name.removeprefix(_NAME_PREFIX)


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
        in_check=labels.get(_CHECK) == "InProgress",
        created_at=_moment(metadata.get("creationTimestamp")),
    )


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _ready_condition(item: Object) -> Object:
    conditions = member(item, "status").get("conditions")
    found = [c for c in (conditions if isinstance(conditions, list) else []) if isinstance(c, dict)]
    return next((condition for condition in found if condition.get("type") == "Ready"), {})
