"""Load balancers that Services and Ingresses asked for: their controllers take them away, as long as these run."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.clusters.deletion.models import Blocker
from functions.clusters.deletion.rules.blockers import blocked
from functions.clusters.deletion.stages.administration.access import applied, observed
from functions.core import runtime
from functions.core.documents import items_of, member
from functions.core.stage import Applied, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.kubernetes_api import objects
from functions.kubernetes_api.objects import INGRESSES, SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.objects import Object, Resource

_POLL_SECONDS: Final = 15
# A controller needs a minute or two for a load balancer.
_PATIENCE: Final = timedelta(minutes=15)


class LoadBalancersRemoval:
    """The Services of type LoadBalancer and the Ingresses of all namespaces, whoever made them."""

    def apply(self, context: StageContext) -> Applied:
        """Delete them; each stays until its load balancer is gone."""
        return applied(context, _delete)

    def observe(self, context: StageContext) -> Observation:
        """Done when none is left; Blocked, with each of them named, when they stay for long."""
        return observed(context, lambda client: _outlook(client, context))


def _delete(client: ClusterClient) -> Applied:
    doomed = [each for each in _exposed(client) if not _is_going(each[1])]
    for resource, found in doomed:
        metadata = member(found, "metadata")
        objects.delete(client, resource, str(metadata["name"]), str(metadata["namespace"]), str(metadata["uid"]))
    named = tuple(_named(*each) for each in doomed)
    return Applied(f"deleting {', '.join(named)}" if named else "nothing asks for a load balancer", named)


def _outlook(client: ClusterClient, context: StageContext) -> Observation:
    left = list(_exposed(client))
    if not left:
        return Done({}, "no Service and no Ingress has a load balancer")
    names = ", ".join(_named(*each) for each in left)
    if not all(_is_going(found) for _, found in left):
        return Reapply(f"{names} still ask for load balancers")
    if runtime.now() - (context.stage.started_at or runtime.now()) < _PATIENCE:
        return Waiting(_POLL_SECONDS, f"waiting for the load balancers of {names} to go")
    return Failed(blocked("The cluster's load balancers", [_blocker(*each) for each in left], context.cluster.tag))


def _exposed(client: ClusterClient) -> Iterator[tuple[Resource, Object]]:
    for service in objects.listed(client, SERVICES):
        if member(service, "spec").get("type") == "LoadBalancer":
            yield SERVICES, service
    for ingress in objects.listed(client, INGRESSES):
        yield INGRESSES, ingress


def _is_going(found: Object) -> bool:
    return bool(member(found, "metadata").get("deletionTimestamp"))


def _named(resource: Resource, found: Object) -> str:
    metadata = member(found, "metadata")
    kind = "service" if resource is SERVICES else "ingress"
    return f"{kind}/{metadata.get('namespace')}/{metadata.get('name')}"


def _blocker(resource: Resource, found: Object) -> Blocker:
    """Say which load balancer does not go; its Service carries the finalizer of the controller that should do it."""
    hosts = [
        str(each.get("hostname") or "") for each in items_of(member(member(found, "status"), "loadBalancer"), "ingress")
    ]
    balancer = hosts[0] if hosts and hosts[0] else "its load balancer"
    message = f"is deleted and stays, because {balancer} is not gone"
    remedy = "Read the controller's events (kubectl describe), and remove what keeps the load balancer."
    return Blocker(_named(resource, found), message, remedy)
