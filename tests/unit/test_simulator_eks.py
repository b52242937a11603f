from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.test_simulator_eks_helpers import World, eks_world
from tests.unit.test_simulator_service_helpers import (
    ACCOUNT,
    REGION,
    error_of,
    refused,
    zone_of,
)


@pytest.fixture
def world() -> Iterator[World]:
    with eks_world() as made:
        yield made


def test_a_cluster_becomes_active_after_nine_minutes(world: World) -> None:
    created = world.create(version="1.33")
    assert (created["status"], created["version"], created.get("endpoint")) == ("CREATING", "1.33", None)
    world.clock.advance(539)
    assert world.client.describe_cluster(name="demo")["cluster"]["status"] == "CREATING"
    world.clock.advance(1)
    cluster = world.client.describe_cluster(name="demo")["cluster"]
    assert cluster["status"] == "ACTIVE"
    assert cluster["endpoint"] == "https://kubernetes.local/demo"
    assert base64.b64decode(cluster["certificateAuthority"]["data"]) == b"PEM"
    assert cluster["identity"]["oidc"]["issuer"].startswith(f"https://oidc.eks.{REGION}.amazonaws.com/id/")
    assert world.told == ["active demo"]


def test_a_deleted_cluster_is_gone_after_two_minutes_and_so_is_its_group(world: World) -> None:
    world.active()
    group = world.client.describe_cluster(name="demo")["cluster"]["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert world.client.delete_cluster(name="demo")["cluster"]["status"] == "DELETING"
    world.clock.advance(120)
    message = refused("ResourceNotFoundException", world.client.describe_cluster, name="demo")
    assert message == "No cluster found for name: demo."
    assert world.told == ["active demo", "deleted demo"]
    refused("InvalidGroup.NotFound", world.ec2.describe_security_groups, GroupIds=[group])


def test_defaults_are_those_of_aws(world: World) -> None:
    cluster = world.create(accessConfig={})
    assert cluster["version"] == "1.35"
    assert cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
    assert cluster["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "10.100.0.0/16"
    assert cluster["resourcesVpcConfig"]["publicAccessCidrs"] == ["0.0.0.0/0"]
    assert cluster["logging"]["clusterLogging"][0]["enabled"] is False


def test_the_service_block_avoids_the_vpc(world: World) -> None:
    world.ec2.associate_vpc_cidr_block(VpcId=vpc_of(world), CidrBlock="10.100.0.0/16")
    assert world.create()["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "172.20.0.0/16"
    for block in ("10.0.128.0/20", "8.8.0.0/16", "10.96.0.0/28", "nonsense"):
        network = {"serviceIpv4Cidr": block}
        with pytest.raises(ClientError, match="InvalidParameterException"):
            world.create("other", kubernetesNetworkConfig=network)


def vpc_of(world: World) -> str:
    return str(world.ec2.describe_subnets(SubnetIds=world.subnets)["Subnets"][0]["VpcId"])


def test_a_name_is_taken_once_but_a_repeated_call_is_the_same_call(world: World) -> None:
    first = world.create(clientRequestToken="once")
    assert world.create(clientRequestToken="once")["arn"] == first["arn"]
    with pytest.raises(ClientError) as caught:
        world.create(clientRequestToken="twice")
    assert error_of(caught.value) == ("ResourceInUseException", "Cluster already exists with name: demo")


def test_a_zone_without_control_planes_is_refused_with_the_usable_ones(world: World) -> None:
    refusing = zone_of(world.ec2, "use1-az3")
    subnet = world.ec2.create_subnet(VpcId=vpc_of(world), CidrBlock="10.0.9.0/24", AvailabilityZone=refusing)
    subnets = [world.subnets[0], subnet["Subnet"]["SubnetId"]]
    with pytest.raises(ClientError) as caught:
        world.create(resourcesVpcConfig={"subnetIds": subnets})
    code, message = error_of(caught.value)
    assert code == "UnsupportedAvailabilityZoneException"
    assert message.startswith(f"Cannot create cluster 'demo' because {refusing}, the targeted availability zone, does")
    usable = message.rpartition(": ")[2].split(", ")
    assert refusing not in usable
    assert zone_of(world.ec2, "use1-az1") in usable


def test_another_zone_can_be_made_to_refuse(world: World) -> None:
    world.eks.unsupported_zone_ids.add("use1-az1")
    with pytest.raises(ClientError, match="UnsupportedAvailabilityZoneException"):
        world.create()


def test_creation_is_refused(world: World) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"version": "1.12"}, "unsupported Kubernetes version"),
        ({"resourcesVpcConfig": {"subnetIds": ["subnet-0a", "subnet-0b"]}}, "The subnet ID 'subnet-0"),
        ({"resourcesVpcConfig": {"subnetIds": []}}, "at least two different AZs"),
        ({"roleArn": f"arn:aws:iam::{ACCOUNT}:role/nobody"}, "could not be assumed because it does not exist"),
        (
            {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": False}},
            "must be true if cluster authentication",
        ),
        ({"name": "-bad"}, "failed to satisfy constraint"),
        ({"accessConfig": {"authenticationMode": "MAYBE"}}, "enum value set"),
    ]
    for changes, says in cases:
        with pytest.raises(ClientError) as caught:
            world.create(**changes)
        code, message = error_of(caught.value)
        assert (code, says in message) == ("InvalidParameterException", True), f"{code}: {message}"


def test_what_is_not_simulated_is_refused_as_unverified(world: World) -> None:
    with pytest.raises(ClientError) as caught:
        world.create(computeConfig={"enabled": True})
    code, message = error_of(caught.value)
    assert code == "UnverifiedOperation"
    assert "unverified" in message and "computeConfig" in message
    said = refused("UnverifiedOperation", world.client.update_cluster_config, name="demo", deletionProtection=True)
    assert "deletionProtection" in said


def test_clusters_are_listed_in_pages(world: World) -> None:
    for name in ("c", "a", "b"):
        world.create(name)
    first = world.client.list_clusters(maxResults=2)
    assert first["clusters"] == ["a", "b"]
    assert world.client.list_clusters(maxResults=2, nextToken=first["nextToken"])["clusters"] == ["c"]
    refused("InvalidParameterException", world.client.list_clusters, nextToken="made-up")


def test_offered_versions_name_their_default_and_support(world: World) -> None:
    versions = {each["clusterVersion"]: each for each in world.client.describe_cluster_versions()["clusterVersions"]}
    assert set(versions) == {"1.30", "1.31", "1.32", "1.33", "1.34", "1.35"}
    assert versions["1.30"]["versionStatus"] == "EXTENDED_SUPPORT"
    default = world.client.describe_cluster_versions(defaultOnly=True)["clusterVersions"]
    assert [each["clusterVersion"] for each in default] == ["1.35"]
    chosen = world.client.describe_cluster_versions(clusterVersions=["1.33"])["clusterVersions"]
    assert [each["versionStatus"] for each in chosen] == ["STANDARD_SUPPORT"]


def test_a_restored_snapshot_forgets_what_came_after(world: World) -> None:
    world.create("kept")
    state = world.eks.snapshot()
    world.create("lost")
    world.eks.restore(state)
    assert world.client.list_clusters()["clusters"] == ["kept"]
    world.create("again")
    assert world.client.list_clusters()["clusters"] == ["again", "kept"]
    assert len(list(world.eks.deadlines())) == 2
