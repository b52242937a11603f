"""Brings HyperPod clusters up to the clock, one moment after the other.

Each thing that happens by itself has a moment of its own. They are played in their order, and each at its own time, so
records and events do not depend on how often anybody looked meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import classic, network, times
from infra.local.simulators.hyperpod.groups import Groups
from infra.local.simulators.hyperpod.nodes import Nodes
from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord
from infra.local.simulators.hyperpod.software import SoftwareUpdates

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.state import HyperPodState

TOO_OFTEN: Final = 100
"""More often than that nothing can become due at one moment."""


class Progress:
    """Moves everything."""

    def __init__(self, state: HyperPodState, journal: Journal) -> None:
        self._state = state
        self._journal = journal
        self.nodes = Nodes(state, journal)
        self.groups = Groups(state, journal, self.nodes)
        self.software = SoftwareUpdates(state, journal, self.nodes.scripts)
        self._classic = classic.Classic(state, journal, self.nodes, self.groups)

    def settle(self) -> None:
        """Play everything that became due."""
        now, last, played = self._state.now(), None, 0
        while (moment := min(self.deadlines(), default=None)) and moment <= now:
            played = played + 1 if moment == last else 0
            if played > TOO_OFTEN:
                raise RuntimeError(f"something of HyperPod stays due at {moment}: what was played must be gone")
            self._step(moment)
            last = moment

    def deadlines(self) -> Iterator[datetime]:
        """Moments, in no order, at which something becomes due; each is gone once it was played."""
        yield from (change.at for change in self._state.records.outcomes.capacity)
        yield from self._state.records.lingering.values()
        for cluster in self._state.records.clusters.values():
            if cluster.deleted_at:
                yield cluster.deleted_at + times.DELETION
                continue
            if cluster.due:
                yield cluster.due
            for group in cluster.groups.values():
                yield from self._deadlines_of(group)

    def _deadlines_of(self, group: GroupRecord) -> Iterator[datetime]:
        yield from filter(None, (group.next_attempt, group.minimum_deadline))
        if group.software_update and group.software_update.next_batch:
            yield group.software_update.next_batch
        if group.plan and group.present:
            yield self._state.records.plans[group.plan].reclaim_at
        for node in group.nodes:
            yield from node.deadlines()

    def _step(self, at: datetime) -> None:
        self._state.looked.clear()
        self._change_capacity(at)
        self._remove_interfaces(at)
        for cluster in list(self._state.records.clusters.values()):
            if cluster.deleted_at:
                self._end_deletion(cluster, cluster.deleted_at, at)
            else:
                self._step_cluster(cluster, at)
                self._journal.announce(cluster, at)

    def _change_capacity(self, at: datetime) -> None:
        records = self._state.records
        for change in [each for each in records.outcomes.capacity if each.at <= at]:
            records.outcomes.capacity.remove(change)
            records.change_capacity(change)

    def _end_deletion(self, cluster: HyperPodRecord, deleted_at: datetime, at: datetime) -> None:
        if at < deleted_at + times.DELETION:
            return
        until = deleted_at + times.DELETION + times.INTERFACES_AFTER
        self._state.records.lingering |= {node.interface_id: until for _, node in cluster.nodes()}
        del self._state.records.clusters[cluster.name]

    def _remove_interfaces(self, at: datetime) -> None:
        lingering = self._state.records.lingering
        for interface_id in [each for each, until in lingering.items() if until <= at]:
            del lingering[interface_id]
            network.remove_interface(self._state.host, interface_id)

    def _step_cluster(self, cluster: HyperPodRecord, at: datetime) -> None:
        if cluster.continuous and cluster.due and cluster.due <= at:
            self._advance(cluster, at)
        for group in cluster.groups.values():
            self.groups.step(cluster, group, at)
            for node in list(group.nodes):
                self.nodes.step(cluster, group, node, at)
            self.groups.judge(cluster, group, at)
        for group in [each for each in cluster.groups.values() if each.deleting and not each.nodes]:
            del cluster.groups[group.name]
        self.software.step(cluster, at)
        if not cluster.continuous:
            self._classic.step(cluster, at)

    def _advance(self, cluster: HyperPodRecord, at: datetime) -> None:
        """A Continuous cluster is InService before its nodes exist; autoscaling takes longer."""
        cluster.due = None
        if cluster.status == "Creating":
            cluster.status = "InService"
            self._journal.of_cluster(cluster, at, "Cluster creation completed")
        if cluster.autoscaling_ready_at is None:
            return
        if at < cluster.autoscaling_ready_at:
            cluster.due = cluster.autoscaling_ready_at
            return
        text = f"CustomResourceDefinition installation completed successfully in EKS Cluster {cluster.eks_name}"
        self._journal.of_cluster(cluster, at, text)
        self._journal.of_cluster(cluster, at, f"AutoScaling Enable Completed successfully in Cluster {cluster.name}")
