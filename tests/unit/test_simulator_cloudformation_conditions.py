from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from moto import mock_aws

from infra.local.simulators.service import JsonObject, ServiceError
from infra.local.simulators.stack_conditions import settled
from infra.local.simulators.stack_intrinsics import Scope, resolve
from infra.local.simulators.stack_template import Template, parse
from tests.unit.test_simulator_cloudformation_helpers import World, new_world
from tests.unit.test_simulator_service_helpers import refused

BODY = """
Parameters:
  Given: {Type: String}
  Size: {Type: String, Default: small}
Conditions:
  Makes: !Equals [!Ref Given, none]
  Takes: !Not [!Condition Makes]
  Large: !Equals [!Ref Size, large]
  Both: !And [!Condition Makes, !Condition Large]
  Either: !Or [!Condition Makes, !Condition Large]
Resources:
  Network:
    Type: AWS::EC2::VPC
    Condition: Makes
    Properties: {CidrBlock: 10.0.0.0/16}
  Group:
    Type: AWS::EC2::SecurityGroup
    Metadata:
      After: !If [Makes, !Ref Gateway, none]
    Properties:
      GroupDescription: d
      VpcId: !If [Makes, !Ref Network, !Ref Given]
      GroupName: !If [Large, big, !Ref "AWS::NoValue"]
      Tags:
        - {Key: a, Value: b}
        - !If [Both, {Key: both, Value: b}, !Ref "AWS::NoValue"]
        - !If [Either, {Key: either, Value: b}, !Ref "AWS::NoValue"]
  Gateway:
    Type: AWS::EC2::InternetGateway
    Condition: Makes
Outputs:
  Vpc: {Value: !If [Makes, !Ref Network, !Ref Given]}
  OnlyTaken: {Condition: Takes, Value: !Ref Given}
"""


def left(**values: str) -> Template:
    return settled(parse(BODY), {"Size": "small", **values})


def properties(template: Template, name: str) -> JsonObject:
    scope = Scope({"Network": "made", "Given": "given", "Gateway": "gw"}, lambda target, name: f"{target}.{name}")
    return cast("JsonObject", resolve(template.resources[name].properties, scope))


def test_what_a_condition_makes_is_there_and_comes_first() -> None:
    made = left(Given="none")
    assert set(made.resources) == {"Network", "Group", "Gateway"}
    assert made.resources["Group"].requires == {"Network", "Gateway"}
    assert set(made.outputs) == {"Vpc"}
    tags = [{"Key": "a", "Value": "b"}, {"Key": "either", "Value": "b"}]
    assert properties(made, "Group") == {"GroupDescription": "d", "VpcId": "made", "Tags": tags}


def test_what_a_condition_leaves_out_is_gone_with_all_that_names_it() -> None:
    taken = left(Given="vpc-1", Size="large")
    assert set(taken.resources) == {"Group"}
    assert taken.resources["Group"].requires == frozenset()
    assert set(taken.outputs) == {"Vpc", "OnlyTaken"}
    group = properties(taken, "Group")
    assert (group["VpcId"], group["GroupName"]) == ("given", "big")
    assert [tag["Key"] for tag in group["Tags"]] == ["a", "either"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("Resources: {A: {Type: T, Condition: C}}", "Unresolved condition dependency C in the Resources block"),
        ("Resources: {A: {Type: T, Properties: {X: !If [C, a, b]}}}", "Unresolved condition dependency C"),
        ("Conditions: {C: !Not [!Condition D]}\nResources: {A: {Type: T}}", "dependency D in the Conditions block"),
        ("Conditions: {C: !Ref A}\nResources: {A: {Type: T}}", "Conditions can only be boolean operations"),
        ("Conditions: {C: !Equals [a, a]}\nResources: {A: {Type: T, Properties: {X: !If [C, a]}}}", "three elements"),
        (
            "Conditions: {C: !Equals [a, b]}\nResources: {A: {Type: T, Condition: C}, B: {Type: T, DependsOn: A}}",
            "unverified",
        ),
    ],
)
def test_conditions_that_do_not_fit_together_are_refused(body: str, message: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        parse(body)
    assert message in refusal.value.message


def test_a_reference_to_what_is_left_out_is_refused() -> None:
    resources = "{A: {Type: T, Condition: C}, B: {Type: T, Properties: {X: !Ref A}}}"
    body = f"Conditions: {{C: !Equals [a, b]}}\nResources: {resources}"
    with pytest.raises(ServiceError, match="Unresolved resource dependencies"):
        settled(parse(body), {})


def test_conditions_that_hang_on_each_other_are_refused() -> None:
    body = "Conditions: {C: !Not [!Condition D], D: !Not [!Condition C]}\nResources: {A: {Type: T, Condition: C}}"
    with pytest.raises(ServiceError, match="Circular dependencies for conditions"):
        settled(parse(body), {})


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
    with mock_aws():
        yield new_world()


def test_a_stack_consists_of_what_its_parameters_ask_for(world: World) -> None:
    vpc = world.ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    given = [{"ParameterKey": "Given", "ParameterValue": vpc}]
    world.client.create_stack(StackName="demo", TemplateBody=BODY, Parameters=given)
    assert world.run("demo") == "CREATE_COMPLETE"
    listed = world.client.describe_stack_resources(StackName="demo")["StackResources"]
    assert [each["LogicalResourceId"] for each in listed] == ["Group"]
    outputs = {item["OutputKey"]: item["OutputValue"] for item in world.stack()["Outputs"]}
    assert outputs == {"Vpc": vpc, "OnlyTaken": vpc}
    assert world.client.get_template(StackName="demo")["TemplateBody"] == BODY


def test_each_item_of_a_list_has_to_match_its_pattern(world: World) -> None:
    declared = "Parameters: {P: {Type: CommaDelimitedList, AllowedPattern: '[a-z]+'}}"
    body = f"{declared}\nResources: {{A: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: 10.0.0.0/16}}}}}}"
    wrong = [{"ParameterKey": "P", "ParameterValue": "a, 1"}]
    message = refused("ValidationError", world.client.create_stack, StackName="x", TemplateBody=body, Parameters=wrong)
    assert "must match pattern" in message
    right = [{"ParameterKey": "P", "ParameterValue": "a, b"}]
    assert world.client.create_stack(StackName="x", TemplateBody=body, Parameters=right)["StackId"]
