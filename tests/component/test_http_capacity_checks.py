"""What is said about security groups, scripts and room for pods, and what is said when AWS says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from functions.core import runtime
from tests.component.test_http_capacity_support import GPU, P5, SILENCE, add, create, found, refused
from tests.component.test_http_support import Edge, account, edge, stages_of

__all__ = ["account", "edge"]


def security_group(group_id: str, *, inbound: bool, outbound: bool) -> dict[str, Any]:
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}]
    everywhere = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    return {
        "GroupId": group_id,
        "IpPermissions": itself if inbound else everywhere,
        "IpPermissionsEgress": everywhere if outbound else [],
    }


@pytest.mark.case(13)
def test_a_security_group_that_stops_efa_is_refused_with_the_missing_rule(edge: Edge) -> None:
    edge.surroundings.security_groups = [security_group("sg-0123456789abcdef0", inbound=False, outbound=True)]
    group = GPU | {"security_group_ids": ["sg-0123456789abcdef0"]}
    answer = add(edge, group)
    [error] = answer.body["errors"]
    assert (answer.status, answer.body["cause"]["code"]) == (409, "EFA_SECURITY_GROUP")
    assert error["field"] == "instance_groups[0].security_group_ids"
    assert answer.body["remedy"]
    assert answer.body["cause"]["resource"] == "sg-0123456789abcdef0"
    assert "inbound: all traffic from itself" in error["message"]
    assert "outbound" not in error["message"]
    # A type without EFA does not need the rule.
    assert add(edge, group | {"instance_type": "ml.g6.4xlarge"}).status == 202


@pytest.mark.case(13)
@pytest.mark.parametrize(("inbound", "outbound", "status"), [(True, True, 202), (True, False, 409)])
def test_efa_needs_both_directions(edge: Edge, inbound: bool, outbound: bool, status: int) -> None:
    edge.surroundings.security_groups = [security_group("sg-01234567", inbound=inbound, outbound=outbound)]
    assert add(edge, GPU | {"security_group_ids": ["sg-01234567"]}).status == status


def test_a_security_group_that_does_not_exist_is_refused(edge: Edge) -> None:
    answer = add(edge, GPU | {"security_group_ids": ["sg-01234567"]})
    assert (answer.status, answer.fields) == (409, ["instance_groups[0].security_group_ids"])


def test_a_security_group_cannot_be_in_a_vpc_that_does_not_exist_yet(edge: Edge) -> None:
    edge.surroundings.security_groups = [security_group("sg-01234567", inbound=True, outbound=True)]
    answer = create(edge, GPU | {"security_group_ids": ["sg-01234567"]})
    cause = "SECURITY_GROUP_IN_NEW_VPC"
    refused(answer, 400, "invalid_request", cause, "instance_groups[0].security_group_ids")


def upload(content: bytes) -> None:
    client = runtime.client("s3")
    client.create_bucket(Bucket="sagemaker-scripts", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    client.put_object(Bucket="sagemaker-scripts", Key="hooks/on_create.sh", Body=content)


OWN_SCRIPT = {"lifecycle": {"source_uri": "s3://sagemaker-scripts/hooks/", "on_create": "on_create.sh"}}


@pytest.mark.case(25)
@pytest.mark.parametrize(
    "content",
    [b"#!/bin/bash\r\necho hi\r\n", b"echo hi\n", b"", b"#!/bin/bash\n" + b"#" * 1024 * 1024, None],
    ids=["CR LF", "no interpreter", "empty", "too large", "missing"],
)
def test_a_script_that_cannot_run_is_refused(edge: Edge, content: bytes | None) -> None:
    if content is not None:
        upload(content)
    answer = create(edge, GPU | OWN_SCRIPT)
    refused(answer, 400, "invalid_request", "LIFECYCLE_SCRIPT", "instance_groups[0].lifecycle")
    assert answer.body["cause"]["resource"] == "s3://sagemaker-scripts/hooks/on_create.sh"


@pytest.mark.case(25)
def test_a_script_where_the_role_cannot_read_is_a_warning(edge: Edge) -> None:
    client = runtime.client("s3")
    client.create_bucket(Bucket="scripts", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    client.put_object(Bucket="scripts", Key="a.sh", Body=b"#!/bin/bash\n")
    own = {"lifecycle": {"source_uri": "s3://scripts", "on_create": "a.sh"}}
    assert [finding["level"] for finding in found(create(edge, GPU | own), "lifecycle_bucket")] == ["warning"]


@pytest.mark.case(25)
def test_a_script_that_can_run_passes(edge: Edge) -> None:
    upload(b"#!/bin/bash\necho hi\n")
    assert create(edge, GPU | OWN_SCRIPT).status == 202


@pytest.mark.case(23)
def test_nodes_that_the_clusters_own_pods_nearly_fill_are_a_warning_with_numbers(edge: Edge) -> None:
    answer = create(edge, GPU | {"instance_type": "ml.g5.xlarge", "instance_count": 1})
    [finding] = found(answer, "system_pod_capacity")
    assert finding["level"] == "warning"
    assert "hold 14 pods" in finding["message"]
    assert "ml.c5.4xlarge" in finding["remedy"]
    # It stays readable with the operation.
    read = edge.send("GET", f"/api/operations/{answer.body['operation_id']}").body
    assert finding in read["findings"]


@pytest.mark.case(23)
def test_a_system_group_gives_the_clusters_own_pods_room(edge: Edge) -> None:
    small = GPU | {"instance_type": "ml.g5.xlarge", "instance_count": 1}
    answer = create(edge, small, system_group={})
    assert found(answer, "system_pod_capacity") == found(answer, "system_group") == []
    groups = edge.send("GET", "/api/clusters/t1").body["spec"]["instance_groups"]
    assert [(group["name"], group["instance_type"], group["instance_count"]) for group in groups] == [
        ("gpu", "ml.g5.xlarge", 1),
        ("system", "ml.c5.4xlarge", 1),
    ]


def test_a_cluster_without_any_instance_is_refused(edge: Edge) -> None:
    empty = GPU | {"instance_count": 0}
    refused(create(edge, empty), 400, "invalid_request", "NO_INSTANCE", "instance_groups[0].instance_count")
    assert create(edge, empty, system_group={}).status == 202


@pytest.mark.parametrize(
    ("groups", "suggested"),
    [
        ([GPU], True),
        ([GPU, {"name": "cpu", "instance_type": "ml.c5.4xlarge", "instance_count": 0}], True),
        ([GPU, {"name": "cpu", "instance_type": "ml.c5.4xlarge", "instance_count": 1}], False),
    ],
    ids=["only accelerated", "CPU starts at zero", "CPU from the start"],
)
def test_a_system_group_is_suggested_where_nothing_else_would_run_the_clusters_own_pods(
    edge: Edge, groups: list[dict[str, Any]], suggested: bool
) -> None:
    told = found(create(edge, *groups), "system_group")
    assert [(each["level"], each["field"]) for each in told] == [("info", "hyperpod.system_group")] * suggested


@pytest.mark.case(72)
def test_a_request_that_no_record_could_hold_is_refused(edge: Edge) -> None:
    labels = {f"{'d' * 60}.example/{'k' * 50}{number}": "v" * 60 for number in range(50)}
    groups = [{"name": f"g{number}", "instance_type": "ml.c5.large", "instance_count": 1} for number in range(30)]
    assert create(edge, *(group | {"labels": labels} for group in groups[:5])).status == 202
    answer = create(edge, *(group | {"labels": labels} for group in groups))
    assert (answer.status, answer.body["code"], answer.fields) == (400, "invalid_request", ["body"])


@pytest.mark.case(71)
def test_what_aws_does_not_say_is_unchecked_and_refuses_nothing(edge: Edge) -> None:
    edge.surroundings.failing["DescribeInstanceTypeOfferings"] = SILENCE
    edge.surroundings.failing["GetServiceQuota"] = SILENCE
    edge.surroundings.offerings.clear()
    edge.surroundings.quotas[f"{P5} for cluster usage"] = 0
    with edge.account.counted() as calls:
        answer = create(edge, GPU)
    assert [finding["level"] for finding in found(answer, "instance_type_offering")] == ["warning"]
    assert [finding["message"][:9] for finding in found(answer, "cluster_usage_quota")] == ["unchecked"]
    # Who was not answered once does not ask again: the caller waits.
    assert "ListServiceQuotas" not in calls
    # What is unchecked is checked before anything is made.
    assert stages_of(answer.body["operation_id"])[0] == ("preflight", "preflight")


@pytest.mark.case(71)
def test_a_service_that_does_not_answer_holds_up_no_other_check(edge: Edge) -> None:
    edge.surroundings.failing["DescribeInstanceTypeOfferings"] = SILENCE
    edge.surroundings.quotas[f"{P5} for cluster usage"] = 0
    refused(create(edge, GPU), 409, "quota_exceeded", "CLUSTER_USAGE_QUOTA", "instance_groups[0].instance_count")


def test_a_check_that_aws_denies_leaves_the_others(edge: Edge) -> None:
    operation = "DescribeInstanceTypeOfferings"
    denied = ClientError({"Error": {"Code": "UnauthorizedOperation", "Message": "no"}}, operation)
    edge.surroundings.failing[operation] = denied
    edge.surroundings.quotas[f"{P5} for cluster usage"] = 0
    refused(create(edge, GPU), 409, "quota_exceeded", "CLUSTER_USAGE_QUOTA", "instance_groups[0].instance_count")
