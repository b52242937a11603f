"""DaemonSets: one pod on every node that fits, replaced node by node when the template changes."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster, Key
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import (
    Controller,
    every,
    every_in_namespace,
    itself,
    owner_of_kind,
)
from infra.local.kubernetes.controllers.matching import labels_of, node_matches, only_node
from infra.local.kubernetes.controllers.naming import hash_of
from infra.local.kubernetes.controllers.pods import (
    Extras,
    Maker,
    available_from,
    create_pod,
    delete_pod,
    is_available,
    is_ready,
)
from infra.local.kubernetes.controllers.replicas import resolve
from infra.local.kubernetes.controllers.taints import untolerated
from infra.local.kubernetes.controllers.times import earliest
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, text
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import DAEMON_SETS, NODES, PODS, SERVICE_ACCOUNTS

REVISION_LABEL = "controller-revision-hash"
_COMPONENT = "daemonset-controller"
_PRESSURES = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
_ByNode = dict[str, list[JsonObject]]


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Bring the pods of one DaemonSet to the nodes that fit, and say where they are."""
    namespace, name = key
    daemon_set = cluster.get(DAEMON_SETS, name, namespace)
    if daemon_set is None:
        return None
    nodes = _fitting_nodes(cluster, daemon_set)
    if not is_deleting(daemon_set):
        _remove_surplus(cluster, daemon_set, nodes)
        _replace_outdated(cluster, daemon_set, nodes)
        _add_missing(cluster, daemon_set, nodes)
    pods = _by_node(cluster, daemon_set)
    cluster.set_status(DAEMON_SETS, daemon_set, _status(cluster, daemon_set, nodes, pods))
    return _next_available(cluster, daemon_set, pods)


def _fitting_nodes(cluster: Cluster, daemon_set: JsonObject) -> list[str]:
    """The nodes that selector and affinity allow and whose taints are tolerated."""
    probe = _probe(daemon_set)
    return [
        name_of(node) for node in cluster.all(NODES) if node_matches(probe, node) and untolerated(probe, node) is None
    ]


def _staying_nodes(cluster: Cluster, daemon_set: JsonObject) -> set[str]:
    """The nodes whose pods may stay: a NoSchedule taint that came later does not drive them away."""
    probe = _probe(daemon_set)
    return {
        name_of(node)
        for node in cluster.all(NODES)
        if node_matches(probe, node) and untolerated(probe, node, ("NoExecute",)) is None
    }


def _probe(daemon_set: JsonObject) -> JsonObject:
    spec = mapping(daemon_set, "spec", "template", "spec")
    return {"spec": {**spec, "tolerations": tolerations(spec)}}


def tolerations(spec: JsonObject) -> list[JsonObject]:
    """A pod spec's tolerations with the ones every DaemonSet pod gets."""
    added: list[JsonObject] = [
        {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute"}
        for key in ("not-ready", "unreachable")
    ]
    conditions = [*_PRESSURES, "network-unavailable"] if spec.get("hostNetwork") else [*_PRESSURES]
    added += [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoSchedule"} for key in conditions]
    known = objects(spec, "tolerations")
    return [*known, *(toleration for toleration in added if toleration not in known)]


def _by_node(cluster: Cluster, daemon_set: JsonObject) -> _ByNode:
    found: _ByNode = {}
    for pod in cluster.owned(PODS, daemon_set):
        found.setdefault(text(pod, "spec", "nodeName") or only_node(pod), []).append(pod)
    return found


def _remove_surplus(cluster: Cluster, daemon_set: JsonObject, nodes: list[str]) -> None:
    """End pods where none belongs, second ones, and those that failed."""
    maker, staying = Maker(daemon_set, DAEMON_SETS, _COMPONENT), _staying_nodes(cluster, daemon_set) | set(nodes)
    for node, pods in _by_node(cluster, daemon_set).items():
        ranked = sorted(pods, key=lambda pod: (is_finished(pod), not is_ready(pod), name_of(pod)))
        for pod in ranked if node not in staying else [*ranked[1:], *filter(is_finished, ranked[:1])]:
            delete_pod(cluster, maker, pod)


def _replace_outdated(cluster: Cluster, daemon_set: JsonObject, nodes: list[str]) -> None:
    """End pods of an earlier template, as many at once as may be missing."""
    if text(daemon_set, "spec", "updateStrategy", "type") == "OnDelete":
        return
    wanted, patience = revision(daemon_set), integer(daemon_set, "spec", "minReadySeconds")
    by_node = _by_node(cluster, daemon_set)
    limit = mapping(daemon_set, "spec", "updateStrategy", "rollingUpdate").get("maxUnavailable", 1)
    allowed = max(resolve(limit, len(nodes), round_up=True), 1)
    unavailable = sum(
        1 for node in nodes
        if not any(is_available(p, patience, cluster.now) and not is_deleting(p) for p in by_node.get(node, []))
    )  # fmt: skip
    outdated = [p for node in nodes for p in by_node.get(node, []) if labels_of(p).get(REVISION_LABEL) != wanted]
    for pod in sorted(outdated, key=is_ready):
        serving = is_available(pod, patience, cluster.now)
        if serving and unavailable >= allowed:
            return
        delete_pod(cluster, Maker(daemon_set, DAEMON_SETS, _COMPONENT), pod)
        unavailable += serving


def _add_missing(cluster: Cluster, daemon_set: JsonObject, nodes: list[str]) -> None:
    held = _by_node(cluster, daemon_set)
    maker, template = Maker(daemon_set, DAEMON_SETS, _COMPONENT), mapping(daemon_set, "spec", "template")
    labels = {REVISION_LABEL: revision(daemon_set), "pod-template-generation": str(_generation(daemon_set))}
    shared: JsonObject = {"tolerations": tolerations(mapping(template, "spec"))}
    for node in nodes:
        if node not in held:
            spec = {**shared, "affinity": _pinned(mapping(template, "spec", "affinity"), node)}
            if create_pod(cluster, maker, template, Extras(labels=labels, spec=spec)) is None:
                return


def _pinned(affinity: JsonObject, node: str) -> JsonObject:
    field: JsonObject = {"key": "metadata.name", "operator": "In", "values": [node]}
    required: JsonObject = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    kept = mapping(affinity, "nodeAffinity")
    return {**affinity, "nodeAffinity": {**kept, "requiredDuringSchedulingIgnoredDuringExecution": required}}


def revision(daemon_set: JsonObject) -> str:
    """The hash of the present template."""
    return hash_of(mapping(daemon_set, "spec", "template"))


def _generation(daemon_set: JsonObject) -> int:
    return integer(daemon_set, "metadata", "generation")


def _status(cluster: Cluster, daemon_set: JsonObject, nodes: list[str], by_node: _ByNode) -> JsonObject:
    wanted, patience, now = revision(daemon_set), integer(daemon_set, "spec", "minReadySeconds"), cluster.now
    held = [by_node[node][0] for node in nodes if by_node.get(node)]
    available = sum(1 for pod in held if is_available(pod, patience, now))
    status: JsonObject = {
        "currentNumberScheduled": len(held),
        "desiredNumberScheduled": len(nodes),
        "numberMisscheduled": sum(1 for node in by_node if node not in set(nodes)),
        "numberReady": sum(1 for pod in held if is_ready(pod)),
        "updatedNumberScheduled": sum(1 for pod in held if labels_of(pod).get(REVISION_LABEL) == wanted),
        "observedGeneration": _generation(daemon_set),
    }
    counted = {"numberAvailable": available, "numberUnavailable": len(nodes) - available}
    return {**status, **{name: count for name, count in counted.items() if count}}


def _next_available(cluster: Cluster, daemon_set: JsonObject, by_node: _ByNode) -> datetime | None:
    patience = integer(daemon_set, "spec", "minReadySeconds")
    if not patience:
        return None
    moments = [available_from(pod, patience) for pods in by_node.values() for pod in pods]
    return earliest(*(moment for moment in moments if moment and moment > cluster.now))


CONTROLLER = Controller(
    _COMPONENT,
    {
        DAEMON_SETS.key: itself,
        PODS.key: owner_of_kind("DaemonSet"),
        NODES.key: every(DAEMON_SETS),
        SERVICE_ACCOUNTS.key: every_in_namespace(DAEMON_SETS),
    },
    reconcile,
)
