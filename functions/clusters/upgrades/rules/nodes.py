"""When the nodes of a cluster are at a version, and what is said of those that are not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.clusters.upgrades.rules.versions import minor_of
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.failures import recognise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from functions.clusters.upgrades.models import Compute, GroupFact

FAILED: Final = frozenset({"Failed", "RollbackComplete"})
NOT_UPDATED: Final = "NODES_NOT_UPDATED"
NOT_READY: Final = "NODES_NOT_READY"
# A node is Ready again within minutes of its update.
READY_WITHIN: Final = timedelta(minutes=30)
_NAMED: Final = 10
_SEE_EVENTS: Final = (
    "See the cluster's events for what failed, correct it, then retry the operation: groups that are through stay so."
)


@dataclass(frozen=True)
class NodeFact:
    """An instance as HyperPod and Kubernetes know it; `version` is its kubelet's, empty where it is no node."""

    instance_id: str
    group: str
    status: str
    message: str
    newest: bool
    version: str
    ready: bool
    updated_at: datetime | None = None


def behind(compute: Compute, nodes: Sequence[NodeFact], target: str) -> dict[str, list[NodeFact]]:
    """Give, by group that HyperPod has to update, its nodes that are not at the target or not at the newest image."""
    found = {group: _of(group, late(nodes, target, newest=True)) for group in _ours(compute)}
    return {group.name: own for group, own in found.items() if own or group.behind}


def failed(compute: Compute, nodes: Sequence[NodeFact], target: str) -> dict[str, list[NodeFact]]:
    """Give, by group whose last update was taken back, its nodes that are not at the target."""
    found = [group for group in _ours(compute) if group.last_update in FAILED]
    return {group.name: _of(group, late(nodes, target)) for group in found}


def late(nodes: Sequence[NodeFact], target: str, *, newest: bool = False) -> list[NodeFact]:
    """Give the nodes whose kubelet is not at the target or, where that counts, whose image is not the newest."""
    known = [node for node in nodes if node.version]
    return [node for node in known if minor_of(node.version) != minor_of(target) or (newest and not node.newest)]


def concerned(compute: Compute, nodes: Sequence[NodeFact]) -> list[NodeFact]:
    """Give the nodes of groups that HyperPod updates."""
    ours = {group.name for group in _ours(compute)}
    return [node for node in nodes if node.group in ours]


def _ours(compute: Compute) -> list[GroupFact]:
    return [group for group in compute.groups if not group.custom]


def _of(group: GroupFact, nodes: Sequence[NodeFact]) -> list[NodeFact]:
    return [node for node in nodes if node.group == group.name]


def progress(nodes: Sequence[NodeFact], target: str) -> str:
    """Say how many nodes of how many are there."""
    there = sum(1 for node in nodes if node.ready and minor_of(node.version) == minor_of(target))
    return f"{there}/{len(nodes)} nodes run {target} and are Ready"


def not_updated(groups: Sequence[str], nodes: Sequence[NodeFact], target: str) -> StageFailed:
    """Fail because nodes are not at the target though HyperPod has ended, naming them and what was said of them."""
    first = next((node for node in nodes if node.message), None)
    known = recognise(first.message) if first else None
    said = f": {first.message}" if first else "."
    return StageFailed(
        f"HyperPod did not bring {_named(nodes)} of {', '.join(groups)} to Kubernetes {target}{said}",
        cause=Cause(
            layer=Layer.HYPERPOD,
            service="sagemaker",
            api_call="UpdateClusterSoftware",
            code=known.code if known else NOT_UPDATED,
            resource=first.instance_id if first else groups[0],
        ),
        remedy=known.remedy if known else _SEE_EVENTS,
        retryable=True,
    )


def not_ready(nodes: Sequence[NodeFact], target: str) -> StageFailed:
    """Fail because nodes have the new image and do not come back."""
    return StageFailed(
        f"{_named(nodes)} got the image for Kubernetes {target} and did not become Ready within "
        f"{READY_WITHIN.seconds // 60} minutes.",
        cause=Cause(layer=Layer.KUBERNETES, code=NOT_READY, resource=nodes[0].instance_id),
        remedy="See what the nodes' conditions say (kubectl describe node), replace those that do not recover, then "
        "retry the operation.",
        retryable=True,
    )


def _named(nodes: Sequence[NodeFact]) -> str:
    names = [node.instance_id for node in nodes]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"the nodes {', '.join(names[:_NAMED])}{more}" if names else "nodes"
