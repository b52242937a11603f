"""What the store checks of every object, whoever writes it; `admission.py` checks the rest at the API's door."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, name_of
from infra.local.kubernetes.errors import Forbidden, qualified
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.names import require_valid_metadata
from infra.local.kubernetes.resources import Resource


def require_valid(resource: Resource, document: JsonObject) -> None:
    """Check an object's metadata.

    Raises Invalid listing each broken rule.
    """
    require_valid_metadata(resource, document)


def require_open(resource: Resource, name: str, namespace: JsonObject) -> None:
    """Check that a namespace takes new objects.

    Raises Forbidden while it is being deleted.
    """
    if not is_deleting(namespace):
        return
    why = f"unable to create new content in namespace {name_of(namespace)} because it is being terminated"
    cause = {"reason": "NamespaceTerminating", "message": f"namespace {name_of(namespace)} is being terminated",
             "field": "metadata.namespace"}  # fmt: skip
    details: JsonObject = {"name": name, "kind": resource.plural, "causes": [cause]}
    raise Forbidden(f'{qualified(resource.plural, resource.group)} "{name}"', why, details)
