"""CreateCluster: the request built from typed parts, field by field as the service model has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from types_boto3_sagemaker.literals import (
        ClusterInstanceTypeType,
        ClusterInterfaceTypeType,
        DeepHealthCheckTypeType,
    )
    from types_boto3_sagemaker.type_defs import (
        ClusterEbsVolumeConfigTypeDef,
        ClusterInstanceGroupSpecificationTypeDef,
        ClusterInstanceStorageConfigTypeDef,
        ClusterKubernetesConfigTypeDef,
        ClusterKubernetesTaintTypeDef,
        ClusterLifeCycleConfigTypeDef,
        CreateClusterRequestTypeDef,
        TagTypeDef,
        VpcConfigTypeDef,
    )

    from functions.core.cluster import DesiredGroup, DesiredTaint, DesiredVolume

_INTERFACES: Final[dict[str, ClusterInterfaceTypeType]] = {"efa": "efa", "efa_only": "efa-only"}
_CHECKS: Final[dict[str, DeepHealthCheckTypeType]] = {
    "instance_stress": "InstanceStress",
    "instance_connectivity": "InstanceConnectivity",
    "multi_node_training_validation": "MultiNodeTrainingValidation",
}


@dataclass(frozen=True)
class NewGroup:
    """An instance group to create: as it was asked for, with what was found for it.

    `subnet_id` and `security_group_ids` are where its instances go; `lifecycle_uri` and `lifecycle_script` are the
    release's own script, taken unless the group brings one.
    """

    desired: DesiredGroup
    threads_per_core: int
    subnet_id: str
    security_group_ids: tuple[str, ...]
    lifecycle_uri: str
    lifecycle_script: str


@dataclass(frozen=True)
class NewCluster:
    """A HyperPod cluster to create: continuous provisioning on an EKS cluster.

    `subnet_id` and `security_group_id` are those of groups that have no others.
    """

    name: str
    eks_arn: str
    execution_role: str
    subnet_id: str
    security_group_id: str
    automatic_recovery: bool
    groups: Sequence[NewGroup]
    tags: Mapping[str, str]


def create(new: NewCluster) -> str | None:
    """Create a cluster and give its ARN; None when one of that name is there already, which the next look judges.

    CreateCluster has no idempotency token: a repeat whose first answer was lost is refused by name.
    Source: SageMaker API reference, CreateCluster.
    """
    client = runtime.client("sagemaker")
    try:
        return client.create_cluster(**request_of(new))["ClusterArn"]
    except client.exceptions.ResourceInUse:
        return None


def request_of(new: NewCluster) -> CreateClusterRequestTypeDef:
    """Build the whole request."""
    return {
        "ClusterName": new.name,
        "Orchestrator": {"Eks": {"ClusterArn": new.eks_arn}},
        "VpcConfig": _network((new.security_group_id,), new.subnet_id),
        "NodeRecovery": "Automatic" if new.automatic_recovery else "None",
        "NodeProvisioningMode": "Continuous",
        "InstanceGroups": [specification_of(group, new) for group in new.groups],
        "Tags": _listed(new.tags),
    }


def specification_of(group: NewGroup, new: NewCluster) -> ClusterInstanceGroupSpecificationTypeDef:
    """Build what a request says of one group."""
    desired = group.desired
    made: ClusterInstanceGroupSpecificationTypeDef = {
        "InstanceGroupName": desired.name,
        "InstanceCount": desired.instance_count,
        "ExecutionRole": new.execution_role,
        "LifeCycleConfig": _lifecycle(group),
        "ThreadsPerCore": desired.threads_per_core or group.threads_per_core,
    }
    _choose_types(made, desired)
    _choose_capacity(made, desired)
    if (group.security_group_ids, group.subnet_id) != ((new.security_group_id,), new.subnet_id):
        made["OverrideVpcConfig"] = _network(group.security_group_ids, group.subnet_id)
    if desired.volumes:
        made["InstanceStorageConfigs"] = [_volume(volume) for volume in desired.volumes]
    if desired.deep_health_checks:
        made["OnStartDeepHealthChecks"] = [_CHECKS[check] for check in desired.deep_health_checks]
    if desired.labels or desired.taints:
        made["KubernetesConfig"] = _kubernetes(desired)
    if desired.network_interface:
        made["NetworkInterface"] = {"InterfaceType": _INTERFACES[desired.network_interface]}
    if desired.image_id:
        made["ImageId"] = desired.image_id
    return made


def _choose_types(made: ClusterInstanceGroupSpecificationTypeDef, desired: DesiredGroup) -> None:
    """Name the one type, or several in order of preference; the model of the request checked them by the enum."""
    types: list[ClusterInstanceTypeType] = [*desired.types]  # type: ignore[list-item]
    if desired.instance_types:
        made["InstanceRequirements"] = {"InstanceTypes": types}
    else:
        made["InstanceType"] = types[0]


def _choose_capacity(made: ClusterInstanceGroupSpecificationTypeDef, desired: DesiredGroup) -> None:
    if desired.capacity_type == "spot":
        made["CapacityRequirements"] = {"Spot": {}}
    if desired.training_plan_arn:
        made["TrainingPlanArn"] = desired.training_plan_arn
    if desired.min_instance_count:
        made["MinInstanceCount"] = desired.min_instance_count


def _lifecycle(group: NewGroup) -> ClusterLifeCycleConfigTypeDef:
    own = group.desired.lifecycle
    if own is None:
        return {"SourceS3Uri": group.lifecycle_uri, "OnCreate": group.lifecycle_script}
    if own.on_create:
        return {"SourceS3Uri": own.source_uri, "OnCreate": own.on_create}
    return {"SourceS3Uri": own.source_uri, "OnInitComplete": own.on_init_complete or ""}


def _volume(volume: DesiredVolume) -> ClusterInstanceStorageConfigTypeDef:
    disk: ClusterEbsVolumeConfigTypeDef = {}
    if volume.root:
        disk["RootVolume"] = True
    if volume.size_gib:
        disk["VolumeSizeInGB"] = volume.size_gib
    if volume.kms_key_id:
        disk["VolumeKmsKeyId"] = volume.kms_key_id
    return {"EbsVolumeConfig": disk}


def _kubernetes(desired: DesiredGroup) -> ClusterKubernetesConfigTypeDef:
    config: ClusterKubernetesConfigTypeDef = {}
    if desired.labels:
        config["Labels"] = desired.labels
    if desired.taints:
        config["Taints"] = [_taint(taint) for taint in desired.taints]
    return config


def _taint(taint: DesiredTaint) -> ClusterKubernetesTaintTypeDef:
    made: ClusterKubernetesTaintTypeDef = {"Key": taint.key, "Effect": taint.effect}  # type: ignore[typeddict-item]
    if taint.value is not None:
        made["Value"] = taint.value
    return made


def _network(security_group_ids: Sequence[str], subnet_id: str) -> VpcConfigTypeDef:
    return {"SecurityGroupIds": [*security_group_ids], "Subnets": [subnet_id]}


def _listed(tags: Mapping[str, str]) -> list[TagTypeDef]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
