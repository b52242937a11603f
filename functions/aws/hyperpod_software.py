"""What runs on HyperPod's instances, and updates of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.clusters.upgrades.models import Compute, GroupFact
from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_sagemaker.type_defs import (
        ClusterInstanceGroupDetailsTypeDef,
        ClusterNodeSummaryTypeDef,
        DeploymentConfigurationTypeDef,
        RollingDeploymentPolicyTypeDef,
    )

    from functions.clusters.upgrades.models import Rollout

_PAGE: Final = 100
# There is something newer to update to.
_OUTDATED: Final = ("UpdateAvailable", "SecurityUpdateRequired")


@dataclass(frozen=True)
class Instance:
    """An instance with what was last said of it; `updated_at` is the end of its latest software update."""

    instance_id: str
    group: str
    status: str
    message: str
    newest: bool
    updated_at: datetime | None


def describe(name: str) -> Compute | None:
    """Describe a cluster's groups; None when there is no such cluster. Raises the client's own errors."""
    try:
        found = runtime.client("sagemaker").describe_cluster(ClusterName=name)
    except ClientError as error:
        if code_of(error) == "ResourceNotFound":
            return None
        raise
    return Compute(found["ClusterStatus"], tuple(map(_group, found.get("InstanceGroups", []))))


def _group(found: ClusterInstanceGroupDetailsTypeDef) -> GroupFact:
    current, desired = found.get("CurrentImageReleaseVersion"), found.get("DesiredImageReleaseVersion")
    return GroupFact(
        name=found.get("InstanceGroupName", ""),
        status=found.get("Status", ""),
        count=found.get("CurrentCount", 0),
        release=current,
        newest=found.get("ImageVersionStatus") not in _OUTDATED and current == (desired or current),
        custom=found.get("CurrentImageId", "default").startswith("ami-") and current is None,
        last_update=found.get("SoftwareUpdateStatus"),
    )


def instances(name: str) -> list[Instance]:
    """List the instances of a cluster. Raises the client's own errors."""
    pages = runtime.client("sagemaker").get_paginator("list_cluster_nodes")
    listed = pages.paginate(ClusterName=name, PaginationConfig={"PageSize": _PAGE})
    return [_instance(each) for page in listed for each in page["ClusterNodeSummaries"]]


def _instance(found: ClusterNodeSummaryTypeDef) -> Instance:
    return Instance(
        instance_id=found["InstanceId"],
        group=found["InstanceGroupName"],
        status=found["InstanceStatus"]["Status"],
        message=found["InstanceStatus"].get("Message", ""),
        newest=found.get("ImageVersionStatus") not in _OUTDATED,
        updated_at=found.get("LastSoftwareUpdateTime"),
    )


def update(name: str, groups: Sequence[str], rollout: Rollout) -> None:
    """Begin to put HyperPod's newest image onto the instances of some groups. Raises the client's own errors."""
    runtime.client("sagemaker").update_cluster_software(
        ClusterName=name,
        InstanceGroups=[{"InstanceGroupName": group} for group in groups],
        DeploymentConfig=_deployment(rollout),
    )


def _deployment(rollout: Rollout) -> DeploymentConfigurationTypeDef:
    policy: RollingDeploymentPolicyTypeDef = {
        "MaximumBatchSize": (
            {"Type": "INSTANCE_COUNT", "Value": rollout.batch_size}
            if rollout.batch_size
            else {"Type": "CAPACITY_PERCENTAGE", "Value": rollout.batch_percentage or 1}
        )
    }
    config: DeploymentConfigurationTypeDef = {"RollingUpdatePolicy": policy}
    if rollout.wait_seconds:
        config["WaitIntervalInSeconds"] = rollout.wait_seconds
    if rollout.alarms:
        config["AutoRollbackConfiguration"] = [{"AlarmName": name} for name in rollout.alarms]
    return config
