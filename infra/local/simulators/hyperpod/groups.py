"""How instance groups come to their target, and what happens when they do not."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.journal import place_name, short_place_name
from infra.local.simulators.hyperpod.network import NoInterface
from infra.local.simulators.hyperpod.placement import Room, Shortage
from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, Phase, RequestedNode

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.nodes import Nodes
    from infra.local.simulators.hyperpod.state import HyperPodState


class Groups:
    """Moves groups."""

    def __init__(self, state: HyperPodState, journal: Journal, nodes: Nodes) -> None:
        self._state = state
        self._journal = journal
        self._nodes = nodes

    def scale(self, cluster: HyperPodRecord, group: GroupRecord, target: int, at: datetime) -> None:
        """Ask for more instances, or let arbitrary ones go (facts 1.4)."""
        group.target = target
        while group.requested and len(group.present) + len(group.requested) > target:
            group.requested.pop()
        surplus = sorted(group.present, key=lambda node: node.instance_id)[target:]
        for node in surplus:
            self._nodes.leave(cluster, group, node, at)
        missing = target - len(group.present) - len(group.requested)
        for _ in range(missing):
            group.requested.append(RequestedNode(f"node-{self._state.mint(12)}", at))
        group.next_attempt = self._first_attempt(group, at) if group.requested else None

    def _first_attempt(self, group: GroupRecord, at: datetime) -> datetime | None:
        """A plan's instances wait for the plan's start."""
        if group.plan is None:
            return at + times.CREATION
        plan = self._state.records.plans[group.plan]
        return None if at >= plan.reclaim_at else max(at + times.CREATION, plan.reservation.starts_at)

    def place(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> Shortage | None:
        """Launch what is missing; gives what stood in the way."""
        group.next_attempt = None
        self._find_network(cluster, group, at)
        room = Room(self._state, group, at)
        while group.requested:
            found = room.take()
            if isinstance(found, Shortage):
                return found
            try:
                self._nodes.launch(cluster, group, group.requested[0], found, at)
            except NoInterface as refused:
                return Shortage(refused.text)
            del group.requested[0]
        return None

    def attempt(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        """Launch what is missing; where that ends, say so and try again in ten minutes (Continuous mode)."""
        shortage = self.place(cluster, group, at)
        if shortage is None:
            return
        self._report(cluster, group, shortage, at)
        plan = self._state.records.plans[group.plan] if group.plan else None
        over = plan is not None and at >= plan.reclaim_at
        group.next_attempt = None if over else at + times.RETRY_EVERY

    def _find_network(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        if group.announced_network:
            return
        group.announced_network = True
        ids = ", ".join(group.security_groups)
        for subnet in group.subnets:
            text = (
                f"Found Subnet {subnet.subnet_id} in AZ {subnet.zone} with SecurityGroupIds {ids}"
                f" for IG {group.name} in Cluster {cluster.name}"
            )
            self._journal.of_group(
                cluster,
                group,
                at,
                text,
                AvailabilityZoneId=subnet.zone_id,
                SubnetId=subnet.subnet_id,
                SecurityGroupIds=group.security_groups,
            )
        if group.image not in (None, "default"):
            text = f"Found Custom AMI Override {group.image} for IG {group.name} in Cluster {cluster.name}"
            self._journal.of_group(cluster, group, at, text, AmiOverride=group.image)

    def _report(self, cluster: HyperPodRecord, group: GroupRecord, shortage: Shortage, at: datetime) -> None:
        """Say once an attempt why it fell short, as the events of the next instance."""
        first = f"Failed to provision EC2 Instance in {place_name(cluster, group)}"
        if shortage.of_addresses:
            first = f"Failed to create Customer ENI for instance in {short_place_name(cluster, group)}"
        logical_id = group.requested[0].logical_id
        for text in (first, f"Instance creation in {place_name(cluster, group)} failed"):
            self._journal.of_node(cluster, group, None, at, text, failure=shortage.message, NodeLogicalId=logical_id)

    def step(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        """Launch what is due and let go what a plan takes back."""
        self._reclaim(cluster, group, at)
        if cluster.continuous and group.next_attempt and group.next_attempt <= at:
            self.attempt(cluster, group, at)

    def judge(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        """See what the nodes' latest steps mean for their group."""
        if group.minimum_deadline:
            self._judge_minimum(cluster, group, group.minimum_deadline, at)
        if not any(node.configure_at for node in group.nodes):
            group.configured = dict(group.spec.get("KubernetesConfig", {}))

    def relabel(self, group: GroupRecord, at: datetime) -> None:
        """Give the nodes the group's labels and taints, those that stand after a while."""
        wanted = group.spec.get("KubernetesConfig", {})
        for node in group.present:
            node.configure_at = None
            if node.joined and node.configured != wanted:
                node.configure_at = at + times.CONFIGURING
            elif not node.joined:
                node.configured = dict(wanted)

    def _judge_minimum(self, cluster: HyperPodRecord, group: GroupRecord, deadline: datetime, at: datetime) -> None:
        """A group that misses MinInstanceCount for three hours goes back to what it was (facts 1.5)."""
        running = sum(1 for node in group.present if node.phase is Phase.RUNNING)
        if running >= group.minimum:
            group.minimum_deadline = group.before = None
        elif at >= deadline:
            self._roll_back(cluster, group, at)

    def _roll_back(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        before, group.before, group.minimum_deadline = group.before, None, None
        text = f"Instance Group {group.name} scaling in Cluster {cluster.name} failed"
        failure = f"MinInstanceCount {group.minimum} was not reached within {times.MINIMUM_WITHIN}."
        self._journal.of_group(
            cluster,
            group,
            at,
            text,
            failure=failure,
            scaling=True,
            InstanceCount=len(group.present),
            TargetCount=group.target,
            MinCount=group.minimum,
        )
        if before:
            group.spec, group.minimum = dict(before.spec), before.minimum
            self.relabel(group, at)
        self.scale(cluster, group, before.target if before else 0, at)

    def _reclaim(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        """A plan's instances go an hour before the plan ends (facts 1.9)."""
        if group.plan is None or at < self._state.records.plans[group.plan].reclaim_at:
            return
        for node in group.present:
            self._nodes.replace(cluster, group, node, at)
