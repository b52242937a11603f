from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.simulators.eks import EksView
from tests.unit.test_simulator_hyperpod_helpers import BUCKET, EKS_ARN, GPU, World, hyperpod_world
from tests.unit.test_simulator_service_helpers import (
    ACCOUNT,
    error_of,
    refused,
)


@pytest.fixture
def world() -> Iterator[World]:
    with hyperpod_world() as made:
        yield made


def test_clusters_are_listed_and_tagged(world: World) -> None:
    arn = world.create(Tags=[{"Key": "SageMaker", "Value": "true"}])
    summaries = world.client.list_clusters(NameContains="em")["ClusterSummaries"]
    assert [(each["ClusterName"], each["ClusterStatus"]) for each in summaries] == [("demo", "Creating")]
    assert world.client.list_clusters(NameContains="zzz")["ClusterSummaries"] == []
    assert world.client.list_clusters(CreationTimeAfter=world.clock())["ClusterSummaries"] == []
    world.client.add_tags(ResourceArn=arn, Tags=[{"Key": "team", "Value": "a"}])
    world.client.delete_tags(ResourceArn=arn, TagKeys=["SageMaker"])
    assert world.client.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "a"}]


def test_a_name_is_taken_once(world: World) -> None:
    world.create()
    with pytest.raises(ClientError) as caught:
        world.create()
    assert error_of(caught.value) == (
        "ResourceInUse",
        "Resource Already Exists: Cluster with name demo already exists. Choose a different name.",
    )


def test_requests_are_refused(world: World) -> None:
    no_subnet = {"SecurityGroupIds": world.network["SecurityGroupIds"], "Subnets": ["subnet-0a"]}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"ClusterName": "-demo"}, "Value '-demo' at 'clusterName' failed to satisfy constraint"),
        ({"VpcConfig": None}, "VpcConfig is required"),
        ({"VpcConfig": no_subnet}, "The subnet 'subnet-0a' does not exist"),
        ({"NodeRecovery": "Sometimes"}, "Member must satisfy enum value set: [Automatic, None]"),
        ({"InstanceGroups": None}, "At least one instance group is required"),
    ]
    for changes, says in cases:
        with pytest.raises(ClientError) as caught:
            world.create(**changes)
        assert_refused(caught.value, "ValidationException", says)


def assert_refused(error: ClientError, code: str, says: str) -> None:
    found, message = error_of(error)
    assert (found, says in message) == (code, True), f"{found}: {message}"


def test_groups_are_refused(world: World) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"InstanceCount": 7000}, "at 'instanceGroups.1.member.instanceCount' failed to satisfy constraint"),
        ({"InstanceCount": -1}, "greater than or equal to 0"),
        ({"InstanceCount": None}, "Value null at 'instanceGroups.1.member.instanceCount'"),
        ({"InstanceType": None}, "exactly one of InstanceType and InstanceRequirements"),
        ({"MinInstanceCount": 3}, "must not exceed InstanceCount"),
        ({"ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/nobody"}, "Could not assume role"),
        ({"KubernetesConfig": {"Labels": {"node.kubernetes.io/x": "y"}}}, "reserved prefix"),
        ({"InstanceStorageConfigs": [{"EbsVolumeConfig": {"RootVolume": True, "VolumeSizeInGB": 9}}]}, "root volume"),
        ({"InstanceStorageConfigs": [{}]}, "exactly one of"),
    ]
    for changes, says in cases:
        with pytest.raises(ClientError) as caught:
            world.create(world.group(**changes))
        assert_refused(caught.value, "ValidationException", says)


def test_two_groups_need_two_names(world: World) -> None:
    with pytest.raises(ClientError, match="must be unique"):
        world.create(world.group(), world.group())


def test_a_missing_security_group_is_named(world: World) -> None:
    with pytest.raises(ClientError, match="The security group 'sg-0f' does not exist"):
        world.create(VpcConfig={**world.network, "SecurityGroupIds": ["sg-0f"]})


def test_the_eks_cluster_must_be_ready_for_hyperpod(world: World) -> None:
    good = world.eks[EKS_ARN]
    for view, says in (
        (None, "does not exist"),
        (EksView(good.name, good.arn, "CREATING", "API", "1.33", good.vpc_id), "must be ACTIVE"),
        (EksView(good.name, good.arn, "ACTIVE", "CONFIG_MAP", "1.33", good.vpc_id), "authentication mode"),
        (EksView(good.name, good.arn, "ACTIVE", "API", "1.35", good.vpc_id), "version 1.35"),
        (EksView(good.name, good.arn, "ACTIVE", "API", "1.33", "vpc-other"), "not in the VPC"),
    ):
        world.eks.pop(EKS_ARN, None)
        if view:
            world.eks[EKS_ARN] = view
        with pytest.raises(ClientError, match=says):
            world.create()
    world.eks[EKS_ARN] = good
    world.dependencies.clear()
    with pytest.raises(ClientError, match="missing one or more required dependencies"):
        world.create()


def test_what_is_not_simulated_is_refused_as_unverified(world: World) -> None:
    cases: list[dict[str, Any]] = [
        {
            "RestrictedInstanceGroups": [
                {"InstanceGroupName": "r", "InstanceType": GPU, "InstanceCount": 1, "ExecutionRole": world.role}
            ],
            "InstanceGroups": None,
        },
        {"Orchestrator": {"Slurm": {}}},
        {"Orchestrator": None},
    ]
    for changes in cases:
        with pytest.raises(ClientError) as caught:
            world.create(**changes)
        assert_refused(caught.value, "UnverifiedOperation", "unverified")


def test_groups_that_are_not_simulated_are_refused_as_unverified(world: World) -> None:
    cases: list[dict[str, Any]] = [
        {"ImageReleaseVersion": "1.0.0"},
        {"ScheduledUpdateConfig": {"ScheduleExpression": "cron(0 3 ? * SUN *)"}},
        {"AutoPatchConfig": {"PatchingStrategy": "WhenIdle"}},
        {
            "InstanceStorageConfigs": [
                {"FsxOpenZfsConfig": {"DnsName": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com"}}
            ]
        },
        {"LifeCycleConfig": {"SourceS3Uri": "https://bucket/scripts", "OnCreate": "on_create.sh"}},
    ]
    for changes in cases:
        with pytest.raises(ClientError) as caught:
            world.create(world.group(**changes))
        assert_refused(caught.value, "UnverifiedOperation", "unverified")


def test_an_operation_that_is_not_simulated_is_refused_by_name(world: World) -> None:
    message = refused("UnverifiedOperation", world.client.create_mlflow_app, Name="x")
    assert "CreateMlflowApp" in message


def test_more_groups_are_refused(world: World) -> None:
    script = {"SourceS3Uri": f"s3://{BUCKET}/scripts"}
    taints = [{"Key": "gpu", "Effect": "NoSchedule"}]
    cases: list[tuple[dict[str, Any], str]] = [
        ({"LifeCycleConfig": {**script, "OnCreate": "a.sh", "OnInitComplete": "b.sh"}}, "are mutually exclusive"),
        ({"LifeCycleConfig": script}, "must have SourceS3Uri and one of OnCreate and OnInitComplete"),
        ({"CapacityRequirements": {"Spot": {}, "OnDemand": {}}}, "must have one of Spot and OnDemand"),
        ({"OnStartDeepHealthChecks": ["InstanceStress"], "KubernetesConfig": {"Taints": taints}}, "cannot have both"),
        ({"OnStartDeepHealthChecks": ["Everything"]}, "satisfy enum value set"),
        ({"InstanceType": None, "InstanceRequirements": {"InstanceTypes": [GPU, GPU]}}, "must be unique"),
        ({"ImageId": "ami-0123456789abcdef0"}, "does not exist in this account"),
    ]
    for changes, says in cases:
        with pytest.raises(ClientError) as caught:
            world.create(world.group(**changes))
        assert_refused(caught.value, "ValidationException", says)


def test_restricted_groups_beside_others_are_refused_in_the_words_of_aws(world: World) -> None:
    restricted = {"InstanceGroupName": "r", "InstanceType": GPU, "InstanceCount": 1, "ExecutionRole": world.role}
    with pytest.raises(ClientError) as caught:
        world.create(RestrictedInstanceGroups=[restricted])
    assert error_of(caught.value) == (
        "ValidationException",
        "Found RestrictedInstanceGroups in the cluster input. Please remove RestrictedInstanceGroups from the request"
        " and try again.",
    )


def test_an_image_of_the_account_is_taken_and_named_in_the_events(world: World) -> None:
    image = world.ec2.register_image(Name="nodes", RootDeviceName="/dev/xvda")["ImageId"]
    world.create(world.group(count=1, ImageId=image), world.group("plain", 0, ImageId="default"))
    world.clock.advance(600)
    assert (world.gpu()["CurrentImageId"], world.gpu()["DesiredImageId"]) == (image, image)
    node = world.client.describe_cluster_node(ClusterName="demo", NodeId=world.nodes()[0]["InstanceId"])
    assert node["NodeDetails"]["CurrentImageId"] == image
    text = f"Found Custom AMI Override {image} for IG gpu in Cluster demo"
    [found] = [event for event in world.events(ResourceType="InstanceGroup") if event["Description"] == text]
    details = world.client.describe_cluster_event(ClusterName="demo", EventId=found["EventId"])["EventDetails"]
    assert details["EventDetails"]["EventMetadata"]["InstanceGroup"]["AmiOverride"] == image


def test_tiered_storage_is_not_shown_of_a_cluster_just_made(world: World) -> None:
    tiers = {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20}
    world.create(TieredStorageConfig=tiers)
    assert "TieredStorageConfig" not in world.describe()
    world.clock.advance(60)
    assert world.describe()["TieredStorageConfig"] == tiers


def test_nodes_are_listed_with_those_that_have_no_instance_yet(world: World) -> None:
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[0], 1)
    world.hyperpod.conditions.limit_capacity(GPU, world.zones[1], 0)
    world.create(world.group(count=2), world.group("other", 1, InstanceType="ml.c5.large"))
    world.clock.advance(600)
    assert len(world.nodes()) == 2
    listing = {"ClusterName": "demo", "IncludeNodeLogicalIds": True, "InstanceGroupNameContains": "gp"}
    listed = world.client.list_cluster_nodes(**listing)["ClusterNodeSummaries"]
    shown = [(bool(node["InstanceId"]), node["InstanceStatus"]["Status"]) for node in listed]
    assert sorted(shown) == [(False, "Pending"), (True, "Running")]
    assert len({node["NodeLogicalId"] for node in listed}) == 2
    requested = next(node["NodeLogicalId"] for node in listed if not node["InstanceId"])
    details = world.client.describe_cluster_node(ClusterName="demo", NodeLogicalId=requested)["NodeDetails"]
    assert details == {
        "InstanceGroupName": "gpu",
        "NodeLogicalId": requested,
        "InstanceStatus": {"Status": "Pending"},
    }
    by_name = {"ClusterName": "demo", "SortBy": "NAME", "SortOrder": "Descending"}
    names = [node["InstanceGroupName"] for node in world.client.list_cluster_nodes(**by_name)["ClusterNodeSummaries"]]
    assert names == ["other", "gpu"]
    late = world.client.list_cluster_nodes(ClusterName="demo", CreationTimeAfter=world.clock())
    assert late["ClusterNodeSummaries"] == []
    page = world.client.list_cluster_nodes(ClusterName="demo", MaxResults=1)
    rest = world.client.list_cluster_nodes(ClusterName="demo", MaxResults=1, NextToken=page["NextToken"])
    assert len(page["ClusterNodeSummaries"] + rest["ClusterNodeSummaries"]) == 2


def test_an_unknown_quota_is_a_mistake_of_the_test(world: World) -> None:
    with pytest.raises(ValueError, match="no quota is named"):
        world.hyperpod.conditions.set_quota("ml.p9.large for cluster usage", 1)
