"""SageMaker HyperPod as the stages use it: create by name, describe, list nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from types_boto3_sagemaker import SageMakerClient
    from types_boto3_sagemaker.type_defs import (
        ClusterInstanceGroupDetailsTypeDef,
        ClusterInstanceGroupSpecificationTypeDef,
        TagTypeDef,
    )


@dataclass(frozen=True)
class Group:
    """An instance group as it stands."""

    name: str
    instance_type: str
    current: int
    target: int
    capacity_type: str


@dataclass(frozen=True)
class Cluster:
    """A HyperPod cluster as it stands."""

    name: str
    arn: str
    status: str
    failure: str
    eks_arn: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class NewGroup:
    """An instance group to create."""

    name: str
    instance_type: str
    count: int
    threads_per_core: int


@dataclass(frozen=True)
class NewCluster:
    """A HyperPod cluster to create: continuous provisioning on an EKS cluster."""

    name: str
    eks_arn: str
    execution_role: str
    subnet_id: str
    security_group_id: str
    lifecycle_uri: str
    lifecycle_script: str
    automatic_recovery: bool
    groups: Sequence[NewGroup]
    tags: Mapping[str, str]


def describe(name: str) -> Cluster | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    try:
        found = runtime.client("sagemaker").describe_cluster(ClusterName=name)
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return None
        raise
    return Cluster(
        name=found.get("ClusterName", name),
        arn=found["ClusterArn"],
        status=found["ClusterStatus"],
        failure=found.get("FailureMessage", ""),
        eks_arn=found.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn", ""),
        groups=tuple(
            Group(
                name=group.get("InstanceGroupName", ""),
                instance_type=str(group.get("InstanceType", "")),
                current=group.get("CurrentCount", 0),
                target=group.get("TargetCount", 0),
                capacity_type=_capacity_type(group),
            )
            for group in found.get("InstanceGroups", [])
        ),
    )


def _capacity_type(group: ClusterInstanceGroupDetailsTypeDef) -> str:
    """Say how a group is paid for; without a requirement and a plan it is On-Demand."""
    if group.get("TrainingPlanArn"):
        return "training_plan"
    return "spot" if "Spot" in group.get("CapacityRequirements", {}) else "on_demand"


def create(new: NewCluster) -> None:
    """Create a cluster; one of that name that is there already is left to the next look.

    CreateCluster has no idempotency token: a repeat whose first answer was lost is refused by name.
    Source: SageMaker API reference, CreateCluster.
    """
    client = runtime.client("sagemaker")
    try:
        _create(client, new)
    except client.exceptions.ResourceInUse:
        return


def _create(client: SageMakerClient, new: NewCluster) -> None:
    client.create_cluster(
        ClusterName=new.name,
        Orchestrator={"Eks": {"ClusterArn": new.eks_arn}},
        VpcConfig={"SecurityGroupIds": [new.security_group_id], "Subnets": [new.subnet_id]},
        NodeRecovery="Automatic" if new.automatic_recovery else "None",
        NodeProvisioningMode="Continuous",
        InstanceGroups=[_specification(group, new) for group in new.groups],
        Tags=_listed(new.tags),
    )


def latest_failure(name: str, since: datetime) -> str | None:
    """Say why the newest failure among a cluster's events happened; None when there is none since an instant.

    The reason itself stands only in the event's details. Source: SageMaker API reference, DescribeClusterEvent.
    """
    client = runtime.client("sagemaker")
    listed = client.list_cluster_events(
        ClusterName=name, EventTimeAfter=since, SortBy="EventTime", SortOrder="Descending", MaxResults=50
    )
    failed = next((event for event in listed.get("Events", []) if event.get("EventLevel") == "Error"), None)
    if failed is None:
        return None
    details = client.describe_cluster_event(ClusterName=name, EventId=failed["EventId"])["EventDetails"]
    metadata = details.get("EventDetails", {}).get("EventMetadata", {})
    parts = (metadata.get("Instance"), metadata.get("InstanceGroup"), metadata.get("InstanceGroupScaling"))
    texts = [part["FailureMessage"] for part in parts if part and part.get("FailureMessage")]
    return texts[0] if texts else failed.get("Description")


def failure_of_event(name: str, event_id: str) -> str | None:
    """Read why an event of a cluster tells of a failure; what EventBridge carries of it leaves that out."""
    client = runtime.client("sagemaker")
    details = client.describe_cluster_event(ClusterName=name, EventId=event_id)["EventDetails"]
    members = dict(details.get("EventDetails", {}).get("EventMetadata", {})).values()
    texts = [member.get("FailureMessage") for member in members if isinstance(member, dict)]
    return next((text for text in texts if text), None)


def _specification(group: NewGroup, new: NewCluster) -> ClusterInstanceGroupSpecificationTypeDef:
    return {
        "InstanceGroupName": group.name,
        "InstanceType": group.instance_type,  # type: ignore[typeddict-item]  # the model checked it against the enum
        "InstanceCount": group.count,
        "ExecutionRole": new.execution_role,
        "LifeCycleConfig": {"SourceS3Uri": new.lifecycle_uri, "OnCreate": new.lifecycle_script},
        "ThreadsPerCore": group.threads_per_core,
    }


def _listed(tags: Mapping[str, str]) -> list[TagTypeDef]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
