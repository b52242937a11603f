"""What each verb does to an object or a collection."""

from __future__ import annotations

from collections.abc import Callable

from infra.local.kubernetes.apply import server_side_apply
from infra.local.kubernetes.call import Call, decode, decode_object, require_fit
from infra.local.kubernetes.defaults import only_status, split_status
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, namespace_of, text
from infra.local.kubernetes.errors import BadRequest, MethodNotAllowed, UnsupportedMediaType
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.paging import page
from infra.local.kubernetes.patch import json_patch, merge_patch
from infra.local.kubernetes.representations import render_list, render_object
from infra.local.kubernetes.resources import PODS
from infra.local.kubernetes.strategic import strategic_merge
from infra.local.kubernetes.views import from_wire, to_wire
from infra.local.messages import HttpResponse

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


def get(call: Call) -> HttpResponse:
    """Answer with the object; its `/status` is the same object."""
    return render_object(call, call.store.get(call.resource, call.target.name, call.target.namespace))


def list_objects(call: Call) -> HttpResponse:
    """Answer with the objects that match the selectors, one page when `limit` is set."""
    selectors = call.query.get("labelSelector", ""), call.query.get("fieldSelector", "")
    with call.store.lock:
        found = call.store.select(call.resource, call.target.namespace, *selectors)
        version = call.store.version
    items, metadata = page(found, version, call.number("limit"), call.query.get("continue", ""))
    return render_list(call, items, metadata)


def create(call: Call) -> HttpResponse:
    """Store a new object."""
    if call.resource.namespaced and not call.target.namespace:
        raise MethodNotAllowed()
    document = call.document()
    split_status(call.resource, None, document)
    return render_object(call, call.store.create(call.resource, document, call.dry_run), 201)


def replace(call: Call) -> HttpResponse:
    """Replace an object, or its status."""
    return _rewrite(call, lambda current: call.document())


def patch(call: Call) -> HttpResponse:
    """Patch an object or its status with the kind of patch that the content type names.

    Raises UnsupportedMediaType for another content type, and for a strategic patch of a custom resource.
    """
    if call.media_type == APPLY_PATCH:
        return _apply(call)
    return _rewrite(call, lambda current: from_wire(call.resource, patched(call, to_wire(call.resource, current))))


def patched(call: Call, document: JsonObject) -> JsonObject:
    """A document after the patch in the request.

    Raises UnsupportedMediaType for a content type that is no patch of this resource, BadRequest for a bad patch.
    """
    if call.media_type == JSON_PATCH:
        return json_patch(document, decode(call.request, call.media_type))
    if call.media_type == MERGE_PATCH:
        return merge_patch(document, decode_object(call.request, call.media_type))
    if call.media_type == STRATEGIC_PATCH and not call.resource.custom:
        return strategic_merge(document, decode_object(call.request, call.media_type))
    strategic = () if call.resource.custom else (STRATEGIC_PATCH,)
    raise UnsupportedMediaType((JSON_PATCH, MERGE_PATCH, *strategic, APPLY_PATCH))


def delete(call: Call) -> HttpResponse:
    """Delete an object; answers with it when it stays until its finalizers are done, else with a Status."""
    preconditions = mapping(_delete_options(call), "preconditions")
    last = call.store.delete(
        call.resource,
        call.target.name,
        call.target.namespace,
        uid=text(preconditions, "uid"),
        version=text(preconditions, "resourceVersion"),
        dry_run=call.dry_run,
    )
    if is_deleting(last) or call.resource.key == PODS.key:
        return render_object(call, last)
    return HttpResponse.of_json(200, _success(call, last))


def delete_collection(call: Call) -> HttpResponse:
    """Delete every object that matches the selectors; answers with the list of them."""
    selectors = call.query.get("labelSelector", ""), call.query.get("fieldSelector", "")
    store = call.store
    with store.lock:
        doomed = store.select(call.resource, call.target.namespace, *selectors)
        for item in doomed:
            store.delete(call.resource, name_of(item), namespace_of(item), dry_run=call.dry_run)
        return render_list(call, doomed, {"resourceVersion": str(store.version)})


def _rewrite(call: Call, change: Callable[[JsonObject], JsonObject]) -> HttpResponse:
    target, store = call.target, call.store
    with store.lock:
        current = store.get(call.resource, target.name, target.namespace)
        incoming = change(current)
        _require_same_place(call, incoming)
        if target.subresource == "status":
            incoming = only_status(current, incoming)
        else:
            split_status(call.resource, current, incoming)
        return render_object(call, store.update(call.resource, incoming, call.dry_run))


def _require_same_place(call: Call, document: JsonObject) -> None:
    if name_of(document) != call.target.name or namespace_of(document) != call.target.namespace:
        raise BadRequest("the name or namespace of the object does not match the URL")


def _apply(call: Call) -> HttpResponse:
    intent = decode_object(call.request, call.media_type)
    require_fit(call.target, intent)
    intent = from_wire(call.resource, intent)
    if call.target.subresource == "status":
        return _rewrite(call, lambda current: {**current, "status": _merged_status(current, intent)})
    if "status" in call.resource.subresources:
        intent.pop("status", None)
    manager = call.query.get("fieldManager", "")
    applied = server_side_apply(call.store, call.resource, intent, manager, call.dry_run)
    return render_object(call, applied.document, 201 if applied.created else 200)


def _merged_status(current: JsonObject, intent: JsonObject) -> JsonObject:
    return strategic_merge(mapping(current, "status"), mapping(intent, "status"))


def _delete_options(call: Call) -> JsonObject:
    return decode_object(call.request, call.media_type) if call.request.body else {}


def _success(call: Call, last: JsonObject) -> JsonObject:
    details: JsonObject = {
        "name": name_of(last),
        "kind": call.resource.plural,
        "uid": text(last, "metadata", "uid"),
    }
    if call.resource.group:
        details["group"] = call.resource.group
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
