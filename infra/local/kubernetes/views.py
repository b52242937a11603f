"""Stored objects as a served version shows them.

All versions of a resource share their objects. The versions of a CRD differ in `apiVersion` only (no conversion
webhooks); the two Event groups also name some fields differently, and are stored in the core form.
"""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import EVENTS, Resource

_EVENT_FIELDS = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}


def to_wire(resource: Resource, stored: JsonObject) -> JsonObject:
    """A stored object in the form of a served version."""
    shown = _renamed(stored, _EVENT_FIELDS) if _is_new_event(resource) else stored
    return {**shown, "apiVersion": resource.api_version, "kind": resource.kind}


def from_wire(resource: Resource, document: JsonObject) -> JsonObject:
    """A served version's object in the form it is stored in."""
    if not _is_new_event(resource):
        return document
    stored = _renamed(document, {new: old for old, new in _EVENT_FIELDS.items()})
    return {**stored, "apiVersion": EVENTS.api_version}


def _is_new_event(resource: Resource) -> bool:
    return resource.key == EVENTS.key and resource.group == "events.k8s.io"


def _renamed(document: JsonObject, names: dict[str, str]) -> JsonObject:
    return {names.get(key, key): value for key, value in document.items()}
