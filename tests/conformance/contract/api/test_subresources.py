"""Scale, log, binding, eviction, proxy, and what a server says about itself."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import mapping, objects, strings, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import MERGE, Cluster, Space


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_a_workload_is_scaled(space: Space, kind: str) -> None:
    plural = f"{kind.lower()}s"
    document = valid.workload(kind, "w", replicas=0)
    space.cluster.ask("POST", space.path(plural, group="apps/v1"), document)
    path = space.path(plural, "w", "scale", group="apps/v1")
    scale = space.cluster.ask("GET", path)
    assert (scale["apiVersion"], value_at(scale, "status", "selector")) == ("autoscaling/v1", "app=w")
    scaled = space.cluster.ask("PUT", path, {**scale, "spec": {"replicas": 1}})
    assert value_at(scaled, "spec", "replicas") == 1
    assert value_at(space.cluster.ask("GET", path.removesuffix("/scale")), "spec", "replicas") == 1


def test_a_negative_scale_is_invalid(space: Space) -> None:
    space.cluster.ask("POST", space.path("deployments", group="apps/v1"), valid.deployment("w"))
    path = space.path("deployments", "w", "scale", group="apps/v1")
    assert space.cluster.refused("PATCH", path, {"spec": {"replicas": -1}}, MERGE)["code"] == 422


def test_a_status_write_leaves_the_spec(space: Space) -> None:
    space.cluster.ask("POST", space.path("deployments", group="apps/v1"), valid.deployment("w"))
    both = {"spec": {"replicas": 7}, "status": {"replicas": 0}}
    path = space.path("deployments", "w", "status", group="apps/v1")
    assert value_at(space.cluster.ask("PATCH", path, both, MERGE), "spec", "replicas") == 0


def test_a_log_of_several_containers_names_one(space: Space) -> None:
    pod = valid.pod("p", valid.container(), valid.container(name="side"))
    space.cluster.ask("POST", space.path("pods"), pod)
    status = space.cluster.refused("GET", space.path("pods", "p", "log"))
    assert (status["code"], status["reason"]) == (400, "BadRequest")
    assert "a container name must be specified for pod p, choose one of: [main side]" in text(status, "message")


def test_a_log_of_an_unknown_container_is_a_bad_request(space: Space) -> None:
    space.cluster.ask("POST", space.path("pods"), valid.pod("p"))
    status = space.cluster.refused("GET", space.path("pods", "p", "log"), container="ghost")
    assert "container ghost is not valid for pod p" in text(status, "message")


def test_a_pod_is_bound_once(space: Space) -> None:
    node = f"node-{space.name}"
    space.cluster.ask("POST", "/api/v1/nodes", {"metadata": {"name": node}})
    space.cluster.ask("POST", space.path("pods"), valid.pod("p", schedulerName="contract"))
    target = {"metadata": {"name": "p"}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}}
    path = space.path("pods", "p", "binding")
    space.cluster.ask("POST", path, target)
    assert value_at(space.cluster.ask("GET", space.path("pods", "p")), "spec", "nodeName") == node
    assert space.cluster.refused("POST", path, target)["code"] == 409
    space.cluster.ask("DELETE", f"/api/v1/nodes/{node}")


def test_an_eviction_deletes_the_pod(space: Space) -> None:
    space.cluster.ask("POST", space.path("pods"), valid.pod("p"))
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    answer = space.cluster.ask("POST", space.path("pods", "p", "eviction"), eviction)
    assert answer["status"] == "Success"
    assert space.cluster.refused("GET", space.path("pods", "p"))["code"] == 404


def test_a_proxied_service_without_endpoints_is_unavailable(space: Space) -> None:
    space.cluster.ask("POST", space.path("services"), valid.service("s"))
    status = space.cluster.refused("GET", space.path("services", "s:80", "proxy", "health"))
    assert (status["code"], status["reason"]) == (503, "ServiceUnavailable")


def test_an_unknown_subresource_is_not_found(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    assert space.cluster.refused("GET", space.path("configmaps", "a", "status"))["code"] == 404


def test_a_service_gets_an_address_that_nobody_else_has(space: Space) -> None:
    first = space.cluster.ask("POST", space.path("services"), valid.service("a"))
    address = text(first, "spec", "clusterIP")
    assert value_at(first, "spec", "clusterIPs") == [address]
    status = space.cluster.refused("POST", space.path("services"), valid.service("b", clusterIP=address))
    assert "provided IP is already allocated" in text(status, "message")


def test_groups_and_resources_are_discovered(cluster: Cluster) -> None:
    groups = {text(group, "name") for group in objects(cluster.ask("GET", "/apis"), "groups")}
    assert {"apps", "batch", "rbac.authorization.k8s.io", "storage.k8s.io"} <= groups
    listed = {text(entry, "name"): entry for entry in objects(cluster.ask("GET", "/api/v1"), "resources")}
    assert {"pods", "pods/log", "pods/binding", "services/proxy", "serviceaccounts/token"} <= listed.keys()
    assert {"create", "get", "list", "watch"} <= set(strings(listed["pods"], "verbs"))
    assert value_at(listed["pods/eviction"], "kind") == "Eviction"


def test_openapi_describes_every_group(cluster: Cluster) -> None:
    paths = mapping(cluster.ask("GET", "/openapi/v3"), "paths")
    document = cluster.ask("GET", text(paths, "apis/apps/v1", "serverRelativeURL").partition("?")[0])
    schemas = mapping(document, "components", "schemas").values()
    kinds = [value_at(gvk, "kind") for s in schemas for gvk in objects(s, "x-kubernetes-group-version-kind")]
    assert "Deployment" in kinds
