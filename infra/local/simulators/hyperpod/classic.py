"""Classic provisioning: all instances or none, with a rollback (facts 1.5)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.records import HyperPodRecord, Phase

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.groups import Groups
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.nodes import Nodes
    from infra.local.simulators.hyperpod.state import HyperPodState


STANDING: Final = ("InService", "SystemUpdating")
"""What fails meanwhile is an instance, not an operation on the cluster."""


class Classic:
    """Moves a cluster that was made without a provisioning mode."""

    def __init__(self, state: HyperPodState, journal: Journal, nodes: Nodes, groups: Groups) -> None:
        self._state = state
        self._journal = journal
        self._nodes = nodes
        self._groups = groups

    def step(self, cluster: HyperPodRecord, at: datetime) -> None:
        """Place what is asked for, judge it, or end a rollback."""
        if cluster.status == "RollingBack":
            self._end_rollback(cluster, at)
            return
        if cluster.due and cluster.due <= at:
            cluster.due = None
        if problem := self._place(cluster, at) or self._failed(cluster):
            self._roll_back(cluster, problem, at)
        elif cluster.status in ("Creating", "Updating") and self._complete(cluster):
            cluster.status, cluster.failure = "InService", ""
            for group in cluster.groups.values():
                group.before = None

    def _place(self, cluster: HyperPodRecord, at: datetime) -> str | None:
        for group in cluster.groups.values():
            if group.next_attempt and group.next_attempt <= at:
                shortage = self._groups.place(cluster, group, at)
                if shortage and cluster.status in STANDING:
                    # The replacement of a node goes on trying; it does not fail the cluster.
                    group.next_attempt = at + times.RETRY_EVERY
                elif shortage:
                    return shortage.message
        return None

    def _failed(self, cluster: HyperPodRecord) -> str | None:
        if cluster.status in STANDING:
            return None
        failed = (node for group, node in cluster.nodes() if node.phase is Phase.FAILED and not node.health)
        return next((node.message for node in failed if node.message), None)

    def _complete(self, cluster: HyperPodRecord) -> bool:
        return cluster.due is None and all(
            not group.deleting
            and len(group.nodes) == group.target
            and all(node.phase is Phase.RUNNING for node in group.nodes)
            for group in cluster.groups.values()
        )

    def _roll_back(self, cluster: HyperPodRecord, problem: str, at: datetime) -> None:
        """Let go what this operation made; the reason stays with the cluster."""
        cluster.failure, cluster.due = problem, at + times.ROLLBACK
        creating, cluster.status = cluster.status == "Creating", "RollingBack"
        for group in cluster.groups.values():
            group.failed, group.next_attempt, group.requested = creating, None, []
            for node in [each for each in group.present if each.launched_at >= cluster.changed_at]:
                self._nodes.leave(cluster, group, node, at)
            if group.before:
                group.spec, group.minimum = dict(group.before.spec), group.before.minimum
                self._groups.relabel(group, at)
            group.target = 0 if creating else len(group.present)

    def _end_rollback(self, cluster: HyperPodRecord, at: datetime) -> None:
        if cluster.due is None or at < cluster.due:
            return
        cluster.due = None
        cluster.status = "Failed" if all(group.failed for group in cluster.groups.values()) else "InService"
        for group in cluster.groups.values():
            group.before = None
