"""What is found at the edge about a request to create something, all of it at once, before anything is made."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from functions.clusters.preflight.stages import facts
from functions.core import runtime
from tests.component.test_http_capacity_support import GPU, P4, P5, create, found, request
from tests.component.test_http_support import ZONES, Answer, Edge, account, edge, standing
from tests.component.test_ledger_support import ACCOUNT, cluster_records

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.clusters.preflight.models import StackFound, Target
    from functions.core.runtime import Patience

__all__ = ["account", "edge"]

FOREIGN = {"team": "billing"}
OURS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}
TEMPLATE = json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}})
BUCKET = f"sagemaker-t1-{ACCOUNT}-us-west-2"
ROLE = "instantstart-t1-us-west-2-execution"
PLANS = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:training-plan/"


def foundation(edge: Edge, **members: object) -> Answer:
    return edge.send("POST", "/api/clusters", {"tag": "t1", "foundation": members})


def dry_run(edge: Edge, body: object) -> list[dict[str, Any]]:
    """The findings of a request that is only tried."""
    answer = edge.send("POST", "/api/clusters", body, query="dry_run=true")
    assert answer.status == 200, answer.body
    findings: list[dict[str, Any]] = answer.body["findings"]
    return findings


def blamed(answer: Answer) -> dict[str, Any]:
    """The one error of a refusal that says what is in the way, after which there is no cluster."""
    assert not cluster_records()
    [error] = answer.body["errors"]
    return {**error, "status": answer.status, "code": answer.body["code"], "remedy": answer.body["remedy"]}


def make_vpcs(count: int) -> None:
    for number in range(count):
        runtime.client("ec2").create_vpc(CidrBlock=f"10.{number}.0.0/16")


def make_addresses(count: int) -> None:
    for _ in range(count):
        runtime.client("ec2").allocate_address(Domain="vpc")


@pytest.mark.case(6)
@pytest.mark.parametrize(
    ("make", "used", "code"),
    [
        # moto's region has its default VPC from the start.
        (lambda: make_vpcs(4), "5 of 5 VPCs", "L-F678F1CE"),
        (lambda: make_addresses(5), "5 of 5 Elastic IP addresses", "L-0263D0A3"),
    ],
    ids=["VPC", "Elastic IP"],
)
def test_a_network_that_the_quota_leaves_no_room_for_is_refused_before_its_stack(
    edge: Edge, make: Callable[[], None], used: str, code: str
) -> None:
    make()
    answer = foundation(edge)
    error = blamed(answer)
    assert (error["status"], error["code"], error["field"]) == (409, "quota_exceeded", "foundation.vpc_id")
    assert answer.body["cause"]["resource"] == code
    assert used in error["message"]
    assert "increase" in error["remedy"]
    assert "foundation.vpc_id" in error["remedy"]


def test_where_everything_may_be_read_nothing_is_left_unchecked(edge: Edge) -> None:
    findings = create(edge, GPU).body["findings"]
    assert [each for each in findings if each["message"].startswith("unchecked")] == []


def test_interfaces_of_nodes_count_against_the_regions_quota(edge: Edge) -> None:
    edge.surroundings.quotas["Network interfaces per Region"] = 66
    answer = create(edge, GPU)
    assert (answer.status, answer.body["cause"]["resource"]) == (409, "L-DF5E4CA3")
    assert "needs 67 more" in answer.body["detail"], "32 of each node, three of the foundation"
    edge.surroundings.quotas["Network interfaces per Region"] = 67
    assert create(edge, GPU).status == 202


def make_stack(tags: dict[str, str]) -> None:
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    runtime.client("cloudformation").create_stack(StackName="instantstart-t1", TemplateBody=TEMPLATE, Tags=listed)  # type: ignore[arg-type]  # a tag is such a dict


def make_role() -> None:
    runtime.client("iam").create_role(RoleName=ROLE, AssumeRolePolicyDocument="{}", Path="/")


def make_bucket(tags: dict[str, str]) -> None:
    where = {"LocationConstraint": "us-west-2"}
    runtime.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)  # type: ignore[arg-type]  # as EC2's
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    runtime.client("s3").put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": listed})  # type: ignore[typeddict-item]  # as above


def test_a_stack_that_comes_while_one_looks_is_seen_before_what_it_makes(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_stack(OURS)
    make_role()
    look, looks = facts._stack, list[str]()

    def too_early_at_first(target: Target, patience: Patience) -> StackFound | None:
        looks.append(target.tag)
        return None if len(looks) == 1 else look(target, patience)

    monkeypatch.setattr(facts, "_stack", too_early_at_first)
    found = [each for each in dry_run(edge, {"tag": "t1"}) if each["check"] == "leftover"]
    assert (looks, [(each["level"], ROLE in each["message"]) for each in found]) == (["t1"] * 2, [("info", False)])


def test_what_another_creation_of_the_tag_makes_at_this_moment_is_not_advised_to_be_deleted(edge: Edge) -> None:
    first = foundation(edge)
    assert first.status == 202, first.body
    # Its stack was not there yet when the second request looked, and its role was a moment later.
    make_role()
    second = foundation(edge)
    assert (second.status, second.body["code"]) == (409, "operation_in_progress"), second.body
    assert second.body["operation_id"] == first.body["operation_id"]
    # What is wrong in itself is told as that.
    assert foundation(edge, control_plane_zones=["us-west-2a", "eu-west-1b"]).status == 400


@pytest.mark.case(11)
@pytest.mark.parametrize(
    ("make", "named", "advised"),
    [
        (lambda: make_stack(FOREIGN), "a stack named instantstart-t1", "under another tag"),
        (make_role, f"an IAM role named {ROLE}", "Create the cluster under another tag"),
        (
            lambda: make_bucket(FOREIGN),
            f"an S3 bucket named {BUCKET} exists that is not",
            "foundation.bucket",
        ),
    ],
    ids=["stack", "role", "bucket"],
)
def test_what_somebody_left_under_a_name_of_ours_is_named_and_never_touched(
    edge: Edge, make: Callable[[], None], named: str, advised: str
) -> None:
    make()
    error = blamed(foundation(edge))
    assert (error["status"], error["code"], error["field"]) == (409, "conflict", "tag")
    assert named in error["message"]
    assert advised in error["remedy"]


def test_a_bucket_that_a_deletion_kept_is_taken_into_use_again_and_previewed_so(edge: Edge) -> None:
    make_bucket(OURS)
    previewed = edge.send("POST", "/api/clusters", {"tag": "t1"}, query="dry_run=true").body["preview"]
    buckets = [(each["action"], each["name"]) for each in previewed["changes"] if each["resource"] == "S3 bucket"]
    assert buckets == [("adopt", BUCKET)]
    # The data may be of people who are in no group of the new cluster.
    refused = edge.send("POST", "/api/clusters", {"tag": "t1"}, scopes=("read", "operate"))
    assert (refused.status, refused.body["code"], refused.fields) == (403, "forbidden", ["tag"])
    answer = foundation(edge)
    assert answer.status == 202
    assert [(each["level"], each["resource"]) for each in found(answer, "leftover")] == [("info", BUCKET)]


@pytest.mark.case(11)
def test_a_stack_of_this_cluster_is_adopted_with_all_that_it_made(edge: Edge) -> None:
    make_stack(OURS)
    previewed = edge.send("POST", "/api/clusters", {"tag": "t1"}, query="dry_run=true").body["preview"]
    assert {each["action"] for each in previewed["changes"]} == {"adopt"}
    make_role()
    with edge.account.counted() as calls:
        answer = foundation(edge)
    assert [(each["level"], "adopted" in each["message"]) for each in found(answer, "leftover")] == [("info", True)]
    assert "GetRole" not in calls


def test_a_preview_is_outdated_by_a_stack_that_came_after_it(edge: Edge) -> None:
    body = {"tag": "t1"}
    digest = edge.send("POST", "/api/clusters", body, query="dry_run=true").body["preview"]["digest"]
    make_stack(OURS)
    answer = edge.send("POST", "/api/clusters", body, query=f"confirm={digest}")
    assert (answer.status, answer.body["code"]) == (409, "preview_outdated")
    digest = edge.send("POST", "/api/clusters", body, query="dry_run=true").body["preview"]["digest"]
    assert edge.send("POST", "/api/clusters", body, query=f"confirm={digest}").status == 202


@pytest.mark.case(11)
def test_a_bucket_of_another_account_takes_its_name_in_the_whole_world(edge: Edge) -> None:
    closed = {"Error": {"Code": "403", "Message": "Forbidden"}, "ResponseMetadata": {"HTTPStatusCode": 403}}
    edge.surroundings.answer(edge.account, "s3.HeadBucket", lambda _: closed)
    error = blamed(foundation(edge))
    assert (error["status"], error["field"]) == (409, "tag")
    assert f"{BUCKET} exists, of another account or region" in error["message"]


@pytest.mark.case(11)
def test_a_hyperpod_cluster_of_the_name_is_adopted_only_with_the_groups_that_are_asked_for(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady", "DependenciesReady")
    known = {"InstanceGroupName": "gpu", "InstanceType": P5, "TargetCount": 2, "CurrentCount": 2}
    edge.surroundings.clusters["hp-cluster-t1"] = [known | {"TargetCount": 3}]
    answer = edge.send("POST", "/api/clusters/t1/hyperpod", request(GPU)["hyperpod"])
    assert (answer.status, answer.body["cause"]["code"], answer.fields) == (409, "LEFTOVER", ["instance_groups"])
    edge.surroundings.clusters["hp-cluster-t1"] = [known]
    answer = edge.send("POST", "/api/clusters/t1/hyperpod", request(GPU)["hyperpod"])
    assert [each["level"] for each in found(answer, "leftover")] == ["info"]


def offer_versions(edge: Edge, *versions: str) -> None:
    listed = {"clusterVersions": [{"clusterVersion": version} for version in versions]}
    edge.surroundings.answer(edge.account, "eks.DescribeClusterVersions", lambda _: listed)


def test_a_kubernetes_version_is_checked_and_kept(edge: Edge) -> None:
    offer_versions(edge, "1.31", "1.33", "1.35")
    error = blamed(foundation(edge, kubernetes_version="1.35"))
    assert (error["status"], error["field"]) == (400, "foundation.kubernetes_version")
    assert error["allowed"] == ["1.31", "1.33"]
    assert foundation(edge, kubernetes_version="newest").fields == ["foundation.kubernetes_version"]
    assert foundation(edge, kubernetes_version="1.31").status == 202
    assert edge.send("GET", "/api/clusters/t1").body["spec"]["kubernetes_version"] == "1.31"


def everything_wrong(edge: Edge) -> dict[str, Any]:
    """A request that has something wrong with everything that is looked at."""
    edge.surroundings.quotas[f"{P4} for cluster usage"] = 0
    edge.surroundings.offerings["p5.48xlarge"] = ["us-west-2c"]
    edge.surroundings.plans[f"{PLANS}tp1"] = {"Status": "Expired", "TargetResources": ["hyperpod-cluster"]}
    make_vpcs(4)
    make_role()
    return request(
        GPU | {"instance_count": 60},
        {"name": "small", "instance_type": P4, "instance_count": 1, "availability_zone": "us-west-2z"},
        {"name": "plan", "instance_type": P5, "instance_count": 1, "training_plan_arn": f"{PLANS}tp1"},
        {"name": "efa", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "network_interface": "efa_only"},
    )


def test_everything_that_is_wrong_is_told_at_once_with_field_and_remedy(edge: Edge) -> None:
    body = everything_wrong(edge)
    errors = [finding for finding in dry_run(edge, body) if finding["level"] == "error"]
    groups = "hyperpod.instance_groups"
    assert {(error["check"], error["field"]) for error in errors} == {
        ("zone", f"{groups}[1].availability_zone"),
        ("instance_type_offering", f"{groups}[0].availability_zone"),
        ("network_interface", f"{groups}[3].network_interface"),
        ("subnet_ip_shortage", f"{groups}[0].instance_count"),
        ("subnet_ip_shortage", f"{groups}[2].instance_count"),
        ("subnet_ip_shortage", f"{groups}[3].instance_count"),
        ("cluster_usage_quota", f"{groups}[1].instance_count"),
        ("training_plan_status", f"{groups}[2].training_plan_arn"),
        ("training_plan_instance_type", f"{groups}[2].instance_type"),
        ("network_quota", "foundation.vpc_id"),
        ("leftover", "tag"),
    }
    assert all(error["remedy"] for error in errors)
    # In earnest the same request is refused with all of them, first of what only another request puts right.
    refused = edge.send("POST", "/api/clusters", body)
    assert (refused.status, refused.body["code"]) == (400, "invalid_request")
    assert Counter(refused.fields) == Counter(error["field"] for error in errors)
    assert not cluster_records()


def test_groups_cost_no_further_calls_and_each_distinct_plan_one(edge: Edge) -> None:
    def calls(*groups: dict[str, Any]) -> dict[str, int]:
        with edge.account.counted() as made:
            dry_run(edge, request(*groups))
        return dict(Counter(made))

    group = GPU | {"instance_count": 1}
    calls(group)  # The codes of quotas are learnt once.
    one = calls(group)
    assert calls(*(group | {"name": f"g{number}"} for number in range(20))) == one
    plans = [group | {"name": f"p{number}", "training_plan_arn": f"{PLANS}tp{number % 2}"} for number in range(6)]
    assert calls(group, *plans) == one | {"DescribeTrainingPlan": 2}
    assert calls(group, group | {"name": "other", "instance_type": P4}) == one | {
        "GetServiceQuota": one["GetServiceQuota"] + 1
    }


@pytest.mark.case(71)
def test_checks_that_take_longer_than_a_caller_waits_are_left_to_the_operation(edge: Edge) -> None:
    edge.surroundings.clusters = {f"c{number}": [] for number in range(30)}
    edge.surroundings.seconds["DescribeCluster"] = 1
    with edge.account.counted() as calls:
        answer = create(edge, GPU)
    assert [each["message"] for each in found(answer, "cluster_usage_quota")] == [
        "unchecked: there was no time left for it"
    ]
    assert Counter(calls)["DescribeCluster"] < 12
    assert answer.body["stages"][0]["name"] == "preflight"


def test_a_tag_that_is_taken_changes_nothing_of_its_cluster(edge: Edge) -> None:
    first = edge.create("t1", key="k1")
    before = cluster_records()
    other = {"tag": "t1", "hyperpod": {**request(GPU)["hyperpod"], "availability_zone": ZONES[1]}, "storage": None}
    answer = edge.send("POST", "/api/clusters", other, key="k2")
    assert (answer.status, answer.body["operation_id"]) == (409, first.body["operation_id"])
    assert cluster_records() == before
    assert edge.send("POST", "/api/clusters", other, key="k1").status == 422
    # The same key and request is the same operation.
    assert edge.create("t1", key="k1").body["operation_id"] == first.body["operation_id"]
    assert cluster_records() == before


def test_spot_and_a_training_plan_exclude_each_other_and_a_plan_is_looked_up(edge: Edge) -> None:
    group = GPU | {"training_plan_arn": f"{PLANS}tp1"}
    answer = create(edge, group | {"capacity_type": "spot"})
    assert (answer.status, answer.fields) == (400, ["hyperpod.instance_groups[0].training_plan_arn"])
    with edge.account.counted() as calls:
        assert create(edge, group).status == 400
    assert "DescribeTrainingPlan" in calls


@pytest.mark.case(15)
@pytest.mark.parametrize(("hours", "level"), [(1.0, "error"), (1.5, None)])
def test_a_plan_in_its_last_hour_is_refused(edge: Edge, hours: float, level: str | None) -> None:
    reserved = {"AvailabilityZone": "us-west-2a", "InstanceType": P5, "TotalInstanceCount": 2}
    edge.surroundings.plans[f"{PLANS}tp1"] = {
        "Status": "Active",
        "AvailableInstanceCount": 2,
        "TargetResources": ["hyperpod-cluster"],
        "ReservedCapacitySummaries": [reserved],
        "EndTime": edge.account.clock.now() + timedelta(hours=hours),
    }
    findings = dry_run(edge, request(GPU | {"training_plan_arn": f"{PLANS}tp1"}))
    assert [each["level"] for each in findings if each["check"] == "training_plan_window"] == ([level] if level else [])


def test_no_call_of_a_check_begins_once_the_time_is_over(edge: Edge) -> None:
    edge.surroundings.seconds["DescribeTrainingPlan"] = 3
    plan = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/p"
    one = {"instance_type": "ml.p5.48xlarge", "instance_count": 1, "availability_zone": "us-west-2a"}
    groups = [one | {"name": f"g{number}", "training_plan_arn": f"{plan}{number}"} for number in range(20)]
    with edge.account.counted() as calls:
        answer = create(edge, *groups)
    assert calls.count("DescribeTrainingPlan") == 3, "8 seconds are over after the third"
    assert answer.status == 202, answer.body
