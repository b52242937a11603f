"""HyperPod records as the structures of SageMaker's answers and of its events on the bus."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.records import Phase

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.records import (
        EventRecord,
        GroupRecord,
        HyperPodRecord,
        HyperPodRecords,
        NodeRecord,
    )
    from infra.local.simulators.service import JsonObject

OF_NODES: Final = (
    "LifeCycleConfig",
    "InstanceStorageConfigs",
    "OverrideVpcConfig",
    "NetworkInterface",
)
OF_GROUPS: Final = (
    "InstanceGroupName",
    "InstanceType",
    "ExecutionRole",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "CapacityRequirements",
    *OF_NODES,
)


def cluster_summary(cluster: HyperPodRecord) -> JsonObject:
    """ClusterSummary."""
    return {
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "CreationTime": cluster.created_at,
        "ClusterStatus": cluster.status,
        "TrainingPlanArns": sorted({group.plan for group in cluster.groups.values() if group.plan}) or None,
    }


def cluster_details(cluster: HyperPodRecord, records: HyperPodRecords, now: datetime) -> JsonObject:
    """DescribeClusterResponse; the tiered storage of a cluster just made is not shown yet (facts 1.5)."""
    described = {**cluster.described}
    if cluster.status == "Creating":
        described.pop("TieredStorageConfig", None)
    if cluster.autoscaling_ready_at:
        ready = now >= cluster.autoscaling_ready_at
        described["AutoScaling"] = {**described["AutoScaling"], "Status": "InService" if ready else "Creating"}
    return {
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "CreationTime": cluster.created_at,
        "ClusterStatus": cluster.status,
        "FailureMessage": cluster.failure or None,
        **described,
        "InstanceGroups": [_group_details(cluster, group, records, now) for group in cluster.groups.values()],
    }


def cluster_on_the_bus(cluster: HyperPodRecord, records: HyperPodRecords, now: datetime) -> JsonObject:
    """The detail of a state change: DescribeCluster's answer, with times in milliseconds."""
    details = cluster_details(cluster, records, now)
    return _without_none(
        {**details, "CreationTime": _milliseconds(cluster.created_at), "FailureMessage": cluster.failure}
    )


def listed_nodes(cluster: HyperPodRecord, now: datetime) -> list[tuple[GroupRecord, NodeRecord]]:
    """Instances that a list shows: a terminating one leaves it before it is gone (facts 1.5)."""
    return [
        (group, node)
        for group, node in cluster.nodes()
        if cluster.deleted_at or not node.leaving_since or now < node.leaving_since + times.LISTED_WHILE_LEAVING
    ]


def node_summary(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, newest: str, region: str) -> JsonObject:
    """ClusterNodeSummary; `newest` is the newest release of HyperPod's images."""
    status = Phase.LEAVING.value if cluster.deleted_at else node.status
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return {
        "InstanceGroupName": group.name,
        "InstanceId": node.instance_id,
        "NodeLogicalId": node.logical_id if cluster.continuous else None,
        "InstanceType": node.instance_type,
        "LaunchTime": node.launched_at,
        "InstanceStatus": {"Status": status, "Message": node.message},
        "LastSoftwareUpdateTime": node.updated_at,
        **_release(group, node.software.release, newest),
        "PrivateDnsHostname": f"ip-{node.private_ip.replace('.', '-')}.{domain}",
    }


def requested_summaries(cluster: HyperPodRecord) -> list[JsonObject]:
    """ClusterNodeSummary of nodes that have no instance yet."""
    return [
        {
            "InstanceGroupName": group.name,
            "InstanceId": "",
            "NodeLogicalId": requested.logical_id,
            "InstanceType": group.instance_types[0],
            "LaunchTime": requested.asked_at,
            "InstanceStatus": {"Status": "Pending"},
        }
        for group in cluster.groups.values()
        for requested in group.requested
    ]


def logical_details(cluster: HyperPodRecord, logical_id: str) -> JsonObject | None:
    """ClusterNodeDetails of a node that has no instance yet, or none any more."""
    for group in cluster.groups.values():
        if any(requested.logical_id == logical_id for requested in group.requested):
            return _without_instance(group.name, logical_id, "Pending")
    group_name = cluster.former_nodes.get(logical_id)
    return _without_instance(group_name, logical_id, "NotFound") if group_name else None


def _without_instance(group: str, logical_id: str, status: str) -> JsonObject:
    return {"InstanceGroupName": group, "NodeLogicalId": logical_id, "InstanceStatus": {"Status": status}}


def node_details(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, newest: str, region: str) -> JsonObject:
    """ClusterNodeDetails."""
    return {
        **{name: group.spec[name] for name in OF_NODES if name in group.spec},
        **_image(group),
        **node_summary(cluster, group, node, newest, region),
        **_desired(group),
        "ThreadsPerCore": node.threads_per_core,
        "PrivatePrimaryIp": node.private_ip,
        "Placement": {"AvailabilityZone": node.subnet.zone, "AvailabilityZoneId": node.subnet.zone_id},
        "KubernetesConfig": _kubernetes(group, node.configured),
        "CapacityType": "Spot" if group.spot else "OnDemand",
    }


def event_summary(cluster: HyperPodRecord, event: EventRecord) -> JsonObject:
    """ClusterEventSummary."""
    return {
        "EventId": event.event_id,
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "InstanceGroupName": event.group,
        "InstanceId": event.instance_id,
        "ResourceType": event.resource_type,
        "EventTime": event.time,
        "Description": event.description,
        "EventLevel": event.level,
    }


def event_details(cluster: HyperPodRecord, event: EventRecord) -> JsonObject:
    """ClusterEventDetail; the metadata is nested twice (facts 1.7)."""
    return {**event_summary(cluster, event), "EventDetails": {"EventMetadata": event.metadata}}


def event_on_the_bus(cluster: HyperPodRecord, event: EventRecord) -> JsonObject:
    """The event as EventBridge carries it: without its failure message, which has to be asked for (facts 1.7)."""
    metadata = {
        kind: {name: value for name, value in known.items() if name != "FailureMessage"}
        for kind, known in event.metadata.items()
    }
    details = {**event_details(cluster, event), "EventDetails": {"EventMetadata": metadata}}
    return _without_none({**details, "EventTime": _milliseconds(event.time)})


def _group_details(cluster: HyperPodRecord, group: GroupRecord, records: HyperPodRecords, now: datetime) -> JsonObject:
    details: JsonObject = {name: group.spec[name] for name in OF_GROUPS if name in group.spec}
    details |= {
        **_image(group),
        **_release(group, group.software.release, records.releases[-1]),
        **_desired(group),
        **_software_update(group),
        **_flexible(group),
        "ThreadsPerCore": group.threads_per_core,
        "CurrentCount": group.current,
        "TargetCount": group.target,
        "MinCount": group.minimum,
        "Status": group_status(cluster, group, now),
        "KubernetesConfig": _kubernetes(group, group.configured),
    }
    if group.plan:
        details["TrainingPlanStatus"] = records.plans[group.plan].status(now)
    if cluster.status == "InService" and group.current != group.target:
        details["ActiveOperations"] = {"Scaling": 1}
    return details


def group_status(cluster: HyperPodRecord, group: GroupRecord, now: datetime) -> str:
    """The API's word for a group's state."""
    if cluster.deleted_at or group.deleting:
        return "Deleting"
    if group.failed:
        return "Failed"
    if group.software_update and group.software_update.running:
        return "SystemUpdating"
    if not cluster.continuous:
        return "Updating" if cluster.status in ("Updating", "RollingBack") else cluster.status
    if now < group.ready_at or group.minimum_deadline:
        return "Updating" if group.before else "Creating"
    return "InService"


def _image(group: GroupRecord) -> JsonObject:
    return {"CurrentImageId": group.image, "DesiredImageId": group.image} if group.image else {}


def _release(group: GroupRecord, release: str, newest: str) -> JsonObject:
    """What is said of a release; an image of the account's own has none."""
    if group.image not in (None, "default"):
        return {}
    status = "UpToDate" if release == newest else "UpdateAvailable"
    return {"CurrentImageReleaseVersion": release, "ImageVersionStatus": status}


def _desired(group: GroupRecord) -> JsonObject:
    if group.image not in (None, "default"):
        return {}
    update = group.software_update
    wanted = update.target if update and update.running and not update.backwards else group.software
    return {"DesiredImageReleaseVersion": wanted.release}


def _software_update(group: GroupRecord) -> JsonObject:
    update = group.software_update
    if update is None:
        return {}
    active = {"ActiveSoftwareUpdateConfig": update.config} if update.running and update.config else {}
    return {"SoftwareUpdateStatus": update.status, **active}


def _flexible(group: GroupRecord) -> JsonObject:
    if "InstanceRequirements" not in group.spec:
        return {}
    kinds = group.instance_types
    running = [node.instance_type for node in group.nodes if node.running_since]
    return {
        "InstanceRequirements": {"CurrentInstanceTypes": kinds, "DesiredInstanceTypes": kinds},
        "InstanceTypeDetails": [
            {"InstanceType": kind, "CurrentCount": running.count(kind), "ThreadsPerCore": group.threads_per_core}
            for kind in kinds
        ],
    }


def _kubernetes(group: GroupRecord, current: JsonObject) -> JsonObject | None:
    desired = group.spec.get("KubernetesConfig")
    if not desired and not current:
        return None
    wanted = desired or {}
    return {
        "CurrentLabels": current.get("Labels", {}),
        "DesiredLabels": wanted.get("Labels", {}),
        "CurrentTaints": current.get("Taints", []),
        "DesiredTaints": wanted.get("Taints", []),
    }


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _without_none(document: JsonObject) -> JsonObject:
    return {name: _cleaned(item) for name, item in document.items() if item is not None}


def _cleaned(value: object) -> object:
    if isinstance(value, dict):
        return _without_none(value)
    return [_cleaned(item) for item in value] if isinstance(value, list) else value
