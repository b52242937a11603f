"""How well a node suits a pod that fits on it; the best node wins, equals by name."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.filters import Verdict, allocatable, judge
from infra.local.kubernetes.controllers.matching import term_matches
from infra.local.kubernetes.controllers.neighbours import Neighbours
from infra.local.kubernetes.controllers.taints import untolerated
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects

_SOFT = "preferredDuringSchedulingIgnoredDuringExecution"


class Ranking:
    """The nodes for pods of one shape, the best first, judged anew where a pod was placed meanwhile."""

    def __init__(
        self, cluster: Cluster, neighbours: Neighbours, pod: JsonObject, candidates: Iterable[JsonObject]
    ) -> None:  # fmt: skip
        self._cluster, self._neighbours, self._pod = cluster, neighbours, pod
        self._nodes = {name_of(node): node for node in candidates}
        self._refused: dict[str, Verdict] = {}
        self._ranked: list[tuple[float, str, int]] = []
        for node in self._nodes.values():
            self._rank(node)

    def best(self) -> JsonObject | None:
        """The best node that fits, None when none does."""
        while self._ranked:
            _, name, pods = self._ranked[0]
            if self._cluster.index.usage(name).pods == pods:
                return self._nodes[name]
            heapq.heappop(self._ranked)
            self._rank(self._nodes[name])
        return None

    def verdicts(self) -> list[Verdict]:
        """Why each node was refused."""
        return list(self._refused.values())

    def _rank(self, node: JsonObject) -> None:
        name = name_of(node)
        verdict = judge(self._cluster, self._neighbours, self._pod, node)
        if verdict is not None:
            self._refused[name] = verdict
            return
        worth = score(self._cluster, self._neighbours, self._pod, node)
        heapq.heappush(self._ranked, (-worth, name, self._cluster.index.usage(name).pods))


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
