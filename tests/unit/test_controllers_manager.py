"""How controllers are run: only on what changed or came due, to a fixed point, over restores and foreign writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.controllers.cluster import Cluster, Key
from infra.local.kubernetes.controllers.manager import Controller, Manager, itself
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, text
from infra.local.kubernetes.errors import BadRequest
from infra.local.kubernetes.history import REMEMBERED
from infra.local.kubernetes.hyperpod_nodes import NodeFact, sync_nodes
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.resources import CONFIG_MAPS, DEPLOYMENTS, JOBS, NODES, PODS

START = datetime(2030, 1, 1, tzinfo=UTC)
FACT = NodeFact("i-0a", "workers", "ml.m5.xlarge", "us-west-2a", "hp", True, "", "10.1.0.7", 8, 32768, None, 0, 50,
                {}, (), START)  # fmt: skip


class World:
    """A cluster and its clock."""

    def __init__(self) -> None:
        self.moment = START
        self.api = KubernetesApi("1.34", lambda: self.moment, lambda token: Identity("tester"))
        self.store = self.api.store

    def jump(self, seconds: float) -> None:
        end = self.moment + timedelta(seconds=seconds)
        while due := [moment for moment in self.api.deadlines() if moment <= end]:
            self.moment = max(self.moment, *due)
            self.api.settle()
        self.moment = end
        self.api.settle()


@pytest.fixture
def world() -> World:
    world = World()
    sync_nodes(world.store, [FACT])
    world.api.settle()
    return world


def _config(name: str) -> JsonObject:
    return {"metadata": {"name": name, "namespace": "default"}}


def _template() -> JsonObject:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "app:1"}]}}


def _deployment(replicas: int) -> JsonObject:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": _template()}
    return {"metadata": {"name": "web", "namespace": "default"}, "spec": spec}


def _ready(world: World) -> int:
    return integer(world.store.get(DEPLOYMENTS, "web", "default"), "status", "readyReplicas")


def test_a_settled_cluster_writes_nothing_and_has_nothing_due(world: World) -> None:
    world.store.create(DEPLOYMENTS, _deployment(2))
    world.api.settle()
    world.jump(10)
    version = world.store.version
    world.api.settle()
    world.jump(3600)
    assert (world.store.version, list(world.api.deadlines())) == (version, [])


def test_the_next_deadline_is_when_the_first_container_starts(world: World) -> None:
    world.store.create(DEPLOYMENTS, _deployment(1))
    world.api.settle()
    assert list(world.api.deadlines()) == [START + timedelta(seconds=2)]


def test_the_same_history_gives_the_same_pods() -> None:
    names = []
    for _ in range(2):
        world = World()
        sync_nodes(world.store, [FACT])
        world.store.create(DEPLOYMENTS, _deployment(3))
        world.api.settle()
        names.append([name_of(pod) for pod in world.store.select(PODS)])
    assert names[0] == names[1]


def test_a_late_look_gives_the_same_times_as_a_punctual_one() -> None:
    seen = []
    for steps in (1, 60):
        world = World()
        sync_nodes(world.store, [FACT])
        spec = {"template": {"spec": {**mapping(_template(), "spec"), "restartPolicy": "Never"}}}
        world.store.create(JOBS, {"metadata": {"name": "work", "namespace": "default"}, "spec": spec})
        world.api.settle()
        for _ in range(steps):
            world.moment += timedelta(seconds=60 / steps)
            world.api.settle()
        (pod,) = world.store.select(PODS)
        statuses = mapping(pod, "status").get("containerStatuses")
        seen.append([mapping(status, "state") for status in statuses] if isinstance(statuses, list) else [])
    assert mapping(seen[0][0], "terminated")["finishedAt"] == mapping(seen[1][0], "terminated")["finishedAt"]


def test_a_restored_cluster_goes_on_from_where_it_was(world: World) -> None:
    world.store.create(DEPLOYMENTS, _deployment(2))
    world.api.settle()
    kept = world.store.snapshot()
    world.jump(10)
    world.store.delete(DEPLOYMENTS, "web", "default")
    world.store.restore(kept)
    world.api.settle()
    world.jump(10)
    assert (_ready(world), len(world.store.select(PODS))) == (2, 2)


def test_more_foreign_writes_than_the_history_holds_are_taken_in(world: World) -> None:
    world.store.create(DEPLOYMENTS, _deployment(1))
    document = world.store.create(CONFIG_MAPS, _config("busy"))
    for number in range(REMEMBERED + 1):
        document = world.store.update(CONFIG_MAPS, {**document, "data": {"n": str(number)}})
    world.api.settle()
    world.jump(10)
    assert _ready(world) == 1


def test_pods_deleted_behind_the_controllers_back_are_replaced(world: World) -> None:
    world.store.create(DEPLOYMENTS, _deployment(2))
    world.api.settle()
    for pod in world.store.select(PODS):
        world.store.delete(PODS, name_of(pod), "default")
    world.api.settle()
    world.jump(10)
    assert _ready(world) == 2


def test_a_controller_sees_only_keys_that_its_watches_name() -> None:
    seen: list[Key] = []

    def note(cluster: Cluster, key: Key) -> None:
        seen.append(key)

    world = World()
    manager = Manager(world.api.controllers.cluster, [Controller("note", {CONFIG_MAPS.key: itself}, note)])
    world.store.create(CONFIG_MAPS, _config("b"))
    world.store.create(CONFIG_MAPS, _config("a"))
    manager.settle()
    manager.settle()
    assert seen == [("default", "a"), ("default", "b")]


def test_what_the_api_refuses_is_tried_again_later() -> None:
    attempts: list[datetime] = []
    world = World()

    def refuse(cluster: Cluster, key: Key) -> datetime | None:
        attempts.append(world.moment)
        raise BadRequest("not now")

    manager = Manager(world.api.controllers.cluster, [Controller("refused", {CONFIG_MAPS.key: itself}, refuse)])
    world.store.create(CONFIG_MAPS, _config("a"))
    manager.settle()
    assert manager.deadlines() == [START + timedelta(seconds=10)]
    world.moment += timedelta(seconds=10)
    manager.settle()
    assert attempts == [START, START + timedelta(seconds=10)]


def test_a_write_from_the_view_is_seen_at_once(world: World) -> None:
    cluster = world.api.controllers.cluster
    created = cluster.create(CONFIG_MAPS, _config("a"))
    assert cluster.get(CONFIG_MAPS, "a", "default") == created
    cluster.update(CONFIG_MAPS, {**created, "data": {"k": "v"}})
    assert mapping(cluster.get(CONFIG_MAPS, "a", "default"), "data") == {"k": "v"}
    cluster.delete(CONFIG_MAPS, created)
    assert cluster.get(CONFIG_MAPS, "a", "default") is None
    assert cluster.in_step


def test_an_unreachable_node_is_unknown_and_keeps_the_time_of_its_taint(world: World) -> None:
    sync_nodes(world.store, [replace(FACT, reachable=False)])
    world.moment += timedelta(minutes=5)
    sync_nodes(world.store, [replace(FACT, reachable=False)])
    node = world.store.get(NODES, "hyperpod-i-0a")
    taints = mapping(node, "spec")["taints"]
    assert taints == [
        {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2030-01-01T00:00:00Z"},
    ]
    assert text(node, "metadata", "name") == "hyperpod-i-0a"
