"""What UpdateCluster refuses, and what becomes of a group's specification (facts 1.4, 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, Phase
from infra.local.simulators.hyperpod.refusals import conflict, invalid
from infra.local.simulators.service import refuse_unverified, unverified

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject

MEMBERS: Final = frozenset(
    {
        "ClusterName",
        "InstanceGroups",
        "InstanceGroupsToDelete",
        "NodeRecovery",
        "NodeProvisioningMode",
        "TieredStorageConfig",
        "ClusterRole",
        "AutoScaling",
        "Orchestrator",
    }
)
IMMUTABLE: Final = (
    "InstanceType",
    "ExecutionRole",
    "OverrideVpcConfig",
    "CapacityRequirements",
    "NetworkInterface",
)
"""These may not be left out either."""
UNCLEAR: Final = ("ImageId", "TrainingPlanArn", "InstanceStorageConfigs")
"""Whether these may change on a group that stands is not documented."""


def check_request(cluster: HyperPodRecord, params: JsonObject) -> None:
    """Refuse a request by the cluster's state and by what it says of the cluster as a whole."""
    refuse_unverified(params, MEMBERS)
    if cluster.status != "InService":
        raise conflict(f"Cluster {cluster.name} is in status {cluster.status}; it must be InService to be updated.")
    if params.get("Orchestrator", cluster.described["Orchestrator"]) != cluster.described["Orchestrator"]:
        raise invalid("Updating the Orchestrator of a cluster is not supported.")
    if "NodeProvisioningMode" in params and not cluster.continuous:
        raise unverified("a change of NodeProvisioningMode")
    scaled = cluster.described.get("AutoScaling", {}).get("Mode") == "Enable"
    if scaled and params.get("ClusterRole", cluster.described.get("ClusterRole")) != cluster.described["ClusterRole"]:
        raise invalid("ClusterRole cannot be changed while autoscaling is enabled.")
    _check_names(cluster, params)


def _check_names(cluster: HyperPodRecord, params: JsonObject) -> None:
    listed = [spec["InstanceGroupName"] for spec in params.get("InstanceGroups", [])]
    deleted = params.get("InstanceGroupsToDelete", [])
    unknown = [name for name in deleted if name not in cluster.groups]
    if unknown:
        raise invalid(f"Instance group {unknown[0]} does not exist in cluster {cluster.name}.")
    both = [name for name in deleted if name in listed]
    if both:
        raise invalid(f"Instance group {both[0]} cannot be in both InstanceGroups and InstanceGroupsToDelete.")
    if not (set(cluster.groups) | set(listed)) - set(deleted):
        raise invalid(f"At least one instance group must remain in cluster {cluster.name}.")


def check_change(group: GroupRecord, spec: JsonObject) -> None:
    """Refuse a change of one group, given as its whole new specification."""
    _check_moment(group)
    for member in IMMUTABLE:
        if spec.get(member) != group.spec.get(member):
            raise invalid(f"Updating fields {member} on an InstanceGroup not supported")
    if spec.get("ThreadsPerCore", group.threads_per_core) != group.threads_per_core:
        raise invalid("Updating fields ThreadsPerCore on an InstanceGroup not supported")
    _check_types(group, spec)
    for member in UNCLEAR:
        if spec.get(member) != group.spec.get(member):
            raise unverified(f"a change of {member} on an existing instance group")


def _check_moment(group: GroupRecord) -> None:
    if group.deleting:
        raise conflict(f"Instance group {group.name} is being deleted.")
    if group.minimum_deadline:
        raise conflict(
            f"Instance group {group.name} waits for its MinInstanceCount; until then it can only be deleted."
        )
    if any(node.phase is Phase.CHECKING for node in group.nodes):
        raise conflict(f"Instance group {group.name} cannot be updated while deep health checks are in progress.")


def _check_types(group: GroupRecord, spec: JsonObject) -> None:
    """A list of types may grow; it cannot become a single type, nor the other way round."""
    if ("InstanceRequirements" in spec) != ("InstanceRequirements" in group.spec):
        raise invalid("Updating fields InstanceRequirements on an InstanceGroup not supported")
    if "InstanceRequirements" in spec and spec["InstanceRequirements"] != group.spec["InstanceRequirements"]:
        kept = set(group.instance_types) <= set(spec["InstanceRequirements"]["InstanceTypes"])
        if not kept:
            raise unverified("taking a type from InstanceRequirements")
