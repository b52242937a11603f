"""HyperPod records as the structures of SageMaker's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.hyperpod_records import EventRecord, GroupRecord, HyperPodRecord, NodeRecord
    from infra.local.simulators.service import JsonObject

REPEATED = (
    "InstanceGroupName",
    "InstanceType",
    "LifeCycleConfig",
    "ExecutionRole",
    "InstanceStorageConfigs",
    "OverrideVpcConfig",
    "NetworkInterface",
)


def cluster_summary(cluster: HyperPodRecord, now: datetime) -> JsonObject:
    """ClusterSummary."""
    return {
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "CreationTime": cluster.created_at,
        "ClusterStatus": cluster.status(now),
    }


def cluster_details(cluster: HyperPodRecord, now: datetime) -> JsonObject:
    """DescribeClusterResponse."""
    groups = [_group_details(cluster, group, now) for group in cluster.groups.values()]
    return {**cluster_summary(cluster, now), **cluster.described, "InstanceGroups": groups}


def node_summary(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, region: str) -> JsonObject:
    """ClusterNodeSummary."""
    status = "ShuttingDown" if cluster.deleted_at else node.status
    zone = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return {
        "InstanceGroupName": group.name,
        "InstanceId": node.instance_id,
        "NodeLogicalId": node.logical_id,
        "InstanceType": group.instance_type,
        "LaunchTime": node.launched_at,
        "InstanceStatus": {"Status": status, "Message": node.message},
        "PrivateDnsHostname": f"ip-{node.private_ip.replace('.', '-')}.{zone}",
    }


def node_details(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, region: str) -> JsonObject:
    """ClusterNodeDetails."""
    repeated = {name: group.spec[name] for name in REPEATED if name in group.spec}
    return {
        **repeated,
        **node_summary(cluster, group, node, region),
        "ThreadsPerCore": group.threads_per_core,
        "PrivatePrimaryIp": node.private_ip,
        "Placement": {"AvailabilityZone": node.subnet.zone, "AvailabilityZoneId": node.subnet.zone_id},
        "KubernetesConfig": _kubernetes(group),
        "CapacityType": "OnDemand",
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


def _group_details(cluster: HyperPodRecord, group: GroupRecord, now: datetime) -> JsonObject:
    details = {name: group.spec[name] for name in REPEATED if name in group.spec}
    details |= {
        "ThreadsPerCore": group.threads_per_core,
        "CurrentCount": group.current,
        "TargetCount": group.target,
        "MinCount": group.minimum,
        "Status": _group_status(cluster, group, now),
        "KubernetesConfig": _kubernetes(group),
    }
    if cluster.status(now) == "InService" and group.current != group.target:
        details["ActiveOperations"] = {"Scaling": 1}
    return details


def _group_status(cluster: HyperPodRecord, group: GroupRecord, now: datetime) -> str:
    status = cluster.status(now)
    if status != "InService":
        return status
    return "Creating" if group.minimum_deadline else "InService"


def _kubernetes(group: GroupRecord) -> JsonObject | None:
    config = group.spec.get("KubernetesConfig")
    if config is None:
        return None
    labels, taints = config.get("Labels", {}), config.get("Taints", [])
    return {"CurrentLabels": labels, "DesiredLabels": labels, "CurrentTaints": taints, "DesiredTaints": taints}
