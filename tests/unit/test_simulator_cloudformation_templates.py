from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from infra.local.simulators.cloudformation import CloudFormation
from infra.local.simulators.stack_intrinsics import Scope, resolve
from infra.local.simulators.stack_template import parse
from tests.unit.test_simulator_service_helpers import ACCOUNT, REGION, AwsClient, Clock, client_of, refused

if TYPE_CHECKING:
    from botocore.client import BaseClient

VPC = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": {"Ref": "Cidr"}}}
ROLE = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}}}
VALUES: dict[str, object] = {"Name": "demo", "Zones": ["a", "b"], "AWS::Region": REGION}
SCOPE = Scope(VALUES, lambda target, name: f"{target}/{name}")


def no_client(service: str) -> BaseClient:
    raise AssertionError(f"a refused template called {service}")


@pytest.fixture
def client() -> AwsClient:
    return client_of(CloudFormation(Clock(), ACCOUNT, REGION, no_client))


def template(parameter: dict[str, object] | None = None, **resources: object) -> str:
    declared = {"Cidr": {"Type": "String", **(parameter or {})}}
    return yaml.safe_dump({"Parameters": declared, "Resources": resources or {"Vpc": VPC}})


def refusal(client: AwsClient, body: str, code: str = "ValidationError", **changes: object) -> str:
    parameters = [{"ParameterKey": "Cidr", "ParameterValue": "10.0.0.0/16"}]
    arguments = {"StackName": "demo", "Parameters": parameters, **changes}
    return refused(code, client.create_stack, TemplateBody=body, **arguments)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!Ref Name", "demo"),
        ("{Ref: Name}", "demo"),
        ("!GetAtt Role.Arn", "Role/Arn"),
        ("!GetAtt Child.Outputs.VpcId", "Child/Outputs.VpcId"),
        ('!Sub "${Name}-${Role.Arn}-${!kept}-${AWS::Region}"', f"demo-Role/Arn-${{kept}}-{REGION}"),
        ('!Sub ["${x}/${Name}", {x: !Ref Name}]', "demo/demo"),
        ('!Join [",", [!Ref Name, "b"]]', "demo,b"),
        ('!Join ["-", !Ref Zones]', "a-b"),
        ("!Select [1, !Ref Zones]", "b"),
        ('!Split ["-", a-b]', ["a", "b"]),
        ("{Version: 2012-10-17}", {"Version": "2012-10-17"}),
    ],
)
def test_intrinsic_functions_give_what_cloudformation_gives(text: str, value: object) -> None:
    body = (
        "Parameters: {Name: {Type: String}, Zones: {Type: CommaDelimitedList}}\n"
        "Resources: {Role: {Type: T}, Child: {Type: T}, Made: {Type: T, Properties: {Value: " + text + "}}}"
    )
    assert resolve(parse(body).resources["Made"].properties["Value"], SCOPE) == value


def test_resources_come_after_what_they_refer_to_or_depend_on() -> None:
    body = """
Resources:
  A: {Type: T, DependsOn: C}
  B: {Type: T, Properties: {Text: !Sub "${A.Arn}"}}
  C: {Type: T}
"""
    parsed = parse(body)
    assert list(parsed.resources) == ["C", "A", "B"]
    assert parsed.resources["B"].requires == {"A"}


MALFORMED = [
    ("Resources: [", "YAML not well-formed. (line 1, column 13)"),
    ("Resources: {}", "At least one Resources member must be defined."),
    ("Resources: {A: &a {Type: T}, B: *a}", "YAML aliases are not allowed"),
    ("Extra: 1\nResources: {A: {Type: T}}", "Invalid template property or properties [Extra]"),
    ("Resources: {A: {Properties: {}}}", "must contain a Type member."),
    ("Resources: {A: {Type: T, DependsOn: B}}", "Unresolved resource dependencies [B] in the Resources block"),
    ("Resources: {A: {Type: T, Properties: {X: !Ref B}}}", "Unresolved resource dependencies [B]"),
    ('Resources: {A: {Type: T}}\nOutputs: {X: {Value: !Sub "${B}"}}', "[B] in the Outputs block"),
    ("Resources: {A: {Type: T, Properties: {X: !GetAtt B.Arn}}}", "Fn::GetAtt references undefined resource B"),
    ("Resources: {A: {Type: T, DependsOn: B}, B: {Type: T, DependsOn: A}}", "Circular dependency between resources"),
    ("Resources: {A: {Type: AWS::EC2::Made::Up}}", "Unrecognized resource types: [AWS::EC2::Made::Up]"),
    ("Resources: {A: {Type: Acme::Thing}}", "Unrecognized resource types: [Acme::Thing]"),
]


@pytest.mark.parametrize(("body", "message"), MALFORMED, ids=[message for _, message in MALFORMED])
def test_a_malformed_template_is_refused_in_cloudformations_words(client: AwsClient, body: str, message: str) -> None:
    assert message in refusal(client, body, Parameters=[])


UNVERIFIED = [
    "Resources: {A: {Type: AWS::Lambda::Function}}",
    "Resources: {A: {Type: Custom::Thing}}",
    "Resources: {A: {Type: AWS::EC2::VPC, DeletionPolicy: Snapshot}}",
    "Resources: {A: {Type: AWS::EC2::VPC, Properties: {Ipv4IpamPoolId: x}}}",
    "Resources: {A: {Type: AWS::EC2::VPC, Properties: {CidrBlock: {'Fn::Cidr': []}}}}",
    "Resources: {A: {Type: AWS::EC2::VPC}}\nOutputs: {X: {Value: !GetAtt A.DefaultNetworkAcl}}",
    "Mappings: {}\nResources: {A: {Type: AWS::EC2::VPC}}",
    "Parameters: {P: {Type: 'AWS::EC2::VPC::Id', Default: x}}\nResources: {A: {Type: AWS::EC2::VPC}}",
]


@pytest.mark.parametrize("body", UNVERIFIED)
def test_what_is_real_but_not_simulated_is_refused_as_unverified(client: AwsClient, body: str) -> None:
    assert "unverified" in refusal(client, body, "UnverifiedOperation", Parameters=[])


PARAMETERS = [
    ({}, [], "Parameters: [Cidr] must have values"),
    ({}, ["Cidr", "Other"], "Parameters: [Other] do not exist in the template"),
    ({"AllowedPattern": "x+"}, ["Cidr"], "Parameter 'Cidr' must match pattern x+"),
    ({"AllowedPattern": "x+", "ConstraintDescription": "xs"}, ["Cidr"], "Cidr failed to satisfy constraint: xs"),
    ({"AllowedValues": ["a"]}, ["Cidr"], "Parameter 'Cidr' must be one of AllowedValues"),
    ({"MinLength": 9}, ["Cidr"], "Parameter 'Cidr' must contain at least 9 characters"),
    ({"MaxLength": "3"}, ["Cidr"], "Parameter 'Cidr' must contain at most 3 characters"),
    ({"Type": "Number"}, ["Cidr"], "Parameter 'Cidr' must be a number"),
]


@pytest.mark.parametrize(("declared", "given", "message"), PARAMETERS, ids=[message for *_, message in PARAMETERS])
def test_parameters_are_judged(client: AwsClient, declared: dict[str, object], given: list[str], message: str) -> None:
    parameters = [{"ParameterKey": key, "ParameterValue": "10.x"} for key in given]
    assert message in refusal(client, template(declared), Parameters=parameters)


@pytest.mark.parametrize(
    ("properties", "given", "needed"),
    [({}, [], "CAPABILITY_IAM"), ({"RoleName": "r"}, ["CAPABILITY_IAM"], "CAPABILITY_NAMED_IAM")],
)
def test_roles_need_a_capability(
    client: AwsClient, properties: dict[str, object], given: list[str], needed: str
) -> None:
    role = {**ROLE, "Properties": {**ROLE["Properties"], **properties}}  # type: ignore[dict-item]
    message = refusal(client, template(Role=role), "InsufficientCapabilitiesException", Capabilities=given)
    assert message == f"Requires capabilities : [{needed}]"


REQUESTS = [
    ({"StackName": "1demo"}, "ValidationError", "regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"),
    ({"DisableRollback": True, "OnFailure": "DELETE"}, "ValidationError", "not both"),
    ({"TemplateURL": "https://a.s3.amazonaws.com/k"}, "ValidationError", "Template URL or Template Body"),
    ({"TimeoutInMinutes": 5}, "UnverifiedOperation", "TimeoutInMinutes"),
    ({"OnFailure": "NOTHING"}, "ValidationError", "enum value set"),
]


@pytest.mark.parametrize(("changes", "code", "message"), REQUESTS, ids=[message for *_, message in REQUESTS])
def test_requests_are_judged(client: AwsClient, changes: dict[str, object], code: str, message: str) -> None:
    assert message in refusal(client, template(), code, **changes)


@pytest.mark.parametrize("url", ["http://a.s3.amazonaws.com/k", "https://example.com/template.yaml"])
def test_a_template_comes_from_s3_only(client: AwsClient, url: str) -> None:
    refused("ValidationError", client.create_stack, StackName="demo", TemplateURL=url)


def test_a_body_has_its_limit(client: AwsClient) -> None:
    assert "less than or equal to 51200" in refusal(client, "#" * 51_201)
