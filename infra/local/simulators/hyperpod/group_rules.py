"""Rules on one instance group that look at nothing but the request (facts 1.3, 1.8, 1.9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod.network import has_efa
from infra.local.simulators.hyperpod.refusals import invalid
from infra.local.simulators.service import refuse_unverified, unverified

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject

MEMBERS: Final = frozenset(
    {
        "InstanceGroupName",
        "InstanceType",
        "InstanceRequirements",
        "InstanceCount",
        "MinInstanceCount",
        "ExecutionRole",
        "LifeCycleConfig",
        "ThreadsPerCore",
        "InstanceStorageConfigs",
        "OnStartDeepHealthChecks",
        "TrainingPlanArn",
        "OverrideVpcConfig",
        "ImageId",
        "KubernetesConfig",
        "CapacityRequirements",
        "NetworkInterface",
    }
)
RESERVED_PREFIXES: Final = ("kubernetes.io/", "k8s.io/", "sagemaker.amazonaws.com/", "eks.amazonaws.com/", "k8s.aws/",
                            "karpenter.sh/")  # fmt: skip


def instance_types(group: JsonObject) -> list[str]:
    """The types a group may be made of."""
    flexible = group.get("InstanceRequirements")
    return list(flexible["InstanceTypes"]) if flexible else [group["InstanceType"]]


def check(group: JsonObject, *, continuous: bool) -> None:
    """Refuse a group that HyperPod would not take."""
    name = group["InstanceGroupName"]
    if ("InstanceType" in group) == ("InstanceRequirements" in group):
        raise invalid(f"Instance group {name} must have exactly one of InstanceType and InstanceRequirements.")
    refuse_unverified(group, MEMBERS)
    if len(set(instance_types(group))) != len(instance_types(group)):
        raise invalid(f"The instance types of instance group {name} must be unique.")
    if group.get("MinInstanceCount", 0) > group["InstanceCount"]:
        raise invalid(f"MinInstanceCount of instance group {name} must not exceed InstanceCount.")
    _check_capacity(name, group)
    if not continuous:
        _check_classic(name, group)
    _check_script(name, group.get("LifeCycleConfig", {}))
    _check_storage(name, group.get("InstanceStorageConfigs", []))
    _check_kubernetes(group.get("KubernetesConfig", {}))
    _check_interfaces(name, group)
    if group.get("OnStartDeepHealthChecks") and group.get("KubernetesConfig", {}).get("Taints"):
        raise invalid(f"Instance group {name} cannot have both OnStartDeepHealthChecks and taints.")


def _check_capacity(name: str, group: JsonObject) -> None:
    capacity = group.get("CapacityRequirements", {})
    if len(capacity) > 1:
        raise invalid(f"Instance group {name} must have one of Spot and OnDemand in CapacityRequirements.")
    if "Spot" in capacity and group.get("TrainingPlanArn"):
        raise invalid(f"Instance group {name} cannot use Spot capacity together with a training plan.")
    if "InstanceRequirements" in group and group.get("TrainingPlanArn"):
        raise unverified("a training plan for a group of several instance types")


def _check_classic(name: str, group: JsonObject) -> None:
    for member in ("MinInstanceCount", "InstanceRequirements"):
        if group.get(member):
            raise invalid(f"{member} of instance group {name} requires NodeProvisioningMode Continuous.")
    if "Spot" in group.get("CapacityRequirements", {}):
        raise invalid(f"Spot capacity of instance group {name} requires NodeProvisioningMode Continuous.")


def _check_script(name: str, script: JsonObject) -> None:
    if not script:
        return
    if script.get("OnCreate") and script.get("OnInitComplete"):
        raise invalid(f"OnCreate and OnInitComplete of instance group {name} are mutually exclusive.")
    if not script.get("SourceS3Uri") or not (script.get("OnCreate") or script.get("OnInitComplete")):
        raise invalid(
            f"LifeCycleConfig of instance group {name} must have SourceS3Uri and one of OnCreate and OnInitComplete."
        )
    if not script["SourceS3Uri"].startswith("s3://"):
        raise unverified("a SourceS3Uri that is not s3://")


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


def _check_interfaces(name: str, group: JsonObject) -> None:
    if group.get("NetworkInterface", {}).get("InterfaceType") != "efa-only":
        return
    without = [kind for kind in instance_types(group) if not has_efa(kind)]
    if without:
        raise invalid(f"The interface type efa-only of instance group {name} is not supported by {without[0]}.")
