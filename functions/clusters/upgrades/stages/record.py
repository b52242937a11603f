"""The cluster's record of the version that everything of it was brought to."""

from __future__ import annotations

from functions.clusters.upgrades.stages.request import target_of
from functions.core import ledger
from functions.core.stage import Applied, Done, Observation, Reapply, StageContext


class ClusterVersion:
    """Notes the version in the desired state, once the stages before have brought everything to it."""

    def apply(self, context: StageContext) -> Applied:
        """Write it, unless it is noted already."""
        cluster, target = context.cluster, target_of(context)
        if cluster.kubernetes_version != target:
            ledger.change_spec(cluster.tag, {"kubernetes_version": target}, cluster.version)
        return Applied(f"noting {target}")

    def observe(self, context: StageContext) -> Observation:
        """Done when it is noted."""
        target = target_of(context)
        if context.cluster.kubernetes_version == target:
            return Done({"kubernetes_version": target}, f"the cluster is at {target}")
        return Reapply(f"{target} is not noted")
