"""How well a node suits a pod that fits on it; the best node wins, equals by name."""

from __future__ import annotations

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.filters import allocatable
from infra.local.kubernetes.controllers.matching import term_matches
from infra.local.kubernetes.controllers.neighbours import Neighbours
from infra.local.kubernetes.controllers.taints import untolerated
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects

_SOFT = "preferredDuringSchedulingIgnoredDuringExecution"


def score(cluster: Cluster, neighbours: Neighbours, pod: JsonObject, node: JsonObject) -> float:
    """Soft affinity first, then untainted nodes, then the emptiest."""
    wished = 2 * _node_affinity(pod, node) + 2 * neighbours.preferred(pod, node)
    shunned = 300 if untolerated(pod, node, ("PreferNoSchedule",)) else 0
    return wished - shunned + _emptiness(cluster, pod, node)


def _node_affinity(pod: JsonObject, node: JsonObject) -> int:
    soft = objects(pod, "spec", "affinity", "nodeAffinity", _SOFT)
    return sum(integer(s, "weight") for s in soft if term_matches(mapping(s, "preference"), node))


def _emptiness(cluster: Cluster, pod: JsonObject, node: JsonObject) -> float:
    """The share of cpu, memory and pods that would be left, in percent."""
    offered, used = allocatable(node), cluster.index.usage(name_of(node))
    requested = cluster.index.requests(pod)
    shares = [1 - (used.pods + 1) / max(offered.get("pods", 0), 1)]
    for name in ("cpu", "memory"):
        taken = used.amounts.get(name, 0) + requested.get(name, 0)
        shares.append(1 - taken / max(offered.get(name, 0), 1))
    return 100 * sum(shares) / len(shares)
