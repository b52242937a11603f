"""What CreateCluster refuses beyond the model: HyperPod's own rules (facts 1.3, 1.12 and 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators import neighbours
from infra.local.simulators.service import ServiceError, refuse_unverified, unverified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from botocore.client import BaseClient

    from infra.local.simulators.eks import EksView
    from infra.local.simulators.hyperpod_records import HyperPodState
    from infra.local.simulators.neighbours import Subnet
    from infra.local.simulators.service import JsonObject

CLUSTER_MEMBERS = frozenset(
    {
        "ClusterName",
        "InstanceGroups",
        "VpcConfig",
        "Orchestrator",
        "NodeRecovery",
        "NodeProvisioningMode",
        "TieredStorageConfig",
        "Tags",
    }
)
GROUP_MEMBERS = frozenset(
    {
        "InstanceGroupName",
        "InstanceType",
        "InstanceCount",
        "MinInstanceCount",
        "ExecutionRole",
        "LifeCycleConfig",
        "ThreadsPerCore",
        "InstanceStorageConfigs",
        "OverrideVpcConfig",
        "KubernetesConfig",
        "NetworkInterface",
    }
)
RESERVED_PREFIXES = ("kubernetes.io/", "k8s.io/", "sagemaker.amazonaws.com/", "eks.amazonaws.com/", "k8s.aws/",
                     "karpenter.sh/")  # fmt: skip
NEWEST_KUBERNETES = (1, 34)


def invalid(message: str) -> ServiceError:
    """SageMaker's error for a request it does not accept."""
    return ServiceError("ValidationException", message)


def check_shape(params: JsonObject) -> None:
    """Rules that look at nothing but the request."""
    if "RestrictedInstanceGroups" in params:
        raise unverified("input member RestrictedInstanceGroups")
    refuse_unverified(params, CLUSTER_MEMBERS)
    if set(params.get("Orchestrator", {})) != {"Eks"}:
        raise unverified("an orchestrator other than Eks")
    if params.get("NodeProvisioningMode") != "Continuous":
        raise unverified("a NodeProvisioningMode other than Continuous")
    if "VpcConfig" not in params:
        raise invalid("VpcConfig is required when the orchestrator is Eks.")
    groups = params.get("InstanceGroups", [])
    names = [group["InstanceGroupName"] for group in groups]
    if not names:
        raise invalid("At least one instance group is required.")
    if len(set(names)) != len(names):
        raise invalid("Instance group names must be unique.")
    for group in groups:
        _check_group(group)


def check_name(state: HyperPodState, name: str) -> None:
    """A name is taken once."""
    if name in state.records.clusters:
        message = f"Resource Already Exists: Cluster with name {name} already exists. Choose a different name."
        raise ServiceError("ResourceInUse", message)


def check_orchestrator(state: HyperPodState, arn: str) -> EksView:
    """The EKS cluster exists, is ready for HyperPod and carries no other HyperPod cluster, even one being deleted."""
    eks = state.host.eks_cluster(arn)
    if eks is None:
        raise invalid(f"The specified EKS cluster {arn} does not exist.")
    if eks.status != "ACTIVE":
        raise invalid(f"The specified EKS cluster {arn} is in status {eks.status}; it must be ACTIVE.")
    if eks.authentication_mode not in ("API", "API_AND_CONFIG_MAP"):
        raise invalid(f"The authentication mode of the EKS cluster {arn} must be API or API_AND_CONFIG_MAP.")
    if tuple(map(int, eks.version.split("."))) > NEWEST_KUBERNETES:
        raise invalid(f"The Kubernetes version {eks.version} of the EKS cluster {arn} is not supported.")
    if any(cluster.eks_arn == arn for cluster in state.records.clusters.values()):
        raise invalid(f"Specified cluster external resource id {arn} already in use")
    if not state.host.dependencies_installed(eks.name):
        raise invalid(f"The EKS cluster {arn} is missing one or more required dependencies")
    return eks


def check_network(state: HyperPodState, config: JsonObject, vpc_id: str) -> list[Subnet]:
    """Subnets and security groups exist, in the VPC that HyperPod and EKS share."""
    ec2 = state.host.ec2()
    for subnet_id in config["Subnets"]:
        _require("subnet", subnet_id, neighbours.subnets, ec2)
    for group_id in config["SecurityGroupIds"]:
        _require("security group", group_id, neighbours.require_security_groups, ec2)
    subnets = neighbours.subnets(ec2, config["Subnets"])
    foreign = [subnet.subnet_id for subnet in subnets if subnet.vpc_id != vpc_id]
    if foreign:
        raise invalid(f"The subnet '{foreign[0]}' is not in the VPC of the EKS cluster")
    return subnets


def check_roles(state: HyperPodState, arns: Iterable[str]) -> None:
    """SageMaker can assume every execution role."""
    iam = state.host.iam()
    for arn in sorted(set(arns)):
        role = neighbours.role_of(iam, arn)
        if role is None or not neighbours.trusts(role, "sagemaker.amazonaws.com"):
            message = (
                f"Could not assume role {arn}. Please ensure that the role exists and allows principal"
                " 'sagemaker.amazonaws.com' to assume the role."
            )
            raise invalid(message)


def _check_group(group: JsonObject) -> None:
    name = group["InstanceGroupName"]
    if ("InstanceType" in group) == ("InstanceRequirements" in group):
        raise invalid(f"Instance group {name} must have exactly one of InstanceType and InstanceRequirements.")
    refuse_unverified(group, GROUP_MEMBERS)
    if group.get("MinInstanceCount", 0) > group["InstanceCount"]:
        raise invalid(f"MinInstanceCount of instance group {name} must not exceed InstanceCount.")
    script = group.get("LifeCycleConfig", {})
    if {key for key in script if script[key]} != {"SourceS3Uri", "OnCreate"}:
        raise unverified("a LifeCycleConfig without SourceS3Uri and OnCreate")
    if not script["SourceS3Uri"].startswith("s3://"):
        raise unverified("a SourceS3Uri that is not s3://")
    _check_storage(name, group.get("InstanceStorageConfigs", []))
    _check_kubernetes(group.get("KubernetesConfig", {}))


def _check_storage(name: str, configs: Iterable[JsonObject]) -> None:
    for config in configs:
        refuse_unverified(config, {"EbsVolumeConfig"})
        volume = config["EbsVolumeConfig"]
        if volume.get("RootVolume") and ("VolumeSizeInGB" in volume or "VolumeKmsKeyId" not in volume):
            raise invalid(f"The root volume of instance group {name} takes a VolumeKmsKeyId and no VolumeSizeInGB.")


def _check_kubernetes(config: JsonObject) -> None:
    keys = [*config.get("Labels", {}), *(taint["Key"] for taint in config.get("Taints", []))]
    for key in keys:
        domain = f"{key.rpartition('/')[0]}/"
        if any(domain == prefix or domain.endswith(f".{prefix}") for prefix in RESERVED_PREFIXES):
            raise invalid(f"The label or taint key {key} uses a reserved prefix.")


def _require(kind: str, name: str, look: Callable[[BaseClient, Sequence[str]], object], ec2: BaseClient) -> None:
    try:
        look(ec2, [name])
    except neighbours.Missing as missing:
        raise invalid(f"The {kind} '{name}' does not exist") from missing
