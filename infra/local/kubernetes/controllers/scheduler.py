"""The scheduler: binds pending pods to nodes, the most important first, and says why the others wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key
from infra.local.kubernetes.controllers.conditions import condition_of, with_condition
from infra.local.kubernetes.controllers.filters import NO_VICTIMS, Verdict
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import Controller
from infra.local.kubernetes.controllers.matching import labels_of, only_node
from infra.local.kubernetes.controllers.naming import hash_of
from infra.local.kubernetes.controllers.neighbours import Neighbours
from infra.local.kubernetes.controllers.scores import Ranking
from infra.local.kubernetes.controllers.volumeclaims import claims_problem
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import NODES, PERSISTENT_VOLUME_CLAIMS, PODS

COMPONENT = "default-scheduler"
_HELPLESS = "Preemption is not helpful for scheduling"
_ALL: Key = ("", "")
_PRIORITY_CLASSES = ("scheduling.k8s.io", "priorityclasses")
_SYSTEM_PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}


@dataclass
class _Pass:
    """One look at all pending pods: nodes, who is where, and what is known of the shapes of pods seen so far."""

    nodes: list[JsonObject]
    neighbours: Neighbours
    refused: dict[str, str] = field(default_factory=dict)
    rankings: dict[str, Ranking] = field(default_factory=dict)

    def place(self, pod: JsonObject, node: JsonObject) -> None:
        """Take in that a pod went to a node."""
        self.neighbours.add(pod, node)
        if self.neighbours.matter:
            self.refused, self.rankings = {}, {}


def schedule(cluster: Cluster, key: Key) -> datetime | None:
    """Bind every pending pod that fits somewhere."""
    pending = [pod for pod in cluster.index.unscheduled.values() if _is_ours(pod)]
    if pending:
        looking = _Pass(cluster.all(NODES), Neighbours(cluster))
        for pod in sorted(pending, key=lambda pod: _queue_order(cluster, pod)):
            _schedule_one(cluster, looking, pod)
    return None


def _is_ours(pod: JsonObject) -> bool:
    named = text(pod, "spec", "schedulerName") or COMPONENT
    gated = objects(pod, "spec", "schedulingGates")
    return not is_deleting(pod) and named == COMPONENT and not gated


def _queue_order(cluster: Cluster, pod: JsonObject) -> tuple[object, ...]:
    born, version = text(pod, "metadata", "creationTimestamp"), int(text(pod, "metadata", "resourceVersion") or 0)
    return -_priority(cluster, pod), born, version, namespace_of(pod), name_of(pod)


def _priority(cluster: Cluster, pod: JsonObject) -> int:
    name = text(pod, "spec", "priorityClassName")
    known = cluster.index.get(_PRIORITY_CLASSES, "", name) if name else None
    return integer(pod, "spec", "priority") or integer(known, "value") or _SYSTEM_PRIORITIES.get(name, 0)


def _schedule_one(cluster: Cluster, looking: _Pass, pod: JsonObject) -> None:
    shape = _shape(pod)
    reason = looking.refused.get(shape, "")
    if not reason:
        node, reason = _find_node(cluster, looking, pod, shape)
        if node is not None:
            _bind(cluster, pod, node)
            looking.place(pod, node)
            return
        looking.refused[shape] = reason
    _refuse(cluster, pod, reason)


def _shape(pod: JsonObject) -> str:
    """What decides whether a pod fits: pods of the same shape share their fate within a pass."""
    spec = mapping(pod, "spec")
    apart = ("hostname", "restartPolicy", "terminationGracePeriodSeconds")
    return hash_of([namespace_of(pod), labels_of(pod), {k: v for k, v in spec.items() if k not in apart}])


def _find_node(cluster: Cluster, looking: _Pass, pod: JsonObject, shape: str) -> tuple[JsonObject | None, str]:
    total = len(looking.nodes)
    if not total:
        return None, "no nodes available to schedule pods"
    if problem := claims_problem(cluster, pod):
        return None, _sentence(total, [problem], {_HELPLESS: total})
    wanted, candidates = only_node(pod), looking.nodes
    if wanted:
        node = cluster.get(NODES, wanted)
        candidates = [node] if node is not None else []
    ranking = looking.rankings.get(shape)
    if ranking is None:
        ranking = Ranking(cluster, looking.neighbours, pod, candidates)
        looking.rankings[shape] = ranking
    best = ranking.best()
    return (best, "") if best is not None else (None, _explain(total, ranking.verdicts()))


def _explain(total: int, verdicts: list[Verdict]) -> str:
    counts: dict[str, int] = {}
    preemption: dict[str, int] = {}
    for verdict in verdicts:
        for reason in verdict.reasons:
            counts[reason] = counts.get(reason, 0) + 1
        outlook = NO_VICTIMS if verdict.resolvable else _HELPLESS
        preemption[outlook] = preemption.get(outlook, 0) + 1
    if elsewhere := total - len(verdicts):
        counts["node(s) didn't satisfy plugin(s) [NodeAffinity]"] = elsewhere
        preemption[_HELPLESS] = preemption.get(_HELPLESS, 0) + elsewhere
    return _sentence(total, [f"{count} {reason}" for reason, count in counts.items()], preemption)


def _sentence(total: int, reasons: list[str], preemption: dict[str, int]) -> str:
    outlook = ", ".join(sorted(f"{count} {reason}" for reason, count in preemption.items()))
    nodes = f"0/{total} nodes are available"
    return f"{nodes}: {', '.join(sorted(reasons))}. preemption: {nodes}: {outlook}."


def _bind(cluster: Cluster, pod: JsonObject, node: JsonObject) -> None:
    conditions = with_condition(objects(pod, "status", "conditions"), "PodScheduled", True, cluster.now,
                                more={"lastProbeTime": None})  # fmt: skip
    status = {**mapping(pod, "status"), "conditions": conditions}
    spec = {**mapping(pod, "spec"), "nodeName": name_of(node)}
    cluster.update(PODS, {**pod, "spec": spec, "status": status})
    message = f"Successfully assigned {namespace_of(pod)}/{name_of(pod)} to {name_of(node)}"
    cluster.event(pod, "Scheduled", message, COMPONENT)


def _refuse(cluster: Cluster, pod: JsonObject, reason: str) -> None:
    if text(condition_of(pod, "PodScheduled"), "message") == reason:
        return
    conditions = with_condition(objects(pod, "status", "conditions"), "PodScheduled", False, cluster.now,
                                "Unschedulable", reason, more={"lastProbeTime": None})  # fmt: skip
    cluster.set_status(PODS, pod, {**mapping(pod, "status"), "conditions": conditions})
    cluster.event(pod, "FailedScheduling", reason, COMPONENT, "Warning")


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    """Look again when a pod waits, leaves or ends, or when labels that others refer to change."""
    before, after = change.before, change.after
    if after is None or (is_finished(after) and before is not None and not is_finished(before)):
        return [_ALL]
    if not text(after, "spec", "nodeName"):
        return [_ALL] if before is None or _moved(before, after) else []
    return [_ALL] if before is not None and labels_of(before) != labels_of(after) else []


def _moved(before: JsonObject, after: JsonObject) -> bool:
    return mapping(before, "spec") != mapping(after, "spec") or labels_of(before) != labels_of(after)


def _of_node(cluster: Cluster, change: Change) -> list[Key]:
    """Look again when a node comes, goes, or changes in what a pod can ask of it."""
    before, after = change.before or {}, change.after or {}
    parts = (("spec",), ("metadata", "labels"), ("status", "allocatable"))
    return [_ALL] if any(mapping(before, *part) != mapping(after, *part) for part in parts) else []


CONTROLLER = Controller(
    COMPONENT,
    {PODS.key: _of_pod, NODES.key: _of_node, PERSISTENT_VOLUME_CLAIMS.key: lambda cluster, change: [_ALL]},
    schedule,
)
