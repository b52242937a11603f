"""What the store checks of every object, whoever writes it; `admission.py` checks the rest at the API's door."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.names import require_valid_metadata
from infra.local.kubernetes.resources import Resource


def require_valid(resource: Resource, document: JsonObject) -> None:
    """Check an object's metadata.

    Raises Invalid listing each broken rule.
    """
    require_valid_metadata(resource, document)
