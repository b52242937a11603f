"""Cluster events, and what of them and of a cluster's state goes to the event bus.

Texts: SageMaker Developer Guide, HyperPod cluster events reference; shapes on the bus: the same guide, "Events that
SageMaker AI sends to EventBridge". Where the guide's example and its table disagree, the example is followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import NAMESPACE_URL, uuid5

from infra.local.simulators.bus_event import BusEvent
from infra.local.simulators.hyperpod import views
from infra.local.simulators.hyperpod.records import EventRecord

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, NodeRecord
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.service import JsonObject

EVENTS_KEPT: Final = 500
SOURCE: Final = "aws.sagemaker"
CLUSTER_EVENT: Final = "SageMaker HyperPod Cluster Event"
STATE_CHANGE: Final = "SageMaker HyperPod Cluster State Change"
NODE_HEALTH: Final = "SageMaker HyperPod Cluster Node Health Event"


def place_name(cluster: HyperPodRecord, group: GroupRecord) -> str:
    """Name a group as the events about creation do."""
    return f"Cluster {cluster.name} and InstanceGroup {group.name}"


def short_place_name(cluster: HyperPodRecord, group: GroupRecord) -> str:
    """Name a group as all other events do."""
    return f"Cluster {cluster.name} and IG {group.name}"


@dataclass(frozen=True)
class _Said:
    """What an event says, and of what: a cluster, or one of its groups or instances.

    `kind` is its member of the EventMetadata union, where that is not the type of the resource.
    """

    resource_type: str
    text: str
    level: str = "Info"
    metadata: JsonObject = field(default_factory=dict)
    group: GroupRecord | None = None
    node: NodeRecord | None = None
    kind: str | None = None


class Journal:
    """Writes events down and tells the bus."""

    def __init__(self, state: HyperPodState) -> None:
        self._state = state

    def of_cluster(
        self,
        cluster: HyperPodRecord,
        at: datetime,
        text: str,
        *,
        level: str = "Info",
        failure: str | None = None,
        **metadata: object,
    ) -> None:
        """Record an event of a cluster."""
        self._record(cluster, at, _Said("Cluster", text, level, _metadata(failure, metadata)))

    def of_group(
        self,
        cluster: HyperPodRecord,
        group: GroupRecord,
        at: datetime,
        text: str,
        *,
        failure: str | None = None,
        scaling: bool = False,
        **metadata: object,
    ) -> None:
        """Record an event of a group; one with a failure is an error."""
        kind = "InstanceGroupScaling" if scaling else "InstanceGroup"
        level = "Error" if failure else "Info"
        details = _metadata(failure, metadata)
        self._record(cluster, at, _Said("InstanceGroup", text, level, details, group, kind=kind))

    def of_node(
        self,
        cluster: HyperPodRecord,
        group: GroupRecord,
        node: NodeRecord | None,
        at: datetime,
        text: str,
        *,
        failure: str | None = None,
        **metadata: object,
    ) -> None:
        """Record an event of an instance, or of one that could not be made."""
        level = "Error" if failure else "Info"
        known = {"NodeLogicalId": node.logical_id} if node and cluster.continuous else {}
        details = _metadata(failure, {**known, **metadata})
        self._record(cluster, at, _Said("Instance", text, level, details, group, node))

    def _record(self, cluster: HyperPodRecord, at: datetime, said: _Said) -> None:
        """Add an event and tell the bus; classic clusters have none, and the newest 500 are kept (facts 1.7)."""
        if not cluster.continuous:
            return
        self._state.records.minted += 1
        event = EventRecord(
            event_id=str(uuid5(NAMESPACE_URL, f"{cluster.arn}#{self._state.records.minted}")),
            time=at,
            resource_type=said.resource_type,
            description=said.text,
            level=said.level,
            group=said.group.name if said.group else None,
            instance_id=said.node.instance_id if said.node else None,
            metadata={said.kind or said.resource_type: said.metadata},
        )
        cluster.events.append(event)
        del cluster.events[:-EVENTS_KEPT]
        self._publish(cluster, at, CLUSTER_EVENT, {"EventDetails": views.event_on_the_bus(cluster, event)})

    def announce(self, cluster: HyperPodRecord, at: datetime) -> None:
        """Tell the bus of the cluster's status, once for each change."""
        if cluster.announced == cluster.status:
            return
        cluster.announced = cluster.status
        self._publish(cluster, at, STATE_CHANGE, views.cluster_on_the_bus(cluster, self._state.records, at))

    def health(self, cluster: HyperPodRecord, node: NodeRecord, at: datetime) -> None:
        """Tell the bus how a node is."""
        summary = {"HealthStatus": "Healthy", "HealthStatusReason": "", "RepairAction": "None", "Recommendation": ""}
        if node.health:
            repair = node.health.recovery
            summary = {
                "HealthStatus": "Unhealthy",
                "HealthStatusReason": (
                    f"HyperPod Health Monitoring Agent (HMA) has detected fault type {node.health.fault} on this node"
                    " and is unhealthy."
                ),
                "RepairAction": repair if cluster.recovers else "None",
                "Recommendation": f"Please {repair} the Faulty Node.",
            }
        detail = {
            "ClusterName": cluster.name,
            "ClusterArn": cluster.arn,
            "InstanceId": node.instance_id,
            "Tags": dict(cluster.tags),
            "HealthSummary": summary,
        }
        self._publish(cluster, at, NODE_HEALTH, detail)

    def _publish(self, cluster: HyperPodRecord, at: datetime, detail_type: str, detail: JsonObject) -> None:
        self._state.host.publish(BusEvent(SOURCE, detail_type, detail, (cluster.arn,), at))


def _metadata(failure: str | None, known: dict[str, object]) -> JsonObject:
    failed = {"FailureMessage": failure} if failure else {}
    return {**failed, **{name: value for name, value in known.items() if value is not None}}
