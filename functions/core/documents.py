"""Reading JSON documents that others wrote: what is not there, or not of the kind expected, is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

    Document = Mapping[str, JsonValue]


def member(document: Document, name: str) -> dict[str, JsonValue]:
    """Give an object inside a document; empty when it is absent."""
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def items_of(document: Document, name: str) -> list[dict[str, JsonValue]]:
    """Give the objects of a list inside a document; empty when it is absent."""
    value = document.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
