"""What is said about the capacity a request asks for, before anything is made."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core import runtime
from tests.component.test_http_support import Answer, Edge, account, edge, stages_of, standing
from tests.component.test_ledger_support import cluster_records

__all__ = ["account", "edge"]

PLANS = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/"
P5, P4 = "ml.p5.48xlarge", "ml.p4d.24xlarge"
SILENCE = ReadTimeoutError(endpoint_url="https://aws.example")
GPU: dict[str, Any] = {"name": "gpu", "instance_type": P5, "instance_count": 2}


def plan(
    kind: str = P5, zone: str = "us-west-2c", count: int = 4, other: dict[str, object] | None = None
) -> dict[str, object]:
    """A training plan as SageMaker describes one that is in force."""
    reserved = {"AvailabilityZone": zone, "InstanceType": kind, "TotalInstanceCount": count}
    known = {"Status": "Active", "AvailableInstanceCount": count, "TargetResources": ["hyperpod-cluster"]}
    return {**known, "ReservedCapacitySummaries": [reserved], **(other or {})}


def request(*groups: dict[str, Any], **other: object) -> dict[str, Any]:
    return {"tag": "t1", "hyperpod": {"availability_zone": "us-west-2a", "instance_groups": [*groups], **other}}


def create(edge: Edge, *groups: dict[str, Any], **other: object) -> Answer:
    return edge.send("POST", "/api/clusters", request(*groups, **other))


def refused(answer: Answer, status: int, code: str, cause: str, field: str) -> dict[str, Any]:
    """Check a refusal and give the error of the field."""
    body = answer.body
    assert (answer.status, body["code"], body["cause"]["code"]) == (status, code, cause), body
    assert body["remedy"]
    assert not cluster_records()
    return next(error for error in body["errors"] if error["field"] == f"hyperpod.{field}")


def found(answer: Answer, check: str) -> list[dict[str, Any]]:
    """The findings of a check in an accepted operation."""
    assert answer.status == 202, answer.body
    return [finding for finding in answer.body["findings"] if finding["check"] == check]


@pytest.mark.case(14)
def test_a_type_that_the_zone_does_not_offer_is_refused_with_the_zones_that_do(edge: Edge) -> None:
    edge.surroundings.offerings["p5.48xlarge"] = ["us-west-2c", "us-west-2b"]
    error = refused(
        create(edge, GPU), 400, "invalid_request", "INSTANCE_TYPE_OFFERING", "instance_groups[0].availability_zone"
    )
    assert error["allowed"] == ["us-west-2b", "us-west-2c"]
    assert create(edge, GPU | {"availability_zone": "us-west-2b"}).status == 202


@pytest.mark.case(14)
def test_a_type_that_ec2_does_not_list_is_a_warning(edge: Edge) -> None:
    del edge.surroundings.offerings["p5.48xlarge"]
    [finding] = found(create(edge, GPU), "instance_type_offering")
    assert (finding["level"], finding["resource"]) == ("warning", P5)


def test_of_several_types_one_that_the_zone_offers_is_enough(edge: Edge) -> None:
    edge.surroundings.offerings["p5.48xlarge"] = ["us-west-2c"]
    group = {"name": "gpu", "instance_types": [P5, P4], "instance_count": 1}
    [finding] = found(create(edge, group), "instance_type_offering")
    assert (finding["level"], finding["resource"]) == ("warning", P5)
    edge.surroundings.offerings["p4d.24xlarge"] = ["us-west-2c"]
    assert create(edge, group).status == 400


@pytest.mark.case(15)
def test_a_plan_in_another_zone_than_the_groups_is_refused_with_both_named(edge: Edge) -> None:
    edge.surroundings.plans[f"{PLANS}tp1"] = plan()
    group = GPU | {"training_plan_arn": f"{PLANS}tp1", "availability_zone": "us-west-2a"}
    error = refused(create(edge, group), 409, "conflict", "TRAINING_PLAN_ZONE", "instance_groups[0].availability_zone")
    assert error["allowed"] == ["us-west-2c"]
    assert "us-west-2a" in error["message"]
    assert "us-west-2c" in error["message"]


@pytest.mark.case(15)
def test_a_group_without_a_zone_goes_where_its_plan_is(edge: Edge) -> None:
    edge.surroundings.plans[f"{PLANS}tp1"] = plan()
    other = {"name": "other", "instance_type": P4, "instance_count": 1}
    answer = create(edge, GPU | {"training_plan_arn": f"{PLANS}tp1"}, other)
    groups = answer.body["request"]["hyperpod"]["instance_groups"]
    assert [(group["capacity_type"], group["availability_zone"]) for group in groups] == [
        ("training_plan", "us-west-2c"),
        ("on_demand", None),
    ]
    subnets = [name for _, name in stages_of(answer.body["operation_id"]) if name.startswith("compute_subnet")]
    assert subnets == ["compute_subnet:us-west-2c", "compute_subnet:us-west-2a"]


@pytest.mark.case(16)
def test_each_group_is_judged_by_its_own_plan(edge: Edge) -> None:
    edge.surroundings.plans = {f"{PLANS}tp1": plan(), f"{PLANS}tp2": plan(P4, "us-west-2b")}
    a = {"name": "a", "instance_type": P5, "instance_count": 1, "training_plan_arn": f"{PLANS}tp1"}
    b = {"name": "b", "instance_type": P4, "instance_count": 1, "training_plan_arn": f"{PLANS}tp2"}
    wrong = create(edge, a, b | {"training_plan_arn": f"{PLANS}tp1"})
    error = refused(wrong, 400, "invalid_request", "TRAINING_PLAN_INSTANCE_TYPE", "instance_groups[1].instance_type")
    assert error["allowed"] == [P5]
    assert create(edge, a, b).status == 202


def test_groups_that_share_a_plan_are_counted_together(edge: Edge) -> None:
    edge.surroundings.plans[f"{PLANS}tp1"] = plan(count=3)
    group = GPU | {"training_plan_arn": f"{PLANS}tp1"}
    answer = create(edge, group, group | {"name": "more"})
    refused(answer, 409, "conflict", "TRAINING_PLAN_COUNT", "instance_groups[1].instance_count")
    assert create(edge, group).status == 202


@pytest.mark.parametrize(
    ("change", "status", "cause"),
    [
        ({"Status": "Expired"}, 409, "TRAINING_PLAN_STATUS"),
        ({"Status": "Failed"}, 409, "TRAINING_PLAN_STATUS"),
        ({"TargetResources": ["training-job"]}, 400, "TRAINING_PLAN_TARGET"),
    ],
)
def test_a_plan_that_is_over_or_for_something_else_is_refused(
    edge: Edge, change: dict[str, Any], status: int, cause: str
) -> None:
    edge.surroundings.plans[f"{PLANS}tp1"] = plan(other=change)
    answer = create(edge, GPU | {"training_plan_arn": f"{PLANS}tp1"})
    code = "conflict" if status == 409 else "invalid_request"
    refused(answer, status, code, cause, "instance_groups[0].training_plan_arn")


def test_a_plan_that_does_not_exist_is_refused(edge: Edge) -> None:
    answer = create(edge, GPU | {"training_plan_arn": f"{PLANS}none"})
    refused(answer, 400, "invalid_request", "TRAINING_PLAN_UNKNOWN", "instance_groups[0].training_plan_arn")


def test_a_plan_that_has_not_begun_is_a_warning(edge: Edge) -> None:
    edge.surroundings.plans[f"{PLANS}tp1"] = plan(other={"Status": "Scheduled"})
    [finding] = found(create(edge, GPU | {"training_plan_arn": f"{PLANS}tp1"}), "training_plan_status")
    assert finding["level"] == "warning"


@pytest.mark.case(15)
def test_without_an_answer_about_a_plan_its_zone_has_to_be_named(edge: Edge) -> None:
    edge.surroundings.failing["DescribeTrainingPlan"] = SILENCE
    group = GPU | {"training_plan_arn": f"{PLANS}tp1"}
    answer = create(edge, group)
    assert (answer.status, answer.body["code"], answer.body["retryable"]) == (503, "unavailable", True)
    assert not cluster_records()
    named = create(edge, group | {"availability_zone": "us-west-2a"})
    assert [finding["level"] for finding in found(named, "training_plan")] == ["warning"]


@pytest.mark.case(24)
def test_a_quota_of_nothing_is_refused_with_its_name_its_code_and_the_numbers(edge: Edge) -> None:
    name = f"{P4} for cluster usage"
    edge.surroundings.quotas[name] = 0
    answer = create(edge, GPU | {"instance_type": P4})
    error = refused(answer, 409, "quota_exceeded", "CLUSTER_USAGE_QUOTA", "instance_groups[0].instance_count")
    assert answer.body["cause"]["resource"] == "L-47E0BC8F"
    assert error["message"] == f"the quota '{name}' (L-47E0BC8F) is 0, in use are 0, asked for are 2"


@pytest.mark.case(24)
def test_groups_of_one_type_count_together_and_with_what_runs(edge: Edge) -> None:
    one = {"name": "a", "instance_type": P4, "instance_count": 1}
    edge.surroundings.quotas[f"{P4} for cluster usage"] = 1
    together = create(edge, one, one | {"name": "b"})
    assert (together.status, len(together.body["errors"])) == (409, 2)
    edge.surroundings.clusters["other"] = [{"InstanceType": P4, "TargetCount": 1, "CurrentCount": 0}]
    alone = create(edge, one)
    assert "in use are 1" in alone.body["errors"][0]["message"]
    # Spot instances have a quota of their own.
    assert create(edge, one | {"capacity_type": "spot"}).status == 202


@pytest.mark.case(24)
@pytest.mark.parametrize("code", ["2CE978FC", "3308CCC7", "97A2C724"], ids=["cluster", "account", "Spot"])
def test_all_instances_together_have_quotas_too(edge: Edge, code: str) -> None:
    edge.surroundings.quotas[code] = 3
    spot = {"name": "a", "instance_type": P4, "instance_count": 2, "capacity_type": "spot"}
    assert create(edge, spot | {"instance_count": 3}).status == 202
    answer = create(edge, spot, spot | {"name": "b", "instance_type": P5})
    assert (answer.status, answer.body["cause"]["resource"]) == (409, f"L-{code}")


@pytest.mark.case(24)
def test_a_cluster_that_an_earlier_attempt_left_does_not_count_against_itself(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    edge.surroundings.quotas[f"{P4} for cluster usage"] = 1
    edge.surroundings.clusters["hp-cluster-t1"] = [{"InstanceType": P4, "TargetCount": 1, "CurrentCount": 0}]
    body = {"availability_zone": "us-west-2a", "instance_groups": [GPU | {"instance_type": P4, "instance_count": 1}]}
    assert edge.send("POST", "/api/clusters/t1/hyperpod", body).status == 202


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
    answer = create(edge, group)
    error = refused(answer, 409, "conflict", "EFA_SECURITY_GROUP", "instance_groups[0].security_group_ids")
    assert answer.body["cause"]["resource"] == "sg-0123456789abcdef0"
    assert "inbound: all traffic from itself" in error["message"]
    assert "outbound" not in error["message"]
    # A type without EFA does not need the rule.
    assert create(edge, group | {"instance_type": "ml.g6.4xlarge"}).status == 202


@pytest.mark.case(13)
@pytest.mark.parametrize(("inbound", "outbound", "status"), [(True, True, 202), (True, False, 409)])
def test_efa_needs_both_directions(edge: Edge, inbound: bool, outbound: bool, status: int) -> None:
    edge.surroundings.security_groups = [security_group("sg-01234567", inbound=inbound, outbound=outbound)]
    assert create(edge, GPU | {"security_group_ids": ["sg-01234567"]}).status == status


def test_a_security_group_that_does_not_exist_is_refused(edge: Edge) -> None:
    answer = create(edge, GPU | {"security_group_ids": ["sg-01234567"]})
    refused(answer, 409, "conflict", "EFA_SECURITY_GROUP", "instance_groups[0].security_group_ids")


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
    assert [finding["level"] for finding in found(create(edge, *groups), "system_group")] == ["info"] * suggested


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
    edge.surroundings.offerings.clear()
    edge.surroundings.quotas[f"{P5} for cluster usage"] = 0
    with edge.account.counted() as calls:
        answer = create(edge, GPU)
    assert [finding["level"] for finding in found(answer, "instance_type_offering")] == ["warning"]
    assert [finding["message"][:9] for finding in found(answer, "cluster_usage_quota")] == ["unchecked"]
    # Who was not answered once does not ask again: the caller waits.
    assert "ListServiceQuotas" not in calls


def test_a_check_that_aws_denies_leaves_the_others(edge: Edge) -> None:
    operation = "DescribeInstanceTypeOfferings"
    denied = ClientError({"Error": {"Code": "UnauthorizedOperation", "Message": "no"}}, operation)
    edge.surroundings.failing[operation] = denied
    edge.surroundings.quotas[f"{P5} for cluster usage"] = 0
    refused(create(edge, GPU), 409, "quota_exceeded", "CLUSTER_USAGE_QUOTA", "instance_groups[0].instance_count")
