"""What pods have printed: worked out from when their containers ran, not kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes.controllers.behaviours import Behaviours, Scene
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, text
from infra.local.kubernetes.resources import NODES, PODS
from infra.local.kubernetes.store import Store


@dataclass(frozen=True)
class LogLine:
    """One line a container printed, and when."""

    at: datetime
    text: str

    def __str__(self) -> str:
        return self.text


class PodLogs(dict[tuple[str, ...], list[str | LogLine]]):
    """The lines of pods by namespace, pod and, where they differ, container.

    What the containers printed so far is worked out when it is asked for; lines put in here come after it.
    """

    def __init__(self, store: Store, behaviours: Behaviours) -> None:
        super().__init__()
        self._store = store
        self._behaviours = behaviours

    def get(self, key: tuple[str, ...], default: object = None) -> list[str | LogLine]:
        """The lines of a pod's containers, or of the one that the key names."""
        added = super().get(key, super().get(key[:2], []))
        return [*self.lines(key[0], key[1], "".join(key[2:])), *added]

    def lines(self, namespace: str, name: str, container: str = "", previous: bool = False) -> list[LogLine]:
        """What a pod's containers, or one of them, have printed so far, with the moments; `previous`: one run ago."""
        pod = self._store.find(PODS, name, namespace)
        if pod is None:
            return []
        node = self._store.find(NODES, text(pod, "spec", "nodeName")) or {}
        found: list[LogLine] = []
        for spec, status, init in _containers(pod):
            if not container or text(spec, "name") == container:
                found += self._printed(Scene(pod, spec, node, _restarts(status, previous), init), status, previous)
        return sorted(found, key=lambda line: line.at)

    def _printed(self, scene: Scene, status: JsonObject, previous: bool) -> Iterator[LogLine]:
        state = _run(status, previous)
        started, finished = moment_at(state, "startedAt"), moment_at(state, "finishedAt")
        if started is None:
            return
        until = finished or self._store.now()
        for after, line in self._behaviours.of(scene).logs:
            if later(started, after) <= until:
                yield LogLine(later(started, after), line)


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
