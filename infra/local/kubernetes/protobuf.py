"""Reading the one protobuf body that `kubectl auth can-i` sends; other protobuf bodies are refused."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.errors import BadRequest

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
_RESOURCE = {1: "namespace", 2: "verb", 3: "group", 4: "version", 5: "resource", 6: "subresource", 7: "name"}
_PATH = {1: "path", 2: "verb"}


def access_review(body: bytes) -> JsonObject:
    """The spec of a SelfSubjectAccessReview in protobuf.

    Raises BadRequest when it is none.
    """
    if not body.startswith(_MAGIC):
        raise BadRequest("provided data does not appear to be a protobuf message")
    try:
        envelope = dict(_fields(body[len(_MAGIC) :]))
        spec = dict(_fields(dict(_fields(envelope.get(2, b""))).get(2, b"")))
        found = {"resourceAttributes": _named(spec.get(1), _RESOURCE), "nonResourceAttributes": _named(spec.get(2), _PATH)}
    except (IndexError, UnicodeDecodeError) as error:
        raise BadRequest(f"provided data cannot be read as a protobuf message: {error}") from error
    return {"spec": {key: value for key, value in found.items() if value}}


def _named(message: bytes | None, names: dict[int, str]) -> JsonObject:
    fields = dict(_fields(message or b""))
    return {name: fields[number].decode() for number, name in names.items() if number in fields}


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a message; numbers are passed over."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == 2:
            size, at = _varint(message, at)
            yield tag >> 3, message[at : at + size]
            at += size
        elif tag & 7 == 0:
            _, at = _varint(message, at)
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
