"""The instances as Kubernetes nodes: Ready, schedulable, and as many as HyperPod says there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import eks, hyperpod
from functions.capacity.nodes.rules import JOINS_WITHIN, STUCK_AFTER, Unready, named, not_joined, said_of
from functions.capacity.rules.counts import by_group, complete, counted
from functions.core import runtime, settings
from functions.core.ledger.models import Reason
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, StageContext, Waiting
from functions.kubernetes_api import connection, nodes

if TYPE_CHECKING:
    from datetime import timedelta

    from functions.kubernetes_api.nodes import Node


_SLOWER: Final = 4


class HyperPodNodes:
    """Nothing to make: the nodes register themselves."""

    def apply(self, _: StageContext) -> Applied:
        """Leave it to the instances."""
        return Applied("waiting for the instances to become nodes")

    def observe(self, context: StageContext) -> Observation:
        """Done when each group has its count of Ready, schedulable nodes."""
        wanted = {group.name: group.instance_count for group in context.cluster.instance_groups if group.instance_count}
        found = nodes.hyperpod_nodes(connection.connect(context.cluster.names.eks_cluster, eks.api_server_of))
        usable = [node for node in found if node.ready and node.schedulable]
        have = by_group(node.group for node in usable)
        if complete(have, wanted):
            return Done({"ready": dict(have)}, f"Ready and schedulable: {counted(have, wanted)}")
        return _waiting(context, found, f"Ready nodes {counted(have, wanted)}")


def _waiting(context: StageContext, found: list[Node], progress: str) -> Observation:
    unready = [_unready(node) for node in found if not (node.ready and node.schedulable)]
    strangers = _not_joined(context, found)
    names = context.cluster.names
    if strangers and _age(context) >= STUCK_AFTER:
        return Failed(not_joined(strangers, names.execution_role, names.eks_cluster))
    joining = f"running, not joined: {named(strangers)}" if strangers else ""
    message = "; ".join(text for text in (progress, said_of(unready), joining) if text)
    checked = any(node.in_check for node in unready)
    reason = Reason.WAITING_DEEP_HEALTH_CHECK if checked else Reason.WAITING_NODES
    # What has not come in the usual time is no longer a matter of seconds.
    slower = 1 if _age(context) < JOINS_WITHIN else _SLOWER
    return Waiting(int(settings.required("NODES_POLL_SECONDS")) * slower, message, reason)


def _not_joined(context: StageContext, found: list[Node]) -> list[str]:
    """Name instances that run without being nodes, once they have had time to join. Raises the client's own errors."""
    if _age(context) < JOINS_WITHIN:
        return []
    joined = {node.instance_id for node in found}
    running = (one.instance_id for one in hyperpod.instances(context.cluster.names.hyperpod_cluster) if one.runs)
    return sorted(instance_id for instance_id in running if instance_id not in joined)


def _age(context: StageContext) -> timedelta:
    return runtime.now() - (context.stage.started_at or runtime.now())


def _unready(node: Node) -> Unready:
    reason = node.reason if not node.ready else "is not schedulable"
    return Unready(node.name, reason, node.in_check, node.created_at)


STAGES: Behaviours = {"hyperpod_nodes": HyperPodNodes()}
