"""The controllers of a cluster, run to a fixed point whenever something changed or came due: see `manager.py`."""

from __future__ import annotations

from collections.abc import Callable

from infra.local.kubernetes.controllers import (
    cronjobs,
    daemonsets,
    deployments,
    devices,
    evictions,
    jobs,
    kubelet,
    replicasets,
    scheduler,
    services,
    statefulsets,
)
from infra.local.kubernetes.controllers.addons import AddonIssue, addon_health, install_addon, remove_addon
from infra.local.kubernetes.controllers.behaviours import Behaviour, Behaviours, Rule, Scene, default_behaviours
from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.controllers.manager import Controller, Manager
from infra.local.kubernetes.hyperpod_nodes import NodeFact, Taint, sync_nodes
from infra.local.kubernetes.namespaces import bootstrap, default_service_accounts
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.volumes import bind_volumes, release_volumes

CONTROLLERS: tuple[Callable[[Store], None], ...] = (default_service_accounts, release_volumes, bind_volumes)
"""Controllers that look at a whole store at once: each is idempotent and cheap."""

_INDEXED: tuple[Controller, ...] = tuple(
    module.CONTROLLER
    for module in (
        cronjobs, jobs, deployments, replicasets, statefulsets, daemonsets, evictions, scheduler, kubelet, devices,
        services,
    )
)  # fmt: skip


def manage(store: Store, behaviours: Behaviours) -> Manager:
    """Everything that keeps a cluster's objects in order."""
    return Manager(Cluster(store, behaviours), _INDEXED, CONTROLLERS)


__all__ = [
    "CONTROLLERS",
    "AddonIssue",
    "Behaviour",
    "Behaviours",
    "Cluster",
    "Manager",
    "NodeFact",
    "Rule",
    "Scene",
    "Taint",
    "addon_health",
    "bootstrap",
    "default_behaviours",
    "install_addon",
    "manage",
    "remove_addon",
    "sync_nodes",
]
