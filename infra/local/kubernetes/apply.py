"""Server-side apply: merge an intent, find conflicts with other owners, drop what its manager gave up."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, name_of, text, value_at
from infra.local.kubernetes.errors import ApplyConflict, BadRequest, Cause, Invalid, NotTyped
from infra.local.kubernetes.fieldsets import EMPTY, changes, fields_of, readable, remove_paths, undeclared
from infra.local.kubernetes.merging import merge_objects
from infra.local.kubernetes.ownership import (
    Entry,
    Manager,
    conflicts,
    given_up,
    known_entries,
    tracked,
    write_entries,
)
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.schema import schema_of
from infra.local.kubernetes.structural import wrong_type


@dataclass(frozen=True)
class Intent:
    """What a manager applies to an object of a resource."""

    resource: Resource
    document: JsonObject
    manager: Manager
    force: bool = False


def require_appliable(intent: JsonObject, manager: str) -> None:
    """Check what every apply patch must have.

    Raises Invalid without a manager, BadRequest when the intent holds managedFields or lacks its type.
    """
    if not manager:
        cause = Cause("FieldValueRequired", "fieldManager", "Required value: is required for apply patch")
        raise Invalid("PatchOptions", "", "meta.k8s.io", [cause])
    if value_at(intent, "metadata", "managedFields"):
        raise BadRequest("metadata.managedFields must be nil")
    for field in ("apiVersion", "kind"):
        if not text(intent, field):
            raise BadRequest(f"invalid object type: Object '{field}' is missing in the apply patch")


def require_typed(resource: Resource, intent: JsonObject) -> None:
    """Check that the schema knows every field of an intent, and that each has its type.

    Raises NotTyped naming the first that it does not know, or that has another type.
    """
    schema = schema_of(resource)
    unknown, wrong = next(undeclared(schema, intent), None), wrong_type(schema, intent)
    if unknown is not None:
        why = f"{readable(unknown)}: field not declared in schema"
    elif wrong is not None:
        path, found, wanted = wrong
        why = f".{path}: expected {wanted}, got {found}"
    else:
        return
    where = f"{text(intent, 'metadata', 'namespace')}/{name_of(intent)}; {resource.api_version}, Kind={resource.kind}"
    raise NotTyped(f"failed to create typed patch object ({where}): {why}")


def apply_intent(
    intent: Intent, current: JsonObject | None, at: str, complete: Callable[[JsonObject], None]
) -> JsonObject:  # fmt: skip
    """The object after an apply, with its owners; the same intent again changes nothing.

    `complete` fills in what the server defaults. Raises ApplyConflict when others own what would change.
    """
    schema = schema_of(intent.resource)
    live = current or {}
    wanted = _cleaned(intent.document)
    entries = known_entries(schema, current)
    others = [entry for entry in entries if entry.manager.key != intent.manager.key]
    before = next((entry for entry in entries if entry.manager.key == intent.manager.key), None)
    mine = Entry(intent.manager, fields_of(schema, tracked(wanted)), before.time if before else at)
    merged = merge_objects(schema, live, wanted)
    last = before.fields if before else EMPTY
    gone = given_up(last, [*others, mine])
    remove_paths(schema, merged, gone & last)
    remove_paths(schema, merged, gone - last, only_empty=True)
    complete(merged)
    found = conflicts(schema, others, live, merged)
    if found and not intent.force:
        raise ApplyConflict(found)
    if before is None or before.fields != mine.fields:
        mine = Entry(mine.manager, mine.fields, at)
    write_entries(merged, [*_after_taking(schema, others, live, merged), mine])
    return merged


def _cleaned(intent: JsonObject) -> JsonObject:
    cleaned = deepcopy(intent)
    metadata = ensure_mapping(cleaned, "metadata")
    for key in ("managedFields", "creationTimestamp", "resourceVersion", "uid", "generation", "selfLink"):
        metadata.pop(key, None)
    return cleaned


def _after_taking(
    schema: JsonObject, others: list[Entry], live: JsonObject, merged: JsonObject
) -> list[Entry]:  # fmt: skip
    changed, removed = changes(schema, tracked(live), tracked(merged))
    lost = changed | removed
    return [Entry(entry.manager, entry.fields - lost, entry.time) for entry in others]
