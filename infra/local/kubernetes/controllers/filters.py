"""What keeps a pod off a node, in the scheduler's order and words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.matching import node_matches, term_matches
from infra.local.kubernetes.controllers.neighbours import Neighbours
from infra.local.kubernetes.controllers.requests import amounts
from infra.local.kubernetes.controllers.taints import tolerates, untolerated
from infra.local.kubernetes.controllers.volumeclaims import volumes_of
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, text

NO_VICTIMS = "No preemption victims found for incoming pod"
_CORDON: JsonObject = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


@dataclass(frozen=True)
class Verdict:
    """Why a node does not do; `resolvable` when other pods are in the way, not the node itself."""

    reasons: tuple[str, ...]
    resolvable: bool = False


def judge(cluster: Cluster, neighbours: Neighbours, pod: JsonObject, node: JsonObject) -> Verdict | None:
    """The first filter that refuses a node, None when the pod fits."""
    return (
        _by_node(pod, node)
        or _by_ports(cluster, pod, node)
        or _by_resources(cluster, pod, node)
        or _by_volumes(cluster, pod, node)
        or _by_neighbours(neighbours, pod, node)
    )


def allocatable(node: JsonObject) -> dict[str, int]:
    """What a node offers to pods."""
    return _parsed(tuple(sorted((name, str(v)) for name, v in mapping(node, "status", "allocatable").items())))


@lru_cache(maxsize=4096)
def _parsed(resources: tuple[tuple[str, str], ...]) -> dict[str, int]:
    return amounts(dict(resources))


def _by_node(pod: JsonObject, node: JsonObject) -> Verdict | None:
    cordoned = bool(mapping(node, "spec").get("unschedulable"))
    if cordoned and not any(tolerates(toleration, _CORDON) for toleration in objects(pod, "spec", "tolerations")):
        return Verdict(("node(s) were unschedulable",))
    if taint := untolerated(pod, node):
        return Verdict((f"node(s) had untolerated taint {{{text(taint, 'key')}: {text(taint, 'value')}}}",))
    return None if node_matches(pod, node) else Verdict(("node(s) didn't match Pod's node affinity/selector",))


def _by_ports(cluster: Cluster, pod: JsonObject, node: JsonObject) -> Verdict | None:
    wanted = _host_ports(pod)
    if not wanted:
        return None
    taken = {port for other in cluster.pods_on(name_of(node)) for port in _host_ports(other)}
    clash = Verdict(("node(s) didn't have free ports for the requested pod ports",), resolvable=True)
    return clash if wanted & taken else None


def _host_ports(pod: JsonObject) -> set[tuple[int, str]]:
    ports = [port for c in objects(pod, "spec", "containers") for port in objects(c, "ports")]
    return {(integer(p, "hostPort"), text(p, "protocol") or "TCP") for p in ports if integer(p, "hostPort")}


def _by_resources(cluster: Cluster, pod: JsonObject, node: JsonObject) -> Verdict | None:
    offered, used = allocatable(node), cluster.index.usage(name_of(node))
    reasons = ["Too many pods"] if used.pods + 1 > offered.get("pods", 0) else []
    for name, amount in cluster.index.requests(pod).items():
        if amount and amount > offered.get(name, 0) - used.amounts.get(name, 0):
            reasons.append(f"Insufficient {name}")
    resolvable = all(amount <= offered.get(name, 0) for name, amount in cluster.index.requests(pod).items())
    return Verdict(tuple(reasons), resolvable) if reasons else None


def _by_volumes(cluster: Cluster, pod: JsonObject, node: JsonObject) -> Verdict | None:
    for volume in volumes_of(cluster, pod):
        required = mapping(volume, "spec", "nodeAffinity", "required")
        if required and not any(term_matches(term, node) for term in objects(required, "nodeSelectorTerms")):
            return Verdict(("node(s) had volume node affinity conflict",))
    return None


def _by_neighbours(neighbours: Neighbours, pod: JsonObject, node: JsonObject) -> Verdict | None:
    if reason := neighbours.spread_problem(pod, node):
        return Verdict((reason,), resolvable="missing" not in reason)
    if reason := neighbours.affinity_problem(pod, node):
        return Verdict((reason,), resolvable="pod affinity" not in reason)
    return None
