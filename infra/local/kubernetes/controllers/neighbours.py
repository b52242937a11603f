"""Pod affinity, anti-affinity and topology spread: where a pod may be because of the pods that are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.matching import labels_of, node_matches, selects
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, namespace_of, objects, strings, text
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import NAMESPACES, NODES, PODS

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass
class _Placed:
    """A pod that is on a node, and that node."""

    pod: JsonObject
    node: JsonObject


class Neighbours:
    """The placed pods of a cluster, read only when a pod asks about them."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._placed: list[_Placed] | None = None
        self._repelling = list(self._read(cluster.index.repelling.values()))
        self.matter = False
        """Whether a pod looked at its neighbours: then each placed pod may change the answer for others."""

    def add(self, pod: JsonObject, node: JsonObject) -> None:
        """Take in a pod that was placed just now."""
        placed = _Placed(pod, node)
        if self._placed is not None:
            self._placed.append(placed)
        if _terms(pod, "podAntiAffinity"):
            self._repelling.append(placed)
        self.matter = self.matter or bool(mapping(pod, "spec", "affinity").keys() & {"podAffinity", "podAntiAffinity"})

    def affinity_problem(self, pod: JsonObject, node: JsonObject) -> str:
        """Why the pods around a node keep a pod away, empty when they do not."""
        if any(self._meets(pod, term, node) for term in _terms(pod, "podAntiAffinity")):
            return "node(s) didn't match pod anti-affinity rules"
        for placed in self._repelling:
            for term in _terms(placed.pod, "podAntiAffinity"):
                if _same_domain(term, placed.node, node) and self._is_meant(placed.pod, term, pod):
                    return "node(s) didn't satisfy existing pods anti-affinity rules"
        terms = _terms(pod, "podAffinity")
        if all(self._meets(pod, term, node) for term in terms) or self._is_first(pod, terms, node):
            return ""
        return "node(s) didn't match pod affinity rules"

    def spread_problem(self, pod: JsonObject, node: JsonObject) -> str:
        """Why a pod on this node would make a hard spread constraint uneven, empty when it would not."""
        for constraint in objects(pod, "spec", "topologySpreadConstraints"):
            if text(constraint, "whenUnsatisfiable") == "ScheduleAnyway":
                continue
            key = text(constraint, "topologyKey")
            domain = labels_of(node).get(key)
            if domain is None:
                return "node(s) didn't match pod topology spread constraints (missing required label)"
            counts = self._spread(pod, constraint, key)
            itself = selects(mapping(constraint, "labelSelector"), labels_of(pod))
            if counts.get(domain, 0) + itself - min(counts.values(), default=0) > (integer(constraint, "maxSkew") or 1):
                return "node(s) didn't match pod topology spread constraints"
        return ""

    def preferred(self, pod: JsonObject, node: JsonObject) -> int:
        """The weight of the soft affinity terms a node fulfils, less that of the anti-affinity ones."""
        total = 0
        for kind, sign in (("podAffinity", 1), ("podAntiAffinity", -1)):
            for soft in objects(pod, "spec", "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution"):
                met = self._meets(pod, mapping(soft, "podAffinityTerm"), node)
                total += sign * integer(soft, "weight") * met
        return total

    def _spread(self, pod: JsonObject, constraint: JsonObject, key: str) -> dict[str, int]:
        self.matter = True
        counts = {
            labels_of(node)[key]: 0
            for node in self._cluster.all(NODES) if key in labels_of(node) and node_matches(pod, node)
        }  # fmt: skip
        selector, namespace = mapping(constraint, "labelSelector"), namespace_of(pod)
        for placed in self._everyone():
            domain = labels_of(placed.node).get(key, "")
            counted = namespace_of(placed.pod) == namespace and selects(selector, labels_of(placed.pod))
            if domain in counts and counted and not is_deleting(placed.pod):
                counts[domain] += 1
        return counts

    def _meets(self, pod: JsonObject, term: JsonObject, node: JsonObject) -> bool:
        self.matter = True
        return any(
            _same_domain(term, placed.node, node) and self._is_meant(pod, term, placed.pod)
            for placed in self._everyone()
        )

    def _is_first(self, pod: JsonObject, terms: list[JsonObject], node: JsonObject) -> bool:
        """A group's first pod may go anywhere with the topology: nobody matches yet but it would itself."""
        if not all(text(term, "topologyKey") in labels_of(node) and self._is_meant(pod, term, pod) for term in terms):
            return False
        return not any(self._is_meant(pod, term, placed.pod) for term in terms for placed in self._everyone())

    def _is_meant(self, speaker: JsonObject, term: JsonObject, other: JsonObject) -> bool:
        """Whether a term of one pod is about another pod."""
        if namespace_of(other) not in self._namespaces(speaker, term):
            return False
        return "labelSelector" in term and selects(mapping(term, "labelSelector"), labels_of(other))

    def _namespaces(self, speaker: JsonObject, term: JsonObject) -> Iterable[str]:
        named = set(strings(term, "namespaces"))
        if "namespaceSelector" in term:
            selector = mapping(term, "namespaceSelector")
            named |= {name_of(n) for n in self._cluster.all(NAMESPACES) if selects(selector, labels_of(n))}
            return named
        return named or {namespace_of(speaker)}

    def _everyone(self) -> list[_Placed]:
        if self._placed is None:
            self._placed = list(self._read(self._cluster.all(PODS)))
        return self._placed

    def _read(self, pods: Iterable[JsonObject]) -> Iterator[_Placed]:
        for pod in pods:
            node = self._cluster.get(NODES, text(pod, "spec", "nodeName"))
            if node is not None and not is_finished(pod):
                yield _Placed(pod, node)


def _terms(pod: JsonObject, kind: str) -> list[JsonObject]:
    return objects(pod, "spec", "affinity", kind, _REQUIRED)


def _same_domain(term: JsonObject, one: JsonObject, other: JsonObject) -> bool:
    key = text(term, "topologyKey")
    domain = labels_of(one).get(key)
    return domain is not None and domain == labels_of(other).get(key)
