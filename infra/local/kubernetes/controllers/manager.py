"""Runs a cluster's controllers to a fixed point: keys wait until something they watch changes or their time comes."""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes.controllers.cluster import Change, Cluster, Key, StorageKey, key_of
from infra.local.kubernetes.controllers.index import controller_uid
from infra.local.kubernetes.controllers.times import later
from infra.local.kubernetes.documents import objects, text
from infra.local.kubernetes.errors import StatusError
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.store import Store

logger = logging.getLogger(__name__)
MAX_ROUNDS = 500
"""More rounds than any cluster needs: two controllers that undo each other would never end."""
RETRY_SECONDS = 10
"""When a controller tries again what the API refused."""

Watch = Callable[[Cluster, Change], Iterable[Key]]
"""Which keys a controller has to look at again after a change."""


@dataclass(frozen=True)
class Controller:
    """One controller: what it watches, and how it brings one key to where it should be.

    `reconcile` returns the next moment at which the key needs it again though nothing changes, or None.
    """

    name: str
    watches: Mapping[StorageKey, Watch]
    reconcile: Callable[[Cluster, Key], datetime | None]


class Manager:
    """The controllers of one cluster, and what waits for each of them."""

    def __init__(
        self,
        cluster: Cluster,
        controllers: Iterable[Controller],
        sweeps: Iterable[Callable[[Store], None]] = (),
    ) -> None:
        self.cluster = cluster
        self._controllers = tuple(controllers)
        self._sweeps = tuple(sweeps)
        self._swept = -1
        self._waiting: list[set[Key]] = [set() for _ in self._controllers]
        self._due: dict[tuple[int, Key], datetime] = {}
        self._timeline: list[tuple[datetime, int, Key]] = []

    def settle(self) -> None:
        """Let every controller do what changes and time ask for; cheap when nothing does."""
        with self.cluster.store.lock:
            self._come_due()
            if self.cluster.in_step and self._swept == self.cluster.store.version and not any(self._waiting):
                return
            for _ in range(MAX_ROUNDS):
                if not self._round():
                    return
            logger.error("the controllers do not settle: %s", self._unsettled())

    def deadlines(self) -> list[datetime]:
        """The moments at which a controller has something to do; only the first of them counts."""
        while self._timeline and self._due.get(self._timeline[0][1:]) != self._timeline[0][0]:
            heapq.heappop(self._timeline)
        return [self._timeline[0][0]] if self._timeline else []

    def _round(self) -> bool:
        self._sweep()
        self._dispatch()
        worked = False
        for number, controller in enumerate(self._controllers):
            keys, self._waiting[number] = self._waiting[number], set()
            for key in sorted(keys):
                self._schedule(number, key, self._reconcile(controller, key))
            if keys:
                worked = True
                self._dispatch()
        return worked or self._swept != self.cluster.store.version

    def _reconcile(self, controller: Controller, key: Key) -> datetime | None:
        try:
            return controller.reconcile(self.cluster, key)
        except StatusError as error:
            logger.info("%s tries %s again later: %s", controller.name, key, error)
            return later(self.cluster.now, RETRY_SECONDS)

    def _sweep(self) -> None:
        if self._swept != self.cluster.store.version:
            for sweep in self._sweeps:
                sweep(self.cluster.store)
            self._swept = self.cluster.store.version

    def _dispatch(self) -> None:
        for change in self.cluster.follow():
            for number, controller in enumerate(self._controllers):
                if watch := controller.watches.get(change.key):
                    self._waiting[number].update(watch(self.cluster, change))

    def _schedule(self, number: int, key: Key, moment: datetime | None) -> None:
        if moment is None:
            self._due.pop((number, key), None)
        elif self._due.get((number, key)) != moment:
            self._due[number, key] = moment
            heapq.heappush(self._timeline, (moment, number, key))

    def _come_due(self) -> None:
        now = self.cluster.store.now()
        while self._timeline and self._timeline[0][0] <= now:
            moment, number, key = heapq.heappop(self._timeline)
            if self._due.get((number, key)) == moment:
                del self._due[number, key]
                self._waiting[number].add(key)

    def _unsettled(self) -> dict[str, list[Key]]:
        pairs = zip(self._controllers, self._waiting, strict=True)
        return {controller.name: sorted(keys)[:3] for controller, keys in pairs if keys}


def itself(cluster: Cluster, change: Change) -> list[Key]:
    """Watch the objects a controller is about."""
    return [key_of(change.after or change.before or {})]


def owner_of_kind(kind: str) -> Watch:
    """Watch what objects of a kind control; the change of another's object is passed over."""

    def owners(cluster: Cluster, change: Change) -> list[Key]:
        found = []
        for document in (change.before, change.after):
            if document is None or not controller_uid(document):
                continue
            references = objects(document, "metadata", "ownerReferences")
            names = {text(r, "name") for r in references if r.get("controller") and text(r, "kind") == kind}
            found += [(key_of(document)[0], name) for name in sorted(names)]
        return found

    return owners


def every(resource: Resource) -> Watch:
    """Watch something that concerns all objects of a resource."""
    return lambda cluster, change: [key_of(document) for document in cluster.all(resource)]


def every_in_namespace(resource: Resource) -> Watch:
    """Watch something that concerns all objects of a resource in its namespace."""
    return lambda cluster, change: [
        key_of(document) for document in cluster.all(resource, key_of(change.after or change.before or {})[0])
    ]
