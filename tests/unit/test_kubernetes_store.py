"""The store as other parts of the simulator use it."""

from __future__ import annotations

import pickle
import threading
from datetime import UTC, datetime

import pytest

from infra.local.kubernetes import history
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, integer, mapping, name_of, value_at
from infra.local.kubernetes.errors import Expired, Invalid, NotFound
from infra.local.kubernetes.namespaces import bootstrap
from infra.local.kubernetes.resources import CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, NODES
from infra.local.kubernetes.store import Store

DEFINITION: JsonObject = {
    "metadata": {"name": "rayjobs.ray.io"},
    "spec": {
        "group": "ray.io",
        "scope": "Cluster",
        "names": {"plural": "rayjobs", "kind": "RayJob"},
        "versions": [{"name": "v1", "served": True, "storage": True}],
    },
}


@pytest.fixture
def store() -> Store:
    store = Store(lambda: datetime(2030, 1, 1, tzinfo=UTC))
    bootstrap(store)
    return store


def _config_map(name: str) -> JsonObject:
    return {"metadata": {"name": name, "namespace": "default"}}


def test_what_a_caller_does_to_an_answer_does_not_reach_the_store(store: Store) -> None:
    answer = store.create(CONFIG_MAPS, _config_map("a"))
    ensure_mapping(answer, "data")["x"] = "changed"
    assert "data" not in store.get(CONFIG_MAPS, "a", "default")


def test_an_upsert_merges_and_the_same_again_is_no_write(store: Store) -> None:
    store.create(NODES, {"metadata": {"name": "n", "labels": {"mine": "1"}}})
    merged = store.upsert(NODES, {"metadata": {"name": "n", "labels": {"theirs": "2"}}})
    version = store.version
    store.upsert(NODES, {"metadata": {"name": "n", "labels": {"theirs": "2"}}})
    assert value_at(merged, "metadata", "labels") == {"mine": "1", "theirs": "2"}
    assert store.version == version


def test_a_status_is_set_without_a_new_generation(store: Store) -> None:
    store.create(DEPLOYMENTS, {**_config_map("d"), "spec": {"replicas": 1}})
    updated = store.set_status(DEPLOYMENTS, "d", {"readyReplicas": 1}, "default")
    assert (updated["status"], integer(updated, "metadata", "generation")) == ({"readyReplicas": 1}, 1)


def test_controllers_are_told_when_an_object_is_missing(store: Store) -> None:
    with pytest.raises(NotFound):
        store.modify(NODES, "ghost", lambda node: None)
    assert store.find(NODES, "ghost") is None


def test_an_update_cannot_make_an_object_invalid(store: Store) -> None:
    created = store.create(CONFIG_MAPS, _config_map("a"))
    ensure_mapping(created, "metadata")["labels"] = {"bad key": "x"}
    with pytest.raises(Invalid):
        store.update(CONFIG_MAPS, created)


def test_a_snapshot_is_picklable_and_brings_back_objects_and_definitions(store: Store) -> None:
    store.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
    jobs = store.registry.of_kind("ray.io/v1", "RayJob")
    assert jobs is not None
    store.create(jobs, {"metadata": {"name": "tune"}})
    snapshot = pickle.loads(pickle.dumps(store.snapshot()))
    other = Store(store.now)
    other.restore(snapshot)
    assert other.registry.of_kind("ray.io/v1", "RayJob") == jobs
    assert other.get(jobs, "tune") == store.get(jobs, "tune")
    assert other.version > store.version


def test_a_restored_store_no_longer_serves_later_definitions(store: Store) -> None:
    snapshot = store.snapshot()
    store.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
    store.restore(snapshot)
    assert store.registry.of_kind("ray.io/v1", "RayJob") is None


def test_concurrent_increments_are_not_lost(store: Store) -> None:
    store.create(CONFIG_MAPS, _config_map("counter"))
    together = threading.Barrier(4)

    def increment(document: JsonObject) -> None:
        data = ensure_mapping(document, "data")
        data["count"] = integer(data, "count") + 1

    def work() -> None:
        together.wait(5)
        for _ in range(25):
            store.modify(CONFIG_MAPS, "counter", increment, "default")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert mapping(store.get(CONFIG_MAPS, "counter", "default"), "data") == {"count": 100}


def test_waiting_for_a_change_ends_with_the_change(store: Store) -> None:
    seen: list[str] = []
    version = store.version

    def wait() -> None:
        seen.extend(name_of(change.after or {}) for change in store.history.after(version, 5))

    waiting = threading.Thread(target=wait)
    waiting.start()
    store.create(NODES, {"metadata": {"name": "new"}})
    waiting.join(5)
    assert seen == ["new"]


def test_changes_that_are_forgotten_are_reported_as_expired(store: Store) -> None:
    version = store.version
    store.create(NODES, {"metadata": {"name": "n"}})
    for count in range(history.REMEMBERED):
        store.upsert(NODES, {"metadata": {"name": "n", "labels": {"count": str(count)}}})
    with pytest.raises(Expired):
        store.history.after(version, 0)
    assert len(store.history.after(store.version - 2, 0)) == 2
