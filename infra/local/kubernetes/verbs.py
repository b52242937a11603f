"""What each verb does to an object or a collection."""

from __future__ import annotations

from collections.abc import Callable

from infra.local.kubernetes.admission import admit, complete, require_version
from infra.local.kubernetes.apply import Intent, apply_intent, require_appliable, require_typed
from infra.local.kubernetes.call import Call, decode, decode_object, require_fit
from infra.local.kubernetes.defaults import only_status, split_status
from infra.local.kubernetes.deletion import DeleteOptions, pod_grace
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, name_of, namespace_of, text, value_at
from infra.local.kubernetes.errors import BadRequest, Cause, Invalid, MethodNotAllowed, UnsupportedMediaType
from infra.local.kubernetes.metadata import is_deleting, require_preconditions, timestamp
from infra.local.kubernetes.ownership import APPLY, UPDATE, Manager, record_update
from infra.local.kubernetes.paging import page
from infra.local.kubernetes.patch import json_patch, merge_patch
from infra.local.kubernetes.references import require_deletable
from infra.local.kubernetes.representations import render_list, render_object
from infra.local.kubernetes.resources import PODS
from infra.local.kubernetes.schema import schema_of
from infra.local.kubernetes.strategic import strategic_merge
from infra.local.kubernetes.views import from_wire, to_wire
from infra.local.messages import HttpResponse

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
_POLICIES = ("Background", "Foreground", "Orphan")
_IDENTITY = ("name", "namespace", "uid", "resourceVersion")


def get(call: Call) -> HttpResponse:
    """Answer with the object; its `/status` is the same object."""
    return render_object(call, call.store.get(call.resource, call.target.name, call.target.namespace))


def list_objects(call: Call) -> HttpResponse:
    """Answer with the objects that match the selectors, one page when `limit` is set."""
    with call.store.lock:
        found = page(call)
    return render_list(call, found.items, found.metadata)


def create(call: Call) -> HttpResponse:
    """Store a new object.

    Raises BadRequest when it names a resourceVersion, and what admission and the store raise.
    """
    if call.resource.namespaced and not call.target.namespace:
        raise MethodNotAllowed()
    document = call.document()
    if text(document, "metadata", "resourceVersion"):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    split_status(call.resource, None, document)
    with call.store.lock:
        admit(call, document, None)
        _record(call, None, document)
        return render_object(call, call.store.create(call.resource, document, call.dry_run), 201)


def replace(call: Call) -> HttpResponse:
    """Replace an object, or its status.

    Raises Invalid when a custom resource does not name the version it replaces.
    """
    document = call.document()
    require_version(call.resource, document)
    return _rewrite(call, lambda current: document)


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
    """Delete an object; answers with it when it stays a while, else with a Status.

    Raises Forbidden for a namespace that every cluster needs, and what the store raises.
    """
    require_deletable(call)
    sent = _delete_options(call)
    options = DeleteOptions(
        uid=text(sent, "preconditions", "uid"),
        version=text(sent, "preconditions", "resourceVersion"),
        dry_run=call.dry_run,
        policy=_policy(call, sent),
        grace=_grace(call, sent),
    )
    last = call.store.delete(call.resource, call.target.name, call.target.namespace, options)
    if is_deleting(last) or call.resource.key == PODS.key:
        return render_object(call, last)
    return HttpResponse.of_json(200, _success(call, last))


def delete_collection(call: Call) -> HttpResponse:
    """Delete every object that matches the selectors; answers with the list of them."""
    selectors, store, sent = call.selectors(), call.store, _delete_options(call)
    with store.lock:
        doomed = store.select(call.resource, call.target.namespace, *selectors)
        for item in doomed:
            if store.find(call.resource, name_of(item), namespace_of(item)) is not None:
                options = DeleteOptions(dry_run=call.dry_run, policy=_policy(call, sent))
                store.delete(call.resource, name_of(item), namespace_of(item), options)
        return render_list(call, doomed, {"resourceVersion": str(store.version)})


def _policy(call: Call, options: JsonObject) -> str:
    orphan = options.get("orphanDependents")
    given = text(options, "propagationPolicy") or call.query.get("propagationPolicy", "")
    policy = given or ("Orphan" if orphan is True else "Background")
    if policy not in _POLICIES:
        listed = ", ".join(f'"{choice}"' for choice in (*_POLICIES, "nil"))
        message = f'Unsupported value: "{policy}": supported values: {listed}'
        cause = Cause("FieldValueNotSupported", "propagationPolicy", message)
        raise Invalid("DeleteOptions", "", "meta.k8s.io", [cause])
    return policy


def _grace(call: Call, options: JsonObject) -> int:
    if call.resource.key != PODS.key:
        return 0
    pod = call.store.get(call.resource, call.target.name, call.target.namespace)
    allowed = pod_grace(pod)
    asked = options.get("gracePeriodSeconds", call.query.get("gracePeriodSeconds"))
    return min(allowed, max(int(str(asked)), 0)) if asked is not None and allowed else allowed


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
        require_preconditions(call.resource, current, text(incoming, "metadata", "uid"),
                              text(incoming, "metadata", "resourceVersion"))  # fmt: skip
        admit(call, incoming, current)
        _record(call, current, incoming)
        return render_object(call, store.update(call.resource, incoming, call.dry_run))


def _record(call: Call, current: JsonObject | None, document: JsonObject) -> None:
    record_update(schema_of(call.resource), current, document, manager_of(call, UPDATE), timestamp(call.store.now()))


def manager_of(call: Call, operation: str) -> Manager:
    """The field manager behind a request."""
    return Manager(call.field_manager, operation, call.resource.api_version, call.target.subresource)


def _require_same_place(call: Call, document: JsonObject) -> None:
    if name_of(document) != call.target.name or namespace_of(document) != call.target.namespace:
        raise BadRequest("the name or namespace of the object does not match the URL")


def _apply(call: Call) -> HttpResponse:
    intent = decode_object(call.request, call.media_type)
    require_appliable(intent, call.query.get("fieldManager", ""))
    require_fit(call.target, intent)
    require_typed(call.resource, intent)
    intent = _part_of(call, from_wire(call.resource, intent))
    manager = manager_of(call, APPLY)
    wanted = Intent(call.resource, intent, manager, call.flag("force"))
    store, name, namespace = call.store, call.target.name, call.target.namespace
    with store.lock:
        current = store.find(call.resource, name, namespace)
        if current is None and (call.target.subresource or text(intent, "metadata", "resourceVersion")):
            store.get(call.resource, name, namespace)
        if current is not None:
            require_preconditions(call.resource, current, text(intent, "metadata", "uid"),
                                  text(intent, "metadata", "resourceVersion"))  # fmt: skip
        at = timestamp(store.now())
        merged = apply_intent(wanted, current, at, lambda document: complete(call, document, current))
        admit(call, merged, current)
        if current is None:
            return render_object(call, store.create(call.resource, merged, call.dry_run), 201)
        return render_object(call, store.update(call.resource, merged, call.dry_run))


def _part_of(call: Call, intent: JsonObject) -> JsonObject:
    """The part of an intent that its URL is about: the status, or everything else."""
    if call.target.subresource == "status":
        kept = ("apiVersion", "kind", "status")
        identity = {key: value for key, value in mapping(intent, "metadata").items() if key in _IDENTITY}
        return {**{key: value for key, value in intent.items() if key in kept}, "metadata": identity}
    if "status" in call.resource.subresources:
        return {key: value for key, value in intent.items() if key != "status"}
    return intent


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


def finalize(call: Call) -> HttpResponse:
    """Set the finalizers of a namespace's spec; without any, and empty, it goes."""
    store, name = call.store, call.target.name
    wanted = value_at(call.document(), "spec", "finalizers")

    def change(document: JsonObject) -> None:
        ensure_mapping(document, "spec")["finalizers"] = wanted if isinstance(wanted, list) else []

    return render_object(call, store.modify(call.resource, name, change))
