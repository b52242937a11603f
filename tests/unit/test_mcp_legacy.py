"""Calls in the words of AWS's HyperPod InstantStart, as the article's conversation has them, put into ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from functions.core.errors import InvalidRequest
from mcp_gateway import legacy
from mcp_gateway.requests import request_of
from mcp_gateway.tools import all_tools

if TYPE_CHECKING:
    from pydantic import JsonValue

RANGES: dict[str, JsonValue] = {
    "clusterTag": "t1",
    "region": "us-west-2",
    "vpcCidr": "10.90.0.0/16",
    "publicSubnet1Cidr": "10.90.10.0/24",
    "publicSubnet2Cidr": "10.90.11.0/24",
    "eksPrivateSubnet1Cidr": "10.90.7.0/24",
    "eksPrivateSubnet2Cidr": "10.90.8.0/24",
    "hyperPodPrivateSubnetCidr": "10.90.16.0/20",
}
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/p"


@pytest.mark.parametrize(
    ("name", "sent", "tool", "arguments"),
    [
        ("cluster_list_all", {}, "cluster_list", {}),
        ("cluster_create_eks", {"clusterTag": "hypd-0304b"}, "cluster_create", {"tag": "hypd-0304b"}),
        ("cluster_create_eks", {"clusterTag": "", "region": None}, "cluster_create", {}),
        (
            "cluster_create_eks",
            {"vpcCidr": "10.90.0.0/16"},
            "cluster_create",
            {"foundation": {"vpc_cidr": "10.90.0.0/16"}},
        ),
        (
            "cluster_create_eks_with_cidr",
            RANGES,
            "cluster_create",
            {
                "tag": "t1",
                "region": "us-west-2",
                "foundation": {
                    "vpc_cidr": "10.90.0.0/16",
                    "public_subnet_cidrs": ["10.90.10.0/24", "10.90.11.0/24"],
                    "control_plane_subnet_cidrs": ["10.90.7.0/24", "10.90.8.0/24"],
                    "compute_cidr": "10.90.16.0/20",
                },
            },
        ),
        ("s3_storage_get_defaults", {}, "cluster_get", {}),
        (
            "cluster_get_eks_creation_status",
            {},
            "operation_list",
            {"kind": "create_foundation", "limit": 1},
        ),
        ("cluster_switch", {"clusterTag": "t1"}, "active_cluster_set", {"cluster_tag": "t1"}),
        ("cluster_configure_dependencies", {}, "dependencies_configure", {}),
        (
            "cluster_get_dependency_status",
            {"clusterTag": "t1"},
            "operation_list",
            {"kind": "configure_dependencies", "limit": 1, "cluster_tag": "t1"},
        ),
        (
            "hyperpod_create",
            {
                "AcceleratedInstanceType": "ml.g6.4xlarge",
                "AcceleratedInstanceCount": 1,
                "availabilityZone": "us-west-2c",
            },
            "hyperpod_cluster_create",
            {
                "availability_zone": "us-west-2c",
                "instance_groups": [
                    {
                        "name": "accelerated",
                        "instance_type": "ml.g6.4xlarge",
                        "instance_count": 1,
                        "volumes": [{"size_gib": 500}],
                    }
                ],
            },
        ),
        (
            "hyperpod_create",
            {
                "hyperPodTag": "train",
                "AcceleratedInstanceType": "ml.p5.48xlarge",
                "AcceleratedInstanceCount": 4,
                "availabilityZone": "us-west-2c",
                "AcceleratedEBSVolumeSize": 900,
                "AcceleratedTrainingPlanArn": PLAN,
                "computeSubnetId": "subnet-0a",
            },
            "hyperpod_cluster_create",
            {
                "availability_zone": "us-west-2c",
                "instance_groups": [
                    {
                        "name": "train-ig",
                        "instance_type": "ml.p5.48xlarge",
                        "instance_count": 4,
                        "volumes": [{"size_gib": 900}],
                        "training_plan_arn": PLAN,
                        "subnet_id": "subnet-0a",
                    }
                ],
            },
        ),
        ("hyperpod_get_creation_status", {}, "operation_list", {"kind": "create_hyperpod", "limit": 1}),
        ("s3_storage_create", {"name": "s3-claim"}, "storage_create", {"name": "s3-claim"}),
        (
            "s3_storage_create",
            {"name": "s3-claim", "clusterTag": "t1"},
            "storage_create",
            {"name": "s3-claim", "tag": "t1"},
        ),
    ],
)
def test_a_call_says_the_same_in_our_words(
    name: str, sent: dict[str, JsonValue], tool: str, arguments: dict[str, JsonValue]
) -> None:
    translation = legacy.TOOLS[name]
    assert (translation.tool, translation.arguments(sent)) == (tool, arguments)


@pytest.mark.parametrize("each", [*legacy.TOOLS.values()], ids=lambda each: each.name)
def test_what_a_call_becomes_is_a_call_that_our_tool_takes(each: legacy.LegacyTool) -> None:
    sent: dict[str, JsonValue] = {name: 1 if each.takes[name] == "integer" else "x" for name in each.needs}
    arguments = each.arguments(sent) | ({"tag": "t1"} if each.about_active else {})
    assert request_of(all_tools()[each.tool], arguments).path


@pytest.mark.parametrize("each", [each for each in legacy.TOOLS.values() if each.about_active], ids=lambda it: it.name)
def test_whatever_is_about_the_active_cluster_can_name_another(each: legacy.LegacyTool) -> None:
    sent: dict[str, JsonValue] = {name: 1 if each.takes[name] == "integer" else "x" for name in each.needs}
    assert each.takes["clusterTag"] == "string", "an agent reads it in the schema"
    assert each.arguments({**sent, "clusterTag": "t1"}) == {**each.arguments(sent), "tag": "t1"}
    assert "/api/clusters/t1" in request_of(all_tools()[each.tool], each.arguments({**sent, "clusterTag": "t1"})).path


@pytest.mark.parametrize(
    ("name", "sent", "field", "allowed"),
    [
        ("cluster_switch", {}, "clusterTag", None),
        (
            "hyperpod_create",
            {"AcceleratedInstanceType": "x", "availabilityZone": "a"},
            "AcceleratedInstanceCount",
            None,
        ),
        ("cluster_list_all", {"clusterTag": "t1"}, "clusterTag", []),
        ("cluster_create_eks_with_cidr", {**RANGES, "vpcCidr": ""}, "vpcCidr", None),
        ("s3_storage_create", {"bucketName": "b"}, "bucketName", None),
    ],
)
def test_what_a_call_cannot_say_is_refused_by_its_own_name(
    name: str, sent: dict[str, JsonValue], field: str, allowed: list[str] | None
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        legacy.TOOLS[name].arguments(sent)
    assert [(error.field, error.allowed) for error in refused.value.errors] == [(field, allowed)]
