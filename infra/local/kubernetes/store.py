"""The objects of one cluster: one global resourceVersion, safe to use from several threads.

Stored objects are never mutated, only replaced: history and readers may keep them. What goes in or out is copied.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import TypedDict

from infra.local.kubernetes.defaults import apply_defaults
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, name_of, namespace_of, text
from infra.local.kubernetes.errors import AlreadyExists, NotFound
from infra.local.kubernetes.history import Change, History
from infra.local.kubernetes.metadata import (
    awaits_finalizers,
    carry_over,
    is_deleting,
    require_preconditions,
    stamp_new,
    timestamp,
)
from infra.local.kubernetes.names import generated_name
from infra.local.kubernetes.patch import merge_patch
from infra.local.kubernetes.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
    Registry,
    Resource,
    custom_key,
    custom_resources,
)
from infra.local.kubernetes.revision import Revision
from infra.local.kubernetes.selectors import Predicate, field_selector, label_selector
from infra.local.kubernetes.validation import require_valid

StorageKey = tuple[str, str]
_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Snapshot(TypedDict):
    """A store's whole state as plain, picklable data."""

    version: int
    objects: list[tuple[StorageKey, JsonObject]]


class Store:
    """The object store; every method holds `lock`, which callers may take to make several calls one step."""

    def __init__(self, now: Callable[[], datetime], git_version: str = "v1.34.0-eks-local") -> None:
        self.now = now
        self.git_version = git_version
        self.registry = Registry()
        self.lock = threading.RLock()
        self.history = History(self.lock)
        self._version = 0
        self._objects: dict[StorageKey, dict[tuple[str, str], JsonObject]] = {}

    @property
    def version(self) -> int:
        """The resourceVersion of the latest write."""
        return self._version

    def get(self, resource: Resource, name: str, namespace: str = "") -> JsonObject:
        """One object.

        Raises NotFound when it does not exist.
        """
        with self.lock:
            return deepcopy(self._require(resource, name, namespace))

    def find(self, resource: Resource, name: str, namespace: str = "") -> JsonObject | None:
        """One object, or None."""
        with self.lock:
            return deepcopy(self._kept(resource).get((namespace, name)))

    def select(self, resource: Resource, namespace: str = "", labels: str = "", fields: str = "") -> list[JsonObject]:
        """The objects of a namespace (all, when empty) that match the selectors, ordered by namespace and name.

        Raises BadRequest when a selector cannot be read.
        """
        matches = selection(namespace, labels, fields)
        with self.lock:
            return [deepcopy(kept) for _, kept in sorted(self._kept(resource).items()) if matches(kept)]

    def create(
        self, resource: Resource, document: JsonObject, dry_run: bool = False, created_at: datetime | None = None
    ) -> JsonObject:
        """Store a new object, created now unless said otherwise.

        Raises AlreadyExists, Invalid for its name or labels, and NotFound when its namespace does not exist.
        """
        with self.lock:
            created = deepcopy(document)
            revision = self._next_revision()
            ensure_mapping(created, "metadata")["name"] = generated_name(created, _suffix(revision.version))
            stamp_new(resource, created, created_at or revision.moment)
            self._require_free(resource, created)
            apply_defaults(resource, created, revision)
            return self._commit(resource, None, created, dry_run)

    def update(self, resource: Resource, document: JsonObject, dry_run: bool = False) -> JsonObject:
        """Replace an object, status included; without a difference nothing is written.

        Raises NotFound, Invalid, and Conflict when the document names another resourceVersion or uid.
        """
        with self.lock:
            current = self._require(resource, name_of(document), namespace_of(document))
            incoming = deepcopy(document)
            metadata = mapping(incoming, "metadata")
            require_preconditions(resource, current, text(metadata, "uid"), text(metadata, "resourceVersion"))
            carry_over(resource, current, incoming)
            require_valid(resource, incoming)
            apply_defaults(resource, incoming, self._next_revision())
            if incoming == current:
                return incoming
            if is_deleting(incoming) and not awaits_finalizers(incoming):
                return self._remove(resource, current, dry_run)
            return self._commit(resource, current, incoming, dry_run)

    def upsert(self, resource: Resource, document: JsonObject, created_at: datetime | None = None) -> JsonObject:
        """Create an object, or merge the document into the existing one (mappings merge, lists are replaced).

        Raises what `create` and `update` raise.
        """
        with self.lock:
            current = self.find(resource, name_of(document), namespace_of(document))
            if current is None:
                return self.create(resource, document, created_at=created_at)
            return self.update(resource, merge_patch(current, document))

    def modify(
        self, resource: Resource, name: str, change: Callable[[JsonObject], None], namespace: str = ""
    ) -> JsonObject:
        """Change an object in place, as one step.

        Raises what `get` and `update` raise.
        """
        with self.lock:
            document = self.get(resource, name, namespace)
            change(document)
            return self.update(resource, document)

    def set_status(self, resource: Resource, name: str, status: JsonObject, namespace: str = "") -> JsonObject:
        """Replace an object's status.

        Raises NotFound when it does not exist.
        """
        return self.modify(resource, name, lambda document: document.update(status=status), namespace)

    def delete(
        self, resource: Resource, name: str, namespace: str = "", *, uid: str = "", version: str = "",
        dry_run: bool = False,
    ) -> JsonObject:  # fmt: skip
        """Delete an object, or mark it as deleting while finalizers hold it; returns its last state.

        Raises NotFound, and Conflict when `uid` or `version` is given and is another.
        """
        with self.lock:
            current = self._require(resource, name, namespace)
            require_preconditions(resource, current, uid, version)
            if not awaits_finalizers(current):
                return self._remove(resource, current, dry_run)
            if is_deleting(current):
                return deepcopy(current)
            marked = deepcopy(current)
            ensure_mapping(marked, "metadata")["deletionTimestamp"] = timestamp(self.now())
            return self._commit(resource, current, marked, dry_run)

    def snapshot(self) -> Snapshot:
        """Everything stored, as plain data."""
        with self.lock:
            kept = [(key, deepcopy(o)) for key, objects in self._objects.items() for o in objects.values()]
            return Snapshot(version=self._version, objects=kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot; the resourceVersion goes on counting, so watchers are told to list again."""
        with self.lock:
            for key in [resource.key for resource in self.registry if resource.custom]:
                self.registry.replace_custom(key, [])
            self._objects = {}
            for key, document in deepcopy(snapshot["objects"]):
                self._objects.setdefault(key, {})[_identity(document)] = document
                if key == CUSTOM_RESOURCE_DEFINITIONS.key:
                    self.registry.replace_custom(custom_key(document), custom_resources(document))
            self._version = max(self._version, snapshot["version"]) + 1
            self.history.forget_until(self._version)

    def _kept(self, resource: Resource) -> dict[tuple[str, str], JsonObject]:
        return self._objects.get(resource.key, {})

    def _require(self, resource: Resource, name: str, namespace: str) -> JsonObject:
        found = self._kept(resource).get((namespace, name))
        if found is None:
            raise NotFound(resource.plural, name, resource.group)
        return found

    def _require_free(self, resource: Resource, document: JsonObject) -> None:
        require_valid(resource, document)
        namespace, name = _identity(document)
        if resource.namespaced:
            self._require(NAMESPACES, namespace, "")
        if (namespace, name) in self._kept(resource):
            raise AlreadyExists(resource.plural, name, resource.group)

    def _next_revision(self) -> Revision:
        return Revision(self._version + 1, self.now())

    def _commit(self, resource: Resource, before: JsonObject | None, after: JsonObject, dry_run: bool) -> JsonObject:
        if dry_run:
            return after
        self._version += 1
        ensure_mapping(after, "metadata")["resourceVersion"] = str(self._version)
        self._objects.setdefault(resource.key, {})[_identity(after)] = after
        if resource.key == CUSTOM_RESOURCE_DEFINITIONS.key:
            self.registry.replace_custom(custom_key(after), custom_resources(after))
        self.history.record(Change(self._version, resource.key, before, after))
        return deepcopy(after)

    def _remove(self, resource: Resource, current: JsonObject, dry_run: bool) -> JsonObject:
        last = deepcopy(current)
        if dry_run:
            return last
        self._remove_contents(resource, current)
        self._version += 1
        ensure_mapping(last, "metadata")["resourceVersion"] = str(self._version)
        del self._objects[resource.key][_identity(current)]
        self.history.record(Change(self._version, resource.key, last, None))
        return deepcopy(last)

    def _remove_contents(self, resource: Resource, current: JsonObject) -> None:
        if resource.key == CUSTOM_RESOURCE_DEFINITIONS.key:
            key = custom_key(current)
            self._remove_all(lambda kept_key, _: kept_key == key)
            self.registry.replace_custom(key, [])
        if resource.key == NAMESPACES.key:
            name = name_of(current)
            self._remove_all(lambda _, kept: namespace_of(kept) == name)

    def _remove_all(self, doomed: Callable[[StorageKey, JsonObject], bool]) -> None:
        found = [(key, kept) for key, objects in self._objects.items() for kept in objects.values()]
        for key, kept in found:
            resource = self.registry.of_key(key)
            if resource is not None and doomed(key, kept):
                self._remove(resource, kept, dry_run=False)


def selection(namespace: str = "", labels: str = "", fields: str = "") -> Predicate:
    """A predicate for the objects of a namespace (all, when empty) that match both selectors.

    Raises BadRequest when a selector cannot be read.
    """
    by_label, by_field = label_selector(labels), field_selector(fields)
    return lambda kept: (not namespace or namespace_of(kept) == namespace) and by_label(kept) and by_field(kept)


def _identity(document: JsonObject) -> tuple[str, str]:
    return namespace_of(document), name_of(document)


def _suffix(version: int) -> str:
    letters = []
    for _ in range(5):
        version, index = divmod(version * 7919 + 17, len(_SUFFIX_ALPHABET))
        letters.append(_SUFFIX_ALPHABET[index])
    return "".join(letters)
