"""What is said about the type, plan and quota of the capacity a request asks for, before anything is made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.component.test_http_capacity_support import GPU, P4, P5, SILENCE, create, found, refused
from tests.component.test_http_support import Edge, account, edge, stages_of, standing
from tests.component.test_ledger_support import cluster_records

__all__ = ["account", "edge"]

PLANS = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/"


def plan(
    kind: str = P5, zone: str = "us-west-2c", count: int = 4, other: dict[str, object] | None = None
) -> dict[str, object]:
    """A training plan as SageMaker describes one that is in force."""
    reserved = {"AvailabilityZone": zone, "InstanceType": kind, "TotalInstanceCount": count}
    known = {"Status": "Active", "AvailableInstanceCount": count, "TargetResources": ["hyperpod-cluster"]}
    return {**known, "ReservedCapacitySummaries": [reserved], **(other or {})}


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
    edge.surroundings.clusters["hp-cluster-t1"] = [
        {"InstanceGroupName": "gpu", "InstanceType": P4, "TargetCount": 1, "CurrentCount": 0}
    ]
    body = {"availability_zone": "us-west-2a", "instance_groups": [GPU | {"instance_type": P4, "instance_count": 1}]}
    assert edge.send("POST", "/api/clusters/t1/hyperpod", body).status == 202
