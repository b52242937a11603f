"""StatefulSets: pods with stable names, one after the other, each with its own claims."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster, Key
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import Controller, every_in_namespace, itself, owner_of_kind
from infra.local.kubernetes.controllers.matching import labels_of
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
from infra.local.kubernetes.controllers.times import earliest
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import PERSISTENT_VOLUME_CLAIMS, PODS, SERVICE_ACCOUNTS, STATEFUL_SETS

REVISION_LABEL = "controller-revision-hash"
_COMPONENT = "statefulset-controller"


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Take one StatefulSet a step further, and say how far it is."""
    stateful_set = cluster.get(STATEFUL_SETS, key[1], key[0])
    if stateful_set is None:
        return None
    if not is_deleting(stateful_set) and _scaled(cluster, stateful_set):
        _update(cluster, stateful_set)
    pods = _by_ordinal(cluster, stateful_set)
    cluster.set_status(STATEFUL_SETS, stateful_set, _status(cluster, stateful_set, pods))
    patience = integer(stateful_set, "spec", "minReadySeconds")
    moments = [available_from(pod, patience) for pod in pods.values()] if patience else []
    return earliest(*(moment for moment in moments if moment and moment > cluster.now))


def _scaled(cluster: Cluster, stateful_set: JsonObject) -> bool:
    """Start missing pods upwards and end surplus ones downwards; whether every pod is there and healthy."""
    pods, maker = _by_ordinal(cluster, stateful_set), Maker(stateful_set, STATEFUL_SETS, _COMPONENT)
    parallel = text(stateful_set, "spec", "podManagementPolicy") == "Parallel"
    wanted, healthy = _ordinals(stateful_set), True
    for ordinal in wanted:
        pod = pods.get(ordinal)
        if pod is not None and is_finished(pod) and not is_deleting(pod):
            delete_pod(cluster, maker, pod)
        if pod is None:
            _create(cluster, maker, ordinal)
        if pod is None or not _healthy(cluster, stateful_set, pod):
            healthy = False
            if not parallel:
                return False
    surplus = sorted((ordinal for ordinal in pods if ordinal not in wanted), reverse=True)
    for ordinal in surplus if parallel else surplus[:1]:
        delete_pod(cluster, maker, pods[ordinal])
    return healthy and not surplus


def _update(cluster: Cluster, stateful_set: JsonObject) -> None:
    """Replace pods of an earlier template from the highest ordinal down, one at a time."""
    if text(stateful_set, "spec", "updateStrategy", "type") == "OnDelete":
        return
    partition = integer(stateful_set, "spec", "updateStrategy", "rollingUpdate", "partition")
    wanted = revision(stateful_set)
    for ordinal, pod in sorted(_by_ordinal(cluster, stateful_set).items(), reverse=True):
        if ordinal >= partition and labels_of(pod).get(REVISION_LABEL) != wanted:
            delete_pod(cluster, Maker(stateful_set, STATEFUL_SETS, _COMPONENT), pod)
            return


def _create(cluster: Cluster, maker: Maker, ordinal: int) -> None:
    stateful_set = maker.owner
    name = f"{name_of(stateful_set)}-{ordinal}"
    claims = objects(stateful_set, "spec", "volumeClaimTemplates")
    for claim in claims:
        _ensure_claim(cluster, stateful_set, claim, name)
    template = mapping(stateful_set, "spec", "template")
    own = {text(claim, "metadata", "name") for claim in claims}
    volumes: list[JsonObject] = [v for v in objects(template, "spec", "volumes") if text(v, "name") not in own]
    volumes += [{"name": v, "persistentVolumeClaim": {"claimName": f"{v}-{name}"}} for v in sorted(own)]
    labels = {
        "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": str(ordinal),
        REVISION_LABEL: revision(stateful_set),
    }  # fmt: skip
    spec: JsonObject = {"hostname": name, "subdomain": text(stateful_set, "spec", "serviceName")}
    if volumes:
        spec["volumes"] = volumes
    create_pod(cluster, maker, template, Extras(name=name, labels=labels, spec=spec))


def _ensure_claim(cluster: Cluster, stateful_set: JsonObject, template: JsonObject, pod: str) -> None:
    name = f"{text(template, 'metadata', 'name')}-{pod}"
    if cluster.get(PERSISTENT_VOLUME_CLAIMS, name, namespace_of(stateful_set)) is None:
        labels = mapping(stateful_set, "spec", "selector", "matchLabels")
        metadata: JsonObject = {"name": name, "namespace": namespace_of(stateful_set), "labels": labels}
        cluster.create(PERSISTENT_VOLUME_CLAIMS, {"metadata": metadata, "spec": mapping(template, "spec")})


def revision(stateful_set: JsonObject) -> str:
    """The name of the present template's revision."""
    return f"{name_of(stateful_set)}-{hash_of(mapping(stateful_set, 'spec', 'template'))}"


def _ordinals(stateful_set: JsonObject) -> range:
    start = integer(stateful_set, "spec", "ordinals", "start")
    return range(start, start + integer(stateful_set, "spec", "replicas"))


def _by_ordinal(cluster: Cluster, stateful_set: JsonObject) -> dict[int, JsonObject]:
    found = {}
    for pod in cluster.owned(PODS, stateful_set):
        ordinal = name_of(pod).removeprefix(f"{name_of(stateful_set)}-")
        if ordinal.isdigit():
            found[int(ordinal)] = pod
    return found


def _healthy(cluster: Cluster, stateful_set: JsonObject, pod: JsonObject) -> bool:
    patience = integer(stateful_set, "spec", "minReadySeconds")
    return is_available(pod, patience, cluster.now) and not is_deleting(pod)


def _status(cluster: Cluster, stateful_set: JsonObject, pods: dict[int, JsonObject]) -> JsonObject:
    wanted, here = revision(stateful_set), [pod for pod in pods.values() if not is_finished(pod)]
    updated = sum(1 for pod in here if labels_of(pod).get(REVISION_LABEL) == wanted)
    before = text(stateful_set, "status", "currentRevision") or wanted
    done = updated == len(here) == integer(stateful_set, "spec", "replicas")
    current = wanted if done and all(is_ready(pod) for pod in here) else before
    return {
        "observedGeneration": integer(stateful_set, "metadata", "generation"),
        "replicas": len(here),
        "readyReplicas": sum(1 for pod in here if is_ready(pod)),
        "availableReplicas": sum(1 for pod in here if _healthy(cluster, stateful_set, pod)),
        "currentReplicas": sum(1 for pod in here if labels_of(pod).get(REVISION_LABEL) == current),
        "updatedReplicas": updated,
        "currentRevision": current,
        "updateRevision": wanted,
        "collisionCount": 0,
    }


CONTROLLER = Controller(
    _COMPONENT,
    {
        STATEFUL_SETS.key: itself,
        PODS.key: owner_of_kind("StatefulSet"),
        SERVICE_ACCOUNTS.key: every_in_namespace(STATEFUL_SETS),
    },
    reconcile,
)
