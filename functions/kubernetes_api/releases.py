"""Helm's releases of a whole cluster, as their secrets tell them, whoever installed them."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.documents import items_of, member
from functions.kubernetes_api.objects import SECRETS, Object, listed

if TYPE_CHECKING:
    from functions.kubernetes_api.connection import ClusterClient

# A revision that another has replaced says nothing of what is installed.
_CURRENT: Final = "owner=helm,status!=superseded"
_GZIP: Final = 31
_LARGEST: Final = 64 * 1024 * 1024


@dataclass(frozen=True)
class Installed:
    """The newest revision of a release; `chart` and `version` are None where its secret cannot be read."""

    name: str
    namespace: str
    status: str
    revision: int
    chart: str | None
    version: str | None
    labels: dict[str, str]
    written_by: str


def installed(client: ClusterClient) -> list[Installed]:
    """List the releases of all namespaces, the newest revision of each. Raises as `objects.listed` does."""
    newest: dict[tuple[str, str], Installed] = {}
    for secret in listed(client, SECRETS, _CURRENT):
        found = _installed(secret)
        known = newest.get((found.namespace, found.name))
        if known is None or known.revision < found.revision:
            newest[found.namespace, found.name] = found
    return [newest[key] for key in sorted(newest)]


def _installed(secret: Object) -> Installed:
    metadata = member(secret, "metadata")
    labels = {key: str(value) for key, value in member(metadata, "labels").items()}
    chart, version = _chart(str(member(secret, "data").get("release") or ""))
    managers = [str(entry.get("manager")) for entry in items_of(metadata, "managedFields")]
    return Installed(
        name=labels.get("name", ""),
        namespace=str(metadata.get("namespace")),
        status=labels.get("status", ""),
        revision=int(labels.get("version") or 0),
        chart=chart,
        version=version,
        labels=labels,
        written_by=managers[0] if managers else "helm",
    )


def _chart(encoded: str) -> tuple[str | None, str | None]:
    """Read name and version of a release's chart: JSON, compressed, encoded by helm and once more by Kubernetes."""
    try:
        packed = base64.b64decode(base64.b64decode(encoded, validate=True), validate=True)
        document = json.loads(zlib.decompressobj(_GZIP).decompress(packed, _LARGEST))
    except (binascii.Error, zlib.error, ValueError):
        return None, None
    found = member(member(document, "chart"), "metadata") if isinstance(document, dict) else {}
    name, version = found.get("name"), found.get("version")
    return str(name) if name else None, str(version) if version else None
