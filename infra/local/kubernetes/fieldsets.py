"""Sets of fields as server-side apply tracks them: paths, and their FieldsV1 notation.

A path is a tuple of steps in FieldsV1 spelling: `f:<field>`, `k:<keys of a list item>` or `v:<value of a set>`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from infra.local.kubernetes.documents import JsonObject, ensure_mapping, value_at
from infra.local.kubernetes.schema import is_atomic, items_of, list_keys, names_fields, property_of, resolved

Path = tuple[str, ...]
FieldSet = frozenset[Path]

EMPTY: FieldSet = frozenset()
_MEMBER = "."


def fields_of(schema: JsonObject, document: object) -> FieldSet:
    """The fields a document sets, as leaves; keyed list items count as fields of their own."""
    return frozenset(_leaves(resolved(schema), document, ()))


def _leaves(schema: JsonObject, value: object, path: Path) -> Iterator[Path]:
    if isinstance(value, dict) and value and not is_atomic(schema, value):
        for key, inner in value.items():
            yield from _leaves(property_of(schema, key) or {}, inner, (*path, f"f:{key}"))
    elif isinstance(value, list) and not is_atomic(schema, value):
        for step, item in keyed_items(schema, value):
            yield (*path, step)
            if isinstance(item, dict):
                yield from _leaves(items_of(schema), item, (*path, step))
    elif path:
        yield path


def undeclared(schema: JsonObject, value: object, path: Path = ()) -> Iterator[Path]:
    """The fields of a value that its schema does not know; items of plain lists count by their index (`i:`)."""
    schema = resolved(schema)
    if isinstance(value, dict) and names_fields(schema):
        for key, inner in value.items():
            known = property_of(schema, key)
            if known is None:
                yield (*path, f"f:{key}")
            else:
                yield from undeclared(known, inner, (*path, f"f:{key}"))
    elif isinstance(value, list):
        keyed = list_keys(schema)
        steps = keyed_items(schema, value) if keyed else ((f"i:{index}", item) for index, item in enumerate(value))
        for step, item in steps:
            yield from undeclared(items_of(schema), item, (*path, step))


def keyed_items(schema: JsonObject, items: list[object]) -> Iterator[tuple[str, object]]:
    """The items of a keyed list or a set with the step that names each."""
    keys = list_keys(schema)
    for item in items:
        yield (_key_step(schema, keys, item) if keys else "v:" + _json(item)), item


def _key_step(schema: JsonObject, keys: tuple[str, ...], item: object) -> str:
    defaults = {"protocol": "TCP"} if "protocol" in keys else {}
    item_schema = items_of(schema)
    found: JsonObject = {}
    for key in sorted(keys):
        value = value_at(item, key)
        default = value_at(item_schema, "properties", key, "default") or defaults.get(key)
        if value is not None or default is not None:
            found[key] = default if value is None else value
    return "k:" + _json(found)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def with_parents(fields: Iterable[Path]) -> FieldSet:
    """The fields and everything they are inside of."""
    return frozenset(path[:length] for path in fields for length in range(1, len(path) + 1))


def to_fields_v1(fields: Iterable[Path]) -> JsonObject:
    """A set in FieldsV1 notation."""
    tree: JsonObject = {}
    members = set(fields)
    for path in sorted(members):
        ensure_mapping(tree, *path)
    for path in members:
        node = ensure_mapping(tree, *path)
        if node:
            node[_MEMBER] = {}
    return tree


def from_fields_v1(tree: object) -> FieldSet:
    """The set that a FieldsV1 document describes."""
    return frozenset(_members(tree, ()))


def _members(tree: object, path: Path) -> Iterator[Path]:
    if not isinstance(tree, dict):
        return
    if path and (not tree or _MEMBER in tree):
        yield path
    for step, inner in tree.items():
        if step != _MEMBER:
            yield from _members(inner, (*path, step))


def readable(path: Path) -> str:
    """A path as conflicts name it: `.spec.containers[name="a"].image`."""
    return "".join(_readable_step(step) for step in path)


def _readable_step(step: str) -> str:
    kind, _, rest = step.partition(":")
    if kind == "f":
        return f".{rest}"
    if kind == "i":
        return f"[{rest}]"
    if kind == "v":
        return f"[={rest}]"
    keys: dict[str, object] = json.loads(rest)
    return "[" + ",".join(f"{key}={_json(value)}" for key, value in keys.items()) + "]"


def changes(schema: JsonObject, before: JsonObject, after: JsonObject) -> tuple[FieldSet, FieldSet]:
    """What an update set or changed, and what it removed."""
    old, new = fields_of(schema, before), fields_of(schema, after)
    kept = old & new
    modified = {path for path in kept if _differs(resolved(schema), before, after, path)}
    return (new - old) | modified, old - new


def _differs(schema: JsonObject, before: object, after: object, path: Path) -> bool:
    if path[-1].startswith(("k:", "v:")):
        return False
    return look_up(schema, before, path) != look_up(schema, after, path)


def look_up(schema: JsonObject, value: object, path: Path) -> object:
    """The value at a path, None when there is none."""
    for step in path:
        if isinstance(value, dict):
            key = step.partition(":")[2]
            value, schema = value.get(key), property_of(schema, key) or {}
        elif isinstance(value, list):
            value = next((item for name, item in keyed_items(schema, value) if name == step), None)
            schema = items_of(schema)
        else:
            return None
    return value


def remove_paths(schema: JsonObject, document: JsonObject, paths: Iterable[Path], only_empty: bool = False) -> None:
    """Remove the values at paths, in place; with `only_empty` those that hold nothing any more, the deepest first."""
    for path in sorted(paths, key=len, reverse=only_empty):
        parent_schema, parent = _parent(resolved(schema), document, path)
        if isinstance(parent, dict):
            key = path[-1].partition(":")[2]
            if not (only_empty and parent.get(key)):
                parent.pop(key, None)
        elif isinstance(parent, list) and not only_empty:
            parent[:] = [item for step, item in keyed_items(parent_schema, parent) if step != path[-1]]


def _parent(schema: JsonObject, value: object, path: Path) -> tuple[JsonObject, object]:
    for step in path[:-1]:
        if isinstance(value, dict):
            key = step.partition(":")[2]
            value, schema = value.get(key), property_of(schema, key) or {}
        else:
            value = look_up(schema, value, (step,))
            schema = items_of(schema)
    return schema, value
