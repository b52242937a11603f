"""Drift of stacks in the simulator: detection, change sets that revert it, updates over time and their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from tests.unit.test_simulator_cloudformation_helpers import World, new_world, own_vpcs
from tests.unit.test_simulator_service_helpers import moto_client, refused, trust

ROLE = "instantstart-demo-execution"
FOUNDATION = "instantstart-demo"


@pytest.fixture(scope="module")
def founded() -> Iterator[World]:
    """An account in which the foundation stands: each test leaves it as its template has it."""
    with pytest.MonkeyPatch.context() as patch, mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        patch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
        world = new_world()
        world.foundation()
        assert world.run(FOUNDATION) == "CREATE_COMPLETE"
        yield world


def drifts(world: World, name: str = FOUNDATION) -> dict[str, list[tuple[str, str]]]:
    """Detect; give what differs, by logical id: the status alone, or each path with its kind."""
    detection = world.client.detect_stack_drift(StackName=name)["StackDriftDetectionId"]
    status = world.client.describe_stack_drift_detection_status(StackDriftDetectionId=detection)
    assert status["DetectionStatus"] == "DETECTION_IN_PROGRESS"
    world.clock.advance(120)
    status = world.client.describe_stack_drift_detection_status(StackDriftDetectionId=detection)
    filters = ["MODIFIED", "DELETED"]
    answer = world.client.describe_stack_resource_drifts(StackName=name, StackResourceDriftStatusFilters=filters)
    found = {each["LogicalResourceId"]: said(each) for each in answer["StackResourceDrifts"]}
    assert status["DetectionStatus"] == "DETECTION_COMPLETE"
    assert (status["StackDriftStatus"], status["DriftedStackResourceCount"]) == (
        "DRIFTED" if found else "IN_SYNC",
        len(found),
    )
    return found


def said(drift: dict[str, Any]) -> list[tuple[str, str]]:
    if drift["StackResourceDriftStatus"] == "DELETED":
        return [("", "DELETED")]
    return [(each["PropertyPath"], each["DifferenceType"]) for each in drift["PropertyDifferences"]]


def change_set(world: World, name: str = "revert", stack: str = FOUNDATION) -> dict[str, Any]:
    """Create a change set that reverts drift, wait, and describe it; one of that name makes way."""
    world.client.delete_change_set(StackName=stack, ChangeSetName=name)
    keys = [each["ParameterKey"] for each in world.stack(stack).get("Parameters", [])]
    parameters = [{"ParameterKey": key, "UsePreviousValue": True} for key in keys]
    world.client.create_change_set(
        StackName=stack,
        ChangeSetName=name,
        UsePreviousTemplate=True,
        Parameters=parameters,
        Capabilities=["CAPABILITY_NAMED_IAM"],
        DeploymentMode="REVERT_DRIFT",
    )
    first: dict[str, Any] = world.client.describe_change_set(StackName=stack, ChangeSetName=name)
    assert (first["Status"], first["ExecutionStatus"]) == ("CREATE_IN_PROGRESS", "UNAVAILABLE")
    world.clock.advance(30)
    described: dict[str, Any] = world.client.describe_change_set(StackName=stack, ChangeSetName=name)
    return described


def changes(described: dict[str, Any]) -> dict[str, tuple[str, str | None, str]]:
    found = [each["ResourceChange"] for each in described["Changes"]]
    return {
        each["LogicalResourceId"]: (each["Action"], each.get("Replacement"), each["ResourceDriftStatus"])
        for each in found
    }


def executed(world: World, stack: str = FOUNDATION, name: str = "revert") -> str:
    world.client.execute_change_set(StackName=stack, ChangeSetName=name)
    for _ in range(100):
        if not world.stack(stack)["StackStatus"].endswith("_IN_PROGRESS"):
            break
        world.clock.advance(15)
    return str(world.stack(stack)["StackStatus"])


def physical(world: World, logical_id: str) -> str:
    found = world.client.describe_stack_resources(StackName=FOUNDATION, LogicalResourceId=logical_id)
    return str(found["StackResources"][0]["PhysicalResourceId"])


def test_a_foundation_as_it_was_made_has_not_drifted_and_an_update_has_nothing_to_do(founded: World) -> None:
    assert founded.stack(FOUNDATION)["DriftInformation"] == {"StackDriftStatus": "NOT_CHECKED"}
    assert drifts(founded) == {}
    assert founded.stack(FOUNDATION)["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"
    described = change_set(founded)
    assert (described["Status"], described["ExecutionStatus"], described["Changes"]) == ("FAILED", "UNAVAILABLE", [])
    refused("InvalidChangeSetStatus", founded.client.execute_change_set, StackName=FOUNDATION, ChangeSetName="revert")
    keys = [each["ParameterKey"] for each in founded.stack(FOUNDATION)["Parameters"]]
    unchanged = {
        "UsePreviousTemplate": True,
        "Parameters": [{"ParameterKey": key, "UsePreviousValue": True} for key in keys],
        "Capabilities": ["CAPABILITY_NAMED_IAM"],
    }
    said = refused("ValidationError", founded.client.update_stack, StackName=FOUNDATION, **unchanged)
    assert said == "No updates are to be performed."


def change_by_hand(world: World) -> None:
    """Change, delete and add what the foundation is made of, in every service that it uses."""
    iam, ec2 = moto_client("iam"), world.ec2
    vpc = physical(world, "Vpc")
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    ec2.create_tags(Resources=[physical(world, "PublicSubnetOne")], Tags=[{"Key": "Name", "Value": "mine"}])
    ec2.delete_route(RouteTableId=physical(world, "PrivateRouteTable"), DestinationCidrBlock="0.0.0.0/0")
    ec2.delete_vpc_endpoints(VpcEndpointIds=[physical(world, "S3Endpoint")])
    iam.update_assume_role_policy(RoleName=ROLE, PolicyDocument=trust("ec2.amazonaws.com"))
    iam.attach_role_policy(RoleName=ROLE, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    iam.delete_role_policy(RoleName=ROLE, PolicyName="hyperpod-eks")
    iam.delete_role_permissions_boundary(RoleName=ROLE)
    world.s3.delete_public_access_block(Bucket=physical(world, "Bucket"))
    world.s3.delete_bucket_policy(Bucket=physical(world, "Bucket"))
    eks, principal = world.eks, physical(world, "KubernetesAdminAccess").partition("|")[0]
    eks.delete_access_entry(clusterName="eks-cluster-demo", principalArn=principal)
    eks.delete_addon(clusterName="eks-cluster-demo", addonName="kube-proxy")
    world.clock.advance(60)


CHANGED = {
    "Vpc": [("/EnableDnsHostnames", "NOT_EQUAL")],
    "PublicSubnetOne": [("/Tags/0/Value", "NOT_EQUAL")],
    "PrivateDefaultRoute": [("", "DELETED")],
    "S3Endpoint": [("", "DELETED")],
    "ExecutionRole": [
        ("/PermissionsBoundary", "REMOVE"),
        ("/AssumeRolePolicyDocument/Statement/0", "REMOVE"),
        ("/AssumeRolePolicyDocument/Statement/1", "ADD"),
        ("/ManagedPolicyArns/1", "ADD"),
        ("/Policies/0", "REMOVE"),
    ],
    "Bucket": [("/PublicAccessBlockConfiguration", "REMOVE")],
    "BucketPolicy": [("", "DELETED")],
    "KubernetesAdminAccess": [("", "DELETED")],
    "KubeProxyAddon": [("", "DELETED")],
}


def test_each_change_by_hand_is_told_with_its_property_and_reverted(founded: World) -> None:
    change_by_hand(founded)
    assert drifts(founded) == CHANGED
    described = change_set(founded)
    assert changes(described) == {
        name: ("Add", None, "DELETED") if told == [("", "DELETED")] else ("Modify", "False", "MODIFIED")
        for name, told in CHANGED.items()
    }
    assert (described["StackDriftStatus"], described["DeploymentMode"]) == ("DRIFTED", "REVERT_DRIFT")
    former = founded.stack(FOUNDATION)
    assert executed(founded) == "UPDATE_COMPLETE", founded.reasons(FOUNDATION)
    stack = founded.stack(FOUNDATION)
    assert stack["ChangeSetId"] == described["ChangeSetId"]
    assert drifts(founded) == {}
    # The endpoint is another one now, and the outputs say so.
    outputs = [{each["OutputKey"]: each["OutputValue"] for each in side["Outputs"]} for side in (former, stack)]
    assert {key for key in outputs[0] if outputs[0][key] != outputs[1][key]} == {"S3EndpointId"}
    assert change_set(founded, "again")["Status"] == "FAILED"


def test_an_update_says_its_statuses_in_order(founded: World) -> None:
    founded.ec2.delete_route(RouteTableId=physical(founded, "PrivateRouteTable"), DestinationCidrBlock="0.0.0.0/0")
    change_set(founded)
    before = len(founded.events(FOUNDATION))
    founded.client.execute_change_set(StackName=FOUNDATION, ChangeSetName="revert")
    assert founded.stack(FOUNDATION)["StackStatus"] == "UPDATE_IN_PROGRESS"
    refused("ValidationError", founded.client.detect_stack_drift, StackName=FOUNDATION)
    founded.clock.advance(60)
    told = [(event["LogicalResourceId"], event["ResourceStatus"]) for event in founded.events(FOUNDATION)[before:]]
    assert told == [
        (FOUNDATION, "UPDATE_IN_PROGRESS"),
        ("PrivateDefaultRoute", "CREATE_IN_PROGRESS"),
        ("PrivateDefaultRoute", "CREATE_COMPLETE"),
        (FOUNDATION, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        (FOUNDATION, "UPDATE_COMPLETE"),
    ]


def test_what_refers_to_a_resource_made_anew_follows_it(founded: World) -> None:
    founded.ec2.delete_nat_gateway(NatGatewayId=physical(founded, "NatGateway"))
    # On AWS, and on the local host's engine, the gateway lets its address go; moto alone does not.
    address = founded.ec2.describe_addresses(PublicIps=[physical(founded, "NatAddress")])["Addresses"][0]
    if "AssociationId" in address:
        founded.ec2.disassociate_address(AssociationId=address["AssociationId"])
    described = change_set(founded)
    assert changes(described) == {
        "NatGateway": ("Add", None, "DELETED"),
        "PrivateDefaultRoute": ("Modify", "False", "IN_SYNC"),
    }
    assert executed(founded) == "UPDATE_COMPLETE", founded.reasons(FOUNDATION)
    assert drifts(founded) == {}


def test_a_property_that_cannot_be_changed_in_place_asks_for_a_replacement(founded: World) -> None:
    rule = physical(founded, "ComputeSelfIngress")
    group = physical(founded, "ComputeSecurityGroup")
    changed = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "ReferencedGroupId": group}
    rules = [{"SecurityGroupRuleId": rule, "SecurityGroupRule": changed}]
    founded.ec2.modify_security_group_rules(GroupId=group, SecurityGroupRules=rules)
    assert [path for path, _ in drifts(founded)["ComputeSelfIngress"]][:1] == ["/IpProtocol"]
    assert changes(change_set(founded))["ComputeSelfIngress"] == ("Modify", "True", "MODIFIED")
    assert executed(founded) == "UPDATE_COMPLETE", founded.reasons(FOUNDATION)
    assert physical(founded, "ComputeSelfIngress") != rule
    assert drifts(founded) == {}


def test_a_failed_update_takes_everything_back_to_how_it_stood_before(founded: World) -> None:
    vpc = physical(founded, "Vpc")
    founded.ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    founded.ec2.delete_route(RouteTableId=physical(founded, "PrivateRouteTable"), DestinationCidrBlock="0.0.0.0/0")
    change_set(founded)
    founded.simulator.fail_next("PrivateDefaultRoute", "no")
    assert executed(founded) == "UPDATE_ROLLBACK_COMPLETE"
    assert "no" in founded.reasons(FOUNDATION)["PrivateDefaultRoute"]
    assert set(drifts(founded)) == {"Vpc", "PrivateDefaultRoute"}
    assert [own["VpcId"] for own in own_vpcs(founded)] == [vpc]
    change_set(founded)
    assert executed(founded) == "UPDATE_COMPLETE", founded.reasons(FOUNDATION)
