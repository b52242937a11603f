"""Requests about clusters: what passes, and what is refused where."""

from __future__ import annotations

from typing import Any

import botocore.session
import pytest
from pydantic import BaseModel, ValidationError

from functions.capacity.models import InstanceGroup
from functions.catalog.tables import instance_types
from functions.clusters.models import CreateCluster, HyperPod, S3Mount
from functions.clusters.names import TAG_LIMIT, TEMPLATES, derived
from functions.core.errors import FieldError
from functions.core.problems import field_error

GROUP: dict[str, Any] = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}
HYPERPOD: dict[str, Any] = {"availability_zone": "us-west-2c", "instance_groups": [GROUP]}


def errors_of(model: type[BaseModel], request: object) -> list[FieldError]:
    """What the caller would be told of a request that is refused."""
    with pytest.raises(ValidationError) as refused:
        model.model_validate(request)
    found: list[dict[str, Any]] = [{**error, "loc": ("body", *error["loc"])} for error in refused.value.errors()]
    return [field_error(error, model) for error in found]


def fields_of(model: type[BaseModel], request: object) -> list[str]:
    return [error.field for error in errors_of(model, request)]


@pytest.mark.case(27)
def test_the_longest_tag_makes_names_that_all_fit() -> None:
    names = derived("a" * TAG_LIMIT, "1" * 12, "ap-southeast-1")
    assert TAG_LIMIT == 25
    assert {part: name for part, name in names.items() if len(name) > TEMPLATES[part][1]} == {}


@pytest.mark.case(27)
@pytest.mark.parametrize("tag", ["a", "hypd-0304b", "a1", "a-b", "x" * 25])
def test_a_tag_that_fits_passes(tag: str) -> None:
    assert CreateCluster.model_validate({"tag": tag}).tag == tag


@pytest.mark.case(27)
@pytest.mark.parametrize(
    "tag",
    [
        "A_very_long_tag_with_underscores_and_more_than_forty_characters_0000000001",
        "",
        "1a",
        "-a",
        "a-",
        "a_b",
        "a.b",
        "Aa",
        "a\n",
        "ä",
        "x" * 26,
    ],
)
def test_a_tag_that_does_not_fit_is_told_pattern_and_limit(tag: str) -> None:
    (error,) = errors_of(CreateCluster, {"tag": tag})
    assert error.field == "tag"
    assert "^[a-z]([a-z0-9-]*[a-z0-9])?$" in error.message
    assert "25" in error.message


@pytest.mark.case(27)
@pytest.mark.parametrize("name", ["a", "A-1", "g--u", "x" * 63, "9"])
def test_a_group_name_that_sagemaker_takes_passes(name: str) -> None:
    assert InstanceGroup.model_validate(GROUP | {"name": name}).name == name


@pytest.mark.case(27)
@pytest.mark.parametrize("name", ["", "a_b", "a-", "-a", "x" * 64, "a b", "a\n"])
def test_a_group_name_that_sagemaker_refuses_is_refused(name: str) -> None:
    assert fields_of(HyperPod, HYPERPOD | {"instance_groups": [GROUP | {"name": name}]}) == ["instance_groups[0].name"]


@pytest.mark.case(27)
def test_a_hundred_groups_pass_and_one_more_is_refused() -> None:
    groups = [GROUP | {"name": f"g{number}"} for number in range(101)]
    assert len(HyperPod.model_validate(HYPERPOD | {"instance_groups": groups[:100]}).instance_groups) == 100
    assert fields_of(HyperPod, HYPERPOD | {"instance_groups": groups}) == ["instance_groups"]
    assert fields_of(HyperPod, HYPERPOD | {"instance_groups": []}) == ["instance_groups"]


@pytest.mark.case(27)
def test_two_groups_of_one_name_are_refused_by_that_name() -> None:
    (error,) = errors_of(HyperPod, HYPERPOD | {"instance_groups": [GROUP, GROUP | {"name": "cpu"}, GROUP]})
    assert error.field == "instance_groups"
    assert "gpu" in error.message


@pytest.mark.parametrize("count", [0, 1, 6758])
def test_a_count_within_the_limits_passes(count: int) -> None:
    assert InstanceGroup.model_validate(GROUP | {"instance_count": count}).instance_count == count


@pytest.mark.parametrize("count", [-1, 6759, "4", 4.0, True, None, [1]])
def test_a_count_outside_of_them_or_of_another_type_is_refused(count: object) -> None:
    assert fields_of(InstanceGroup, GROUP | {"instance_count": count}) == ["instance_count"]


def test_every_instance_type_of_sagemakers_model_is_known_and_no_other() -> None:
    model = botocore.session.Session().get_service_model("sagemaker")
    assert set(instance_types()) == set(model.shape_for("ClusterInstanceType").enum)  # type: ignore[attr-defined]


def test_what_is_known_of_an_instance_type() -> None:
    facts = instance_types()["ml.p5.48xlarge"]
    assert (facts.vcpus, facts.accelerator, facts.accelerator_count) == (192, "NVIDIA H100", 8)
    assert (facts.efa_interfaces, facts.max_pods, facts.subnet_ips) == (32, 49, 81)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [("ml.g6.5xlarge", "ml.g6.4xlarge"), ("g6.4xlarge", "ml.g6.4xlarge"), ("ml.g9.4xlarge", "ml.g6.4xlarge")],
)
def test_an_unknown_instance_type_is_answered_with_similar_ones(name: str, suggested: str) -> None:
    (error,) = errors_of(InstanceGroup, GROUP | {"instance_type": name})
    assert error.field == "instance_type"
    assert suggested in (error.allowed or [])


def test_a_capacity_type_names_its_choices() -> None:
    (error,) = errors_of(InstanceGroup, GROUP | {"capacity_type": "reserved"})
    assert (error.field, error.allowed) == ("capacity_type", ["on_demand", "spot", "training_plan"])


def test_node_recovery_names_its_choices() -> None:
    (error,) = errors_of(HyperPod, HYPERPOD | {"node_recovery": "sometimes"})
    assert (error.field, error.allowed) == ("node_recovery", ["automatic", "none"])


def test_unknown_fields_are_refused_where_they_stand_with_the_known_ones() -> None:
    request = {"clusterTag": "t1", "hyperpod": HYPERPOD | {"instance_groups": [GROUP | {"image": "x"}]}}
    inner, outer = errors_of(CreateCluster, request)
    assert (inner.field, inner.allowed) == (
        "hyperpod.instance_groups[0].image",
        [*InstanceGroup.model_fields],
    )
    assert (outer.field, outer.allowed) == (
        "clusterTag",
        ["tag", "region", "foundation", "hyperpod", "storage", "owner_groups", "company_tags"],
    )


def test_what_is_required_is_named() -> None:
    assert fields_of(CreateCluster, {"hyperpod": {"instance_groups": [{}]}}) == [
        "hyperpod.availability_zone",
        "hyperpod.instance_groups[0].name",
        "hyperpod.instance_groups[0].instance_type",
        "hyperpod.instance_groups[0].instance_count",
    ]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_control_plane_stands_in_two_zones(count: int) -> None:
    zones = [f"us-west-2{letter}" for letter in "abc"[:count]]
    (error,) = errors_of(CreateCluster, {"foundation": {"control_plane_availability_zones": zones}})
    assert error.field == "foundation.control_plane_availability_zones"
    assert error.message == f"names {count} zones; a control plane stands in exactly two"


def test_what_was_sent_is_told_apart_from_defaults() -> None:
    request = {"tag": "t1", "foundation": {}, "hyperpod": HYPERPOD}
    assert CreateCluster.model_validate(request).model_dump(mode="json", exclude_unset=True) == request
    sent = request | {"storage": {}}
    assert CreateCluster.model_validate(sent).model_dump(mode="json", exclude_unset=True) == sent


def test_storage_left_out_is_the_default_and_null_is_none() -> None:
    assert CreateCluster.model_validate({"hyperpod": HYPERPOD}).storage == S3Mount(name="s3-claim", namespace="default")
    assert CreateCluster.model_validate({"hyperpod": HYPERPOD, "storage": {}}).storage == S3Mount()
    assert CreateCluster.model_validate({"hyperpod": HYPERPOD, "storage": None}).storage is None
    assert CreateCluster.model_validate({}).storage is None


def test_storage_without_hyperpod_is_refused() -> None:
    assert fields_of(CreateCluster, {"storage": {}}) == ["storage"]


@pytest.mark.parametrize("field", ["name", "namespace"])
def test_a_mount_is_named_as_kubernetes_names_things(field: str) -> None:
    assert fields_of(S3Mount, {field: "Not_A_Name"}) == [field]
    assert fields_of(S3Mount, {field: "x" * 64}) == [field]
