"""The kubelets: bring the pods of ready nodes forward, from accepted over running to ended."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key, key_of, pod_keys
from infra.local.kubernetes.controllers.conditions import condition_of, find_condition
from infra.local.kubernetes.controllers.containers import advance, ended, initial, stopped
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import Controller
from infra.local.kubernetes.controllers.mounts import mount_problem
from infra.local.kubernetes.controllers.podstatus import failed, is_done, slots_of, summarized
from infra.local.kubernetes.controllers.requests import quality_of_service
from infra.local.kubernetes.controllers.sync import COMPONENT, PodSync
from infra.local.kubernetes.controllers.times import earliest, later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, text, value_at
from infra.local.kubernetes.metadata import awaits_finalizers, is_deleting, timestamp
from infra.local.kubernetes.resources import (
    CONFIG_MAPS,
    CSI_DRIVERS,
    NODES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    SECRETS,
)

_SANDBOX = "PodReadyToStartContainers"
# What the host says of a mount changes without an object's changing. Kubelets back off up to this.
_MOUNT_AGAIN_SECONDS = 122


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Bring one pod to where it is at this moment."""
    pod = cluster.get(PODS, key[1], key[0])
    node = cluster.get(NODES, text(pod, "spec", "nodeName")) if pod is not None else None
    if pod is None or node is None or not _kubelet_speaks(node):
        return None
    sync = PodSync(cluster, pod, node, cluster.now)
    if is_deleting(pod):
        _stop(sync)
    elif not is_finished(pod):
        cluster.set_status(PODS, pod, _forward(sync))
    return earliest(*sync.deadlines)


def _kubelet_speaks(node: JsonObject) -> bool:
    return condition_of(node, "Ready").get("status") != "Unknown"


def _forward(sync: PodSync) -> JsonObject:
    status = _accepted(sync)
    if over := _past_deadline(sync, status):
        return over
    ready_at = _sandbox(sync, status)
    if ready_at is None:
        return summarized(sync.pod, status, sandbox=False, now=sync.now)
    status = _addressed(sync, status)
    status = _containers(sync, status, ready_at)
    return _dated(sync, summarized(sync.pod, status, sandbox=True, now=ready_at), ready_at)


def _accepted(sync: PodSync) -> JsonObject:
    """The status from the moment the kubelet has seen the pod."""
    status = mapping(sync.pod, "status")
    if text(status, "startTime"):
        return status
    bound = moment_at(condition_of(sync.pod, "PodScheduled"), "lastTransitionTime")
    created = moment_at(sync.pod, "metadata", "creationTimestamp")
    init, main = slots_of(sync.pod)
    reason = "PodInitializing" if init else "ContainerCreating"
    accepted: JsonObject = {
        **status,
        "startTime": timestamp(bound or created or sync.now),
        "qosClass": quality_of_service(sync.pod),
        "containerStatuses": [initial(slot, reason) for slot in main],
    }
    if init:
        accepted["initContainerStatuses"] = [initial(slot, "PodInitializing") for slot in init]
    host = _host_ip(sync.node)
    return {**accepted, "hostIP": host, "hostIPs": [{"ip": host}]} if host else accepted


def _host_ip(node: JsonObject) -> str:
    return next((text(a, "address") for a in objects(node, "status", "addresses") if a.get("type") == "InternalIP"), "")


def _sandbox(sync: PodSync, status: JsonObject) -> datetime | None:
    """When the pod's network and volumes were ready, None when they are not yet."""
    made = find_condition(objects(status, "conditions"), _SANDBOX)
    if made.get("status") == "True":
        return moment_at(made, "lastTransitionTime")
    ready = condition_of(sync.node, "Ready")
    if ready.get("status") == "False" and not value_at(sync.pod, "spec", "hostNetwork"):
        sync.event("NetworkNotReady", f"network is not ready: {text(ready, 'message')}", "Warning", again=True)
        return None
    if problem := mount_problem(sync.cluster, sync.pod, sync.node):
        sync.event(*problem, "Warning", again=True)
        sync.wake_at(later(sync.now, _MOUNT_AGAIN_SECONDS))
        return None
    return sync.now if made else moment_at(status, "startTime")


def _addressed(sync: PodSync, status: JsonObject) -> JsonObject:
    if text(status, "podIP"):
        return status
    number = sync.cluster.store.version
    address = f"10.{64 + number // 65536 % 192}.{number // 256 % 256}.{number % 256}"
    if value_at(sync.pod, "spec", "hostNetwork"):
        address = text(status, "hostIP") or address
    return {**status, "podIP": address, "podIPs": [{"ip": address}]}


def _containers(sync: PodSync, status: JsonObject, ready_at: datetime) -> JsonObject:
    """Init containers one after the other, then all others together."""
    init, main = slots_of(sync.pod)
    may_start: datetime | None = ready_at
    done = []
    for slot, before in zip(init, objects(status, "initContainerStatuses"), strict=True):
        after = before if may_start is None else advance(sync, slot, before, may_start)
        done.append(after)
        may_start = _done_at(after) if may_start is not None and is_done(slot, after) else None
    if done:
        status = {**status, "initContainerStatuses": done}
    if may_start is None:
        return status
    pairs = zip(main, objects(status, "containerStatuses"), strict=True)
    return {**status, "containerStatuses": [advance(sync, slot, before, may_start) for slot, before in pairs]}


def _done_at(status: JsonObject) -> datetime | None:
    return moment_at(ended(status), "finishedAt") or moment_at(status, "state", "running", "startedAt")


def _dated(sync: PodSync, status: JsonObject, ready_at: datetime) -> JsonObject:
    """Date the conditions that changed: the sandbox as it was made, the others now."""
    before = objects(sync.pod, "status", "conditions")
    dated = []
    for condition in objects(status, "conditions"):
        known = find_condition(before, text(condition, "type"))
        same = known.get("status") == condition.get("status")
        at = ready_at if condition.get("type") == _SANDBOX and condition.get("status") == "True" else sync.now
        dated.append(condition if same else {**condition, "lastTransitionTime": timestamp(at)})
    return {**status, "conditions": dated}


def _past_deadline(sync: PodSync, status: JsonObject) -> JsonObject | None:
    started, seconds = moment_at(status, "startTime"), integer(sync.pod, "spec", "activeDeadlineSeconds")
    if not started or not seconds:
        return None
    sync.wake_at(later(started, seconds))
    if later(started, seconds) > sync.now:
        return None
    message = "Pod was active on the node longer than the specified deadline"
    sync.event("DeadlineExceeded", message)
    return summarized_failure(sync, failed(status, "DeadlineExceeded", message), later(started, seconds))


def summarized_failure(sync: PodSync, status: JsonObject, at: datetime) -> JsonObject:
    """A failed pod's status, all its containers ended."""
    _, main = slots_of(sync.pod)
    pairs = zip(main, objects(status, "containerStatuses"), strict=True)
    over = {**status, "containerStatuses": [stopped(slot, before, at) for slot, before in pairs]}
    return {**summarized(sync.pod, over, sandbox=False, now=sync.now), "phase": "Failed"}


def _stop(sync: PodSync) -> None:
    """End a pod's containers, then the pod itself unless a finalizer holds it."""
    limit = moment_at(sync.pod, "metadata", "deletionTimestamp") or sync.now
    asked = later(limit, -integer(sync.pod, "metadata", "deletionGracePeriodSeconds"))
    running = [
        (slot, status) for slot, status in zip(slots_of(sync.pod)[1], objects(sync.pod, "status", "containerStatuses"),
                                               strict=False)
        if "running" in mapping(status, "state")
    ]  # fmt: skip
    moment = asked
    for slot, status in running:
        sync.event("Killing", f"Stopping container {slot.name}")
        seconds = sync.behaviour(slot.spec, integer(status, "restartCount"), init=False).stop_seconds
        moment = max(moment, min(later(asked, seconds), limit))
    if moment > sync.now:
        sync.wake_at(moment)
    elif awaits_finalizers(sync.pod):
        if running:
            sync.cluster.set_status(PODS, sync.pod, summarized_failure(sync, mapping(sync.pod, "status"), moment))
    else:
        sync.cluster.delete(PODS, sync.pod)


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    """Look at a pod on a node; a driver's pod also concerns the pods that wait for its volumes."""
    pod = change.after or change.before or {}
    if not text(pod, "spec", "nodeName"):
        return []
    waiting = _starting(cluster, change) if "-csi-" in name_of(pod) else []
    return [key_of(pod), *waiting]


def _of_node(cluster: Cluster, change: Change) -> list[Key]:
    """Look at a node's pods when the node comes or its readiness changes."""
    before, after = change.before or {}, change.after or {}
    if condition_of(before, "Ready").get("status") == condition_of(after, "Ready").get("status"):
        return []
    return pod_keys(cluster.pods_on(name_of(after or before)))


def _starting(cluster: Cluster, change: Change) -> list[Key]:
    return list(cluster.index.starting)


CONTROLLER = Controller(
    COMPONENT,
    {
        PODS.key: _of_pod,
        NODES.key: _of_node,
        **{
            resource.key: _starting
            for resource in (CONFIG_MAPS, SECRETS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, CSI_DRIVERS)
        },
    },
    reconcile,
)
