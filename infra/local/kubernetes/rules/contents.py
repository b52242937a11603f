"""Rules of config maps and secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, text
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.rules.causes import forbidden, invalid, required, too_long, unchanged

_LARGEST = 1024 * 1024
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
    "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name"
_NEEDED_KEYS = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}


def config_map_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a config map must be; an immutable one never changes."""
    plain, binary = mapping(document, "data"), mapping(document, "binaryData")
    for field, found in (("data", plain), ("binaryData", binary)):
        yield from _keys(field, found)
    for key in sorted(plain.keys() & binary.keys()):
        yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    if _size(plain) + _size(binary) * 3 // 4 > _LARGEST:
        yield too_long("[]", _LARGEST)
    yield from _frozen(document, before, ("data", "binaryData"))


def secret_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a secret must be; its type never changes, and an immutable one not at all."""
    data = mapping(document, "data")
    yield from _keys("data", data)
    if _size(data) * 3 // 4 > _LARGEST:
        yield too_long("data", _LARGEST)
    for key in _NEEDED_KEYS.get(text(document, "type"), ()):
        if key not in data:
            yield required(f"data[{key}]")
    named = text(document, "metadata", "annotations", _ACCOUNT_ANNOTATION)
    if text(document, "type") == "kubernetes.io/service-account-token" and not named:
        yield required(f"metadata.annotations[{_ACCOUNT_ANNOTATION}]")
    if before is not None:
        yield from unchanged("type", before, document, "type")
    yield from _frozen(document, before, ("data",))


def _keys(field: str, found: JsonObject) -> Iterator[Cause]:
    for key in found:
        if len(key) > 253:
            yield invalid(f"{field}[{key}]", key, "must be no more than 253 characters")
        if not _KEY.fullmatch(key):
            yield invalid(f"{field}[{key}]", key, _KEY_RULE)
        if key in (".", "..") or key.startswith(".."):
            yield invalid(f"{field}[{key}]", key, f"must not {'be' if key in ('.', '..') else 'start with'} '..'")


def _size(found: JsonObject) -> int:
    return sum(len(value.encode()) for value in found.values() if isinstance(value, str))


def _frozen(document: JsonObject, before: JsonObject | None, fields: tuple[str, ...]) -> Iterator[Cause]:
    if before is None or before.get("immutable") is not True:
        return
    if document.get("immutable") is not True:
        yield forbidden("immutable", "field is immutable when `immutable` is set")
    for field in fields:
        if mapping(before, field) != mapping(document, field):
            yield forbidden(field, "field is immutable when `immutable` is set")
