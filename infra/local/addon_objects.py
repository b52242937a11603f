"""What EKS add-ons have in the clusters: EKS's simulator asks and tells, the clusters' stores hold it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.controllers import addons
from infra.local.simulators.eks_addons import no_replicas
from infra.local.simulators.eks_catalog import ADDONS
from infra.local.simulators.eks_records import AddonObjects


def addon_objects(
    clusters: Mapping[str, KubernetesApi],
    version_of: Callable[[str, str], str],
    has_nodes: Callable[[str], bool],
) -> AddonObjects:
    """Join add-ons and the clusters they are in, by name; a cluster that is gone has none."""

    def install(cluster: str, addon: str) -> None:
        if cluster in clusters:
            addons.install_addon(clusters[cluster].store, addon, version_of(cluster, addon))

    def remove(cluster: str, addon: str) -> None:
        if cluster in clusters:
            addons.remove_addon(clusters[cluster].store, addon)

    def health(cluster: str, addon: str) -> list[dict[str, Any]]:
        if cluster in clusters and addons.knows_addon(addon):
            return [dict(issue) for issue in addons.addon_health(clusters[cluster].store, addon)]
        # Nothing is known of its objects: it counts as running as soon as there is a node.
        return [no_replicas()] if ADDONS[addon].needs_node and not has_nodes(cluster) else []

    def conflicts(cluster: str, addon: str) -> list[str]:
        if cluster not in clusters:
            return []
        return addons.addon_conflicts(clusters[cluster].store, addon, version_of(cluster, addon))

    return AddonObjects(install, remove, health, conflicts)
