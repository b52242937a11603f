"""The objects of one resource, in the order lists show them, and the index of who owns whom."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import TypeAlias

from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, objects, text

StorageKey: TypeAlias = tuple[str, str]
Identity: TypeAlias = tuple[str, str]
Location: TypeAlias = tuple[StorageKey, Identity]
_AFTER_ALL = "\U0010ffff"


def identity_of(document: JsonObject) -> Identity:
    """Namespace and name."""
    return namespace_of(document), name_of(document)


class Collection:
    """Objects by namespace and name; a page of them costs its own length, not the collection's."""

    def __init__(self) -> None:
        self._kept: dict[Identity, JsonObject] = {}
        self._order: list[Identity] = []

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, identity: Identity) -> JsonObject | None:
        """The object of that identity, or None."""
        return self._kept.get(identity)

    def put(self, document: JsonObject) -> None:
        """Keep an object in place of the former one of its identity."""
        identity = identity_of(document)
        if identity not in self._kept:
            insort(self._order, identity)
        self._kept[identity] = document

    def drop(self, identity: Identity) -> None:
        """Forget an object."""
        del self._kept[identity]
        del self._order[bisect_left(self._order, identity)]

    def count_after(self, namespace: str, after: Identity | None) -> int:
        """How many objects of a namespace (all, when empty) come after an identity."""
        first, last = self._bounds(namespace, after)
        return max(last - first, 0)

    def scan(self, namespace: str = "", after: Identity | None = None) -> Iterator[JsonObject]:
        """The objects of a namespace (all, when empty) in order, those after an identity only."""
        first, last = self._bounds(namespace, after)
        for identity in self._order[first:last]:
            yield self._kept[identity]

    def _bounds(self, namespace: str, after: Identity | None) -> tuple[int, int]:
        first, last = 0, len(self._order)
        if namespace:
            first = bisect_left(self._order, (namespace, ""))
            last = bisect_right(self._order, (namespace, _AFTER_ALL))
        return (first if after is None else max(first, bisect_right(self._order, after))), last


class OwnerIndex:
    """Where objects are by uid, and which objects name which uid as their owner."""

    def __init__(self) -> None:
        self._places: dict[str, Location] = {}
        self._dependents: dict[str, set[Location]] = {}

    def add(self, key: StorageKey, document: JsonObject) -> None:
        """Take in an object."""
        place = (key, identity_of(document))
        self._places[text(document, "metadata", "uid")] = place
        for owner in owner_uids(document):
            self._dependents.setdefault(owner, set()).add(place)

    def remove(self, key: StorageKey, document: JsonObject) -> None:
        """Take out an object."""
        place = (key, identity_of(document))
        self._places.pop(text(document, "metadata", "uid"), None)
        for owner in owner_uids(document):
            found = self._dependents.get(owner, set())
            found.discard(place)
            if not found:
                self._dependents.pop(owner, None)

    def place(self, uid: str) -> Location | None:
        """Where the object of a uid is kept, None when there is none."""
        return self._places.get(uid)

    def dependents(self, uid: str) -> list[Location]:
        """The objects that name this uid as an owner, in order."""
        return sorted(self._dependents.get(uid, ()))


def owner_uids(document: JsonObject) -> list[str]:
    """The uids of an object's owners."""
    return [text(reference, "uid") for reference in objects(document, "metadata", "ownerReferences")]
