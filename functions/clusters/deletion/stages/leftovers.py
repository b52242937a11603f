"""For whom a network is cleared: every stage that does it asks here whose things it may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks
from functions.clusters.deletion.models import Owner
from functions.clusters.deletion.rules.blockers import given_groups
from functions.core.tags import marked

if TYPE_CHECKING:
    from functions.core.stage import StageContext


def owner_of(context: StageContext) -> Owner:
    """Say for whom a network is cleared; an EKS cluster of the name may be another's by now."""
    cluster = context.cluster
    found = eks.describe_cluster(cluster.names.eks_cluster)
    return Owner(
        eks_cluster=cluster.names.eks_cluster,
        given=given_groups(cluster),
        stands=found is not None,
        foreign=found is not None and not marked(found.tags, cluster.tag),
    )
