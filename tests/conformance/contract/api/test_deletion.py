"""Deletion: finalizers, preconditions, owners and namespaces."""

from __future__ import annotations

import time
import uuid

from infra.local.kubernetes.documents import JsonObject, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import MERGE, Cluster, Space


def _gone(cluster: Cluster, path: str) -> bool:
    """Whether an object is gone, after waiting for a real cluster's collector."""
    deadline = time.monotonic() + 30
    while cluster.call("GET", path).status != 404:
        if time.monotonic() > deadline:
            return False
    return True


def _owned(owner: JsonObject, name: str, blocking: bool = False) -> JsonObject:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": value_at(owner, "metadata", "name"),
                 "uid": value_at(owner, "metadata", "uid"), "blockOwnerDeletion": blocking}  # fmt: skip
    return {"metadata": {"name": name, "ownerReferences": [reference]}}


def _family(space: Space, blocking: bool = False) -> tuple[str, str]:
    owner = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("owner"))
    space.cluster.ask("POST", space.path("configmaps"), _owned(owner, "child", blocking))
    return space.path("configmaps", "owner"), space.path("configmaps", "child")


def test_a_deletion_answers_with_success(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    answer = space.cluster.ask("DELETE", space.path("configmaps", "a"))
    assert (answer["kind"], answer["status"]) == ("Status", "Success")


def test_a_finalizer_holds_a_deleted_object(space: Space) -> None:
    held = {"metadata": {"name": "a", "finalizers": ["contract.example/hold"]}}
    space.cluster.ask("POST", space.path("configmaps"), held)
    path = space.path("configmaps", "a")
    space.cluster.ask("DELETE", path)
    assert value_at(space.cluster.ask("GET", path), "metadata", "deletionTimestamp")
    space.cluster.ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    assert _gone(space.cluster, path)


def test_a_deleted_object_takes_no_new_finalizer(space: Space) -> None:
    held = {"metadata": {"name": "a", "finalizers": ["contract.example/hold"]}}
    space.cluster.ask("POST", space.path("configmaps"), held)
    path = space.path("configmaps", "a")
    space.cluster.ask("DELETE", path)
    more = {"metadata": {"finalizers": ["contract.example/hold", "contract.example/more"]}}
    status = space.cluster.refused("PATCH", path, more, MERGE)
    assert "no new finalizers can be added if the object is being deleted" in text(status, "message")
    space.cluster.ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)


def test_a_deletion_of_another_uid_conflicts(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    options = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}
    status = space.cluster.refused("DELETE", space.path("configmaps", "a"), options)
    assert (status["code"], status["reason"]) == (409, "Conflict")


def test_a_deletion_of_an_old_version_conflicts(space: Space) -> None:
    first = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    space.cluster.ask("PATCH", space.path("configmaps", "a"), {"data": {"x": "1"}}, MERGE)
    options = {"preconditions": {"resourceVersion": value_at(first, "metadata", "resourceVersion")}}
    assert space.cluster.refused("DELETE", space.path("configmaps", "a"), options)["code"] == 409


def test_a_dependent_goes_after_its_owner(space: Space) -> None:
    owner, child = _family(space)
    space.cluster.ask("DELETE", owner, {"propagationPolicy": "Background"})
    assert _gone(space.cluster, child)


def test_an_orphaned_dependent_stays_and_forgets_its_owner(space: Space) -> None:
    owner, child = _family(space)
    space.cluster.ask("DELETE", owner, {"propagationPolicy": "Orphan"})
    assert _gone(space.cluster, owner)
    assert objects(space.cluster.ask("GET", child), "metadata", "ownerReferences") == []


def test_in_the_foreground_the_dependent_goes_first(space: Space) -> None:
    owner, child = _family(space, blocking=True)
    held = {"metadata": {"finalizers": ["contract.example/hold"]}}
    space.cluster.ask("PATCH", child, held, MERGE)
    space.cluster.ask("DELETE", owner, {"propagationPolicy": "Foreground"})
    waiting = space.cluster.ask("GET", owner)
    assert value_at(waiting, "metadata", "finalizers") == ["foregroundDeletion"]
    space.cluster.ask("PATCH", child, {"metadata": {"finalizers": None}}, MERGE)
    assert _gone(space.cluster, child)
    assert _gone(space.cluster, owner)


def test_a_dependent_with_another_owner_stays(space: Space) -> None:
    one = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("one"))
    two = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("two"))
    child = _owned(one, "child")
    both = [*objects(child, "metadata", "ownerReferences"), *objects(_owned(two, "x"), "metadata", "ownerReferences")]
    space.cluster.ask("POST", space.path("configmaps"), {"metadata": {"name": "child", "ownerReferences": both}})
    space.cluster.ask("DELETE", space.path("configmaps", "one"))
    assert _gone(space.cluster, space.path("configmaps", "one"))
    assert space.cluster.ask("GET", space.path("configmaps", "child"))


def test_a_propagation_policy_is_known(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    status = space.cluster.refused("DELETE", space.path("configmaps", "a"), {"propagationPolicy": "Sideways"})
    assert status["code"] == 422


def test_a_collection_is_deleted_by_its_labels(space: Space) -> None:
    for name in ("a", "b"):
        space.cluster.ask("POST", space.path("configmaps"), {"metadata": {"name": name, "labels": {"is": name}}})
    space.cluster.ask("DELETE", space.path("configmaps"), labelSelector="is=a")
    left = objects(space.cluster.ask("GET", space.path("configmaps"), labelSelector="is"), "items")
    assert [value_at(item, "metadata", "name") for item in left] == ["b"]


def test_a_namespace_waits_until_it_is_empty(cluster: Cluster) -> None:
    name = f"contract-{uuid.uuid4().hex[:10]}"
    path = f"/api/v1/namespaces/{name}"
    cluster.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    held = {"metadata": {"name": "a", "finalizers": ["contract.example/hold"]}}
    cluster.ask("POST", f"{path}/configmaps", held)
    cluster.ask("DELETE", path)
    assert value_at(cluster.ask("GET", path), "status", "phase") == "Terminating"
    status = cluster.refused("POST", f"{path}/configmaps", valid.config_map("late"))
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert f"unable to create new content in namespace {name} because it is being terminated" in text(status, "message")
    cluster.ask("PATCH", f"{path}/configmaps/a", {"metadata": {"finalizers": None}}, MERGE)
    assert _gone(cluster, path)


def test_the_namespace_default_may_not_be_deleted(cluster: Cluster) -> None:
    status = cluster.refused("DELETE", "/api/v1/namespaces/default")
    assert (status["code"], text(status, "message")) == (
        403, 'namespaces "default" is forbidden: this namespace may not be deleted')  # fmt: skip


def test_a_pod_that_is_on_no_node_goes_at_once(space: Space) -> None:
    space.cluster.ask("POST", space.path("pods"), valid.pod("p"))
    space.cluster.ask("DELETE", space.path("pods", "p"))
    assert _gone(space.cluster, space.path("pods", "p"))
