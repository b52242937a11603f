"""What a deletion takes with it: dependents, a namespace's contents, a definition's objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.local.kubernetes.collection import Location, owner_uids
from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    integer,
    name_of,
    namespace_of,
    objects,
    strings,
    text,
)
from infra.local.kubernetes.metadata import FOREGROUND, ORPHAN, is_deleting
from infra.local.kubernetes.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, Resource, custom_key

if TYPE_CHECKING:
    from infra.local.kubernetes.store import Store

HOLDERS = (NAMESPACES.key, CUSTOM_RESOURCE_DEFINITIONS.key)
"""Resources whose objects hold others, and stay until those are gone."""
POLICY_FINALIZERS = {"Foreground": FOREGROUND, "Orphan": ORPHAN}


@dataclass(frozen=True)
class DeleteOptions:
    """How an object is deleted: `uid` and `version` refuse another object or another state of it, where given.

    `policy` is the propagation policy; `grace` seconds keep the object until it is deleted again without grace.
    """

    uid: str = ""
    version: str = ""
    dry_run: bool = False
    policy: str = "Background"
    grace: int = 0


AT_ONCE = DeleteOptions()


def empty_holder(store: Store, resource: Resource, holder: JsonObject) -> None:
    """Delete everything a namespace or definition holds; what waits for finalizers stays."""
    for inside, document in list(_held(store, resource, holder)):
        if store.find(inside, name_of(document), namespace_of(document)) is not None:
            store.delete(inside, name_of(document), namespace_of(document))


def holds_anything(store: Store, resource: Resource, holder: JsonObject) -> bool:
    """Whether a namespace or definition still holds an object."""
    return next(_held(store, resource, holder), None) is not None


def _held(store: Store, resource: Resource, holder: JsonObject) -> Iterator[tuple[Resource, JsonObject]]:
    if resource.key == CUSTOM_RESOURCE_DEFINITIONS.key:
        inside = store.registry.of_key(custom_key(holder))
        if inside is not None:
            yield from ((inside, document) for document in store.scan(inside))
        return
    for key in store.stored_keys():
        inside = store.registry.of_key(key)
        if inside is not None and inside.namespaced:
            yield from ((inside, document) for document in store.scan(inside, name_of(holder)))


def orphan_dependents(store: Store, owner: JsonObject) -> None:
    """Make every dependent forget an owner."""
    uid = text(owner, "metadata", "uid")
    for resource, document in located(store, store.owners.dependents(uid)):
        _forget(store, resource, document, uid)


def delete_dependents(store: Store, owner: JsonObject, policy: str) -> None:
    """Delete the dependents of an owner that is going; those with another living owner only forget this one."""
    uid = text(owner, "metadata", "uid")
    for resource, document in located(store, store.owners.dependents(uid)):
        others = [other for other in owner_uids(document) if other != uid and store.owners.place(other)]
        if others:
            _forget(store, resource, document, uid)
        elif not is_deleting(document):
            store.delete(resource, name_of(document), namespace_of(document), DeleteOptions(policy=policy))


def blocking_dependents(store: Store, owner: JsonObject) -> bool:
    """Whether a dependent that blocks its owner's deletion is left."""
    uid = text(owner, "metadata", "uid")
    return any(
        reference.get("uid") == uid and reference.get("blockOwnerDeletion") is True
        for _, document in located(store, store.owners.dependents(uid))
        for reference in objects(document, "metadata", "ownerReferences")
    )


def release_waiting(store: Store, gone: JsonObject) -> None:
    """Let go of what waited for this object to be gone: owners in foreground deletion, a namespace, a definition."""
    for uid in owner_uids(gone):
        place = store.owners.place(uid)
        for resource, owner in located(store, [place] if place else []):
            if FOREGROUND in strings(owner, "metadata", "finalizers") and not blocking_dependents(store, owner):
                store.modify(resource, name_of(owner), _without_finalizer(FOREGROUND), namespace_of(owner))
    for resource, holder in _holders(store, gone):
        if is_deleting(holder) and not holds_anything(store, resource, holder):
            store.remove_emptied(resource, holder)


def _holders(store: Store, gone: JsonObject) -> Iterator[tuple[Resource, JsonObject]]:
    namespace = store.find(NAMESPACES, namespace_of(gone)) if namespace_of(gone) else None
    if namespace is not None:
        yield NAMESPACES, namespace
    resource = store.registry.of_kind(text(gone, "apiVersion"), text(gone, "kind"))
    if resource is not None and resource.custom:
        definition = store.find(CUSTOM_RESOURCE_DEFINITIONS, f"{resource.plural}.{resource.group}")
        if definition is not None:
            yield CUSTOM_RESOURCE_DEFINITIONS, definition


def located(store: Store, places: list[Location]) -> Iterator[tuple[Resource, JsonObject]]:
    """The objects at places that still exist, with their resources."""
    for key, (namespace, name) in places:
        resource = store.registry.of_key(key)
        document = store.find(resource, name, namespace) if resource else None
        if resource is not None and document is not None:
            yield resource, document


def _forget(store: Store, resource: Resource, document: JsonObject, uid: str) -> None:
    def change(document: JsonObject) -> None:
        references = objects(document, "metadata", "ownerReferences")
        left = [reference for reference in references if reference.get("uid") != uid]
        metadata = ensure_mapping(document, "metadata")
        metadata.pop("ownerReferences", None)
        if left:
            metadata["ownerReferences"] = left

    store.modify(resource, name_of(document), change, namespace_of(document))


def _without_finalizer(finalizer: str) -> Callable[[JsonObject], None]:
    def change(document: JsonObject) -> None:
        left = [held for held in strings(document, "metadata", "finalizers") if held != finalizer]
        ensure_mapping(document, "metadata")["finalizers"] = left

    return change


def pod_grace(pod: JsonObject) -> int:
    """The seconds a pod may take to stop: none before it is on a node."""
    if not text(pod, "spec", "nodeName") or text(pod, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    written = pod.get("spec")
    seconds = integer(written, "terminationGracePeriodSeconds")
    return seconds if isinstance(written, dict) and "terminationGracePeriodSeconds" in written else seconds or 30
