"""What CreateCluster and UpdateCluster refuse: the whole request, and what it names (facts 1.3, 1.4, 1.12 and 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from infra.local.simulators import neighbours
from infra.local.simulators.hyperpod import group_rules
from infra.local.simulators.hyperpod.refusals import invalid
from infra.local.simulators.service import ServiceError, refuse_unverified, unverified

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from infra.local.simulators.eks import EksView
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.neighbours import Subnet
    from infra.local.simulators.service import JsonObject

MEMBERS: Final = frozenset(
    {
        "ClusterName",
        "InstanceGroups",
        "VpcConfig",
        "Orchestrator",
        "NodeRecovery",
        "NodeProvisioningMode",
        "TieredStorageConfig",
        "ClusterRole",
        "AutoScaling",
        "Tags",
    }
)
RESTRICTED: Final = (
    "Found RestrictedInstanceGroups in the cluster input. Please remove RestrictedInstanceGroups from the request and"
    " try again."
)
NEWEST_KUBERNETES: Final = (1, 34)


def check_shape(params: JsonObject) -> None:
    """Refuse a CreateCluster request by what it says alone."""
    if "RestrictedInstanceGroups" in params and "InstanceGroups" in params:
        raise invalid(RESTRICTED)
    refuse_unverified(params, MEMBERS)
    if set(params.get("Orchestrator", {})) != {"Eks"}:
        raise unverified("an orchestrator other than Eks")
    if "VpcConfig" not in params:
        raise invalid("VpcConfig is required when the orchestrator is Eks.")
    if not params.get("InstanceGroups"):
        raise invalid("At least one instance group is required.")
    check_groups(params["InstanceGroups"], continuous=params.get("NodeProvisioningMode") == "Continuous")


def check_groups(groups: Sequence[JsonObject], *, continuous: bool) -> None:
    """Refuse groups by what a request says of them alone."""
    names = [group["InstanceGroupName"] for group in groups]
    if len(set(names)) != len(names):
        raise invalid("Instance group names must be unique.")
    for group in groups:
        group_rules.check(group, continuous=continuous)


def check_autoscaling(state: HyperPodState, described: JsonObject) -> None:
    """Refuse autoscaling that lacks what it needs (facts 2.5)."""
    role = described.get("ClusterRole")
    if role:
        _require_role(state, role, "hyperpod.sagemaker.amazonaws.com")
    if described.get("AutoScaling", {}).get("Mode") != "Enable":
        return
    if described["AutoScaling"].get("AutoScalerType") != "Karpenter":
        raise invalid("AutoScaling with Mode Enable requires AutoScalerType Karpenter.")
    if described.get("NodeProvisioningMode") != "Continuous":
        raise invalid("AutoScaling requires NodeProvisioningMode Continuous.")
    if not role:
        raise invalid("AutoScaling requires a ClusterRole.")


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
    for arn in sorted(set(arns)):
        _require_role(state, arn, "sagemaker.amazonaws.com")


def check_image(state: HyperPodState, group: JsonObject) -> None:
    """A custom image is the account's own, and unencrypted (facts 1.4)."""
    image = group.get("ImageId", "default")
    if image == "default":
        return
    try:
        found = neighbours.call(state.host.ec2(), "describe_images", ImageIds=[image])["Images"]
    except ClientError:
        found = []
    if not found or found[0]["OwnerId"] != state.account_id:
        raise invalid(f"The image '{image}' does not exist in this account.")
    if any(device.get("Ebs", {}).get("Encrypted") for device in found[0].get("BlockDeviceMappings", [])):
        raise invalid(f"The image '{image}' is encrypted; HyperPod requires an unencrypted image.")


def check_plan(state: HyperPodState, group: JsonObject, already: int, now: datetime) -> None:
    """A plan is there for HyperPod, for this type, with enough instances left; `already` are the group's own."""
    arn = group.get("TrainingPlanArn")
    if not arn:
        return
    plan = state.records.plans.get(arn)
    if plan is None:
        raise invalid(f"The training plan {arn} does not exist.")
    status, reservation = plan.status(now), plan.reservation
    if status not in ("Scheduled", "Active"):
        raise invalid(f"The training plan {arn} is in status {status}; it must be Scheduled or Active.")
    if "hyperpod-cluster" not in reservation.targets:
        raise invalid(f"The training plan {arn} is not for hyperpod-cluster.")
    if group["InstanceType"] != reservation.instance_type:
        raise invalid(f"The training plan {arn} reserves {reservation.instance_type}, not {group['InstanceType']}.")
    used = sum(each.target for each in state.records.groups() if each.plan == arn) - already
    if group["InstanceCount"] > reservation.count - used:
        raise invalid(
            f"InstanceCount {group['InstanceCount']} of instance group {group['InstanceGroupName']} exceeds the"
            f" {reservation.count - used} instances available in the training plan {arn}."
        )


def _require_role(state: HyperPodState, arn: str, service: str) -> None:
    role = neighbours.role_of(state.host.iam(), arn)
    if role is None or not neighbours.trusts(role, service):
        raise invalid(
            f"Could not assume role {arn}. Please ensure that the role exists and allows principal"
            f" '{service}' to assume the role."
        )


def _require(kind: str, name: str, look: Callable[[BaseClient, Sequence[str]], object], ec2: BaseClient) -> None:
    try:
        look(ec2, [name])
    except neighbours.Missing as missing:
        raise invalid(f"The {kind} '{name}' does not exist") from missing
