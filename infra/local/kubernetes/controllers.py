"""The controllers that run before each request: small functions over the store, each idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.kubernetes.hyperpod_nodes import NodeFact, Taint, sync_nodes
from infra.local.kubernetes.namespaces import bootstrap, default_service_accounts
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.volumes import bind_volumes, release_volumes

if TYPE_CHECKING:
    from collections.abc import Callable

CONTROLLERS: tuple[Callable[[Store], None], ...] = (default_service_accounts, release_volumes, bind_volumes)

__all__ = ["CONTROLLERS", "NodeFact", "Taint", "bootstrap", "sync_nodes"]
