"""Objects of ours in a cluster: claims, their volumes, probes, the namespaces that we made; and our roles' rights.

A cluster that was imported stays, and others work in its namespaces by then, ours among them: those are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.deletion.stages.administration.access import applied, observed
from functions.core.documents import member
from functions.core.partial import until_refused
from functions.core.stage import Applied, Done, Observation, Reapply, StageContext
from functions.core.tags import CLUSTER_LABEL, MANAGED_BY_LABEL, MANAGER
from functions.kubernetes_api import objects
from functions.kubernetes_api.objects import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.objects import Object, Resource

# By the stage's parameter, in the order of their deletion; what later domains make of other kinds is added here.
_KINDS: Final = {
    "workloads": (PODS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, NAMESPACES),
    "rights": (CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES),
}


class OwnObjectsRemoval:
    """All of the kinds behind the stage's parameter that carries our labels for this cluster."""

    def apply(self, context: StageContext) -> Applied:
        """Delete it; nobody waits for what pods still hold, since it goes with them."""
        return applied(context, lambda client: _delete(client, context))

    def observe(self, context: StageContext) -> Observation:
        """Done when all of it is gone or on its way."""
        return observed(context, lambda client: _outlook(client, context))


def _delete(client: ClusterClient, context: StageContext) -> Applied:
    gone = until_refused(list(_standing(client, context)), lambda each: _delete_one(client, *each))
    named = tuple(_named(*each) for each in gone)
    return Applied(f"deleting {', '.join(named)}" if named else "nothing of ours is left", named)


def _delete_one(client: ClusterClient, resource: Resource, found: Object) -> None:
    metadata = member(found, "metadata")
    namespace = str(metadata.get("namespace") or "") or None
    objects.delete(client, resource, str(metadata["name"]), namespace, str(metadata["uid"]))


def _outlook(client: ClusterClient, context: StageContext) -> Observation:
    left = [_named(*each) for each in _standing(client, context)]
    if left:
        return Reapply(f"still there: {', '.join(left)}")
    kept = _kept_namespaces(client, context)
    said = f"nothing of ours is left but {', '.join(kept)}" if kept else "nothing of ours is left"
    return Done({"kept": [*kept]}, said)


def _kept_namespaces(client: ClusterClient, context: StageContext) -> list[str]:
    """Name the namespaces that we made and leave, with all that runs in them, in a cluster that stays."""
    if NAMESPACES in _kinds(context) or NAMESPACES not in _KINDS[context.parameter]:
        return []
    return [_named(NAMESPACES, found) for found in objects.listed(client, NAMESPACES, _selector(context))]


def _kinds(context: StageContext) -> list[Resource]:
    imported = context.cluster.origin == "imported"
    return [kind for kind in _KINDS[context.parameter] if not (imported and kind is NAMESPACES)]


def _selector(context: StageContext) -> str:
    return f"{MANAGED_BY_LABEL}={MANAGER},{CLUSTER_LABEL}={context.cluster.tag}"


def _standing(client: ClusterClient, context: StageContext) -> Iterator[tuple[Resource, Object]]:
    for resource in _kinds(context):
        for found in objects.listed(client, resource, _selector(context)):
            metadata = member(found, "metadata")
            going = bool(metadata.get("deletionTimestamp"))
            if not going and not (resource is NAMESPACES and _holds_data(client, str(metadata["name"]))):
                yield resource, found


def _holds_data(client: ClusterClient, namespace: str) -> bool:
    """Say whether a namespace has claims of others: deleting it would delete their disks with all that is on them."""
    claims = objects.listed(client, PERSISTENT_VOLUME_CLAIMS, f"{MANAGED_BY_LABEL}!={MANAGER}", namespace)
    return next(claims, None) is not None


def _named(resource: Resource, found: Object) -> str:
    metadata = member(found, "metadata")
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{resource.plural}/{place}{metadata['name']}"
