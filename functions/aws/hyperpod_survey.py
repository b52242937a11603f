"""The HyperPod cluster of an EKS cluster as somebody else made it, group by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.cluster import DesiredGroup, DesiredLifecycle, DesiredTaint, DesiredVolume
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from types_boto3_sagemaker.type_defs import (
        ClusterInstanceGroupDetailsTypeDef,
        ClusterInstanceStorageConfigTypeDef,
        DescribeClusterResponseTypeDef,
    )

_PAGE: Final = 100
_INTERFACES: Final = {"efa": "efa", "efa-only": "efa_only"}
_CHECKS: Final = {
    "InstanceStress": "instance_stress",
    "InstanceConnectivity": "instance_connectivity",
    "MultiNodeTrainingValidation": "multi_node_training_validation",
}


@dataclass(frozen=True)
class GroupFound:
    """An instance group: as it would have been asked for, and as it stands."""

    desired: DesiredGroup
    current: int
    status: str
    execution_role_arn: str
    security_group_ids: tuple[str, ...]
    subnet_ids: tuple[str, ...]


@dataclass(frozen=True)
class HyperPodFound:
    """A HyperPod cluster; `continuous` tells its provisioning mode from the classic one."""

    name: str
    arn: str
    status: str
    eks_arn: str
    continuous: bool
    node_recovery: str
    groups: tuple[GroupFound, ...]
    failure: str = ""


def names() -> list[str]:
    """List the HyperPod clusters of the region. Raises the client's own errors."""
    pages = runtime.client("sagemaker").get_paginator("list_clusters").paginate(PaginationConfig={"PageSize": _PAGE})
    return [each["ClusterName"] for page in pages for each in page["ClusterSummaries"]]


def of_eks_cluster(eks_arn: str) -> HyperPodFound | None:
    """Find the HyperPod cluster that runs on an EKS cluster, which has one at most. Raises the client's own errors.

    Source: SageMaker developer guide, "Orchestrating HyperPod clusters with Amazon EKS" (one to one).
    """
    candidates = (describe(name) for name in names())
    return next((found for found in candidates if found and found.eks_arn == eks_arn), None)


def describe(name: str) -> HyperPodFound | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    try:
        found = runtime.client("sagemaker").describe_cluster(ClusterName=name)
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return None
        raise
    return HyperPodFound(
        name=found.get("ClusterName", name),
        arn=found["ClusterArn"],
        status=found["ClusterStatus"],
        eks_arn=found.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn", ""),
        continuous=found.get("NodeProvisioningMode") == "Continuous",
        node_recovery="none" if found.get("NodeRecovery") == "None" else "automatic",
        groups=tuple(_group(group, found) for group in found.get("InstanceGroups", [])),
        failure=found.get("FailureMessage", ""),
    )


def _group(found: ClusterInstanceGroupDetailsTypeDef, cluster: DescribeClusterResponseTypeDef) -> GroupFound:
    network = found.get("OverrideVpcConfig", cluster.get("VpcConfig", {"SecurityGroupIds": [], "Subnets": []}))
    subnets = tuple(network["Subnets"])
    return GroupFound(
        desired=_desired(found, subnets, tuple(network["SecurityGroupIds"])),
        current=found.get("CurrentCount", 0),
        status=found.get("Status", ""),
        execution_role_arn=found.get("ExecutionRole", ""),
        security_group_ids=tuple(network["SecurityGroupIds"]),
        subnet_ids=subnets,
    )


def _desired(
    found: ClusterInstanceGroupDetailsTypeDef, subnets: tuple[str, ...], security_groups: tuple[str, ...]
) -> DesiredGroup:
    """Write a group down as a request would have; types and plans that this release does not know stay as they are."""
    single = found.get("InstanceType")
    several = [str(each) for each in found.get("InstanceRequirements", {}).get("DesiredInstanceTypes", [])]
    kubernetes = found.get("KubernetesConfig", {})
    return DesiredGroup(
        name=found.get("InstanceGroupName", ""),
        instance_type=str(single) if single else None,
        instance_types=None if single else several,
        instance_count=found.get("TargetCount", 0),
        min_instance_count=found.get("MinCount") or None,
        capacity_type=_capacity_type(found),
        training_plan_arn=found.get("TrainingPlanArn"),
        security_group_ids=[*security_groups] or None,
        threads_per_core=found.get("ThreadsPerCore"),
        deep_health_checks=[_CHECKS.get(str(each), str(each)) for each in found.get("OnStartDeepHealthChecks", [])],
        labels=dict(kubernetes.get("DesiredLabels") or {}),
        taints=[
            DesiredTaint(key=each["Key"], value=each.get("Value"), effect=each["Effect"])
            for each in kubernetes.get("DesiredTaints") or []
        ],
        volumes=[_volume(each) for each in found.get("InstanceStorageConfigs", [])],
        lifecycle=_lifecycle({**(found.get("LifeCycleConfig") or {})}),
        image_id=found.get("DesiredImageId"),
        subnet_id=subnets[0] if len(subnets) == 1 else None,
        network_interface=_INTERFACES.get(str(found.get("NetworkInterface", {}).get("InterfaceType"))),
    )


def _capacity_type(group: ClusterInstanceGroupDetailsTypeDef) -> str:
    if group.get("TrainingPlanArn"):
        return "training_plan"
    return "spot" if "Spot" in group.get("CapacityRequirements", {}) else "on_demand"


def _volume(found: ClusterInstanceStorageConfigTypeDef) -> DesiredVolume:
    disk = found.get("EbsVolumeConfig", {})
    return DesiredVolume(
        root=disk.get("RootVolume", False),
        size_gib=disk.get("VolumeSizeInGB"),
        kms_key_id=disk.get("VolumeKmsKeyId"),
    )


def _lifecycle(found: Mapping[str, object]) -> DesiredLifecycle | None:
    source = found.get("SourceS3Uri")
    if not isinstance(source, str):
        return None
    script, after = found.get("OnCreate"), found.get("OnInitComplete")
    return DesiredLifecycle(
        source_uri=source,
        on_create=str(script) if script else None,
        on_init_complete=str(after) if after else None,
    )
