"""The server-side Table form of objects, which `kubectl get` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from infra.local.kubernetes.columns import columns_of
from infra.local.kubernetes.documents import JsonObject, mapping
from infra.local.kubernetes.resources import Resource


def table(
    resource: Resource, documents: Sequence[JsonObject], now: datetime, metadata: JsonObject, include: str = "Metadata"
) -> JsonObject:  # fmt: skip
    """The Table of some objects; `include` says what each row carries of its object (None, Metadata or Object)."""
    columns = columns_of(resource)
    definitions = [
        {"name": c.title, "type": c.kind, "format": "name" if c.title == "Name" else "", "description": "",
         "priority": 1 if c.wide else 0}
        for c in columns
    ]  # fmt: skip
    rows = [
        {"cells": [column.read(document, now) for column in columns], "object": _row_object(document, include)}
        for document in documents
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    }


def partial_metadata(document: JsonObject) -> JsonObject:
    """Only an object's metadata, as clients that watch ownership ask for it."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": mapping(document, "metadata"),
    }


def _row_object(document: JsonObject, include: str) -> JsonObject | None:
    if include == "None":
        return None
    return document if include == "Object" else partial_metadata(document)
