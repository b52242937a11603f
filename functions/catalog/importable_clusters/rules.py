"""How a cluster that could be imported reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.catalog.importable_clusters.models import ImportableCluster


def with_hyperpod(cluster: ImportableCluster, by_eks_cluster: Mapping[str, str] | None) -> ImportableCluster:
    """Add the HyperPod cluster on it; `by_eks_cluster` maps ARNs to names, None where SageMaker did not say."""
    if by_eks_cluster is None or cluster.arn is None:
        return cluster
    name = by_eks_cluster.get(cluster.arn)
    return cluster.model_copy(update={"hyperpod_cluster": name, "has_hyperpod_cluster": name is not None})
