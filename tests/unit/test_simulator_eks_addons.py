from __future__ import annotations

import json
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


def test_an_addon_says_what_its_objects_lack(world: World) -> None:
    world.active()
    world.issues["coredns"] = [{"code": "K8sResourceNotFound", "message": "gone", "resourceIds": ["coredns"]}]
    world.client.create_addon(clusterName="demo", addonName="coredns")
    assert world.addon("coredns")["health"]["issues"] == []
    world.clock.advance(40)
    assert world.addon("coredns")["health"]["issues"] == world.issues["coredns"]


def test_a_copy_in_the_cluster_makes_a_creation_fail_unless_it_may_be_overwritten(world: World) -> None:
    world.active()
    field = "Deployment.apps coredns - .spec.replicas"
    world.conflicts["coredns"] = [field]
    world.client.create_addon(clusterName="demo", addonName="coredns", resolveConflicts="NONE")
    world.clock.advance(40)
    failed = world.addon("coredns")
    assert (failed["status"], failed["health"]["issues"][0]["code"]) == ("CREATE_FAILED", "ConfigurationConflict")
    assert field in failed["health"]["issues"][0]["message"]
    refused("InvalidRequestException", world.client.update_addon, clusterName="demo", addonName="coredns")
    world.client.delete_addon(clusterName="demo", addonName="coredns", preserve=True)
    world.clock.advance(15)
    world.client.create_addon(clusterName="demo", addonName="coredns", resolveConflicts="OVERWRITE")
    world.clock.advance(40)
    assert world.addon("coredns")["status"] == "ACTIVE"
    assert world.told == ["active demo", "coredns in demo"]


def test_an_addons_objects_go_with_it_unless_they_are_preserved(world: World) -> None:
    world.active()
    for name in ("coredns", "vpc-cni"):
        world.client.create_addon(clusterName="demo", addonName=name)
    world.clock.advance(40)
    world.client.delete_addon(clusterName="demo", addonName="coredns", preserve=True)
    world.client.delete_addon(clusterName="demo", addonName="vpc-cni")
    world.clock.advance(15)
    world.eks.settle()
    assert world.told[-1] == "vpc-cni gone from demo"
    assert "coredns gone from demo" not in world.told


def test_an_update_takes_a_while_and_keeps_what_it_does_not_name(world: World) -> None:
    world.active()
    values, update = '{"replicaCount": 3}', world.client.update_addon
    older, newer = "v1.11.4-eksbuild.2", "v1.12.4-eksbuild.1"
    world.client.create_addon(clusterName="demo", addonName="coredns", addonVersion=older, configurationValues=values)
    refused("InvalidRequestException", update, clusterName="demo", addonName="coredns", addonVersion=newer)
    world.clock.advance(40)
    begun = update(clusterName="demo", addonName="coredns", addonVersion=newer, resolveConflicts="PRESERVE")["update"]
    assert (begun["status"], begun["type"]) == ("InProgress", "AddonUpdate")
    assert {each["type"]: each["value"] for each in begun["params"]} == {
        "AddonVersion": newer,
        "ResolveConflicts": "PRESERVE",
    }
    assert (world.addon("coredns")["status"], world.addon("coredns")["addonVersion"]) == ("UPDATING", older)
    world.clock.advance(40)
    updated = world.addon("coredns")
    assert (updated["status"], updated["addonVersion"], updated["configurationValues"]) == ("ACTIVE", newer, values)
    assert world.told[1:] == ["coredns in demo", "coredns in demo"]
    refused("ResourceNotFoundException", update, clusterName="demo", addonName="vpc-cni")


def test_a_configuration_is_held_to_the_schema_that_eks_publishes(world: World) -> None:
    world.active()
    version = "v1.12.4-eksbuild.1"
    offered = world.client.describe_addon_configuration(addonName="coredns", addonVersion=version)
    assert json.loads(offered["configurationSchema"])["$ref"] == "#/definitions/Coredns"
    create = world.client.create_addon
    for values, said in (
        ('{"replicaCount": "3"}', "$.replicaCount: string found, integer expected"),
        ('{"resources": {"limits": {"gpu": "1"}}}', "$.resources.limits.gpu: is not defined in the schema"),
        ("tolerations: [true]", "$.tolerations[0]: boolean found, object expected"),
    ):
        named = {"clusterName": "demo", "addonName": "coredns", "configurationValues": values}
        assert said in refused("InvalidParameterException", create, **named)
    create(clusterName="demo", addonName="coredns", configurationValues="replicaCount: 3")
    describe = world.client.describe_addon_configuration
    refused("InvalidParameterException", describe, addonName="coredns", addonVersion="v0")
    refused("UnverifiedOperation", describe, addonName="kube-proxy", addonVersion="v1.33.0-eksbuild.2")


def test_what_create_addon_never_takes_is_refused(world: World) -> None:
    world.active(version="1.33")
    create = world.client.create_addon
    refused("InvalidParameterException", create, clusterName="demo", addonName="coredns", resolveConflicts="PRESERVE")
    for name in ("cert-manager", "eks-pod-identity-agent"):
        create(clusterName="demo", addonName=name)
    operator = {
        "clusterName": "demo",
        "addonName": "amazon-sagemaker-hyperpod-training-operator",
        "podIdentityAssociations": [
            {"serviceAccount": "sa", "roleArn": make_role("operator", "pods.eks.amazonaws.com")}
        ],
    }
    message = refused("InvalidParameterException", create, **operator)
    assert message == "Pod Identity feature is not supported for addon version: v1.2.1-eksbuild.1"
    create(**operator, addonVersion="v1.2.0-eksbuild.1")


def test_a_repeated_token_is_the_same_update_of_an_addon(world: World) -> None:
    world.active()
    world.client.create_addon(clusterName="demo", addonName="kube-proxy")
    world.clock.advance(40)
    once = {"clusterName": "demo", "addonName": "kube-proxy", "clientRequestToken": "once"}
    first = world.client.update_addon(**once)["update"]
    assert world.client.update_addon(**once)["update"]["id"] == first["id"]
    refused("InvalidRequestException", world.client.update_addon, **{**once, "clientRequestToken": "twice"})
