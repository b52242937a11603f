"""The ReplicaSets of a Deployment: which is the new one, their revisions, and scaling them."""

from __future__ import annotations

from copy import deepcopy

from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.naming import hash_of
from infra.local.kubernetes.controllers.pods import controller_reference
from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    integer,
    mapping,
    name_of,
    namespace_of,
    string_map,
    text,
)
from infra.local.kubernetes.resources import DEPLOYMENTS, REPLICA_SETS

COMPONENT = "deployment-controller"
REVISION = "deployment.kubernetes.io/revision"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
HASH_LABEL = "pod-template-hash"
_NOT_INHERITED = ("kubectl.kubernetes.io/last-applied-configuration", REVISION, DESIRED, MAX_REPLICAS)


def revision_of(document: JsonObject) -> int:
    """The revision a Deployment or ReplicaSet is at."""
    written = string_map(document, "metadata", "annotations").get(REVISION, "")
    return int(written) if written.isdigit() else 0


def current_of(deployment: JsonObject, replica_sets: list[JsonObject]) -> JsonObject | None:
    """The oldest ReplicaSet made from the Deployment's present template."""
    template = mapping(deployment, "spec", "template")
    same = [rs for rs in replica_sets if _without_hash(mapping(rs, "spec", "template")) == template]
    return min(same, key=lambda rs: text(rs, "metadata", "creationTimestamp"), default=None)


def make_current(cluster: Cluster, deployment: JsonObject, replica_sets: list[JsonObject], replicas: int) -> JsonObject:
    """Create the ReplicaSet of the present template."""
    template = deepcopy(mapping(deployment, "spec", "template"))
    name, labels = _free_hash(cluster, deployment, template)
    ensure_mapping(template, "metadata", "labels").update(labels)
    selector = deepcopy(mapping(deployment, "spec", "selector"))
    ensure_mapping(selector, "matchLabels").update(labels)
    spec: JsonObject = {"replicas": replicas, "selector": selector, "template": template}
    if patience := integer(deployment, "spec", "minReadySeconds"):
        spec["minReadySeconds"] = patience
    metadata: JsonObject = {
        "name": name,
        "namespace": namespace_of(deployment),
        "labels": string_map(template, "metadata", "labels"),
        "annotations": annotations_for(deployment, next_revision(replica_sets)),
        "ownerReferences": [controller_reference(deployment, DEPLOYMENTS)],
    }
    return cluster.create(REPLICA_SETS, {"metadata": metadata, "spec": spec})


def next_revision(replica_sets: list[JsonObject]) -> int:
    """The revision after the latest one."""
    return max((revision_of(rs) for rs in replica_sets), default=0) + 1


def annotations_for(deployment: JsonObject, revision: int) -> dict[str, str]:
    """What a ReplicaSet's annotations say: the Deployment's own, its revision and how many pods it may have."""
    inherited = string_map(deployment, "metadata", "annotations")
    wanted = integer(deployment, "spec", "replicas")
    return {
        **{key: value for key, value in inherited.items() if key not in _NOT_INHERITED},
        REVISION: str(revision),
        DESIRED: str(wanted),
        MAX_REPLICAS: str(wanted + surge_and_unavailable(deployment)[0]),
    }


def scale(cluster: Cluster, deployment: JsonObject, replica_set: JsonObject, replicas: int) -> None:
    """Set how many pods a ReplicaSet wants, and say so."""
    before = integer(replica_set, "spec", "replicas")
    if before == replicas:
        return
    cluster.update(REPLICA_SETS, {**replica_set, "spec": {**mapping(replica_set, "spec"), "replicas": replicas}})
    announce(cluster, deployment, name_of(replica_set), before, replicas)


def announce(cluster: Cluster, deployment: JsonObject, name: str, before: int, after: int) -> None:
    """Record the event of a scaled ReplicaSet."""
    direction = "up" if after > before else "down"
    message = f"Scaled {direction} replica set {name} from {before} to {after}"
    cluster.event(deployment, "ScalingReplicaSet", message, COMPONENT, again=True)


def surge_and_unavailable(deployment: JsonObject) -> tuple[int, int]:
    """How many pods a rollout may have too many, and how many may be missing."""
    if text(deployment, "spec", "strategy", "type") == "Recreate":
        return 0, 0
    wanted = integer(deployment, "spec", "replicas")
    limits = mapping(deployment, "spec", "strategy", "rollingUpdate")
    surge = resolve(limits.get("maxSurge", "25%"), wanted, round_up=True)
    unavailable = resolve(limits.get("maxUnavailable", "25%"), wanted, round_up=False)
    return (surge, 1) if not surge and not unavailable else (surge, min(unavailable, wanted))


def resolve(written: object, total: int, round_up: bool) -> int:
    """A number, or a percentage of a total."""
    if isinstance(written, int):
        return written
    share = str(written).removesuffix("%")
    if not share.isdigit():
        return 0
    whole, rest = divmod(int(share) * total, 100)
    return whole + (1 if rest and round_up else 0)


def _free_hash(cluster: Cluster, deployment: JsonObject, template: JsonObject) -> tuple[str, dict[str, str]]:
    salt = integer(deployment, "status", "collisionCount")
    while True:
        found = hash_of(template, salt)
        name = f"{name_of(deployment)}-{found}"
        if cluster.get(REPLICA_SETS, name, namespace_of(deployment)) is None:
            return name, {HASH_LABEL: found}
        salt += 1


def _without_hash(template: JsonObject) -> JsonObject:
    labels = {key: value for key, value in mapping(template, "metadata", "labels").items() if key != HASH_LABEL}
    return {**template, "metadata": {**mapping(template, "metadata"), "labels": labels}}
