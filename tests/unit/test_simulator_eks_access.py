from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.test_simulator_eks_helpers import World, eks_world
from tests.unit.test_simulator_service_helpers import (
    ACCOUNT,
    REGION,
    make_role,
    refused,
)


@pytest.fixture
def world() -> Iterator[World]:
    with eks_world() as made:
        yield made


def test_the_cluster_security_group_exists_in_ec2_and_admits_itself(world: World) -> None:
    world.active()
    config = world.client.describe_cluster(name="demo")["cluster"]["resourcesVpcConfig"]
    group = world.ec2.describe_security_groups(GroupIds=[config["clusterSecurityGroupId"]])["SecurityGroups"][0]
    assert group["VpcId"] == config["vpcId"]
    assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == group["GroupId"]


def test_a_service_account_has_one_association(world: World) -> None:
    world.active()
    role = make_role("pods", "pods.eks.amazonaws.com")
    asked = {"clusterName": "demo", "namespace": "default", "serviceAccount": "trainer", "roleArn": role}
    made = world.client.create_pod_identity_association(**asked, tags={"a": "b"})["association"]
    message = refused("ResourceInUseException", world.client.create_pod_identity_association, **asked)
    assert message == f"Association already exists: {made['associationId']}"
    named = {"clusterName": "demo", "associationId": made["associationId"]}
    assert world.client.describe_pod_identity_association(**named)["association"]["roleArn"] == role
    assert world.client.list_pod_identity_associations(clusterName="demo", namespace="other")["associations"] == []
    assert world.client.list_tags_for_resource(resourceArn=made["associationArn"])["tags"] == {"a": "b"}
    world.client.delete_pod_identity_association(**named)
    refused("ResourceNotFoundException", world.client.describe_pod_identity_association, **named)


def test_the_creator_is_an_administrator_unless_told_otherwise(world: World) -> None:
    world.active()
    creator = f"arn:aws:iam::{ACCOUNT}:role/people/admin"
    assert world.client.list_access_entries(clusterName="demo")["accessEntries"] == [creator]
    policies = world.client.list_associated_access_policies(clusterName="demo", principalArn=creator)
    assert policies["associatedAccessPolicies"][0]["policyArn"].endswith("/AmazonEKSClusterAdminPolicy")
    access = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    world.create("other", accessConfig=access)
    assert world.client.list_access_entries(clusterName="other")["accessEntries"] == []


def test_access_entries_live_their_life(world: World) -> None:
    world.active()
    role = make_role("operator", "lambda.amazonaws.com", path="/instantstart/")
    named = {"clusterName": "demo", "principalArn": role}
    entry = world.client.create_access_entry(**named, kubernetesGroups=["readers"])["accessEntry"]
    assert entry["username"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/operator/{{{{SessionName}}}}"
    refused("ResourceInUseException", world.client.create_access_entry, **named)
    updated = world.client.update_access_entry(**named, kubernetesGroups=["writers"])["accessEntry"]
    assert updated == {**entry, "kubernetesGroups": ["writers"], "modifiedAt": updated["modifiedAt"]}
    refused("InvalidParameterException", world.client.update_access_entry, **named, kubernetesGroups=["system:nodes"])
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    scope = {"type": "namespace", "namespaces": ["team"]}
    world.client.associate_access_policy(**named, policyArn=policy, accessScope=scope)
    found = world.eks.access_entry("demo", role)
    assert found is not None and found.policies[policy]["accessScope"] == scope
    by_policy = world.client.list_access_entries(clusterName="demo", associatedPolicyArn=policy)["accessEntries"]
    assert by_policy == [role]
    world.client.disassociate_access_policy(**named, policyArn=policy)
    assert world.client.list_associated_access_policies(**named)["associatedAccessPolicies"] == []
    world.client.delete_access_entry(**named)
    refused("ResourceNotFoundException", world.client.describe_access_entry, **named)


def test_access_entries_are_refused(world: World) -> None:
    world.active()
    create = world.client.create_access_entry
    role = make_role("operator", "lambda.amazonaws.com")
    for changes in (
        {"principalArn": f"arn:aws:iam::{ACCOUNT}:role/nobody"},
        {"principalArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/operator/session"},
        {"kubernetesGroups": ["system:masters"]},
        {"type": "HYPERPOD_LINUX", "kubernetesGroups": ["nodes"]},
        {"type": "TOASTER"},
    ):
        refused("InvalidParameterException", create, **{"clusterName": "demo", "principalArn": role, **changes})
    create(clusterName="demo", principalArn=role)
    named = {"clusterName": "demo", "principalArn": role, "accessScope": {"type": "cluster"}}
    refused("ResourceNotFoundException", world.client.associate_access_policy, **named, policyArn="arn:aws:nope")


def test_a_config_map_cluster_has_no_access_entries(world: World) -> None:
    world.active(accessConfig={})
    message = refused("InvalidRequestException", world.client.list_access_entries, clusterName="demo")
    assert "authentication mode must be set to one of [API, API_AND_CONFIG_MAP]" in message


def test_hyperpod_sees_the_cluster_and_admits_its_nodes_once(world: World) -> None:
    world.active()
    view = world.eks.view(f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/demo")
    assert view is not None and (view.status, view.authentication_mode) == ("ACTIVE", "API")
    assert world.eks.view("arn:aws:eks:us-east-1:123456789012:cluster/other") is None
    role = make_role("nodes", "sagemaker.amazonaws.com")
    world.eks.admit_nodes("demo", role)
    world.eks.admit_nodes("demo", role)
    entry = world.client.describe_access_entry(clusterName="demo", principalArn=role)["accessEntry"]
    assert (entry["type"], entry["kubernetesGroups"]) == ("HYPERPOD_LINUX", ["system:nodes"])


def test_tags_can_be_added_and_taken_away(world: World) -> None:
    arn = world.create(tags={"a": "1"})["arn"]
    world.client.tag_resource(resourceArn=arn, tags={"b": "2"})
    world.client.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert world.client.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    refused("NotFoundException", world.client.list_tags_for_resource, resourceArn=arn + "x")


@pytest.mark.case(7)
def test_the_authentication_mode_moves_one_way_and_takes_its_time(world: World) -> None:
    world.active(accessConfig={"authenticationMode": "CONFIG_MAP"})
    asked = {"name": "demo", "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"}, "clientRequestToken": "t"}
    begun = world.client.update_cluster_config(**asked)["update"]
    assert (begun["type"], begun["status"]) == ("AccessConfigUpdate", "InProgress")
    assert world.client.update_cluster_config(**asked)["update"]["id"] == begun["id"]
    assert world.client.describe_cluster(name="demo")["cluster"]["status"] == "UPDATING"
    refused("ResourceInUseException", world.client.update_cluster_config, **(asked | {"clientRequestToken": "other"}))
    world.clock.advance(60)
    cluster = world.client.describe_cluster(name="demo")["cluster"]
    assert (cluster["status"], cluster["accessConfig"]["authenticationMode"]) == ("ACTIVE", "API_AND_CONFIG_MAP")
    back = {"name": "demo", "accessConfig": {"authenticationMode": "CONFIG_MAP"}}
    assert "from API_AND_CONFIG_MAP to CONFIG_MAP" in refused(
        "InvalidParameterException", world.client.update_cluster_config, **back
    )
