from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.simulators.eks_addons import no_replicas
from tests.unit.test_simulator_eks_helpers import World, eks_world
from tests.unit.test_simulator_service_helpers import (
    make_role,
    refused,
)


@pytest.fixture
def world() -> Iterator[World]:
    with eks_world() as made:
        yield made


def test_an_addon_without_pods_of_its_own_needs_no_node(world: World) -> None:
    world.active()
    created = world.client.create_addon(clusterName="demo", addonName="vpc-cni", resolveConflicts="OVERWRITE")["addon"]
    assert created["status"] == "CREATING"
    world.clock.advance(40)
    assert world.addon("vpc-cni")["status"] == "ACTIVE"
    assert world.addon("vpc-cni")["addonVersion"] == created["addonVersion"]


def test_an_addon_is_as_healthy_as_its_objects_are(world: World) -> None:
    world.active()
    world.issues["coredns"] = [no_replicas()]
    world.client.create_addon(clusterName="demo", addonName="coredns")
    world.clock.advance(40)
    degraded = world.addon("coredns")
    assert degraded["status"] == "DEGRADED"
    assert degraded["health"]["issues"][0]["code"] == "InsufficientNumberOfReplicas"
    world.issues["coredns"] = []
    assert world.addon("coredns")["status"] == "ACTIVE"
    assert world.addon("coredns")["health"]["issues"] == []


def test_the_host_hears_once_that_an_addon_is_installed(world: World) -> None:
    world.active()
    world.client.create_addon(clusterName="demo", addonName="aws-mountpoint-s3-csi-driver")
    world.clock.advance(40)
    world.eks.settle()
    world.eks.settle()
    assert world.told == ["active demo", "aws-mountpoint-s3-csi-driver in demo"]


def test_addon_versions_follow_the_cluster_version(world: World) -> None:
    infos = world.client.describe_addon_versions(kubernetesVersion="1.33", addonName="kube-proxy")["addons"]
    assert infos[0]["addonVersions"][0]["addonVersion"].startswith("v1.33.")
    assert infos[0]["addonVersions"][0]["compatibilities"][0]["defaultVersion"] is True
    operator = "amazon-sagemaker-hyperpod-training-operator"
    assert world.client.describe_addon_versions(kubernetesVersion="1.35", addonName=operator)["addons"] == []


def test_addons_are_refused_with_aws_errors(world: World) -> None:
    create = world.client.create_addon
    refused("ResourceNotFoundException", create, clusterName="demo", addonName="vpc-cni")
    world.create(version="1.33")
    refused("InvalidRequestException", create, clusterName="demo", addonName="vpc-cni")
    world.clock.advance(540)
    message = refused("InvalidParameterException", create, clusterName="demo", addonName="keda")
    assert message == "Addon keda specified is not supported in 1.33 kubernetes version"
    refused("InvalidParameterException", create, clusterName="demo", addonName="vpc-cni", addonVersion="v0")
    refused("InvalidParameterException", create, clusterName="demo", addonName="vpc-cni", configurationValues="{")
    create(clusterName="demo", addonName="vpc-cni")
    refused("ResourceInUseException", create, clusterName="demo", addonName="vpc-cni")
    operator = "amazon-sagemaker-hyperpod-training-operator"
    message = refused("UnverifiedOperation", create, clusterName="demo", addonName=operator)
    assert "cert-manager" in message


def test_associations_of_an_addon_live_and_go_with_it(world: World) -> None:
    world.active()
    role = make_role("s3", "pods.eks.amazonaws.com")
    asked = [{"serviceAccount": "s3-csi-driver-sa", "roleArn": role}]
    name = "aws-mountpoint-s3-csi-driver"
    addon = world.client.create_addon(clusterName="demo", addonName=name, podIdentityAssociations=asked)["addon"]
    listed = world.client.list_pod_identity_associations(clusterName="demo")["associations"]
    assert [each["associationArn"] for each in listed] == addon["podIdentityAssociations"]
    assert (listed[0]["namespace"], listed[0]["ownerArn"]) == ("kube-system", addon["addonArn"])
    world.client.delete_addon(clusterName="demo", addonName=name)
    assert world.addon(name)["status"] == "DELETING"
    world.clock.advance(15)
    refused("ResourceNotFoundException", world.client.describe_addon, clusterName="demo", addonName=name)
    assert world.client.list_pod_identity_associations(clusterName="demo")["associations"] == []
