"""Bodies in the Kubernetes protobuf encoding, for the few kinds that stock clients send so: helm its release secrets,
`kubectl create` its generators' objects. What is not in the table is refused as before.

The tables hold field numbers of k8s.io/api and k8s.io/apimachinery (their `generated.proto` files).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from infra.local.kubernetes.documents import JsonObject, ensure_mapping

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Unreadable(Exception):
    """The body is not of this encoding, or its kind is not in the tables."""


@dataclass(frozen=True)
class Field:
    """One field of a message: its JSON name, how its value is read, and whether values pile up."""

    name: str
    read: Callable[[bytes | int], object]
    repeated: bool = False
    keyed: bool = False


Message = Mapping[int, Field]


def decode(body: bytes) -> JsonObject:
    """Read a body into the JSON form of its object; raises Unreadable."""
    if not body.startswith(_MAGIC):
        raise Unreadable("the body has no Kubernetes protobuf prefix")
    unknown = _message(_UNKNOWN)(body[len(_MAGIC) :])
    kind = ensure_mapping(unknown, "typeMeta")
    api_version, name = str(kind.get("apiVersion", "")), str(kind.get("kind", ""))
    message = _KINDS.get((api_version, name))
    if message is None:
        raise Unreadable(f"{api_version} {name} is not read from protobuf")
    raw = base64.b64decode(str(unknown.get("raw", "")))
    return {"apiVersion": api_version, "kind": name, **_message(message)(raw)}


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, position = _varint(data, position)
            yield number, value
        elif wire == _BYTES:
            length, position = _varint(data, position)
            yield number, data[position : position + length]
            position += length
        elif wire in (_FIXED32, _FIXED64):
            position += 4 if wire == _FIXED32 else 8
        else:
            raise Unreadable(f"wire type {wire} is not used by Kubernetes")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(data):
            raise Unreadable("the body ends within a number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, position
        shift += 7


def _message(fields: Message) -> Callable[[bytes | int], JsonObject]:
    def read(data: bytes | int) -> JsonObject:
        found: JsonObject = {}
        for number, value in _fields(_as_bytes(data)):
            field = fields.get(number)
            if field is not None:
                _put(found, field, field.read(value))
        return found

    return read


def _put(found: JsonObject, field: Field, value: object) -> None:
    if field.keyed:
        entry = value if isinstance(value, dict) else {}
        members = found.setdefault(field.name, {})
        if isinstance(members, dict):
            members[str(entry.get("key", ""))] = entry.get("value", "")
    elif field.repeated:
        values = found.setdefault(field.name, [])
        if isinstance(values, list):
            values.append(value)
    elif value not in ("", None):
        found[field.name] = value


def _as_bytes(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise Unreadable("a number stands where a message belongs")
    return value


def _text(value: bytes | int) -> str:
    return _as_bytes(value).decode()


def _encoded(value: bytes | int) -> str:
    return base64.b64encode(_as_bytes(value)).decode()


def _number(value: bytes | int) -> int:
    if isinstance(value, bytes):
        raise Unreadable("bytes stand where a number belongs")
    return value - (1 << 64) if value >> 63 else value


def _flag(value: bytes | int) -> bool:
    return bool(value)


def _count(value: bytes | int) -> int | None:
    return _number(value) or None


def _time(value: bytes | int) -> str | None:
    seconds = next((number for field, number in _fields(_as_bytes(value)) if field == 1), None)
    if not isinstance(seconds, int):
        return None
    return datetime.fromtimestamp(_number(seconds), UTC).isoformat().replace("+00:00", "Z")


def _raw_json(value: bytes | int) -> object:
    raw = next((content for field, content in _fields(_as_bytes(value)) if field == 1), b"{}")
    return json.loads(_as_bytes(raw))


def _map(name: str, value: Callable[[bytes | int], object]) -> Field:
    return Field(name, _message({1: Field("key", _text), 2: Field("value", value)}), keyed=True)


_UNKNOWN: Message = {
    1: Field("typeMeta", _message({1: Field("apiVersion", _text), 2: Field("kind", _text)})),
    2: Field("raw", _encoded),
}
_OWNER: Message = {
    1: Field("kind", _text),
    3: Field("name", _text),
    4: Field("uid", _text),
    5: Field("apiVersion", _text),
    6: Field("controller", _flag),
    7: Field("blockOwnerDeletion", _flag),
}
_MANAGED: Message = {
    1: Field("manager", _text),
    2: Field("operation", _text),
    3: Field("apiVersion", _text),
    4: Field("time", _time),
    6: Field("fieldsType", _text),
    7: Field("fieldsV1", _raw_json),
    8: Field("subresource", _text),
}
_METADATA = Field(
    "metadata",
    _message(
        {
            1: Field("name", _text),
            2: Field("generateName", _text),
            3: Field("namespace", _text),
            5: Field("uid", _text),
            6: Field("resourceVersion", _text),
            7: Field("generation", _count),
            8: Field("creationTimestamp", _time),
            9: Field("deletionTimestamp", _time),
            10: Field("deletionGracePeriodSeconds", _number),
            11: _map("labels", _text),
            12: _map("annotations", _text),
            13: Field("ownerReferences", _message(_OWNER), repeated=True),
            14: Field("finalizers", _text, repeated=True),
            17: Field("managedFields", _message(_MANAGED), repeated=True),
        }
    ),
)
_KINDS: Mapping[tuple[str, str], Message] = {
    ("v1", "Secret"): {
        1: _METADATA,
        2: _map("data", _encoded),
        3: Field("type", _text),
        4: _map("stringData", _text),
        5: Field("immutable", _flag),
    },
    ("v1", "ConfigMap"): {
        1: _METADATA,
        2: _map("data", _text),
        3: _map("binaryData", _encoded),
        4: Field("immutable", _flag),
    },
    ("v1", "Namespace"): {1: _METADATA},
    ("v1", "ServiceAccount"): {1: _METADATA, 4: Field("automountServiceAccountToken", _flag)},
    ("v1", "DeleteOptions"): {
        1: Field("gracePeriodSeconds", _number),
        2: Field("preconditions", _message({1: Field("uid", _text), 2: Field("resourceVersion", _text)})),
        3: Field("orphanDependents", _flag),
        4: Field("propagationPolicy", _text),
        5: Field("dryRun", _text, repeated=True),
    },
}
