"""Server-side apply as an upsert that records who applied what.

Every apply merges its intent; telling managers' fields apart (conflicts, removal of dropped fields) is not done here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, name_of, namespace_of, objects, text
from infra.local.kubernetes.errors import BadRequest, Cause, Invalid
from infra.local.kubernetes.lists import SETS, merge_key
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.strategic import strategic_merge

_IDENTITY_FIELDS = ("apiVersion", "kind")


@dataclass(frozen=True)
class Applied:
    """The object after an apply, and whether the apply created it."""

    document: JsonObject
    created: bool


def server_side_apply(
    store: Store, resource: Resource, intent: JsonObject, manager: str, dry_run: bool = False
) -> Applied:  # fmt: skip
    """Create the object, or merge the intent into it; the same intent again writes nothing.

    Raises Invalid without a manager, BadRequest when the intent holds managedFields, and what the store raises.
    """
    _require_appliable(intent, manager)
    with store.lock:
        current = store.find(resource, name_of(intent), namespace_of(intent))
        merged = strategic_merge(current or {}, intent, resource.custom)
        entry = _managed_fields_entry(resource, intent, manager, timestamp(store.now()))
        ensure_mapping(merged, "metadata")["managedFields"] = _with_entry(objects(current, "metadata", "managedFields"),
                                                                          entry)  # fmt: skip
        if current is None:
            return Applied(store.create(resource, merged, dry_run), created=True)
        return Applied(store.update(resource, merged, dry_run), created=False)


def _require_appliable(intent: JsonObject, manager: str) -> None:
    if not manager:
        cause = Cause("FieldValueRequired", "fieldManager", "Required value: is required for apply patch")
        raise Invalid("PatchOptions", "", "meta.k8s.io", [cause])
    if objects(intent, "metadata", "managedFields"):
        raise BadRequest("metadata.managedFields must be nil")


def _managed_fields_entry(resource: Resource, intent: JsonObject, manager: str, at: str) -> JsonObject:
    fields = {key: value for key, value in intent.items() if key not in _IDENTITY_FIELDS}
    metadata = {key: value for key, value in mapping(intent, "metadata").items() if key not in ("name", "namespace")}
    return {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": resource.api_version,
        "time": at,
        "fieldsType": "FieldsV1",
        "fieldsV1": field_set({**fields, "metadata": metadata}, resource.custom),
    }


def field_set(document: JsonObject, custom: bool = False) -> JsonObject:
    """The fields of a document in FieldsV1 notation."""
    fields: JsonObject = {}
    for key, value in document.items():
        inner = _inner_fields(key, value, custom)
        if inner or value not in ({}, None):
            fields[f"f:{key}"] = inner
    return fields


def _inner_fields(field: str, value: object, custom: bool) -> JsonObject:
    if isinstance(value, dict):
        return field_set(value, custom)
    if not isinstance(value, list):
        return {}
    if field in SETS:
        return {"v:" + json.dumps(item): {} for item in value}
    key = merge_key(field, value, custom)
    if key is None:
        return {}
    items = [item for item in value if isinstance(item, dict)]
    return {_item_name(key, item): {".": {}, **field_set(item, custom)} for item in items}


def _item_name(key: str, item: JsonObject) -> str:
    return "k:" + json.dumps({key: item[key]}, separators=(",", ":"))


def _with_entry(entries: list[JsonObject], entry: JsonObject) -> list[JsonObject]:
    same = next((known for known in entries if _same_manager(known, entry)), None)
    if same is None:
        return [*entries, entry]
    if same.get("fieldsV1") == entry["fieldsV1"]:
        return entries
    return [entry if known is same else known for known in entries]


def _same_manager(one: JsonObject, other: JsonObject) -> bool:
    return all(text(one, key) == text(other, key) for key in ("manager", "operation", "apiVersion", "subresource"))
