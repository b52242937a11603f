"""What a bus event means: the record of it, and the conditions of its cluster that follow.

Events come more than once and in any order. Each has an `order` by which the newest is known, so what follows from a
set of events does not depend on the order in which they came.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from functions.core.observations import ClusterEvent, NodeHealth, ObservedCondition, Truth

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from functions.clusters.events.models import (
        BusEvent,
        Happening,
        LoggedEvent,
        NodeHealthChange,
        StateChange,
    )

IN_SERVICE: Final = "HyperPodInService"
NODES_HEALTHY: Final = "NodesHealthy"
# EventBridge tries to deliver an event for a day: what is known of a healthy node for longer is not needed any more.
NODE_MEMORY: Final = timedelta(hours=25)
MAX_TEXT: Final = 2000
MAX_NAMED: Final = 5
# So many nodes with their reasons stay below DynamoDB's 400 KB for an item.
MAX_NODES: Final = 1500
MAX_REASON: Final = 120
_PASSING: Final = frozenset({"Creating", "Updating", "SystemUpdating", "RollingBack", "Deleting"})
_BROKEN: Final = frozenset({"Failed", "RollingBack"})
# SageMaker developer guide, "SageMaker HyperPod cluster events reference", instance operation and instance deletion.
_DONE: Final = re.compile(r"Instance .* completed successfully")
_GONE: Final = re.compile(r"Termination of EC2 Instance \S+ is currently in progress|Customer ENI successfully deleted")


def order_of(event: BusEvent, *, settled: bool = True) -> str:
    """Rank an event; within a second, which is as exact as the envelope is, what settles a matter comes last."""
    return f"{event.time:%Y-%m-%dT%H:%M:%S}#{int(settled)}#{event.id}"


def of_state_change(event: BusEvent, tag: str, change: StateChange, recorded_at: datetime) -> ClusterEvent:
    """Make the record of a cluster's status."""
    return ClusterEvent(
        event_id=event.id,
        cluster_tag=tag,
        at=event.time,
        recorded_at=recorded_at,
        kind="state_change",
        level="Error" if change.cluster_status in _BROKEN else "Info",
        resource_type="Cluster",
        message=f"{change.cluster_name} is {change.cluster_status}",
        cause=_shortened(change.failure_message),
    )


def of_node_health(event: BusEvent, tag: str, change: NodeHealthChange, recorded_at: datetime) -> ClusterEvent:
    """Make the record of a node's health."""
    summary = change.health_summary
    repair = [f"repair: {summary.repair_action}"] if summary.repair_action not in ("", "None") else []
    said = [change.instance_id, "is", summary.health_status]
    return ClusterEvent(
        event_id=event.id,
        cluster_tag=tag,
        at=event.time,
        recorded_at=recorded_at,
        kind="node_health",
        level="Info" if is_healthy(change) else "Error",
        resource_type="Instance",
        instance_id=change.instance_id,
        message="; ".join([" ".join(said), *repair]),
        cause=_shortened(" ".join(filter(None, (summary.health_status_reason, summary.recommendation)))),
    )


def of_logged_event(tag: str, logged: LoggedEvent, recorded_at: datetime) -> ClusterEvent:
    """Make the record of an entry of the event log; the entry's own id tells a repeat, the envelope's does not."""
    entry = logged.event_details
    return ClusterEvent(
        event_id=entry.event_id,
        cluster_tag=tag,
        at=entry.event_time,
        recorded_at=recorded_at,
        kind="event",
        level=entry.event_level,
        resource_type=entry.resource_type,
        instance_group=entry.instance_group_name,
        instance_id=entry.instance_id,
        message=_shortened(entry.description) or entry.resource_type,
        cause=_shortened(failure_message(entry)),
    )


def with_cause(record: ClusterEvent, cause: str | None) -> ClusterEvent:
    """Add the cause to the record of a failure."""
    return record.model_copy(update={"cause": _shortened(cause or "")})


def failure_message(entry: Happening) -> str:
    """Find the failure in the metadata of an entry, which are a union by the kind of resource."""
    metadata = entry.event_details.get("EventMetadata")
    members = metadata.values() if isinstance(metadata, dict) else ()
    found = [member.get("FailureMessage") for member in members if isinstance(member, dict)]
    return next((text for text in found if isinstance(text, str) and text), "")


def is_healthy(change: NodeHealthChange) -> bool:
    """Say whether a node is healthy by its event."""
    return change.health_summary.health_status == "Healthy"


def is_awaited(entry: Happening) -> bool:
    """Say whether a stage may have waited for what an entry tells.

    An instance writes several entries on its way, and one each ten minutes while there is no capacity for it: only the
    one that it is ready wakes a stage.
    """
    return entry.resource_type != "Instance" or _DONE.match(entry.description) is not None


def gone_instance(entry: Happening) -> str | None:
    """Name the instance that an entry says goodbye to, None when it tells of something else."""
    return entry.instance_id if _GONE.search(entry.description) else None


def in_service(standing: ObservedCondition | None, event: BusEvent, change: StateChange) -> ObservedCondition | None:
    """Say whether the HyperPod cluster is in service; None when a newer event has said so already."""
    order = order_of(event, settled=change.cluster_status not in _PASSING)
    if standing is not None and standing.order >= order:
        return None
    status: Truth = "True" if change.cluster_status == "InService" else "False"
    return ObservedCondition(
        status=status,
        reason=change.cluster_status,
        message=_shortened(change.failure_message) or f"{change.cluster_name} is {change.cluster_status}",
        since=standing.since if standing and standing.status == status else event.time,
        order=order,
    )


def nodes_healthy(
    standing: ObservedCondition | None, event: BusEvent, change: NodeHealthChange
) -> ObservedCondition | None:
    """Say whether all nodes are healthy; None when a newer event about the node is known."""
    order, summary = order_of(event), change.health_summary
    healthy = is_healthy(change)
    reason = "" if healthy else (summary.health_status_reason or summary.health_status)[:MAX_REASON]
    return _with_node(standing, change.instance_id, NodeHealth(healthy=healthy, order=order, reason=reason), event.time)


def without_node(standing: ObservedCondition | None, event: BusEvent, instance_id: str) -> ObservedCondition | None:
    """Say whether the other nodes are healthy once a node is terminated; None when that changes nothing."""
    if standing is None or instance_id not in standing.nodes:
        return None
    # The node is remembered as one that harms nobody, so that a late event about it changes nothing.
    gone = NodeHealth(healthy=True, order=order_of(event))
    return _with_node(standing, instance_id, gone, event.time)


def _with_node(
    standing: ObservedCondition | None, instance_id: str, health: NodeHealth, at: datetime
) -> ObservedCondition | None:
    known = standing.nodes if standing else {}
    if instance_id in known and known[instance_id].order >= health.order:
        return None
    nodes = _remembered({**known, instance_id: health}, at)
    unhealthy = {name: node.reason for name, node in sorted(nodes.items()) if not node.healthy}
    newest = max(node.order for node in nodes.values())
    status: Truth = "False" if unhealthy else "True"
    return ObservedCondition(
        status=status,
        reason="NodesUnhealthy" if unhealthy else "NodesHealthy",
        message=_told(unhealthy) if unhealthy else "no node is known to be unhealthy",
        since=standing.since if standing and standing.status == status else at,
        order=newest,
        nodes=nodes,
    )


def _remembered(nodes: Mapping[str, NodeHealth], at: datetime) -> dict[str, NodeHealth]:
    oldest = f"{at - NODE_MEMORY:%Y-%m-%dT%H:%M:%S}"
    needed = [(name, node) for name, node in nodes.items() if not node.healthy or node.order >= oldest]
    # Were there too many, the unhealthy ones and the newest would matter most.
    needed.sort(key=lambda pair: (not pair[1].healthy, pair[1].order), reverse=True)
    return dict(needed[:MAX_NODES])


def _told(unhealthy: Mapping[str, str]) -> str:
    named = [f"{name} ({reason})" if reason else name for name, reason in [*unhealthy.items()][:MAX_NAMED]]
    more = len(unhealthy) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _shortened(text: str) -> str | None:
    return text[:MAX_TEXT] or None
