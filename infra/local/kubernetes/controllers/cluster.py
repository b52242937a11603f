"""What the controllers see of a cluster: its objects indexed and without copies, kept in step with the store.

Objects read here are shared with the store and must never be changed in place. Writes go through here too, so that
the view is always what the store holds; call it under the store's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar

from infra.local.kubernetes.controllers.behaviours import Behaviours
from infra.local.kubernetes.controllers.index import Index, StorageKey
from infra.local.kubernetes.controllers.times import whole
from infra.local.kubernetes.deletion import DeleteOptions
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, text
from infra.local.kubernetes.errors import Expired, StatusError
from infra.local.kubernetes.events import record_event
from infra.local.kubernetes.history import Change
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import EVENTS, Resource
from infra.local.kubernetes.store import Store

Key = tuple[str, str]
"""An object's namespace and name."""
MountProblem = Callable[[JsonObject, JsonObject], str]
"""Why a pod cannot mount a persistent volume, empty when it can."""
_Written = TypeVar("_Written")


def no_mount_problem(pod: JsonObject, volume: JsonObject) -> str:
    """Every volume whose driver runs can be mounted."""
    return ""


class Cluster:
    """The controllers' view of one store."""

    def __init__(self, store: Store, behaviours: Behaviours) -> None:
        self.store = store
        self.behaviours = behaviours
        self.mount_problem: MountProblem = no_mount_problem
        self.index = Index()
        self._synced = -1
        self._fresh: list[Change] = []

    @property
    def now(self) -> datetime:
        """The present moment, in whole seconds as everything that is written."""
        return whole(self.store.now())

    @property
    def in_step(self) -> bool:
        """Whether the store holds nothing that this view has not seen."""
        return self._synced == self.store.version

    # -- reading

    def get(self, resource: Resource, name: str, namespace: str = "") -> JsonObject | None:
        """One object, or None."""
        return self.index.get(resource.key, namespace, name)

    def all(self, resource: Resource, namespace: str = "") -> list[JsonObject]:
        """The objects of a namespace (all, when empty), ordered by namespace and name."""
        return self.index.all(resource.key, namespace)

    def owned(self, resource: Resource, owner: JsonObject) -> list[JsonObject]:
        """The objects that an object controls, ordered by name."""
        return self.index.owned(resource.key, text(owner, "metadata", "uid"))

    def pods_on(self, node: str) -> list[JsonObject]:
        """The pods bound to a node, ordered by namespace and name."""
        return self.index.pods_on(node)

    # -- writing

    def create(self, resource: Resource, document: JsonObject) -> JsonObject:
        """Create an object; raises what the store raises."""
        created = self._in_step(partial(self.store.create, resource, document))
        self._see(Change(_version(created), resource.key, None, created))
        return created

    def update(self, resource: Resource, document: JsonObject) -> JsonObject:
        """Replace an object that may have been read from this view; without a difference nothing is written."""
        before = self.get(resource, name_of(document), namespace_of(document))
        if before == document:
            return document
        written = self._in_step(partial(self.store.update, resource, document))
        if _version(written) > _version(before or {}):
            gone = is_deleting(written) and self.store.find(resource, name_of(document), namespace_of(document)) is None
            self._see(Change(_version(written), resource.key, before, None if gone else written))
        return written

    def set_status(self, resource: Resource, document: JsonObject, status: JsonObject) -> JsonObject:
        """Replace an object's status; without a difference nothing is written."""
        if mapping(document, "status") == status:
            return document
        return self.update(resource, {**document, "status": status})

    def delete(self, resource: Resource, document: JsonObject, grace: int = 0) -> None:
        """Delete an object, or with `grace` seconds let it end by then; finalizers hold it either way."""
        name, namespace = name_of(document), namespace_of(document)
        before = self.get(resource, name, namespace)
        if before is None:
            return
        last = self._in_step(partial(self.store.delete, resource, name, namespace, DeleteOptions(grace=grace)))
        kept = self.store.find(resource, name, namespace)
        self._see(Change(_version(last), resource.key, before, kept))

    def event(
        self, about: JsonObject, reason: str, message: str, component: str, kind: str = "Normal", again: bool = False
    ) -> None:  # fmt: skip
        """Record an event about an object, unless its namespace is gone; `again` counts a repetition."""
        with suppress(StatusError):
            self._in_step(partial(record_event, self.store, about, reason, message, component, kind, again=again))

    # -- following the store

    def follow(self) -> list[Change]:
        """Take in what others wrote; returns every change, own ones included, since the last call."""
        if not self.in_step:
            try:
                self._take_in(self.store.history.after(self._synced, 0) if self._synced >= 0 else None)
            except Expired:
                self._take_in(None)
        fresh, self._fresh = self._fresh, []
        return fresh

    def _take_in(self, changes: Iterable[Change] | None) -> None:
        if changes is None:
            self._read_everything()
        for change in changes or ():
            if change.key != EVENTS.key and not self.index.knows(change):
                self._see(change)
        self._synced = self.store.version

    def _read_everything(self) -> None:
        known, self.index = self.index, Index()
        self._fresh = []
        for resource in {resource.key: resource for resource in self.store.registry}.values():
            if resource.key == EVENTS.key:
                continue
            for document in self.store.select(resource):
                self._see(Change(_version(document), resource.key, None, document))
        lost = known.missing_from(self.index)
        self._fresh.extend(Change(self.store.version, key, document, None) for key, document in lost)

    def _see(self, change: Change) -> None:
        self.index.apply(change)
        self._fresh.append(change)

    def _in_step(self, write: Callable[[], _Written]) -> _Written:
        """Write, and stay in step when that one write is all that happened: a deletion may take others along."""
        before = self.store.version
        followed = self._synced == before
        written = write()
        if followed and self.store.version <= before + 1:
            self._synced = self.store.version
        return written


def key_of(document: JsonObject) -> Key:
    """An object's namespace and name."""
    return namespace_of(document), name_of(document)


def pod_keys(pods: Iterable[JsonObject]) -> list[Key]:
    """The keys of several objects."""
    return [key_of(pod) for pod in pods]


def _version(document: JsonObject) -> int:
    return int(text(document, "metadata", "resourceVersion") or 0)


__all__ = ["Change", "Cluster", "Key", "MountProblem", "StorageKey", "key_of", "no_mount_problem", "pod_keys"]
