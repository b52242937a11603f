"""What callers send about capacity: instance groups of any capacity type, and the group for the cluster's own pods.

Sources of the limits: SageMaker API reference, CreateCluster and ClusterInstanceGroupSpecification; developer guide,
"Scaling policies" (continuous provisioning), "Deep health checks", "Spot instances in HyperPod".
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from functions.capacity.models.names import GroupName, InstanceTypeName, LabelKey, LabelValue
from functions.catalog.rules import accelerated, has_one_thread
from functions.core.requests import Wire
from functions.network.models import GroupNetwork

COUNT_LIMIT: Final = 6758
TYPES_LIMIT: Final = 20
LABELS_LIMIT: Final = 50
VOLUMES_LIMIT: Final = 4
VOLUME_GIB_LIMIT: Final = 16_384
SECURITY_GROUPS_LIMIT: Final = 5
PLAN_PATTERN: Final = r"arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}"
IMAGE_PATTERN: Final = r"ami-[0-9a-f]{8}([0-9a-f]{9})?|default"
S3_PATTERN: Final = r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s?*]*)?"
SCRIPT_PATTERN: Final = r"[A-Za-z0-9_][A-Za-z0-9_./-]*"
SECURITY_GROUP_PATTERN: Final = r"sg-[0-9a-f]{8,17}"

CapacityType = Literal["on_demand", "spot", "training_plan"]
DeepHealthCheck = Literal["instance_stress", "instance_connectivity", "multi_node_training_validation"]
OnShortage = Literal["wait", "fail", "alternatives"]


def unique(values: list[str]) -> list[str]:
    """Refuse a list that names something twice."""
    if len(set(values)) != len(values):
        raise PydanticCustomError("unique", "names something twice")
    return values


class Taint(Wire):
    """A taint of each node of the group."""

    key: LabelKey
    value: LabelValue | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Volume(Wire):
    """A disk of each instance: a further one, or (`root`) the root disk encrypted with a key of the caller's."""

    root: bool = False
    size_gib: int | None = Field(default=None, ge=1, le=VOLUME_GIB_LIMIT, validate_default=True)
    kms_key_id: str | None = Field(default=None, min_length=1, max_length=2048, validate_default=True)

    @field_validator("size_gib")
    @classmethod
    def _only_further_disks_have_a_size(cls, size: int | None, info: ValidationInfo) -> int | None:
        root = info.data.get("root")
        if root and size is not None:
            message = "has to be left out with root: the root disk has 100 GiB and cannot grow"
            raise PydanticCustomError("root_size", message)
        if root is False and size is None:
            raise PydanticCustomError("missing", "is required")
        return size

    @field_validator("kms_key_id")
    @classmethod
    def _a_root_disk_is_named_for_its_key(cls, key: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("root") and key is None:
            message = "is required with root: a root disk is named only to encrypt it with a key of one's own"
            raise PydanticCustomError("root_key", message)
        return key


class Lifecycle(Wire):
    """A script of the caller's own, run once on each instance.

    `on_create` takes the place of the release's set-up script, `on_init_complete` runs after HyperPod's default set-up.
    """

    source_uri: str = Field(pattern=rf"^({S3_PATTERN})$", max_length=1024)
    on_create: str | None = Field(default=None, pattern=rf"^{SCRIPT_PATTERN}$", max_length=128)
    on_init_complete: str | None = Field(
        default=None, pattern=rf"^{SCRIPT_PATTERN}$", max_length=128, validate_default=True
    )

    @field_validator("on_init_complete")
    @classmethod
    def _one_script(cls, script: str | None, info: ValidationInfo) -> str | None:
        if "on_create" not in info.data:
            return script
        if (script is None) == (info.data["on_create"] is None):
            raise PydanticCustomError("one_script", "exactly one of on_create and on_init_complete is required")
        return script

    @property
    def script(self) -> str:
        """Give the name of the script below the source."""
        return self.on_create or self.on_init_complete or ""


class InstanceGroup(GroupNetwork, Wire):
    """Instances that are counted together: of one type, or of several (`instance_types`) in order of preference.

    `capacity_type` left out is `training_plan` with a `training_plan_arn`, else `on_demand`. What is left out of the
    rest is the release's choice: its own set-up script, its image, all threads of a core.
    """

    name: GroupName
    instance_types: Annotated[list[InstanceTypeName], AfterValidator(unique)] | None = Field(
        default=None, min_length=1, max_length=TYPES_LIMIT
    )
    instance_type: InstanceTypeName | None = Field(default=None, validate_default=True)
    instance_count: int = Field(ge=0, le=COUNT_LIMIT)
    min_instance_count: int | None = Field(default=None, ge=0, le=COUNT_LIMIT)
    capacity_type: CapacityType | None = None
    training_plan_arn: Annotated[str, Field(pattern=f"^{PLAN_PATTERN}$", max_length=2048)] | None = Field(
        default=None, validate_default=True
    )
    security_group_ids: (
        Annotated[
            list[Annotated[str, Field(pattern=f"^{SECURITY_GROUP_PATTERN}$")]],
            AfterValidator(unique),
            Field(min_length=1, max_length=SECURITY_GROUPS_LIMIT),
        ]
        | None
    ) = None
    threads_per_core: Literal[1, 2] | None = None
    deep_health_checks: Annotated[list[DeepHealthCheck], AfterValidator(unique)] = Field(default=[], max_length=3)
    labels: dict[LabelKey, LabelValue] = Field(default={}, max_length=LABELS_LIMIT)
    taints: list[Taint] = Field(default=[], max_length=LABELS_LIMIT)
    volumes: list[Volume] = Field(default=[], max_length=VOLUMES_LIMIT)
    lifecycle: Lifecycle | None = None
    image_id: str | None = Field(default=None, pattern=f"^({IMAGE_PATTERN})$")

    @field_validator("instance_type")
    @classmethod
    def _one_type_or_several(cls, single: str | None, info: ValidationInfo) -> str | None:
        if "instance_types" not in info.data:
            return single
        several = info.data["instance_types"]
        if single is None and several is None:
            raise PydanticCustomError("missing", "is required")
        if single is not None and several is not None:
            raise PydanticCustomError("one_or_several", "excludes instance_types: name one type, or several there")
        return single

    @field_validator("min_instance_count")
    @classmethod
    def _the_minimum_is_within_the_count(cls, minimum: int | None, info: ValidationInfo) -> int | None:
        count = info.data.get("instance_count")
        if minimum is not None and count is not None and minimum > count:
            message = "is {minimum}, more than the instance_count of {count}"
            raise PydanticCustomError("minimum", message, {"minimum": minimum, "count": count})
        return minimum

    @field_validator("training_plan_arn")
    @classmethod
    def _a_plan_is_a_capacity_of_its_own(cls, plan: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("capacity_type")
        if plan is None:
            if kind == "training_plan":
                raise PydanticCustomError("missing", "is required with the capacity_type training_plan")
            return None
        if kind not in (None, "training_plan"):
            message = "excludes the capacity_type {kind}: leave one of the two out"
            raise PydanticCustomError("plan_or_other", message, {"kind": kind, "allowed": ["training_plan"]})
        if info.data.get("instance_types"):
            raise PydanticCustomError("plan_type", "needs one instance_type, the plan's; it excludes instance_types")
        return plan

    @field_validator("threads_per_core")
    @classmethod
    def _as_many_threads_as_there_are(cls, threads: int | None, info: ValidationInfo) -> int | None:
        wanted = info.data.get("instance_types") or [info.data.get("instance_type")]
        single = [name for name in wanted if name and has_one_thread(name)]
        if threads == 2 and single:
            message = "is 2, and {name} has one thread per core"
            raise PydanticCustomError("threads", message, {"name": single[0], "allowed": ["1"]})
        return threads

    @field_validator("taints")
    @classmethod
    def _checked_nodes_have_no_other_taint(cls, taints: list[Taint], info: ValidationInfo) -> list[Taint]:
        if taints and info.data.get("deep_health_checks"):
            message = "excludes deep_health_checks: HyperPod checks no group with taints of its own"
            raise PydanticCustomError("taints_or_checks", message)
        return taints

    @field_validator("volumes")
    @classmethod
    def _one_root_disk(cls, volumes: list[Volume]) -> list[Volume]:
        if sum(volume.root for volume in volumes) > 1:
            raise PydanticCustomError("one_root", "names the root disk twice")
        return volumes

    @model_validator(mode="after")
    def _capacity_by_default(self) -> InstanceGroup:
        if self.capacity_type is None:
            self.capacity_type = "training_plan" if self.training_plan_arn else "on_demand"
            # Nobody sent it: a dump of what was sent leaves it out.
            self.model_fields_set.discard("capacity_type")
        return self

    @property
    def types(self) -> list[str]:
        """Give the instance types of the group in order of preference."""
        return self.instance_types or ([self.instance_type] if self.instance_type else [])


class SystemGroup(Wire):
    """Instances without accelerators for what a cluster runs of its own: add-ons, operators, CoreDNS."""

    name: GroupName = "system"
    instance_type: InstanceTypeName = "ml.c5.4xlarge"
    instance_count: int = Field(default=1, ge=1, le=COUNT_LIMIT)

    @field_validator("instance_type")
    @classmethod
    def _no_accelerators(cls, value: str) -> str:
        if accelerated(value):
            message = "{value} has accelerators, which the cluster's own pods leave idle"
            raise PydanticCustomError("system_type", message, {"value": value, "allowed": ["ml.c5.4xlarge"]})
        return value

    @property
    def group(self) -> InstanceGroup:
        """Give the instance group that it is."""
        return InstanceGroup(
            name=self.name,
            instance_type=self.instance_type,
            instance_count=self.instance_count,
            capacity_type="on_demand",
        )
