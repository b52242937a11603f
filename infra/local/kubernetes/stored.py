"""Reading the objects of one cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from infra.local.kubernetes.collection import Collection, Identity, OwnerIndex, StorageKey
from infra.local.kubernetes.documents import JsonObject, copy_of, namespace_of
from infra.local.kubernetes.errors import NotFound
from infra.local.kubernetes.resources import Registry, Resource
from infra.local.kubernetes.selectors import Predicate, field_selector, label_selector


class StoredObjects:
    """Objects by resource, namespace and name, the resources that are served, and who owns whom."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.lock = threading.RLock()
        self.kept: dict[StorageKey, Collection] = {}
        self.owners = OwnerIndex()

    def get(self, resource: Resource, name: str, namespace: str = "") -> JsonObject:
        """One object.

        Raises NotFound when it does not exist.
        """
        with self.lock:
            return copy_of(self.require(resource, name, namespace))

    def find(self, resource: Resource, name: str, namespace: str = "") -> JsonObject | None:
        """One object, or None."""
        with self.lock:
            found = self.collection(resource).get((namespace, name))
            return None if found is None else copy_of(found)

    def select(self, resource: Resource, namespace: str = "", labels: str = "", fields: str = "") -> list[JsonObject]:
        """The objects of a namespace (all, when empty) that match the selectors, ordered by namespace and name.

        Raises BadRequest when a selector cannot be read.
        """
        matches = selection(namespace, labels, fields)
        with self.lock:
            return [copy_of(kept) for kept in self.collection(resource).scan(namespace) if matches(kept)]

    def scan(
        self, resource: Resource, namespace: str = "", after: Identity | None = None
    ) -> Iterator[JsonObject]:  # fmt: skip
        """The stored objects of a namespace (all, when empty) in order, uncopied: hold `lock`, and only read them."""
        return self.collection(resource).scan(namespace, after)

    def count_after(self, resource: Resource, namespace: str, after: Identity | None) -> int:
        """How many objects of a namespace (all, when empty) come after an identity."""
        return self.collection(resource).count_after(namespace, after)

    def stored_keys(self) -> list[StorageKey]:
        """What objects are stored under now."""
        return sorted(self.kept)

    def collection(self, resource: Resource) -> Collection:
        """The objects of a resource as they are stored."""
        return self.kept.get(resource.key) or Collection()

    def require(self, resource: Resource, name: str, namespace: str) -> JsonObject:
        """One object as it is stored.

        Raises NotFound when it does not exist.
        """
        found = self.collection(resource).get((namespace, name))
        if found is None:
            raise NotFound(resource.plural, name, resource.group)
        return found


def selection(namespace: str = "", labels: str = "", fields: str = "") -> Predicate:
    """A predicate for the objects of a namespace (all, when empty) that match both selectors.

    Raises BadRequest when a selector cannot be read.
    """
    by_label, by_field = label_selector(labels), field_selector(fields)
    return lambda kept: (not namespace or namespace_of(kept) == namespace) and by_label(kept) and by_field(kept)
