"""The objects of one cluster: one global resourceVersion, safe to use from several threads.

Stored objects are never mutated, only replaced: history and readers may keep them. What goes in or out is copied,
except by `scan`, whose callers only read. Deletion cascades at once, in `deletion.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypedDict

from infra.local.kubernetes.collection import Collection, Identity, OwnerIndex, StorageKey, identity_of
from infra.local.kubernetes.defaults import apply_defaults
from infra.local.kubernetes.deletion import (
    AT_ONCE,
    HOLDERS,
    POLICY_FINALIZERS,
    DeleteOptions,
    blocking_dependents,
    delete_dependents,
    empty_holder,
    holds_anything,
    orphan_dependents,
    release_waiting,
)
from infra.local.kubernetes.documents import (
    JsonObject,
    copy_of,
    ensure_mapping,
    mapping,
    name_of,
    namespace_of,
    strings,
    text,
)
from infra.local.kubernetes.errors import AlreadyExists
from infra.local.kubernetes.history import Change, History
from infra.local.kubernetes.metadata import (
    awaits_finalizers,
    carry_over,
    is_deleting,
    is_stopping,
    mark_deleting,
    require_preconditions,
    stamp_new,
)
from infra.local.kubernetes.names import generated_name
from infra.local.kubernetes.patch import merge_patch
from infra.local.kubernetes.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
    Resource,
    custom_key,
    custom_resources,
)
from infra.local.kubernetes.revision import Revision
from infra.local.kubernetes.stored import StoredObjects
from infra.local.kubernetes.validation import require_valid

_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Snapshot(TypedDict):
    """A store's whole state as plain, picklable data."""

    version: int
    objects: list[tuple[StorageKey, JsonObject]]


class Store(StoredObjects):
    """The object store; every method holds `lock`, which callers may take to make several calls one step."""

    def __init__(self, now: Callable[[], datetime], git_version: str = "v1.34.0-eks-local") -> None:
        self.now = now
        self.git_version = git_version
        super().__init__()
        self.history = History(self.lock)
        self._version = 0
        self._emptying: set[tuple[StorageKey, Identity]] = set()

    @property
    def version(self) -> int:
        """The resourceVersion of the latest write."""
        return self._version

    def create(
        self, resource: Resource, document: JsonObject, dry_run: bool = False, created_at: datetime | None = None
    ) -> JsonObject:
        """Store a new object, created now unless said otherwise.

        Raises AlreadyExists, Invalid for its name or labels, and NotFound when its namespace does not exist.
        """
        with self.lock:
            created = copy_of(document)
            revision = self.next_revision()
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
            current = self.require(resource, name_of(document), namespace_of(document))
            incoming = copy_of(document)
            metadata = mapping(incoming, "metadata")
            require_preconditions(resource, current, text(metadata, "uid"), text(metadata, "resourceVersion"))
            carry_over(resource, current, incoming)
            require_valid(resource, incoming)
            apply_defaults(resource, incoming, self.next_revision())
            if incoming == current:
                return incoming
            if self._is_let_go(resource, incoming):
                return incoming if dry_run else self._remove(resource, current)
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
        self, resource: Resource, name: str, namespace: str = "", options: DeleteOptions = AT_ONCE
    ) -> JsonObject:
        """Delete an object with its dependents, or mark it as deleting while something holds it; gives its last state.

        Raises NotFound, and Conflict when the options name another object or another state of it.
        """
        with self.lock:
            current = self.require(resource, name, namespace)
            require_preconditions(resource, current, options.uid, options.version)
            if options.dry_run:
                return copy_of(current)
            if options.policy == "Orphan":
                orphan_dependents(self, current)
                current = self.require(resource, name, namespace)
            return self._delete(resource, current, options.policy, options.grace)

    def empty_holders(self) -> None:
        """Empty again what is being deleted with its contents, and remove what has become empty."""
        with self.lock:
            for key, identity in sorted(self._emptying):
                resource, found = self.registry.of_key(key), self.kept[key].get(identity)
                if resource is None or found is None:
                    continue
                empty_holder(self, resource, found)
                if not awaits_finalizers(found) and not holds_anything(self, resource, found):
                    self.remove_emptied(resource, found)

    def remove_emptied(self, resource: Resource, holder: JsonObject) -> None:
        """Remove a deleted namespace or definition that holds nothing any more, unless finalizers hold it."""
        with self.lock:
            current = self.collection(resource).get(identity_of(holder))
            if current is not None and not awaits_finalizers(current):
                self._remove(resource, current)

    def snapshot(self) -> Snapshot:
        """Everything stored, as plain data."""
        with self.lock:
            kept = [(key, copy_of(document)) for key, found in self.kept.items() for document in found.scan()]
            return Snapshot(version=self._version, objects=kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot; the resourceVersion goes on counting, so watchers are told to list again."""
        with self.lock:
            for key in [resource.key for resource in self.registry if resource.custom]:
                self.registry.replace_custom(key, [])
            self.kept, self.owners, self._emptying = {}, OwnerIndex(), set()
            for key, document in snapshot["objects"]:
                self._keep(key, None, copy_of(document))
            self._version = max(self._version, snapshot["version"]) + 1
            self.history.forget_until(self._version)

    def _is_let_go(self, resource: Resource, document: JsonObject) -> bool:
        if not is_deleting(document) or awaits_finalizers(document) or is_stopping(document):
            return False
        return resource.key not in HOLDERS or not holds_anything(self, resource, document)

    def _require_free(self, resource: Resource, document: JsonObject) -> None:
        require_valid(resource, document)
        namespace, name = identity_of(document)
        if resource.namespaced:
            self.require(NAMESPACES, namespace, "")
        if self.collection(resource).get((namespace, name)) is not None:
            raise AlreadyExists(resource.plural, name, resource.group)

    def next_revision(self) -> Revision:
        """The point at which the next write happens."""
        return Revision(self._version + 1, self.now())

    def _commit(self, resource: Resource, before: JsonObject | None, after: JsonObject, dry_run: bool) -> JsonObject:
        if dry_run:
            return after
        self._version += 1
        ensure_mapping(after, "metadata")["resourceVersion"] = str(self._version)
        self._keep(resource.key, before, after)
        self.history.record(Change(self._version, resource.key, before, after))
        return copy_of(after)

    def _keep(self, key: StorageKey, before: JsonObject | None, after: JsonObject) -> None:
        if before is not None:
            self.owners.remove(key, before)
        self.owners.add(key, after)
        self.kept.setdefault(key, Collection()).put(after)
        if is_deleting(after) and key in HOLDERS:
            self._emptying.add((key, identity_of(after)))
        if key == CUSTOM_RESOURCE_DEFINITIONS.key:
            self.registry.replace_custom(custom_key(after), custom_resources(after))

    def _delete(self, resource: Resource, current: JsonObject, policy: str, grace: int) -> JsonObject:
        holds = resource.key in HOLDERS
        if policy == "Foreground" and blocking_dependents(self, current):
            current = self._mark(resource, current, grace, POLICY_FINALIZERS[policy])
            delete_dependents(self, current, policy)
        elif _is_news(current, grace, holds):
            current = self._mark(resource, current, grace)
        if holds:
            empty_holder(self, resource, current)
        kept = self.collection(resource).get(identity_of(current))
        if kept is None:
            return copy_of(current)
        stays = awaits_finalizers(kept) or grace > 0 or (holds and holds_anything(self, resource, kept))
        return copy_of(kept) if stays else self._remove(resource, kept)

    def _mark(self, resource: Resource, current: JsonObject, grace: int, finalizer: str = "") -> JsonObject:
        marked = copy_of(current)
        if finalizer and finalizer not in strings(marked, "metadata", "finalizers"):
            ensure_mapping(marked, "metadata")["finalizers"] = [*strings(marked, "metadata", "finalizers"), finalizer]
        if not is_deleting(marked) or is_stopping(marked):
            mark_deleting(resource, marked, self.now(), grace)
        if resource.key == NAMESPACES.key:
            ensure_mapping(marked, "status")["phase"] = "Terminating"
        return self._commit(resource, current, marked, dry_run=False)

    def _remove(self, resource: Resource, current: JsonObject) -> JsonObject:
        last = copy_of(current)
        self._version += 1
        ensure_mapping(last, "metadata")["resourceVersion"] = str(self._version)
        self.kept[resource.key].drop(identity_of(current))
        self._emptying.discard((resource.key, identity_of(current)))
        self.owners.remove(resource.key, current)
        if resource.key == CUSTOM_RESOURCE_DEFINITIONS.key:
            self.registry.replace_custom(custom_key(current), [])
        self.history.record(Change(self._version, resource.key, last, None))
        delete_dependents(self, last, "Background")
        release_waiting(self, last)
        return copy_of(last)


def _is_news(document: JsonObject, grace: int, holds: bool) -> bool:
    """Whether a deletion is to be noted: the first one that something holds up, and one that ends a grace period."""
    if is_deleting(document):
        return is_stopping(document) and not grace and awaits_finalizers(document)
    return awaits_finalizers(document) or holds or grace > 0


def _suffix(version: int) -> str:
    letters = []
    for _ in range(5):
        version, index = divmod(version * 7919 + 17, len(_SUFFIX_ALPHABET))
        letters.append(_SUFFIX_ALPHABET[index])
    return "".join(letters)
