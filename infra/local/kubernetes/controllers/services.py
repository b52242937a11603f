"""Services: endpoints from ready pods, cluster addresses, and load balancers where a controller makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key, key_of
from infra.local.kubernetes.controllers.endpoints import Backend, endpoints_object, slice_objects
from infra.local.kubernetes.controllers.index import is_finished
from infra.local.kubernetes.controllers.manager import Controller, every, itself
from infra.local.kubernetes.controllers.matching import labels_of, selected_by_map
from infra.local.kubernetes.controllers.pods import is_ready
from infra.local.kubernetes.documents import (
    JsonObject,
    integer,
    mapping,
    name_of,
    namespace_of,
    objects,
    string_map,
    text,
    value_at,
)
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import BUILT_IN, DEPLOYMENTS, ENDPOINTS, PODS, SERVICES, Resource

ENDPOINT_SLICES: Resource = next(r for r in BUILT_IN if r.key == ("discovery.k8s.io", "endpointslices"))
_LOAD_BALANCER = "aws-load-balancer-controller"
_NO_CONTROLLER = (
    "no load balancer controller runs in this cluster, so the service stays pending: install the AWS Load Balancer "
    "Controller"
)


def reconcile(cluster: Cluster, key: Key) -> datetime | None:
    """Bring the endpoints and the load balancer of one service up to date."""
    service = cluster.get(SERVICES, key[1], key[0])
    if service is None:
        _remove(cluster, key)
        return None
    selector = string_map(service, "spec", "selector")
    if selector and text(service, "spec", "type") != "ExternalName":
        backends = _backends(cluster, service, selector)
        _keep(cluster, ENDPOINTS, endpoints_object(service, backends))
        _keep_slices(cluster, service, backends)
    if text(service, "spec", "type") == "LoadBalancer":
        _balance(cluster, service)
    return None


def _backends(cluster: Cluster, service: JsonObject, selector: dict[str, str]) -> list[Backend]:
    everyone = bool(value_at(service, "spec", "publishNotReadyAddresses"))
    found = []
    for pod in cluster.index.labelled_pods(namespace_of(service), selector):
        address = text(pod, "status", "podIP")
        if not address or is_finished(pod):
            continue
        stopping = is_deleting(pod)
        found.append(Backend(pod, address, (is_ready(pod) and not stopping) or everyone, is_ready(pod), stopping))
    return found


def _keep(cluster: Cluster, resource: Resource, wanted: JsonObject) -> None:
    known = cluster.get(resource, name_of(wanted), namespace_of(wanted))
    if known is None:
        cluster.create(resource, wanted)
        return
    labels = {"labels": {**labels_of(known), **labels_of(wanted)}}
    cluster.update(resource, {**known, **wanted, "metadata": {**mapping(known, "metadata"), **labels}})


def _keep_slices(cluster: Cluster, service: JsonObject, backends: list[Backend]) -> None:
    wanted = slice_objects(service, backends)
    for part in wanted:
        _keep(cluster, ENDPOINT_SLICES, part)
    names = {name_of(part) for part in wanted}
    for kept in cluster.owned(ENDPOINT_SLICES, service):
        if name_of(kept) not in names:
            cluster.delete(ENDPOINT_SLICES, kept)


def _remove(cluster: Cluster, key: Key) -> None:
    endpoints = cluster.get(ENDPOINTS, key[1], key[0])
    if endpoints is not None:
        cluster.delete(ENDPOINTS, endpoints)
    for kept in cluster.all(ENDPOINT_SLICES, key[0]):
        if labels_of(kept).get("kubernetes.io/service-name") == key[1]:
            cluster.delete(ENDPOINT_SLICES, kept)


def _balance(cluster: Cluster, service: JsonObject) -> None:
    if objects(service, "status", "loadBalancer", "ingress"):
        return
    if not load_balancers_are_made(cluster):
        cluster.event(service, "SyncLoadBalancerFailed", _NO_CONTROLLER, "service-controller", "Warning")
        return
    digest = hashlib.sha256(text(service, "metadata", "uid").encode()).hexdigest()[:10]
    host = f"k8s-{namespace_of(service)[:8]}-{name_of(service)[:8]}-{digest}.elb.us-west-2.amazonaws.com"
    status = {**mapping(service, "status"), "loadBalancer": {"ingress": [{"hostname": host}]}}
    cluster.set_status(SERVICES, service, status)
    cluster.event(service, "SuccessfullyReconciled", "Successfully reconciled", "service")


def load_balancers_are_made(cluster: Cluster) -> bool:
    """Whether the AWS Load Balancer Controller has an available pod."""
    return any(_is_balancer(d) and integer(d, "status", "availableReplicas") for d in cluster.all(DEPLOYMENTS))


def _is_balancer(deployment: JsonObject) -> bool:
    return _LOAD_BALANCER in (name_of(deployment), labels_of(deployment).get("app.kubernetes.io/name"))


def _of_pod(cluster: Cluster, change: Change) -> list[Key]:
    """Look at the services that select a pod, when something they show of it changed."""
    before, after = change.before, change.after
    if before is not None and after is not None and _shown(before) == _shown(after):
        return []
    pod = after or before or {}
    both = [labels_of(document) for document in (before, after) if document is not None]
    return [
        key_of(service)
        for service in cluster.all(SERVICES, namespace_of(pod))
        if (selector := string_map(service, "spec", "selector")) and any(selected_by_map(selector, s) for s in both)
    ]


def _shown(pod: JsonObject) -> tuple[object, ...]:
    return labels_of(pod), text(pod, "status", "podIP"), is_ready(pod), is_deleting(pod), is_finished(pod)


def _of_deployment(cluster: Cluster, change: Change) -> Iterable[Key]:
    return every(SERVICES)(cluster, change) if _is_balancer(change.after or change.before or {}) else []


CONTROLLER = Controller(
    "endpoints-controller",
    {SERVICES.key: itself, PODS.key: _of_pod, DEPLOYMENTS.key: _of_deployment},
    reconcile,
)
