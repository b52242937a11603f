"""The namespace that a caller asks for, and what a cluster says of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.documents import member
from functions.core.tags import CLUSTER_LABEL, MANAGED_BY_LABEL, MANAGER
from functions.identity.namespaces.models import NamespaceView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def namespace(name: str, labels: Mapping[str, str], ours: Mapping[str, str]) -> dict[str, JsonValue]:
    """Build the namespace; our own labels stand beside the caller's."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {**labels, **ours}}}


def view(found: Mapping[str, JsonValue], tag: str) -> NamespaceView:
    """Read a namespace off what a cluster says."""
    metadata, status = member(found, "metadata"), member(found, "status")
    labels = {key: str(value) for key, value in member(metadata, "labels").items()}
    return NamespaceView.model_validate(
        {
            "name": metadata.get("name"),
            "phase": status.get("phase") or "Active",
            "ours": labels.get(MANAGED_BY_LABEL) == MANAGER and labels.get(CLUSTER_LABEL) == tag,
            "labels": labels,
            "created_at": metadata.get("creationTimestamp"),
        }
    )
