from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.unit.test_simulator_cloudformation_helpers import World, network, new_world
from tests.unit.test_simulator_service_helpers import make_role, refused, zone_of

NAME = "demo"
BEFORE = {"Name": "eks-cluster-demo", "KubernetesVersion": "1.33", "KubeProxyVersion": "v1.33.0-eksbuild.2"}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A stack of a control plane and an add-on of it, on a network that stands."""
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
    with mock_aws():
        made = new_world()
        parameters = [{"ParameterKey": name, "ParameterValue": value} for name, value in BEFORE.items()]
        made.create(control_plane(made), Parameters=parameters, Capabilities=["CAPABILITY_NAMED_IAM"])
        assert made.run(NAME) == "CREATE_COMPLETE", made.reasons(NAME)
        yield made


def control_plane(world: World) -> str:
    vpc = world.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        world.ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{place}.0/24", AvailabilityZone=zone_of(world.ec2, zone))
        for place, zone in enumerate(("use1-az1", "use1-az2"))
    ]
    cluster = {
        "Name": {"Ref": "Name"},
        "Version": {"Ref": "KubernetesVersion"},
        "RoleArn": make_role("control-plane", "eks.amazonaws.com"),
        "ResourcesVpcConfig": {"SubnetIds": [each["Subnet"]["SubnetId"] for each in subnets]},
    }
    addon = {
        "ClusterName": {"Ref": "EksCluster"},
        "AddonName": "kube-proxy",
        "AddonVersion": {"Ref": "KubeProxyVersion"},
    }
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    }
    role = {"RoleName": "demo-nodes", "AssumeRolePolicyDocument": trust}
    template = {
        "Parameters": {name: {"Type": "String"} for name in BEFORE},
        "Resources": {
            "EksCluster": {"Type": "AWS::EKS::Cluster", "Properties": cluster},
            "KubeProxyAddon": {"Type": "AWS::EKS::Addon", "Properties": addon},
            "Role": {"Type": "AWS::IAM::Role", "Properties": role},
        },
        "Outputs": {"KubernetesVersion": {"Value": {"Ref": "KubernetesVersion"}}},
    }
    return json.dumps(template)


def sent(**changes: str) -> dict[str, object]:
    """An update that changes these parameters and keeps all others."""
    parameters = [
        {"ParameterKey": name, "ParameterValue": changes[name]}
        if name in changes
        else {"ParameterKey": name, "UsePreviousValue": True}
        for name in BEFORE
    ]
    capabilities = ["CAPABILITY_NAMED_IAM"]
    return {"StackName": NAME, "UsePreviousTemplate": True, "Parameters": parameters, "Capabilities": capabilities}


def parameter(world: World, name: str) -> str:
    said = {each["ParameterKey"]: each["ParameterValue"] for each in world.stack(NAME)["Parameters"]}
    return str(said[name])


def update(world: World, **changes: str) -> str:
    world.client.update_stack(**sent(**changes))
    return world.run(NAME)


def versions(world: World) -> tuple[str, str]:
    cluster = world.eks.describe_cluster(name="eks-cluster-demo")["cluster"]
    addon = world.eks.describe_addon(clusterName="eks-cluster-demo", addonName="kube-proxy")["addon"]
    return cluster["version"], addon["addonVersion"]


def test_an_update_changes_in_place_what_depends_on_a_parameter_and_in_the_order_of_what_requires_what(
    world: World,
) -> None:
    before = world.client.describe_stack_resources(StackName=NAME)["StackResources"]
    assert update(world, KubernetesVersion="1.34", KubeProxyVersion="v1.34.0-eksbuild.2") == "UPDATE_COMPLETE"
    assert versions(world) == ("1.34", "v1.34.0-eksbuild.2")
    stack = world.stack(NAME)
    assert parameter(world, "KubernetesVersion") == "1.34"
    assert {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}["KubernetesVersion"] == "1.34"
    after = world.client.describe_stack_resources(StackName=NAME)["StackResources"]
    assert [each["PhysicalResourceId"] for each in after] == [each["PhysicalResourceId"] for each in before]
    updated = [
        event["LogicalResourceId"] for event in world.events(NAME) if event["ResourceStatus"] == "UPDATE_COMPLETE"
    ]
    assert updated == ["EksCluster", "KubeProxyAddon", NAME]


def test_an_update_whose_control_plane_fails_is_rolled_back_and_can_be_repeated(world: World) -> None:
    world.control_planes.updates.fail_next("eks-cluster-demo", "IpNotAvailable", "no address is free")
    assert update(world, KubernetesVersion="1.34") == "UPDATE_ROLLBACK_COMPLETE"
    assert "IpNotAvailable: no address is free" in world.reasons(NAME)["EksCluster"]
    assert versions(world)[0] == "1.33"
    assert parameter(world, "KubernetesVersion") == "1.33"
    assert update(world, KubernetesVersion="1.34") == "UPDATE_COMPLETE"


def test_a_control_plane_that_moved_cannot_be_rolled_back(world: World) -> None:
    world.simulator.fail_next("KubeProxyAddon", "nothing doing")
    assert update(world, KubernetesVersion="1.34", KubeProxyVersion="v1.34.0-eksbuild.2") == "UPDATE_ROLLBACK_FAILED"
    assert "Unsupported Kubernetes minor version update from 1.34 to 1.33" in world.reasons(NAME)["EksCluster"]
    message = refused("ValidationError", world.client.update_stack, **sent(KubernetesVersion="1.35"))
    assert message.endswith("is in UPDATE_ROLLBACK_FAILED state and can not be updated.")


def test_an_update_is_refused(world: World) -> None:
    assert refused("ValidationError", world.client.update_stack, **sent()) == "No updates are to be performed."
    few = {**sent(KubernetesVersion="1.34"), "Parameters": []}
    assert "must have values" in refused("ValidationError", world.client.update_stack, **few)
    no_capability = {**sent(KubernetesVersion="1.34"), "Capabilities": []}
    refused("InsufficientCapabilitiesException", world.client.update_stack, **no_capability)
    replaced = sent(Name="other")
    assert "Name of AWS::EKS::Cluster" in refused("UnverifiedOperation", world.client.update_stack, **replaced)
    another = {"StackName": NAME, "TemplateBody": network(), "Capabilities": ["CAPABILITY_NAMED_IAM"]}
    assert "TemplateBody" in refused("UnverifiedOperation", world.client.update_stack, **another)
    absent = {**sent(), "StackName": "nobody"}
    assert refused("ValidationError", world.client.update_stack, **absent) == "Stack [nobody] does not exist"


def test_a_stack_that_is_updated_takes_neither_another_update_nor_its_deletion(world: World) -> None:
    world.client.update_stack(**sent(KubernetesVersion="1.34"))
    world.clock.advance(30)
    assert world.stack(NAME)["StackStatus"] == "UPDATE_IN_PROGRESS"
    message = refused("ValidationError", world.client.update_stack, **sent(KubernetesVersion="1.34"))
    assert message.endswith("is in UPDATE_IN_PROGRESS state and can not be updated.")
    assert "cannot be deleted" in refused("ValidationError", world.client.delete_stack, StackName=NAME)
    assert world.run(NAME) == "UPDATE_COMPLETE"
    stack_id = world.stack(NAME)["StackId"]
    world.client.delete_stack(StackName=NAME)
    assert world.run(stack_id) == "DELETE_COMPLETE"
