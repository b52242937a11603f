"""ReplicaSets: as many pods as wanted, the least useful ones go first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key, key_of
from infra.local.kubernetes.controllers.conditions import with_condition, without_condition
from infra.local.kubernetes.controllers.index import controller_uid
from infra.local.kubernetes.controllers.manager import Controller, every_in_namespace, itself, owner_of_kind
from infra.local.kubernetes.controllers.matching import labels_of, selects
from infra.local.kubernetes.controllers.pods import (
    Extras,
    Maker,
    available_from,
    controller_reference,
    create_pod,
    delete_pod,
    deletion_rank,
    is_active,
    is_available,
    is_ready,
)
from infra.local.kubernetes.controllers.times import earliest
from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, string_map
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import PODS, REPLICA_SETS, SERVICE_ACCOUNTS

_COMPONENT = "replicaset-controller"


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Bring one ReplicaSet to its number of pods and say what there is."""
    namespace, name = key
    replica_set = cluster.get(REPLICA_SETS, name, namespace)
    if replica_set is None:
        return None
    if not is_deleting(replica_set):
        _adopt(cluster, replica_set)
        _scale(cluster, replica_set)
    pods = [pod for pod in cluster.owned(PODS, replica_set) if is_active(pod)]
    cluster.set_status(REPLICA_SETS, replica_set, _status(cluster, replica_set, pods))
    return _next_available(cluster, replica_set, pods)


def _scale(cluster: Cluster, replica_set: JsonObject) -> None:
    pods = [pod for pod in cluster.owned(PODS, replica_set) if is_active(pod)]
    maker = Maker(replica_set, REPLICA_SETS, _COMPONENT)
    missing = integer(replica_set, "spec", "replicas") - len(pods)
    for _ in range(missing):
        if create_pod(cluster, maker, mapping(replica_set, "spec", "template"), Extras()) is None:
            return
    if missing < 0:
        for pod in sorted(pods, key=deletion_rank)[:-missing]:
            delete_pod(cluster, maker, pod)


def _adopt(cluster: Cluster, replica_set: JsonObject) -> None:
    """Take over pods that match and belong to nobody, let go of own pods that do not match any more."""
    selector = mapping(replica_set, "spec", "selector")
    for pod in cluster.owned(PODS, replica_set):
        if not selects(selector, labels_of(pod)):
            cluster.update(PODS, _with_owners(pod, []))
    if not selector or _already_full(cluster, replica_set):
        return
    for pod in cluster.index.labelled_pods(key_of(replica_set)[0], string_map(selector, "matchLabels")):
        if is_active(pod) and not controller_uid(pod) and selects(selector, labels_of(pod)):
            reference = controller_reference(replica_set, REPLICA_SETS)
            cluster.update(PODS, _with_owners(pod, [reference]))


def _already_full(cluster: Cluster, replica_set: JsonObject) -> bool:
    """Whether looking for orphans is not worth it: it has as many pods as it wants."""
    return len(cluster.owned(PODS, replica_set)) == integer(replica_set, "spec", "replicas")


def _with_owners(pod: JsonObject, added: list[JsonObject]) -> JsonObject:
    others = [o for o in objects(pod, "metadata", "ownerReferences") if not o.get("controller")]
    return {**pod, "metadata": {**mapping(pod, "metadata"), "ownerReferences": [*others, *added]}}


def _status(cluster: Cluster, replica_set: JsonObject, pods: list[JsonObject]) -> JsonObject:
    wanted_labels = labels_of(mapping(replica_set, "spec", "template")).items()
    patience = integer(replica_set, "spec", "minReadySeconds")
    status: JsonObject = {
        "replicas": len(pods),
        "fullyLabeledReplicas": sum(1 for pod in pods if wanted_labels <= labels_of(pod).items()),
        "readyReplicas": sum(1 for pod in pods if is_ready(pod)),
        "availableReplicas": sum(1 for pod in pods if is_available(pod, patience, cluster.now)),
        "observedGeneration": integer(replica_set, "metadata", "generation"),
    }
    conditions = objects(replica_set, "status", "conditions")
    if len(pods) < integer(replica_set, "spec", "replicas") and not is_deleting(replica_set):
        conditions = with_condition(conditions, "ReplicaFailure", True, cluster.now, "FailedCreate")
    else:
        conditions = without_condition(conditions, "ReplicaFailure")
    return {**status, "conditions": conditions} if conditions else status


def _next_available(cluster: Cluster, replica_set: JsonObject, pods: list[JsonObject]) -> datetime | None:
    patience = integer(replica_set, "spec", "minReadySeconds")
    if not patience:
        return None
    moments = [moment for pod in pods if (moment := available_from(pod, patience)) and moment > cluster.now]
    return earliest(*moments)


def _of_pod(cluster: Cluster, change: Change) -> Iterable[Key]:
    """Look at the owner of a pod; the pod of nobody may find one."""
    pod = change.after or change.before or {}
    if controller_uid(pod) or (change.before is not None and controller_uid(change.before)):
        return owner_of_kind("ReplicaSet")(cluster, change)
    return [
        key_of(replica_set)
        for replica_set in cluster.all(REPLICA_SETS, key_of(pod)[0])
        if selects(mapping(replica_set, "spec", "selector"), labels_of(pod))
    ]


CONTROLLER = Controller(
    _COMPONENT,
    {REPLICA_SETS.key: itself, PODS.key: _of_pod, SERVICE_ACCOUNTS.key: every_in_namespace(REPLICA_SETS)},
    reconcile,
)
