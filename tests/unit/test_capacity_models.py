"""Instance groups as callers ask for them: what excludes what, and what is filled in."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from functions.capacity.models import InstanceGroup, SystemGroup
from functions.clusters.models import HyperPod
from functions.core.errors import FieldError
from functions.core.problems import field_error

GROUP: dict[str, Any] = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 2}
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/tp1"
SCRIPT = {"source_uri": "s3://sagemaker-x/hooks", "on_create": "a.sh"}


def errors_of(model: type[BaseModel], request: object) -> list[FieldError]:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(request)
    found: list[dict[str, Any]] = [{**error, "loc": ("body", *error["loc"])} for error in refused.value.errors()]
    return [field_error(error, model) for error in found]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"instance_types": ["ml.g6.4xlarge"]}, "instance_type"),
        ({"instance_type": None, "instance_types": []}, "instance_types"),
        ({"instance_type": None, "instance_types": ["ml.g6.4xlarge"] * 2}, "instance_types"),
        ({"instance_type": None, "instance_types": ["ml.g6.none"]}, "instance_types[0]"),
        ({"min_instance_count": 3}, "min_instance_count"),
        ({"min_instance_count": -1}, "min_instance_count"),
        ({"capacity_type": "spot", "training_plan_arn": PLAN}, "training_plan_arn"),
        ({"capacity_type": "on_demand", "training_plan_arn": PLAN}, "training_plan_arn"),
        ({"capacity_type": "training_plan"}, "training_plan_arn"),
        ({"training_plan_arn": "tp1"}, "training_plan_arn"),
        ({"instance_type": None, "instance_types": ["ml.p5.48xlarge"], "training_plan_arn": PLAN}, "training_plan_arn"),
        ({"security_group_ids": []}, "security_group_ids"),
        ({"security_group_ids": ["sg-0user"]}, "security_group_ids[0]"),
        ({"security_group_ids": [f"sg-0000000{n}" for n in range(6)]}, "security_group_ids"),
        ({"threads_per_core": 3}, "threads_per_core"),
        ({"instance_type": "ml.g7.8xlarge", "threads_per_core": 2}, "threads_per_core"),
        ({"deep_health_checks": ["all"]}, "deep_health_checks[0]"),
        ({"deep_health_checks": ["instance_stress"] * 2}, "deep_health_checks"),
        ({"labels": {"": "x"}}, "labels..[key]"),
        ({"labels": {"sagemaker.amazonaws.com/x": "x"}}, "labels.sagemaker.amazonaws.com/x.[key]"),
        ({"labels": {"node.kubernetes.io/x": "x"}}, "labels.node.kubernetes.io/x.[key]"),
        ({"labels": {"team": ""}}, "labels.team"),
        ({"labels": {"team": "a b"}}, "labels.team"),
        ({"labels": {f"k{n}": "x" for n in range(51)}}, "labels"),
        ({"taints": [{"key": "own", "effect": "Never"}]}, "taints[0].effect"),
        ({"taints": [{"key": "karpenter.sh/x", "effect": "NoSchedule"}]}, "taints[0].key"),
        (
            {"taints": [{"key": "own", "effect": "NoSchedule"}], "deep_health_checks": ["instance_stress"]},
            "taints",
        ),
        ({"volumes": [{}]}, "volumes[0].size_gib"),
        ({"volumes": [{"size_gib": 16_385}]}, "volumes[0].size_gib"),
        ({"volumes": [{"root": True}]}, "volumes[0].kms_key_id"),
        ({"volumes": [{"root": True, "size_gib": 1, "kms_key_id": "k"}]}, "volumes[0].size_gib"),
        ({"volumes": [{"root": True, "kms_key_id": "k"}] * 2}, "volumes"),
        ({"volumes": [{"size_gib": 1}] * 5}, "volumes"),
        ({"lifecycle": SCRIPT | {"source_uri": "https://x/y"}}, "lifecycle.source_uri"),
        ({"lifecycle": SCRIPT | {"on_create": "../a.sh"}}, "lifecycle.on_create"),
        ({"lifecycle": SCRIPT | {"on_init_complete": "b.sh"}}, "lifecycle.on_init_complete"),
        ({"lifecycle": {"source_uri": "s3://sagemaker-x/hooks"}}, "lifecycle.on_init_complete"),
        ({"image_id": "ami-latest"}, "image_id"),
    ],
)
def test_what_excludes_itself_is_refused_at_its_field(change: dict[str, Any], field: str) -> None:
    assert [error.field for error in errors_of(InstanceGroup, GROUP | change)] == [field]


@pytest.mark.parametrize(
    "change",
    [
        {"instance_type": None, "instance_types": ["ml.g6.12xlarge", "ml.g6e.12xlarge"]},
        {"min_instance_count": 2},
        {"capacity_type": "spot"},
        {"capacity_type": "training_plan", "training_plan_arn": PLAN},
        {"threads_per_core": 1},
        {"deep_health_checks": ["instance_stress", "instance_connectivity", "multi_node_training_validation"]},
        {"labels": {"example.com/team": "a", "tier": "b.c_d-e"}},
        {"taints": [{"key": "own", "value": "yes", "effect": "NoExecute"}]},
        {"volumes": [{"size_gib": 500}, {"root": True, "kms_key_id": "k"}]},
        {"lifecycle": SCRIPT},
        {"lifecycle": {"source_uri": "s3://sagemaker-x", "on_init_complete": "b.sh"}},
        {"image_id": "ami-0123456789abcdef0"},
        {"image_id": "default"},
        {"security_group_ids": ["sg-01234567"]},
    ],
)
def test_what_sagemaker_takes_passes(change: dict[str, Any]) -> None:
    asked = GROUP | change
    sent = InstanceGroup.model_validate(asked).model_dump(mode="json", exclude_unset=True)
    assert sent == asked


def test_the_capacity_type_follows_from_the_plan_and_counts_as_not_sent() -> None:
    planned = InstanceGroup.model_validate(GROUP | {"training_plan_arn": PLAN})
    plain = InstanceGroup.model_validate(GROUP)
    assert (planned.capacity_type, plain.capacity_type) == ("training_plan", "on_demand")
    assert "capacity_type" not in plain.model_dump(exclude_unset=True)


def test_a_system_group_has_no_accelerators() -> None:
    (error,) = errors_of(SystemGroup, {"instance_type": "ml.g6.4xlarge"})
    assert (error.field, error.allowed) == ("instance_type", ["ml.c5.4xlarge"])
    assert SystemGroup().group.types == ["ml.c5.4xlarge"]


@pytest.mark.parametrize(
    ("groups", "system"),
    [
        ([GROUP | {"name": "system"}], {}),
        ([GROUP | {"name": f"g{n}"} for n in range(100)], {}),
    ],
    ids=["same name", "one too many"],
)
def test_a_system_group_stands_beside_the_others(groups: list[dict[str, Any]], system: object) -> None:
    request = {"availability_zone": "us-west-2c", "instance_groups": groups, "system_group": system}
    assert [error.field for error in errors_of(HyperPod, request)] == ["system_group"]


def test_groups_may_start_at_zero_beside_one_that_does_not() -> None:
    request = {"availability_zone": "us-west-2c", "instance_groups": [GROUP | {"instance_count": 0}]}
    made = HyperPod.model_validate(request | {"system_group": {"instance_count": 2}})
    assert [(group.name, group.instance_count) for group in made.groups] == [("gpu", 0), ("system", 2)]


def test_on_shortage_names_its_choices() -> None:
    request = {"availability_zone": "us-west-2c", "instance_groups": [GROUP], "on_shortage": "switch"}
    (error,) = errors_of(HyperPod, request)
    assert (error.field, error.allowed) == ("on_shortage", ["wait", "fail", "alternatives"])
