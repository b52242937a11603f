"""What pods have printed: worked out from when their containers ran, not kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from infra.local.kubernetes.controllers.behaviours import Behaviours, Scene
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, text
from infra.local.kubernetes.resources import NODES, PODS
from infra.local.kubernetes.store import Store

Line = tuple[datetime, str]


class PodLogs(dict[tuple[str, str], list[str]]):
    """The lines of pods by namespace and name: lines put in here, and before them what the containers printed."""

    def __init__(self, store: Store, behaviours: Behaviours) -> None:
        super().__init__()
        self._store = store
        self._behaviours = behaviours

    def get(self, key: tuple[str, str], default: object = None) -> list[str]:
        """The lines of all containers of a pod."""
        printed = self.lines(*key)
        return [line for _, line in printed] + super().get(key, [])

    def lines(self, namespace: str, name: str, container: str = "", previous: bool = False) -> list[Line]:
        """What a pod's containers, or one of them, have printed so far, with the moments; `previous`: one run ago."""
        pod = self._store.find(PODS, name, namespace)
        if pod is None:
            return []
        node = self._store.find(NODES, text(pod, "spec", "nodeName")) or {}
        found: list[Line] = []
        for spec, status, init in _containers(pod):
            if not container or text(spec, "name") == container:
                found += self._printed(Scene(pod, spec, node, _restarts(status, previous), init), status, previous)
        return sorted(found, key=lambda line: line[0])

    def _printed(self, scene: Scene, status: JsonObject, previous: bool) -> Iterator[Line]:
        state = _run(status, previous)
        started, finished = moment_at(state, "startedAt"), moment_at(state, "finishedAt")
        if started is None:
            return
        until = finished or self._store.now()
        for after, line in self._behaviours.of(scene).logs:
            if later(started, after) <= until:
                yield later(started, after), line


def _containers(pod: JsonObject) -> Iterator[tuple[JsonObject, JsonObject, bool]]:
    for part, statuses, init in (
        ("initContainers", "initContainerStatuses", True), ("containers", "containerStatuses", False),
    ):  # fmt: skip
        known = {text(status, "name"): status for status in objects(pod, "status", statuses)}
        for spec in objects(pod, "spec", part):
            if text(spec, "name") in known:
                yield spec, known[text(spec, "name")], init


def _run(status: JsonObject, previous: bool) -> JsonObject:
    """The run that is asked for: the present one, else the last; with `previous` the one before the present."""
    state = mapping(status, "state")
    present = mapping(state, "running") or mapping(state, "terminated")
    last = mapping(status, "lastState", "terminated")
    return last if previous or not present else present


def _restarts(status: JsonObject, previous: bool) -> int:
    return max(integer(status, "restartCount") - previous, 0)
