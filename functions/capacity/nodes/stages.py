"""The instances as Kubernetes nodes: Ready, schedulable, and as many as HyperPod says there are."""

from __future__ import annotations

from typing import Final

from functions.aws import eks
from functions.capacity.rules import by_group, complete, counted
from functions.core.ledger.models import Reason
from functions.core.stage import Applied, Behaviours, Done, Observation, StageContext, Waiting
from functions.kubernetes_api import connection, nodes

_POLL_SECONDS: Final = 15


class HyperPodNodes:
    """Nothing to make: the nodes register themselves."""

    def apply(self, _: StageContext) -> Applied:
        """Leave it to the instances."""
        return Applied("waiting for the instances to become nodes")

    def observe(self, context: StageContext) -> Observation:
        """Done when each group has its count of Ready, schedulable nodes."""
        wanted = {group.name: group.instance_count for group in context.cluster.instance_groups}
        found = nodes.hyperpod_nodes(connection.connect(context.cluster.names.eks_cluster, eks.api_server_of))
        usable = [node for node in found if node.ready and node.schedulable]
        have = by_group(node.group for node in usable)
        if complete(have, wanted):
            return Done({"ready": dict(have)}, f"Ready and schedulable: {counted(have, wanted)}")
        unready = next((f"; {node.name}: {node.reason}" for node in found if not node.ready), "")
        return Waiting(_POLL_SECONDS, f"Ready nodes {counted(have, wanted)}{unready}", Reason.WAITING_NODES)


STAGES: Behaviours = {"hyperpod_nodes": HyperPodNodes()}
