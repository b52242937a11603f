"""Deployments: rolling out a template over ReplicaSets, and saying how far it is."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers import replicas
from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key
from infra.local.kubernetes.controllers.manager import Controller, itself, owner_of_kind
from infra.local.kubernetes.controllers.progress import deployment_status, gives_up_at
from infra.local.kubernetes.documents import (
    JsonObject,
    integer,
    mapping,
    name_of,
    namespace_of,
    objects,
    string_map,
    text,
)
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import DEPLOYMENTS, PODS, REPLICA_SETS

_Sets = list[JsonObject]


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Move one Deployment a step towards its template and replicas, and say how far it is."""
    namespace, name = key
    deployment = cluster.get(DEPLOYMENTS, name, namespace)
    if deployment is None or is_deleting(deployment):
        return None
    owned = cluster.owned(REPLICA_SETS, deployment)
    current = replicas.current_of(deployment, owned)
    if _is_paused(deployment):
        _scale_in_place(cluster, deployment, current, owned)
    elif text(deployment, "spec", "strategy", "type") == "Recreate":
        current = _recreate(cluster, deployment, current, owned)
    else:
        current = _roll(cluster, deployment, current, owned)
    deployment = cluster.get(DEPLOYMENTS, name, namespace) or deployment
    owned = cluster.owned(REPLICA_SETS, deployment)
    current = replicas.current_of(deployment, owned)
    status = deployment_status(cluster, deployment, current, owned)
    deployment = cluster.set_status(DEPLOYMENTS, deployment, status)
    _forget_old(cluster, deployment, current, owned)
    return gives_up_at(cluster, deployment)


def _is_paused(deployment: JsonObject) -> bool:
    return bool(mapping(deployment, "spec").get("paused"))


def _roll(cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: _Sets) -> JsonObject:
    current = _ensure_current(cluster, deployment, current, owned)
    old = [rs for rs in owned if name_of(rs) != name_of(current)]
    wanted, (surge, unavailable) = integer(deployment, "spec", "replicas"), replicas.surge_and_unavailable(deployment)
    have = integer(current, "spec", "replicas")
    others = sum(integer(rs, "spec", "replicas") for rs in old)
    if have > wanted:
        replicas.scale(cluster, deployment, current, wanted)
    elif have < wanted:
        room = wanted + surge - have - others
        replicas.scale(cluster, deployment, current, min(wanted, have + max(room, 0)))
    fresh = cluster.get(REPLICA_SETS, name_of(current), namespace_of(deployment)) or current
    _shrink_old(cluster, deployment, fresh, old, wanted - unavailable)
    return fresh


def _shrink_old(cluster: Cluster, deployment: JsonObject, current: JsonObject, old: _Sets, minimum: int) -> None:
    """Take away old pods: first those that do not work, then as many as stay above the minimum of available ones."""
    new_unavailable = integer(current, "spec", "replicas") - _available(current)
    total = sum(integer(rs, "spec", "replicas") for rs in [*old, current])
    spare = total - minimum - new_unavailable
    for rs in sorted(old, key=_age):
        broken = min(integer(rs, "spec", "replicas") - _available(rs), spare)
        if broken > 0:
            replicas.scale(cluster, deployment, rs, integer(rs, "spec", "replicas") - broken)
            spare -= broken
    renewed = [cluster.get(REPLICA_SETS, name_of(rs), namespace_of(rs)) or rs for rs in sorted(old, key=_age)]
    removable = sum(_available(rs) for rs in [*old, current]) - minimum
    for rs in renewed:
        leaving = min(integer(rs, "spec", "replicas"), removable)
        if leaving > 0:
            replicas.scale(cluster, deployment, rs, integer(rs, "spec", "replicas") - leaving)
            removable -= leaving


def _recreate(cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: _Sets) -> JsonObject | None:
    """End every old pod, and only when they are gone start the new ones."""
    old = [rs for rs in owned if current is None or name_of(rs) != name_of(current)]
    for rs in old:
        replicas.scale(cluster, deployment, rs, 0)
    if any(cluster.owned(PODS, rs) for rs in old):
        return current
    current = _ensure_current(cluster, deployment, current, owned)
    replicas.scale(cluster, deployment, current, integer(deployment, "spec", "replicas"))
    return current


def _scale_in_place(cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: _Sets) -> None:
    active = current or max(owned, key=replicas.revision_of, default=None)
    if active is not None:
        replicas.scale(cluster, deployment, active, integer(deployment, "spec", "replicas"))


def _ensure_current(cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: _Sets) -> JsonObject:
    """Find or make the ReplicaSet of the template; going back to an old one makes it the latest revision."""
    if current is None:
        current = replicas.make_current(cluster, deployment, owned, _first_size(deployment, owned))
        replicas.announce(cluster, deployment, name_of(current), 0, integer(current, "spec", "replicas"))
    else:
        others = [rs for rs in owned if name_of(rs) != name_of(current)]
        revision = max(replicas.revision_of(current), replicas.next_revision(others))
        current = _annotate(cluster, deployment, current, revision)
    _note_revision(cluster, deployment, replicas.revision_of(current))
    return current


def _first_size(deployment: JsonObject, owned: _Sets) -> int:
    wanted = integer(deployment, "spec", "replicas")
    if text(deployment, "spec", "strategy", "type") == "Recreate":
        return wanted
    room = wanted + replicas.surge_and_unavailable(deployment)[0] - sum(integer(rs, "spec", "replicas") for rs in owned)
    return min(wanted, max(room, 0))


def _annotate(cluster: Cluster, deployment: JsonObject, current: JsonObject, revision: int) -> JsonObject:
    wanted = replicas.annotations_for(deployment, revision)
    spec: JsonObject = {**mapping(current, "spec")}
    if "minReadySeconds" in mapping(deployment, "spec"):
        spec["minReadySeconds"] = integer(deployment, "spec", "minReadySeconds")
    metadata = {**mapping(current, "metadata"), "annotations": wanted}
    return cluster.update(REPLICA_SETS, {**current, "metadata": metadata, "spec": spec})


def _note_revision(cluster: Cluster, deployment: JsonObject, revision: int) -> None:
    annotations = string_map(deployment, "metadata", "annotations")
    if annotations.get(replicas.REVISION) != str(revision):
        noted = {**annotations, replicas.REVISION: str(revision)}
        cluster.update(
            DEPLOYMENTS, {**deployment, "metadata": {**mapping(deployment, "metadata"), "annotations": noted}}
        )


def _forget_old(cluster: Cluster, deployment: JsonObject, current: JsonObject | None, owned: _Sets) -> None:
    """Delete the oldest ReplicaSets without pods beyond the history limit."""
    limit = mapping(deployment, "spec").get("revisionHistoryLimit", 10)
    idle = [
        rs for rs in owned
        if (current is None or name_of(rs) != name_of(current))
        and not integer(rs, "spec", "replicas") and not integer(rs, "status", "replicas") and not is_deleting(rs)
    ]  # fmt: skip
    surplus = len(idle) - (limit if isinstance(limit, int) else 10)
    for rs in sorted(idle, key=replicas.revision_of)[: max(surplus, 0)]:
        cluster.delete(REPLICA_SETS, rs)


def _available(replica_set: JsonObject) -> int:
    return integer(replica_set, "status", "availableReplicas")


def _age(replica_set: JsonObject) -> tuple[str, str]:
    return text(replica_set, "metadata", "creationTimestamp"), name_of(replica_set)


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    """Look at the Deployment behind a pod that is gone: it may have waited for that."""
    if change.after is not None:
        return []
    found = []
    for namespace, name in owner_of_kind("ReplicaSet")(cluster, change):
        replica_set = cluster.get(REPLICA_SETS, name, namespace) or {}
        owners = [o for o in objects(replica_set, "metadata", "ownerReferences") if o.get("kind") == "Deployment"]
        found += [(namespace, text(owner, "name")) for owner in owners]
    return found


CONTROLLER = Controller(
    replicas.COMPONENT,
    {
        DEPLOYMENTS.key: itself,
        REPLICA_SETS.key: owner_of_kind("Deployment"),
        PODS.key: _of_pod,
    },
    reconcile,
)
