"""The tools of AWS's HyperPod InstantStart under their own names, each as a call of one of ours.

Scripts and prompts that know those names go on working. What such a call says is put into our words and nothing else:
the API judges it as it judges every other. Tools for what this product cannot do yet arrive with their domains.
Whatever is about a cluster can name it, which the reference's own could not: agents that sign with one role are one
caller with one active cluster, and one of them would begin what the other has chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from functions.core.errors import FieldError, InvalidRequest

TOOLSET: Final = "legacy"
WAIT: Final = "wait_seconds"
Arguments = Mapping[str, JsonValue]
_TEXT: Final = "string"
_NUMBER: Final = "integer"
_TAG: Final = "tag"
TAG_ARGUMENT: Final = "clusterTag"
# Instance groups have names here, and the reference's may lack what it makes the name of its first one from.
_FIRST_GROUP: Final = "accelerated"
_VOLUME_GIB: Final = 500
_RANGES: Final = {"vpcCidr": "vpc_cidr", "hyperPodPrivateSubnetCidr": "compute_cidr"}
_SUBNETS: Final = {
    "public_subnet_cidrs": ("publicSubnet1Cidr", "publicSubnet2Cidr"),
    "control_plane_subnet_cidrs": ("eksPrivateSubnet1Cidr", "eksPrivateSubnet2Cidr"),
}
_ALL_RANGES: Final = (*_RANGES, *(name for pair in _SUBNETS.values() for name in pair))


@dataclass(frozen=True)
class LegacyTool:
    """One name, and the tool that answers to it; `about_active` says whose cluster it is about when it names none."""

    name: str
    tool: str
    description: str
    takes: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    about_active: bool = False
    translate: Callable[[Arguments], dict[str, JsonValue]] = dict

    @property
    def input_schema(self) -> dict[str, JsonValue]:
        """Describe what it takes."""
        properties: dict[str, JsonValue] = {name: {"type": kind} for name, kind in self.takes.items()}
        needed: dict[str, JsonValue] = {"required": [*self.needs]} if self.needs else {}
        return {"type": "object", "properties": properties, **needed, "additionalProperties": False}

    def arguments(self, sent: Arguments) -> dict[str, JsonValue]:
        """Put a call into the words of the tool that answers it; raise InvalidRequest for what it does not take."""
        errors = [
            _error(name, f"is no argument of {self.name}", [*self.takes]) for name in sent if name not in self.takes
        ]
        errors += [_error(name, "is required") for name in self.needs if sent.get(name) in (None, "")]
        if errors:
            raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=errors)
        return self.translate({name: value for name, value in sent.items() if value not in (None, "")})


def _error(name: str, message: str, allowed: list[str] | None = None) -> FieldError:
    return FieldError(field=name, message=message, allowed=allowed)


def _tag(sent: Arguments) -> dict[str, JsonValue]:
    return {_TAG: sent[TAG_ARGUMENT]} if TAG_ARGUMENT in sent else {}


def _foundation(sent: Arguments) -> dict[str, JsonValue]:
    ranges: dict[str, JsonValue] = {ours: sent[theirs] for theirs, ours in _RANGES.items() if theirs in sent}
    ranges |= {ours: [sent[each] for each in theirs] for ours, theirs in _SUBNETS.items() if theirs[0] in sent}
    named: dict[str, JsonValue] = {name: sent[name] for name in ("region",) if name in sent}
    return _tag(sent) | named | ({"foundation": ranges} if ranges else {})


def _hyperpod(sent: Arguments) -> dict[str, JsonValue]:
    """Ask for a HyperPod cluster: as in the reference, hyperPodTag is one of names; clusterTag is the cluster's."""
    group: dict[str, JsonValue] = {
        "name": f"{sent['hyperPodTag']}-ig" if "hyperPodTag" in sent else _FIRST_GROUP,
        "instance_type": sent["AcceleratedInstanceType"],
        "instance_count": sent["AcceleratedInstanceCount"],
        "volumes": [{"size_gib": sent.get("AcceleratedEBSVolumeSize", _VOLUME_GIB)}],
    }
    if "AcceleratedTrainingPlanArn" in sent:
        group["training_plan_arn"] = sent["AcceleratedTrainingPlanArn"]
    if "computeSubnetId" in sent:
        group["subnet_id"] = sent["computeSubnetId"]
    return {**_tag(sent), "availability_zone": sent["availabilityZone"], "instance_groups": [group]}


def _newest(kind: str) -> Callable[[Arguments], dict[str, JsonValue]]:
    """Ask for the newest operation of a kind, of the named cluster or of any: its status is that of the work."""

    def translated(sent: Arguments) -> dict[str, JsonValue]:
        of_cluster = {"cluster_tag": sent[TAG_ARGUMENT]} if TAG_ARGUMENT in sent else {}
        return {"kind": kind, "limit": 1, **of_cluster}

    return translated


def _mount(sent: Arguments) -> dict[str, JsonValue]:
    other = [name for name in ("bucketName", "region") if name in sent]
    if other:
        error = _error(other[0], "cannot be chosen: a cluster mounts the bucket that it was made with")
        raise InvalidRequest(f"{other[0]}: {error.message}", errors=[error], remedy=f"Leave {other[0]} out.")
    return _tag(sent) | ({"name": sent["name"]} if "name" in sent else {})


_ALL: Final = (
    LegacyTool("cluster_list_all", "cluster_list", "List all clusters."),
    LegacyTool(
        "cluster_switch",
        "active_cluster_set",
        "Choose the active cluster.",
        {TAG_ARGUMENT: _TEXT},
        (TAG_ARGUMENT,),
        translate=lambda sent: {"cluster_tag": sent[TAG_ARGUMENT]},
    ),
    LegacyTool(
        "cluster_get_status",
        "cluster_get",
        "Read the active cluster, or the named one.",
        {TAG_ARGUMENT: _TEXT},
        about_active=True,
        translate=_tag,
    ),
    LegacyTool(
        "cluster_get_instance_groups",
        "cluster_get",
        "Read the active cluster, or the named one, with its instance groups.",
        {TAG_ARGUMENT: _TEXT},
        about_active=True,
        translate=_tag,
    ),
    LegacyTool(
        "cluster_create_eks",
        "cluster_create",
        "Create a cluster's foundation: network and EKS control plane.",
        {TAG_ARGUMENT: _TEXT, "region": _TEXT, "vpcCidr": _TEXT},
        translate=_foundation,
    ),
    LegacyTool(
        "cluster_create_eks_with_cidr",
        "cluster_create",
        "Create a cluster's foundation in address ranges of your own; compute subnets are made in "
        "hyperPodPrivateSubnetCidr.",
        {TAG_ARGUMENT: _TEXT, "region": _TEXT, **dict.fromkeys(_ALL_RANGES, _TEXT)},
        (TAG_ARGUMENT, "region", *_ALL_RANGES),
        translate=_foundation,
    ),
    LegacyTool(
        "cluster_get_eks_creation_status",
        "operation_list",
        "Read how far the newest creation of a foundation is.",
        {TAG_ARGUMENT: _TEXT},
        translate=_newest("create_foundation"),
    ),
    LegacyTool(
        "cluster_configure_dependencies",
        "dependencies_configure",
        "Install the dependencies of the active cluster, or of the named one.",
        {TAG_ARGUMENT: _TEXT},
        about_active=True,
        translate=_tag,
    ),
    LegacyTool(
        "cluster_get_dependency_status",
        "operation_list",
        "Read how far the newest installation of dependencies is.",
        {TAG_ARGUMENT: _TEXT},
        translate=_newest("configure_dependencies"),
    ),
    LegacyTool(
        "hyperpod_create",
        "hyperpod_cluster_create",
        "Create the HyperPod cluster of the active cluster, or of the one that clusterTag names. hyperPodTag says what "
        "its first instance group is called: <hyperPodTag>-ig, or accelerated without it. It is no cluster's tag.",
        {
            TAG_ARGUMENT: _TEXT,
            "hyperPodTag": _TEXT,
            "AcceleratedInstanceType": _TEXT,
            "AcceleratedInstanceCount": _NUMBER,
            "availabilityZone": _TEXT,
            "AcceleratedEBSVolumeSize": _NUMBER,
            "AcceleratedTrainingPlanArn": _TEXT,
            "computeSubnetId": _TEXT,
        },
        ("AcceleratedInstanceType", "AcceleratedInstanceCount", "availabilityZone"),
        about_active=True,
        translate=_hyperpod,
    ),
    LegacyTool(
        "hyperpod_get_creation_status",
        "operation_list",
        "Read how far the newest creation of a HyperPod cluster is.",
        {TAG_ARGUMENT: _TEXT},
        translate=_newest("create_hyperpod"),
    ),
    LegacyTool(
        "cluster_get_available_instances",
        "instance_type_list",
        "List instance types with accelerators.",
        translate=lambda _: {"accelerated": True},
    ),
    LegacyTool("cluster_get_availability_zones", "availability_zone_list", "List availability zones."),
    LegacyTool(
        "s3_storage_get_defaults",
        "cluster_get",
        "Read the active cluster, or the named one: its bucket, which s3_storage_create mounts as s3-claim, is "
        "spec.names.bucket.",
        {TAG_ARGUMENT: _TEXT},
        about_active=True,
        translate=_tag,
    ),
    LegacyTool(
        "s3_storage_create",
        "storage_create",
        "Mount the bucket of the active cluster, or of the named one.",
        {TAG_ARGUMENT: _TEXT, "name": _TEXT, "bucketName": _TEXT, "region": _TEXT},
        about_active=True,
        translate=_mount,
    ),
)
TOOLS: Final = {tool.name: tool for tool in _ALL}
