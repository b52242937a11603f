"""SageMaker HyperPod as the stages use it: create by name, describe, list nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from types_boto3_sagemaker.type_defs import ClusterInstanceGroupSpecificationTypeDef, TagTypeDef


@dataclass(frozen=True)
class Group:
    """An instance group as it stands."""

    name: str
    instance_type: str
    current: int
    target: int
    status: str


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
class Node:
    """A node as HyperPod lists it."""

    instance_id: str
    group: str
    instance_type: str
    status: str
    message: str


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
                status=str(group.get("Status", "")),
            )
            for group in found.get("InstanceGroups", [])
        ),
    )


def create(new: NewCluster) -> None:
    """Create a cluster; CreateCluster has no idempotency token, so the caller looks by name first.

    Source: SageMaker API reference, CreateCluster.
    """
    runtime.client("sagemaker").create_cluster(
        ClusterName=new.name,
        Orchestrator={"Eks": {"ClusterArn": new.eks_arn}},
        VpcConfig={"SecurityGroupIds": [new.security_group_id], "Subnets": [new.subnet_id]},
        NodeRecovery="Automatic" if new.automatic_recovery else "None",
        NodeProvisioningMode="Continuous",
        InstanceGroups=[_specification(group, new) for group in new.groups],
        Tags=_listed(new.tags),
    )


def nodes(name: str) -> list[Node]:
    """List the nodes of a cluster."""
    pages = runtime.client("sagemaker").get_paginator("list_cluster_nodes").paginate(ClusterName=name)
    return [
        Node(
            instance_id=node["InstanceId"],
            group=node["InstanceGroupName"],
            instance_type=str(node["InstanceType"]),
            status=str(node["InstanceStatus"]["Status"]),
            message=node["InstanceStatus"].get("Message", ""),
        )
        for page in pages
        for node in page["ClusterNodeSummaries"]
    ]


def latest_failure(name: str) -> str | None:
    """Give the newest failure text among the cluster's events, None when there is none."""
    client = runtime.client("sagemaker")
    listed = client.list_cluster_events(ClusterName=name, SortBy="EventTime", SortOrder="Descending", MaxResults=50)
    texts = [event.get("Description", "") for event in listed.get("Events", [])]
    return next((text for text in texts if "ailed" in text), None)


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
