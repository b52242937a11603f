"""Who owns which fields of an object: `metadata.managedFields` read, updated and written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, objects, text, value_at
from infra.local.kubernetes.fieldsets import (
    EMPTY,
    FieldSet,
    changes,
    fields_of,
    from_fields_v1,
    readable,
    to_fields_v1,
    with_parents,
)

APPLY, UPDATE = "Apply", "Update"
_UNTRACKED = ("apiVersion", "kind")
_UNTRACKED_METADATA = (
    "name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion",
    "deletionTimestamp", "deletionGracePeriodSeconds",
)  # fmt: skip


@dataclass(frozen=True)
class Manager:
    """Who writes, how, in which version and through which subresource."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What one entry of managedFields is about."""
        version = self.api_version if self.operation == UPDATE else ""
        return self.name, self.operation, version, self.subresource


@dataclass(frozen=True)
class Entry:
    """The fields of one manager, and when it last took or gave up some."""

    manager: Manager
    fields: FieldSet
    time: str

    def conflict_name(self) -> str:
        """How conflicts call this owner."""
        manager = self.manager
        shown = f'"{manager.name}"'
        if manager.subresource:
            shown += f' with subresource "{manager.subresource}"'
        if manager.operation == UPDATE:
            shown += f" using {manager.api_version}" + (f" at {self.time}" if self.time else "")
        return shown


def tracked(document: JsonObject) -> JsonObject:
    """The part of an object whose fields have owners."""
    metadata = {key: value for key, value in mapping(document, "metadata").items() if key not in _UNTRACKED_METADATA}
    kept = {key: value for key, value in document.items() if key not in (*_UNTRACKED, "metadata")}
    return {**kept, "metadata": metadata} if metadata else kept


def entries_of(document: JsonObject) -> list[Entry]:
    """The owners that an object records."""
    return [_entry(written) for written in objects(document, "metadata", "managedFields") if written.get("manager")]


def _entry(written: JsonObject) -> Entry:
    names = (text(written, key) for key in ("manager", "operation", "apiVersion", "subresource"))
    return Entry(Manager(*names), from_fields_v1(written.get("fieldsV1")), text(written, "time"))


def write_entries(document: JsonObject, entries: list[Entry]) -> None:
    """Record the owners in an object; owners of nothing are dropped."""
    written = [_written(entry) for entry in sorted(entries, key=_order) if entry.fields]
    metadata = ensure_mapping(document, "metadata")
    metadata.pop("managedFields", None)
    if written:
        metadata["managedFields"] = written


def _order(entry: Entry) -> tuple[str, str, str, str]:
    return entry.manager.operation, entry.time, entry.manager.name, entry.manager.subresource


def _written(entry: Entry) -> JsonObject:
    manager = entry.manager
    written: JsonObject = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": to_fields_v1(entry.fields),
    }
    return {**written, "subresource": manager.subresource} if manager.subresource else written


def is_reset(document: JsonObject) -> bool:
    """Whether a write asks to forget all owners: one empty entry."""
    return value_at(document, "metadata", "managedFields") == [{}]


def known_entries(schema: JsonObject, current: JsonObject | None) -> list[Entry]:
    """The owners of an object; what was there before anyone was recorded belongs to `before-first-apply`."""
    if current is None:
        return []
    entries = entries_of(current)
    if entries:
        return entries
    first = Manager("before-first-apply", UPDATE, text(current, "apiVersion"))
    return [Entry(first, fields_of(schema, tracked(current)), text(current, "metadata", "creationTimestamp"))]


def record_update(
    schema: JsonObject, current: JsonObject | None, after: JsonObject, manager: Manager, at: str
) -> None:  # fmt: skip
    """Give the writer what it set or changed, and take that and what it removed from everyone else."""
    if is_reset(after):
        write_entries(after, [])
        return
    entries = entries_of(current or {})
    taken, removed = changes(schema, tracked(current or {}), tracked(after))
    if not taken and not removed:
        write_entries(after, entries)
        return
    others = [_without(entry, taken | removed, at) for entry in entries if entry.manager.key != manager.key]
    mine = next((entry.fields for entry in entries if entry.manager.key == manager.key), EMPTY)
    write_entries(after, [*others, Entry(manager, (mine - removed) | taken, at)])


def _without(entry: Entry, fields: FieldSet, at: str) -> Entry:
    left = entry.fields - fields
    return entry if left == entry.fields else replace(entry, fields=left, time=at)


def conflicts(schema: JsonObject, entries: list[Entry], live: JsonObject, merged: JsonObject) -> list[tuple[str, str]]:
    """The owner and field of everything that others own and a merge changes."""
    changed, _ = changes(schema, tracked(live), tracked(merged))
    found = [(entry.conflict_name(), readable(path)) for entry in entries for path in sorted(entry.fields & changed)]
    return sorted(found)


def given_up(last: FieldSet, entries: list[Entry]) -> FieldSet:
    """What a manager no longer applies and nobody else owns."""
    owned = with_parents(path for entry in entries for path in entry.fields)
    return with_parents(last) - owned
