"""How HyperPod clusters move with the clock in Continuous mode: placement, lifecycle scripts, events, deletion."""

from __future__ import annotations

import sys
from collections import Counter
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from infra.local.simulators import neighbours
from infra.local.simulators.hyperpod_records import (
    CREATION,
    DELETION,
    EVENTS_KEPT,
    LIFECYCLE_AFTER,
    RETRY_EVERY,
    RUNNING_AFTER,
    STAGGER,
    EventRecord,
    GroupRecord,
    HyperPodRecord,
    HyperPodRecords,
    HyperPodState,
    NodeRecord,
)
from infra.local.simulators.paging import HEXADECIMAL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from infra.local.simulators.neighbours import Subnet
    from infra.local.simulators.service import JsonObject

RESERVED_AT_THE_START = 3


class Room:
    """Where a group's next instances fit: capacity of the zones, addresses of the subnets."""

    def __init__(self, records: HyperPodRecords, group: GroupRecord) -> None:
        kind = group.instance_type
        self._subnets = group.subnets
        self._limits = {zone: count for (named, zone), count in records.capacity.items() if named == kind}
        self._used = Counter(node.subnet.zone for other, node in records.nodes() if other.instance_type == kind)
        taken = {(node.subnet.subnet_id, node.private_ip) for _, node in records.nodes()}
        self._addresses = {
            subnet.subnet_id: (each for each in _addresses(subnet) if (subnet.subnet_id, each) not in taken)
            for subnet in group.subnets
        }

    def take(self) -> tuple[Subnet, str] | None:
        """Take one place: a subnet and an address."""
        for subnet in self._subnets:
            if self._used[subnet.zone] < self._limits.get(subnet.zone, sys.maxsize):
                address = next(self._addresses[subnet.subnet_id], None)
                if address:
                    self._used[subnet.zone] += 1
                    return subnet, address
        return None


def _addresses(subnet: Subnet) -> Iterator[str]:
    """Usable addresses from the top: EC2's own interfaces fill a subnet from below."""
    block = IPv4Network(subnet.cidr)
    lowest = int(block.network_address) + RESERVED_AT_THE_START
    return (str(IPv4Address(number)) for number in range(int(block.broadcast_address) - 1, lowest, -1))


class Progress:
    """Brings records up to the clock."""

    def __init__(self, state: HyperPodState) -> None:
        self._state = state

    def settle(self) -> None:
        """Everything that became due, cluster by cluster in the order they were made."""
        now = self._state.now()
        for cluster in list(self._state.records.clusters.values()):
            if cluster.deleted_at:
                if now >= cluster.deleted_at + DELETION:
                    del self._state.records.clusters[cluster.name]
                continue
            self._settle_cluster(cluster, now)

    def deadlines(self) -> Iterator[datetime]:
        """Moments at which something becomes due."""
        for cluster in self._state.records.clusters.values():
            if cluster.deleted_at:
                yield cluster.deleted_at + DELETION
                continue
            if not cluster.completed:
                yield cluster.created_at + CREATION
            for group in cluster.groups.values():
                yield from filter(None, (group.next_attempt, group.minimum_deadline))
                for node in group.nodes:
                    if not node.running_since:
                        yield node.running_at or node.lifecycle_at

    def record(
        self,
        cluster: HyperPodRecord,
        time: datetime,
        description: str,
        *,
        group: GroupRecord | None = None,
        node: NodeRecord | None = None,
        failure: str | None = None,
        metadata: JsonObject | None = None,
    ) -> None:
        """Add a cluster event; the newest 500 are kept (facts 1.7)."""
        kind = "Instance" if node else "InstanceGroup" if group else "Cluster"
        details = {"FailureMessage": failure} if failure else {}
        self._state.records.minted += 1
        event = EventRecord(
            event_id=str(uuid5(NAMESPACE_URL, f"{cluster.arn}#{self._state.records.minted}")),
            time=time,
            resource_type=kind,
            description=description,
            level="Error" if failure else "Info",
            group=group.name if group else None,
            instance_id=node.instance_id if node else None,
            metadata={kind: {**details, **(metadata or {})}},
        )
        cluster.events.append(event)
        cluster.events.sort(key=lambda each: each.time)
        del cluster.events[:-EVENTS_KEPT]

    def _settle_cluster(self, cluster: HyperPodRecord, now: datetime) -> None:
        ready_at = cluster.created_at + CREATION
        if now >= ready_at and not cluster.completed:
            cluster.completed = True
            self.record(cluster, ready_at, "Cluster creation completed")
        for group in cluster.groups.values():
            while group.next_attempt and group.next_attempt <= now:
                self._place(cluster, group, group.next_attempt)
            for node in group.nodes:
                self._advance(cluster, group, node, now)
            self._judge_minimum(cluster, group, now)

    def _place(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        """Launch what is missing; where capacity ends, say so and try again in ten minutes."""
        group.next_attempt = None
        room = Room(self._state.records, group)
        while len(group.nodes) < group.target:
            found = room.take()
            if found is None:
                group.next_attempt = at + RETRY_EVERY
                self._report_shortage(cluster, group, at)
                return
            node = self._launch(group, *found, at)
            group.nodes.append(node)
            text = f"EC2 Instance {node.instance_id} successfully provisioned in {_place_name(cluster, group)}"
            self.record(cluster, at, text, group=group, node=node)

    def _launch(self, group: GroupRecord, subnet: Subnet, private_ip: str, at: datetime) -> NodeRecord:
        return NodeRecord(
            instance_id=f"i-{self._state.mint(17, HEXADECIMAL)}",
            logical_id=f"node-{self._state.mint(12)}",
            subnet=subnet,
            private_ip=private_ip,
            launched_at=at,
            lifecycle_at=at + LIFECYCLE_AFTER,
            settling=RUNNING_AFTER + STAGGER * len(group.nodes),
        )

    def _report_shortage(self, cluster: HyperPodRecord, group: GroupRecord, at: datetime) -> None:
        failure = (
            f"We currently do not have sufficient capacity to launch new {group.instance_type} instances."
            " Please try again."
        )
        for text in (
            f"Failed to provision EC2 Instance in {_place_name(cluster, group)}",
            f"Instance creation in {_place_name(cluster, group)} failed",
        ):
            self.record(cluster, at, text, group=group, failure=failure)

    def _advance(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, now: datetime) -> None:
        while node.scripted_at is None and node.lifecycle_at <= now:
            self._run_script(cluster, group, node)
        if node.running_at and not node.running_since and node.running_at <= now:
            node.running_since = node.running_at

    def _run_script(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> None:
        """Fetch and run the lifecycle script; a missing one is a failure, tried again in ten minutes."""
        at = node.lifecycle_at
        text = f"Instance lifecycle script execution in {_place_name(cluster, group)} has"
        self.record(cluster, at, f"{text} Started", group=group, node=node, metadata={"LcsExecutionState": "Started"})
        script = group.spec["LifeCycleConfig"]
        uri = f"{script['SourceS3Uri'].rstrip('/')}/{script['OnCreate']}"
        node.failed = not neighbours.object_exists(self._state.host.s3(), uri)
        if not node.failed:
            node.scripted_at = at
            state = {"LcsExecutionState": "Completed"}
            self.record(cluster, at, f"{text} Completed", group=group, node=node, metadata=state)
            return
        node.message = _script_failure(cluster, group, node)
        node.lifecycle_at = at + RETRY_EVERY
        state = {"LcsExecutionState": "Failed"}
        self.record(cluster, at, f"{text} Failed", group=group, node=node, failure=node.message, metadata=state)

    def _judge_minimum(self, cluster: HyperPodRecord, group: GroupRecord, now: datetime) -> None:
        """A new group that misses MinInstanceCount for three hours is rolled back to nothing (facts 1.5)."""
        deadline = group.minimum_deadline
        if deadline is None:
            return
        in_time = sum(1 for node in group.nodes if node.running_since and node.running_since <= deadline)
        if in_time >= group.minimum:
            group.minimum_deadline = None
        elif now >= deadline:
            group.target, group.nodes, group.next_attempt, group.minimum_deadline = 0, [], None, None


def _place_name(cluster: HyperPodRecord, group: GroupRecord) -> str:
    return f"Cluster {cluster.name} and InstanceGroup {group.name}"


def _script_failure(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> str:
    """SageMaker's text for a failed lifecycle script (Developer Guide, HyperPod troubleshooting)."""
    return (
        f'Instance `{node.instance_id}` failed to provision with the following error: "Lifecycle scripts did not run'
        f" successfully. To view lifecycle script logs, visit log group '/aws/sagemaker/Clusters/{cluster.name}/"
        f"{cluster.cluster_id}' and log stream 'LifecycleConfig/{group.name}/{node.instance_id}'.\""
        " Note that multiple instances may be impacted."
    )
