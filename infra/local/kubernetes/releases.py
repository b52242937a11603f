"""What a cluster's secrets tell about the releases of helm."""

from __future__ import annotations

from infra.local.kubernetes.documents import text
from infra.local.kubernetes.resources import SECRETS
from infra.local.kubernetes.store import Store

_TYPE = "helm.sh/release.v1"


def has_release(store: Store, name: str, namespace: str) -> bool:
    """Say whether helm has deployed a release."""
    found = store.select(SECRETS, namespace, f"owner=helm,name={name},status=deployed")
    return any(text(secret, "type") == _TYPE for secret in found)
