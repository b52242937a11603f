"""The controllers that run before each request: small functions over the store, each idempotent."""

from __future__ import annotations

from collections.abc import Callable

from infra.local.kubernetes.hyperpod_nodes import NodeFact, Taint, sync_nodes
from infra.local.kubernetes.namespaces import bootstrap, default_service_accounts
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.volumes import bind_volumes, release_volumes

CONTROLLERS: tuple[Callable[[Store], None], ...] = (default_service_accounts, release_volumes, bind_volumes)

__all__ = ["CONTROLLERS", "NodeFact", "Taint", "bootstrap", "sync_nodes"]
