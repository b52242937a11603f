"""What IAM is asked for requests as they stand on the wire, without a simulated world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlencode

import pytest

from infra.local.authorization import parsing, requests
from infra.local.authorization.asking import Unknown
from infra.local.authorization.guard import Guard
from infra.local.authorization.live import Live, NoWorld
from infra.local.messages import HttpRequest
from infra.privilege import authorization
from infra.release import Place
from infra.topology import TOPOLOGY

PLACE = Place("123456789012", "us-west-2")
LIVE = Live(PLACE, NoWorld())
EC2 = "arn:aws:ec2:us-west-2:123456789012:"
TABLE = "arn:aws:dynamodb:us-west-2:123456789012:table/instantstart-clusters"
EKS = "arn:aws:eks:us-west-2:123456789012:cluster/one"


def form(**fields: str) -> HttpRequest:
    return HttpRequest("POST", "/", body=urlencode(fields).encode())


def target(operation: str, document: Mapping[str, object]) -> HttpRequest:
    return HttpRequest("POST", "/", headers={"x-amz-target": f"Any.{operation}"}, body=json.dumps(document).encode())


def asked(service: str, request: HttpRequest, *, by_machine: bool = False) -> list[tuple[str, str]]:
    call = parsing.read(service, request)
    return [(each.action, each.resource) for each in requests.asked(call, LIVE, by_machine=by_machine)]


def test_a_transaction_is_its_parts() -> None:
    parts = [{kind: {"TableName": "instantstart-clusters"}} for kind in ("Put", "Update", "Delete", "ConditionCheck")]
    actions = ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
    found = asked("dynamodb", target("TransactWriteItems", {"TransactItems": parts}))
    assert found == [(f"dynamodb:{each}", TABLE) for each in actions]


def test_a_query_of_an_index_is_on_the_index() -> None:
    query = target("Query", {"TableName": "instantstart-clusters", "IndexName": "by_tag"})
    assert asked("dynamodb", query) == [("dynamodb:Query", f"{TABLE}/index/by_tag")]


@pytest.mark.parametrize(
    ("method", "path", "query", "headers", "expected"),
    [
        ("HEAD", "/b", "", {}, [("s3:ListBucket", "b")]),
        ("HEAD", "/", "", {"host": "b.s3.us-west-2.amazonaws.com"}, [("s3:ListBucket", "b")]),
        ("GET", "/b", "list-type=2&prefix=x", {}, [("s3:ListBucket", "b")]),
        ("GET", "/b", "versions", {}, [("s3:ListBucketVersions", "b")]),
        ("GET", "/b", "encryption", {}, [("s3:GetEncryptionConfiguration", "b")]),
        ("GET", "/b", "publicAccessBlock", {}, [("s3:GetBucketPublicAccessBlock", "b")]),
        ("GET", "/b/a/key", "x-id=GetObject", {}, [("s3:GetObject", "b/a/key")]),
        (
            "PUT",
            "/b/k",
            "",
            {"x-amz-copy-source": "from/a%20b"},
            [("s3:GetObject", "from/a b"), ("s3:PutObject", "b/k")],
        ),
        ("DELETE", "/b/k", "versionId=3", {}, [("s3:DeleteObject", "b/k"), ("s3:DeleteObjectVersion", "b/k")]),
        ("DELETE", "/b/k", "uploadId=3", {}, [("s3:AbortMultipartUpload", "b/k")]),
    ],
)
def test_operations_of_s3_have_actions_of_other_names(
    method: str, path: str, query: str, headers: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    found = asked("s3", HttpRequest(method, path, query, headers))
    assert found == [(action, f"arn:aws:s3:::{resource}") for action, resource in expected]


def test_each_of_many_deleted_objects_is_asked_for() -> None:
    body = b"<Delete><Object><Key>a</Key></Object><Object><Key>b</Key><VersionId>1</VersionId></Object></Delete>"
    found = asked("s3", HttpRequest("POST", "/bucket", "delete", {}, body))
    assert found == [
        ("s3:DeleteObject", "arn:aws:s3:::bucket/a"),
        ("s3:DeleteObject", "arn:aws:s3:::bucket/b"),
        ("s3:DeleteObjectVersion", "arn:aws:s3:::bucket/b"),
    ]


def test_what_is_made_with_tags_is_tagged_by_its_creation() -> None:
    tags = {"TagSpecification.1.ResourceType": "subnet", "TagSpecification.1.Tag.1.Key": "By"}
    sent = {"Action": "CreateSubnet", "VpcId": "vpc-1", **tags, "TagSpecification.1.Tag.1.Value": "us"}
    made, tagging, within = requests.asked(parsing.read("ec2", form(**sent)), LIVE)
    assert (made.action, made.resource) == ("ec2:CreateSubnet", f"{EC2}subnet/*")
    assert made.context == {"aws:RequestTag/By": ("us",), "aws:TagKeys": ("By",)}
    assert (tagging.action, tagging.resource) == ("ec2:CreateTags", f"{EC2}subnet/*")
    assert tagging.context == {**made.context, "ec2:CreateAction": ("CreateSubnet",)}
    # The tags of a request say nothing of the VPC: AWS has no such key there.
    assert (within.resource, within.context) == (f"{EC2}vpc/vpc-1", {})


def test_a_hyperpod_cluster_is_created_with_all_that_goes_along() -> None:
    group = {"ExecutionRole": "arn:aws:iam::123456789012:role/r", "ImageId": "ami-1"}
    sent = {"ClusterName": "hp", "InstanceGroups": [group, group], "Orchestrator": {"Eks": {"ClusterArn": EKS}}}
    sent["Tags"] = [{"Key": "By", "Value": "us"}]
    found = {action for action, _ in asked("sagemaker", target("CreateCluster", sent))}
    known = authorization.load().actions["sagemaker:CreateCluster"]
    assert found == {"sagemaker:CreateCluster", *known.dependent_actions}


def test_a_stack_is_created_by_who_may_read_its_template_and_pass_its_role() -> None:
    url, role = "https://b.s3.us-west-2.amazonaws.com/r/foundation.yaml", "arn:aws:iam::123456789012:role/r"
    sent = form(Action="CreateStack", StackName="instantstart-a", TemplateURL=url, RoleARN=role)
    stack, template, passed = requests.asked(parsing.read("cloudformation", sent), LIVE)
    assert stack.context == {"cloudformation:RoleArn": (role,), "cloudformation:TemplateUrl": (url,)}
    assert (template.action, template.resource) == ("s3:GetObject", "arn:aws:s3:::b/r/foundation.yaml")
    assert passed.context == {"iam:PassedToService": ("cloudformation.amazonaws.com",)}


def test_a_machine_that_starts_an_execution_waits_for_it() -> None:
    start = target("StartExecution", {"stateMachineArn": "arn:aws:states:us-west-2:123456789012:stateMachine:a"})
    assert [action for action, _ in asked("states", start)] == ["states:StartExecution"]
    assert ("events:PutRule" in dict(asked("states", start, by_machine=True))) is True


def test_a_secret_is_read_by_its_arn_and_a_name_alone_is_not_judged() -> None:
    arn = "arn:aws:secretsmanager:us-west-2:123456789012:secret:instantstart-signing-key-2-AbCdEf"
    read = target("GetSecretValue", {"SecretId": arn})
    assert asked("secretsmanager", read) == [("secretsmanager:GetSecretValue", arn)]
    guard = Guard(TOPOLOGY, LIVE)
    assert guard.denial("instantstart-function-api-us-west-2", "secretsmanager", read) is None
    assert guard.denial("instantstart-function-helm-us-west-2", "secretsmanager", read) is not None
    others = target("GetSecretValue", {"SecretId": arn.replace("signing", "other")})
    assert guard.denial("instantstart-function-api-us-west-2", "secretsmanager", others) is not None
    with pytest.raises(Unknown):
        asked("secretsmanager", target("GetSecretValue", {"SecretId": "instantstart-signing-key-2"}))


def test_who_one_is_may_be_asked_by_anybody() -> None:
    assert asked("sts", form(Action="GetCallerIdentity")) == []


@pytest.mark.parametrize(
    ("service", "request_"),
    [("iam", form(Action="ListUsers")), ("sqs", form(Action="ListQueues")), ("ec2", form(Action="RunInstances"))],
)
def test_a_call_of_which_nothing_is_known_is_never_allowed(service: str, request_: HttpRequest) -> None:
    call = parsing.read(service, request_)
    with pytest.raises(Unknown):
        requests.asked(call, LIVE)
    denial = Guard(TOPOLOGY, LIVE).denial("instantstart-function-api-us-west-2", service, request_)
    assert denial is not None
    assert "may do this" in denial.unverified


def test_the_guard_tells_what_is_missing_in_the_words_of_iam() -> None:
    guard = Guard(TOPOLOGY, LIVE)
    assert guard.judges("instantstart-function-helm-us-west-2")
    assert not guard.judges("anybodys")
    denial = guard.denial("instantstart-function-helm-us-west-2", "ec2", form(Action="DescribeVpcs"))
    assert denial is not None
    assert denial.message("arn:x") == (
        "User: arn:x is not authorized to perform: ec2:DescribeVpcs on resource: * "
        "because no identity-based policy allows the ec2:DescribeVpcs action"
    )
    assert guard.denial("instantstart-function-api-us-west-2", "ec2", form(Action="DescribeVpcs")) is None


@pytest.mark.parametrize(
    ("method", "path", "is_let"),
    [
        ("GET", "/api/clusters", True),
        ("DELETE", "/api/clusters/t1", True),
        ("POST", "/mcp", False),
        ("POST", "/apis/clusters", False),
        ("OPTIONS", "/api/clusters", False),
    ],
)
def test_the_gateways_role_calls_what_its_policy_names_of_the_internal_door(
    method: str, path: str, is_let: bool
) -> None:
    denial = Guard(TOPOLOGY, LIVE).invocation_denial("instantstart-function-mcp-us-west-2", method, path)
    assert (denial is None) is is_let
    if denial is not None:
        assert denial.asked.resource == f"arn:aws:execute-api:us-west-2:123456789012:internal/$default/{method}{path}"
