"""JSON merge patch (RFC 7386) and JSON patch (RFC 6902)."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from infra.local.kubernetes.documents import JsonObject, text
from infra.local.kubernetes.errors import BadRequest, StatusError


class PatchRejected(StatusError):
    """Raised when a JSON patch cannot be applied to the object, a failed `test` included."""

    code, reason = 422, "Invalid"

    def __init__(self, why: str) -> None:
        causes: list[JsonObject] = [{"reason": "UnexpectedServerResponse", "message": why}]
        super().__init__("the server rejected our request due to an error in our request", {"causes": causes})


def merge_patch(current: JsonObject, patch: JsonObject) -> JsonObject:
    """The object after a merge patch: mappings merge, null removes, everything else replaces."""
    merged = dict(current)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            inner = merged.get(key)
            merged[key] = merge_patch(inner if isinstance(inner, dict) else {}, value)
        else:
            merged[key] = deepcopy(value)
    return merged


def json_patch(current: JsonObject, operations: object) -> JsonObject:
    """The object after a list of JSON patch operations.

    Raises BadRequest when it is no such list and PatchRejected when an operation does not fit the object.
    """
    if not isinstance(operations, list):
        raise BadRequest("error decoding patch: a JSON patch is a list of operations")
    document = deepcopy(current)
    for operation in operations:
        if not isinstance(operation, dict) or text(operation, "op") not in _OPERATIONS:
            raise BadRequest("error decoding patch: unknown JSON patch operation")
        _OPERATIONS[text(operation, "op")](document, operation)
    return document


def _add(document: JsonObject, operation: JsonObject) -> None:
    _insert(document, text(operation, "path"), deepcopy(operation.get("value")))


def _remove(document: JsonObject, operation: JsonObject) -> None:
    _take(document, text(operation, "path"))


def _replace(document: JsonObject, operation: JsonObject) -> None:
    container, key = _locate(document, text(operation, "path"))
    _read(container, key)
    if isinstance(container, dict):
        container[key] = deepcopy(operation.get("value"))
    elif isinstance(container, list):
        container[_index(key, len(container))] = deepcopy(operation.get("value"))


def _move(document: JsonObject, operation: JsonObject) -> None:
    _insert(document, text(operation, "path"), _take(document, text(operation, "from")))


def _copy(document: JsonObject, operation: JsonObject) -> None:
    _insert(document, text(operation, "path"), deepcopy(_read(*_locate(document, text(operation, "from")))))


def _test(document: JsonObject, operation: JsonObject) -> None:
    path = text(operation, "path")
    if _read(*_locate(document, path)) != operation.get("value"):
        raise PatchRejected(f"testing path {path} failed")


_OPERATIONS: dict[str, Callable[[JsonObject, JsonObject], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _locate(document: JsonObject, pointer: str) -> tuple[object, str]:
    if not pointer.startswith("/"):
        raise PatchRejected(f"invalid path: {pointer!r}")
    *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
    container: object = document
    for step in steps:
        container = _read(container, step)
    return container, last


def _read(container: object, key: str) -> object:
    if isinstance(container, dict) and key in container:
        return container[key]
    if isinstance(container, list):
        return container[_index(key, len(container))]
    raise PatchRejected(f"nonexistent path: {key}")


def _insert(document: JsonObject, pointer: str, value: object) -> None:
    container, key = _locate(document, pointer)
    if isinstance(container, dict):
        container[key] = value
    elif isinstance(container, list):
        container.insert(len(container) if key == "-" else _index(key, len(container) + 1), value)
    else:
        raise PatchRejected(f"nonexistent path: {pointer}")


def _take(document: JsonObject, pointer: str) -> object:
    container, key = _locate(document, pointer)
    taken = _read(container, key)
    if isinstance(container, dict):
        del container[key]
    elif isinstance(container, list):
        del container[_index(key, len(container))]
    return taken


def _index(key: str, length: int) -> int:
    if not key.isdecimal() or int(key) >= length:
        raise PatchRejected(f"invalid array index: {key}")
    return int(key)
