"""Strategic merge patch with its directives, and the directive-free merge that server-side apply uses."""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.lists import SETS, item_identity, merge_key

_PATCH = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_DROP = "$deleteFromPrimitiveList/"


def strategic_merge(current: JsonObject, patch: JsonObject, custom: bool = False) -> JsonObject:
    """The object after a strategic merge patch; lists of custom resources are replaced as a whole."""
    if patch.get(_PATCH) == "replace":
        return {key: deepcopy(value) for key, value in patch.items() if key != _PATCH}
    if patch.get(_PATCH) == "delete":
        return {}
    merged = _retained(current, patch)
    for key, value in patch.items():
        if not key.startswith("$"):
            _merge_field(merged, key, value, custom)
    _apply_list_directives(merged, patch)
    return merged


def _retained(current: JsonObject, patch: JsonObject) -> JsonObject:
    keep = patch.get(_RETAIN)
    return {key: value for key, value in current.items() if not isinstance(keep, list) or key in keep}


def _merge_field(merged: JsonObject, key: str, value: object, custom: bool) -> None:
    present = merged.get(key)
    if value is None:
        merged.pop(key, None)
    elif isinstance(value, dict):
        merged[key] = strategic_merge(present if isinstance(present, dict) else {}, value, custom)
    elif isinstance(value, list):
        merged[key] = _merge_list(key, present if isinstance(present, list) else [], value, custom)
    else:
        merged[key] = value


def _merge_list(field: str, present: list[object], patch: list[object], custom: bool) -> list[object]:
    if field in SETS:
        return [*present, *(item for item in patch if item not in present)]
    items = [item for item in patch if not (isinstance(item, dict) and item.get(_PATCH) == "replace")]
    if len(items) < len(patch):
        return deepcopy(items)
    key = merge_key(field, patch, custom)
    return deepcopy(patch) if key is None else _merge_keyed(field, key, present, patch, custom)


def _merge_keyed(
    field: str, key: str, present: list[object], patch: list[object], custom: bool
) -> list[object]:  # fmt: skip
    merged: dict[Hashable, JsonObject] = {
        item_identity(field, key, item): item for item in present if isinstance(item, dict)
    }
    for item in patch:
        if not isinstance(item, dict):
            continue
        identity = item_identity(field, key, item)
        if item.get(_PATCH) == "delete":
            merged.pop(identity, None)
        else:
            merged[identity] = strategic_merge(merged.get(identity, {}), item, custom)
    return list(merged.values())


def _apply_list_directives(merged: JsonObject, patch: JsonObject) -> None:
    for directive, value in patch.items():
        if not isinstance(value, list):
            continue
        field = directive.partition("/")[2]
        kept = merged.get(field)
        if not isinstance(kept, list):
            continue
        if directive.startswith(_DROP):
            merged[field] = [item for item in kept if item not in value]
        elif directive.startswith(_ORDER):
            merged[field] = _ordered(field, kept, value)


def _ordered(field: str, items: list[object], order: list[object]) -> list[object]:
    key = merge_key(field, order)
    wanted = [_order_identity(field, key, item) for item in order]

    def position(item: object) -> int:
        identity = _order_identity(field, key, item)
        return wanted.index(identity) if identity in wanted else len(wanted)

    return sorted(items, key=position)


def _order_identity(field: str, key: str | None, item: object) -> Hashable:
    return item_identity(field, key, item) if key is not None and isinstance(item, dict) else str(item)
