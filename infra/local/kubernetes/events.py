"""Recording Kubernetes events about objects."""

from __future__ import annotations

import hashlib

from infra.local.kubernetes.documents import JsonObject, integer, name_of, namespace_of, text
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import EVENTS
from infra.local.kubernetes.store import Store


def record_event(
    store: Store, about: JsonObject, reason: str, message: str, component: str, kind: str = "Warning", *,
    again: bool = False,
) -> None:  # fmt: skip
    """Record an event about an object once; saying the same again changes nothing, unless `again` counts it.

    Raises NotFound when the object's namespace does not exist.
    """
    digest = hashlib.sha256(f"{text(about, 'metadata', 'uid')} {reason} {message}".encode()).hexdigest()[:16]
    name, namespace = f"{name_of(about)}.{digest}", namespace_of(about) or "default"
    with store.lock:
        known, at = store.find(EVENTS, name, namespace), timestamp(store.now())
        if known is None:
            event = _event(about, reason, message, component, kind, at)
            store.create(EVENTS, {**event, "metadata": {"name": name, "namespace": namespace}})
        elif again:
            store.update(EVENTS, {**known, "count": integer(known, "count") + 1, "lastTimestamp": at})


def _event(about: JsonObject, reason: str, message: str, component: str, kind: str, at: str) -> JsonObject:
    return {
        "type": kind,
        "reason": reason,
        "message": message,
        "involvedObject": _reference(about),
        "source": {"component": component},
        "reportingComponent": component,
        "reportingInstance": "",
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }


def _reference(about: JsonObject) -> JsonObject:
    reference: JsonObject = {
        "apiVersion": text(about, "apiVersion"),
        "kind": text(about, "kind"),
        "name": name_of(about),
        "uid": text(about, "metadata", "uid"),
        "resourceVersion": text(about, "metadata", "resourceVersion"),
    }
    namespace = namespace_of(about)
    return {**reference, "namespace": namespace} if namespace else reference
