"""Pods that lose their node: driven away by NoExecute taints, and forgotten when the node is gone."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key, key_of, pod_keys
from infra.local.kubernetes.controllers.conditions import condition_of, with_condition
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import Controller
from infra.local.kubernetes.controllers.pods import stop_seconds
from infra.local.kubernetes.controllers.taints import seconds_tolerated
from infra.local.kubernetes.controllers.times import earliest, later, moment_at
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import NODES, PODS

COMPONENT = "taint-eviction-controller"


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Evict one pod when its node does not keep it, or wait until its patience is over."""
    pod = cluster.get(PODS, key[1], key[0])
    name = text(pod, "spec", "nodeName")
    if pod is None or not name:
        return None
    node = cluster.get(NODES, name)
    if node is None:
        cluster.delete(PODS, pod)
        return None
    _mark_unready(cluster, pod, node)
    if is_deleting(pod) or is_finished(pod):
        return None
    moments = [_leaves_at(cluster, pod, taint) for taint in objects(node, "spec", "taints")
               if taint.get("effect") == "NoExecute"]  # fmt: skip
    moment = earliest(*moments)
    if moment is None or moment > cluster.now:
        return moment
    _evict(cluster, pod, node)
    return None


def _leaves_at(cluster: Cluster, pod: JsonObject, taint: JsonObject) -> datetime | None:
    seconds = seconds_tolerated(pod, taint)
    if seconds is None:
        return None
    added = moment_at(taint, "timeAdded") or moment_at(pod, "status", "startTime") or cluster.now
    return later(added, seconds)


def _evict(cluster: Cluster, pod: JsonObject, node: JsonObject) -> None:
    message = f"Marking for deletion Pod {namespace_of(pod)}/{name_of(pod)}"
    cluster.event(pod, "TaintManagerEviction", message, COMPONENT)
    conditions = with_condition(objects(pod, "status", "conditions"), "DisruptionTarget", True, cluster.now,
                                "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")  # fmt: skip
    marked = cluster.set_status(PODS, pod, {**mapping(pod, "status"), "conditions": conditions})
    cluster.delete(PODS, marked, stop_seconds(marked))


def _mark_unready(cluster: Cluster, pod: JsonObject, node: JsonObject) -> None:
    """Say of a pod on a node that is not ready that nobody vouches for it."""
    ready = condition_of(pod, "Ready")
    if condition_of(node, "Ready").get("status") != "Unknown" or ready.get("status") != "True":
        return
    conditions = with_condition(objects(pod, "status", "conditions"), "Ready", False, cluster.now, more=_kept(ready))
    cluster.set_status(PODS, pod, {**mapping(pod, "status"), "conditions": conditions})
    cluster.event(pod, "NodeNotReady", "Node is not ready", "node-controller", "Warning")


def _kept(condition: JsonObject) -> JsonObject:
    return {key: condition[key] for key in ("lastProbeTime",) if key in condition}


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    pod = change.after
    if pod is None or not text(pod, "spec", "nodeName"):
        return []
    before = change.before
    moved = before is None or text(before, "spec", "nodeName") != text(pod, "spec", "nodeName")
    tolerates_otherwise = mapping(before, "spec").get("tolerations") != mapping(pod, "spec").get("tolerations")
    return [key_of(pod)] if moved or tolerates_otherwise else []


def _of_node(cluster: Cluster, change: Change) -> list[Key]:
    before, after = change.before or {}, change.after or {}
    same_taints = objects(before, "spec", "taints") == objects(after, "spec", "taints")
    if same_taints and condition_of(before, "Ready") == condition_of(after, "Ready") and before and after:
        return []
    return pod_keys(cluster.pods_on(name_of(after or before)))


CONTROLLER = Controller(COMPONENT, {PODS.key: _of_pod, NODES.key: _of_node}, reconcile)
