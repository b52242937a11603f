"""The status of a Deployment: counts, Available and Progressing."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.conditions import condition_of, find_condition, with_condition
from infra.local.kubernetes.controllers.replicas import surge_and_unavailable
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, text
from infra.local.kubernetes.metadata import timestamp

_COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
_NO_DEADLINE = 2147483647


def deployment_status(
    cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: list[JsonObject]
) -> JsonObject:  # fmt: skip
    """What a Deployment's status is now."""
    status: JsonObject = {
        "observedGeneration": integer(deployment, "metadata", "generation"),
        "replicas": _total(owned, "replicas"),
        "updatedReplicas": integer(current, "status", "replicas"),
        "readyReplicas": _total(owned, "readyReplicas"),
        "availableReplicas": _total(owned, "availableReplicas"),
    }
    missing = max(sum(integer(rs, "spec", "replicas") for rs in owned) - integer(status, "availableReplicas"), 0)
    if missing:
        status["unavailableReplicas"] = missing
    conditions = _available(cluster, deployment, status)
    return {**status, "conditions": _progressing(cluster, deployment, current, status, conditions)}


def gives_up_at(cluster: Cluster, deployment: JsonObject) -> datetime | None:
    """When a rollout that does not get on will be called failed; None when it is done or may take for ever."""
    progressing = condition_of(deployment, "Progressing")
    seconds = _deadline_seconds(deployment)
    if progressing.get("status") != "True" or text(progressing, "reason") == "NewReplicaSetAvailable":
        return None
    since = moment_at(progressing, "lastUpdateTime")
    moment = later(since, seconds + 1) if since and seconds != _NO_DEADLINE else None
    return moment if moment and moment > cluster.now else None


def is_complete(deployment: JsonObject, status: JsonObject) -> bool:
    """Whether every wanted pod is of the present template and available, and no other is left."""
    wanted = integer(deployment, "spec", "replicas")
    return all(integer(status, count) == wanted for count in ("updatedReplicas", "replicas", "availableReplicas"))


def _available(cluster: Cluster, deployment: JsonObject, status: JsonObject) -> list[JsonObject]:
    enough = integer(deployment, "spec", "replicas") - surge_and_unavailable(deployment)[1]
    conditions = objects(deployment, "status", "conditions")
    if integer(status, "availableReplicas") >= enough:
        return _set(cluster, conditions, "Available", True, "MinimumReplicasAvailable",
                    "Deployment has minimum availability.")  # fmt: skip
    return _set(cluster, conditions, "Available", False, "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.")  # fmt: skip


def _progressing(
    cluster: Cluster, deployment: JsonObject, current: JsonObject | None, status: JsonObject,
    conditions: list[JsonObject],
) -> list[JsonObject]:  # fmt: skip
    before = find_condition(conditions, "Progressing")
    name = name_of(current or {})
    if mapping(deployment, "spec").get("paused"):
        return _set(cluster, conditions, "Progressing", True, "DeploymentPaused", "Deployment is paused")
    if current is not None and is_complete(deployment, status):
        message = f'ReplicaSet "{name}" has successfully progressed.'
        return _set(cluster, conditions, "Progressing", True, "NewReplicaSetAvailable", message)
    if not before or _got_on(deployment, status) or text(before, "reason") == "NewReplicaSetAvailable":
        reason, verb = ("ReplicaSetUpdated", "is progressing") if before else ("NewReplicaSetCreated", "created")
        message = f'Created new replica set "{name}"' if verb == "created" else f'ReplicaSet "{name}" {verb}.'
        return _set(cluster, conditions, "Progressing", True, reason, message, touch=True)
    since = moment_at(before, "lastUpdateTime")
    seconds = _deadline_seconds(deployment)
    if since and seconds != _NO_DEADLINE and later(since, seconds) < cluster.now:
        message = f'ReplicaSet "{name}" has timed out progressing.'
        return _set(cluster, conditions, "Progressing", False, "ProgressDeadlineExceeded", message)
    return conditions


def _got_on(deployment: JsonObject, status: JsonObject) -> bool:
    """Whether there are more updated or available pods, or fewer old ones, than last time; or the intent changed."""
    before = mapping(deployment, "status")
    old_pods = integer(status, "replicas") - integer(status, "updatedReplicas")
    old_before = integer(before, "replicas") - integer(before, "updatedReplicas")
    return (
        integer(status, "updatedReplicas") > integer(before, "updatedReplicas")
        or integer(status, "readyReplicas") > integer(before, "readyReplicas")
        or integer(status, "availableReplicas") > integer(before, "availableReplicas")
        or old_pods < old_before
        or integer(before, "observedGeneration") != integer(deployment, "metadata", "generation")
    )


def _set(
    cluster: Cluster, conditions: list[JsonObject], kind: str, status: bool, reason: str, message: str,
    touch: bool = False,
) -> list[JsonObject]:  # fmt: skip
    before = find_condition(conditions, kind)
    same = (before.get("status") == ("True" if status else "False"), text(before, "reason"), text(before, "message"))
    if same == (True, reason, message) and not touch:
        return conditions
    updated: JsonObject = {"lastUpdateTime": timestamp(cluster.now)}
    return with_condition(conditions, kind, status, cluster.now, reason, message, updated)


def _deadline_seconds(deployment: JsonObject) -> int:
    return integer(deployment, "spec", "progressDeadlineSeconds") or 600


def _total(replica_sets: list[JsonObject], count: str) -> int:
    return sum(integer(rs, "status", count) for rs in replica_sets)
