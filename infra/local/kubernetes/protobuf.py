"""Reading the protobuf bodies that helm and `kubectl auth`, `create token` and `create secret` send.

Only the messages in the table are read; any other kind of object in protobuf is refused.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import TypeAlias

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import BadRequest, UnsupportedMediaType

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
_Value: TypeAlias = "bytes | int"
# Field number to name and type; `[]` marks a list, `{}` a map, a capital letter another message.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "ObjectMeta": {
        1: ("name", "string"), 2: ("generateName", "string"), 3: ("namespace", "string"), 5: ("uid", "string"),
        6: ("resourceVersion", "string"), 11: ("labels", "{}string"), 12: ("annotations", "{}string"),
        13: ("ownerReferences", "[]OwnerReference"), 14: ("finalizers", "[]string"),
    },
    "OwnerReference": {
        1: ("kind", "string"), 3: ("name", "string"), 4: ("uid", "string"), 5: ("apiVersion", "string"),
        6: ("controller", "bool"), 7: ("blockOwnerDeletion", "bool"),
    },
    "Secret": {
        1: ("metadata", "ObjectMeta"), 2: ("data", "{}bytes"), 3: ("type", "string"), 4: ("stringData", "{}string"),
        5: ("immutable", "bool"),
    },
    "ConfigMap": {
        1: ("metadata", "ObjectMeta"), 2: ("data", "{}string"), 3: ("binaryData", "{}bytes"), 4: ("immutable", "bool"),
    },
    "Namespace": {1: ("metadata", "ObjectMeta"), 2: ("spec", "NamespaceSpec")},
    "NamespaceSpec": {1: ("finalizers", "[]string")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta"), 4: ("automountServiceAccountToken", "bool")},
    "TokenRequest": {1: ("metadata", "ObjectMeta"), 2: ("spec", "TokenRequestSpec")},
    "TokenRequestSpec": {1: ("audiences", "[]string"), 4: ("expirationSeconds", "int")},
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "int"), 2: ("preconditions", "Preconditions"), 3: ("orphanDependents", "bool"),
        4: ("propagationPolicy", "string"), 5: ("dryRun", "[]string"),
    },
    "Preconditions": {1: ("uid", "string"), 2: ("resourceVersion", "string")},
    "SelfSubjectReview": {1: ("metadata", "ObjectMeta")},
    "SelfSubjectRulesReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "RulesSpec")},
    "RulesSpec": {1: ("namespace", "string")},
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "AccessSpec")},
    "AccessSpec": {1: ("resourceAttributes", "Attributes"), 2: ("nonResourceAttributes", "PathAttributes")},
    "Attributes": {
        1: ("namespace", "string"), 2: ("verb", "string"), 3: ("group", "string"), 4: ("version", "string"),
        5: ("resource", "string"), 6: ("subresource", "string"), 7: ("name", "string"),
    },
    "PathAttributes": {1: ("path", "string"), 2: ("verb", "string")},
}  # fmt: skip
_SCALARS: dict[str, Callable[[_Value], object]] = {
    "string": lambda value: value.decode() if isinstance(value, bytes) else "",
    "bytes": lambda value: base64.b64encode(value).decode() if isinstance(value, bytes) else "",
    "bool": bool,
    "int": lambda value: value,
}


def decode(body: bytes) -> JsonObject:
    """The object in a protobuf envelope.

    Raises UnsupportedMediaType for a kind that is not read, BadRequest for what is no protobuf.
    """
    if not body.startswith(_MAGIC):
        raise BadRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = dict(_fields(body[len(_MAGIC) :]))
        identity = dict(_fields(_bytes(envelope.get(1))))
        api_version, kind = (_bytes(identity.get(number)).decode() for number in (1, 2))
        if kind not in _MESSAGES:
            raise UnsupportedMediaType()
        document = _message(kind, _bytes(envelope.get(2)))
    except (IndexError, UnicodeDecodeError) as error:
        raise BadRequest(f"provided data cannot be read as a protobuf message: {error}") from error
    _drop_empty_texts(document)
    return {"apiVersion": api_version, "kind": kind, **document}


def _message(kind: str, raw: bytes) -> JsonObject:
    document: JsonObject = {}
    known = _MESSAGES[kind]
    for number, value in _fields(raw):
        if number in known:
            _take(document, *known[number], value)
    return document


def _take(document: JsonObject, name: str, kind: str, value: _Value) -> None:
    if kind.startswith("{}"):
        entry = dict(_fields(_bytes(value)))
        kept = document.setdefault(name, {})
        if isinstance(kept, dict):
            kept[_bytes(entry.get(1)).decode()] = _single(kind[2:], entry.get(2, b""))
    elif kind.startswith("[]"):
        listed = document.setdefault(name, [])
        if isinstance(listed, list):
            listed.append(_single(kind[2:], value))
    else:
        document[name] = _single(kind, value)


def _single(kind: str, value: _Value) -> object:
    return _SCALARS[kind](value) if kind in _SCALARS else _message(kind, _bytes(value))


def _drop_empty_texts(document: JsonObject) -> None:
    """Generated code writes every text, also those that were never set."""
    for key in list(document):
        value = document[key]
        if value == "":
            del document[key]
        elif isinstance(value, dict) and key in ("metadata", "spec", "preconditions", "resourceAttributes"):
            _drop_empty_texts(value)


def _bytes(value: _Value | None) -> bytes:
    return value if isinstance(value, bytes) else b""


def _fields(message: bytes) -> Iterator[tuple[int, _Value]]:
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == 2:
            size, at = _varint(message, at)
            yield tag >> 3, message[at : at + size]
            at += size
        elif tag & 7 == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
        else:
            raise IndexError(f"unexpected wire type {tag & 7}")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
