"""The metadata the server owns: identity, versions, generations and preconditions."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, integer, mapping, name_of, strings, text
from infra.local.kubernetes.errors import Conflict
from infra.local.kubernetes.resources import Resource

_SERVER_OWNED = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")
_NOT_DESIRED_STATE = ("apiVersion", "kind", "metadata", "status")


def timestamp(moment: datetime) -> str:
    """A moment as Kubernetes writes it: UTC, whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_timestamp(written: str) -> datetime:
    """The moment a Kubernetes timestamp names."""
    return datetime.fromisoformat(written)


def stamp_new(resource: Resource, document: JsonObject, moment: datetime) -> None:
    """Give a new object its identity, dropping what a client may not choose."""
    document.setdefault("apiVersion", resource.api_version)
    document.setdefault("kind", resource.kind)
    metadata = ensure_mapping(document, "metadata")
    for key in (*_SERVER_OWNED, "resourceVersion", "selfLink"):
        metadata.pop(key, None)
    if not resource.namespaced:
        metadata.pop("namespace", None)
    metadata["uid"] = str(uuid.uuid4())
    metadata["creationTimestamp"] = timestamp(moment)
    if resource.counts_generations:
        metadata["generation"] = 1


def carry_over(resource: Resource, current: JsonObject, incoming: JsonObject) -> None:
    """Keep what the server owns across an update; a changed desired state counts a generation up."""
    before, after = mapping(current, "metadata"), ensure_mapping(incoming, "metadata")
    for key in (*_SERVER_OWNED, "resourceVersion", "namespace"):
        after.pop(key, None)
        if key in before:
            after[key] = before[key]
    if resource.counts_generations and _desired_state(current) != _desired_state(incoming):
        after["generation"] = integer(before, "generation") + 1


def require_preconditions(resource: Resource, current: JsonObject, uid: str, version: str) -> None:
    """Check the uid and resourceVersion a client expects; an empty one is not checked.

    Raises Conflict when the object is another or has moved on.
    """
    actual_uid = text(current, "metadata", "uid")
    if uid and uid != actual_uid:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {actual_uid}"
        raise Conflict(resource.plural, name_of(current), resource.group, why)
    if version and version != text(current, "metadata", "resourceVersion"):
        raise Conflict(resource.plural, name_of(current), resource.group)


def awaits_finalizers(document: JsonObject) -> bool:
    """Whether a finalizer still holds the object."""
    return bool(strings(document, "metadata", "finalizers"))


def is_deleting(document: JsonObject) -> bool:
    """Whether deletion was asked for and the object waits for its finalizers."""
    return bool(text(document, "metadata", "deletionTimestamp"))


def mark_deleting(resource: Resource, document: JsonObject, moment: datetime, grace: int) -> None:
    """Note in an object, in place, that deletion was asked for; it may wait `grace` seconds."""
    metadata = ensure_mapping(document, "metadata")
    metadata["deletionTimestamp"] = timestamp(moment + timedelta(seconds=grace))
    metadata["deletionGracePeriodSeconds"] = grace
    if resource.counts_generations:
        metadata["generation"] = integer(metadata, "generation") + 1


def is_stopping(document: JsonObject) -> bool:
    """Whether a deleted object still has time to stop."""
    return integer(document, "metadata", "deletionGracePeriodSeconds") > 0


def _desired_state(document: JsonObject) -> JsonObject:
    return {key: value for key, value in document.items() if key not in _NOT_DESIRED_STATE}
