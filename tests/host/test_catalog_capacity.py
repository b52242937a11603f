"""What the catalog says of training plans, of those that could be bought, and of quotas with their use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.local.faults import Kind
from tests.host.catalog import ROOT, asked, refused, unknown_parts, without
from tests.host.driver import Driver

P5 = "ml.p5.48xlarge"
GPU = "ml.g6.4xlarge"


def test_plans_tell_their_window_zone_and_instances_page_by_page(driver: Driver) -> None:
    host = driver.host
    conditions, now = host.world.hyperpod.conditions, host.clock.now().replace(microsecond=0)
    conditions.make_training_plan("now", P5, 4, "us-west-2b", starts_at=now, hours=48)
    conditions.make_training_plan("later", P5, 2, "us-west-2c", starts_at=now + timedelta(days=3), hours=24)
    # The first page that goes on reads the key that signs its token, once while the function is warm.
    driver.get(f"{ROOT}/training_plans?limit=1")
    body, calls = asked(driver, "training_plans?limit=1")
    assert (calls, body["source"], body["unknown"]) == ({"ListTrainingPlans": 1}, "run_time", [])
    assert [plan["name"] for plan in body["training_plans"]] == ["later"]
    second, _ = asked(driver, f"training_plans?limit=1&next_token={body['next_token']}")
    [plan] = second["training_plans"]
    members = ("name", "status", "total_instances", "in_use_instances", "available_instances", "targets")
    assert [plan[member] for member in members] == ["now", "Active", 4, 0, 4, ["hyperpod-cluster"]]
    assert plan["arn"].endswith(":training-plan/now")
    [capacity] = plan["capacities"]
    placed = ("instance_type", "instances", "availability_zone", "availability_zone_id")
    assert [capacity[member] for member in placed] == [P5, 4, "us-west-2b", "usw2-az1"]
    ends = now + timedelta(hours=48)
    assert [plan["ends_at"], plan["instances_end_at"]] == [written(ends), written(ends - timedelta(hours=1))]
    assert second["next_token"] is None


def written(moment: datetime) -> str:
    """A moment as answers write it."""
    return moment.isoformat().replace("+00:00", "Z")


def test_plans_are_chosen_by_a_status_that_exists(driver: Driver) -> None:
    driver.host.world.hyperpod.conditions.make_training_plan("now", P5, 4, "us-west-2b")
    assert asked(driver, "training_plans?status=Expired")[0]["training_plans"] == []
    assert len(asked(driver, "training_plans?status=Active")[0]["training_plans"]) == 1
    status, field, allowed = refused(driver, "training_plans?status=Ready")
    assert (status, field, allowed) == (400, "status", ["Pending", "Active", "Scheduled", "Expired", "Failed"])


def test_plans_that_could_be_bought_are_searched_by_type_count_length_and_start(driver: Driver) -> None:
    conditions, now = driver.host.world.hyperpod.conditions, driver.host.clock.now()
    late = conditions.offer_training_plan(
        P5, 4, "us-west-2b", starts_at=now + timedelta(days=2), hours=48, fee="2000.00"
    )
    soon = conditions.offer_training_plan(P5, 4, "us-west-2c", starts_at=now + timedelta(hours=2), hours=24)
    path = f"training_plan_offerings?instance_type={P5}&instance_count=4"
    body, calls = asked(driver, path)
    assert calls == {"SearchTrainingPlanOfferings": 1}
    found = body["training_plan_offerings"]
    assert [each["offering_id"] for each in found] == [soon, late]
    assert [each["capacities"][0]["availability_zone"] for each in found] == ["us-west-2c", "us-west-2b"]
    assert [(each["upfront_fee"], each["currency"], each["duration_hours"]) for each in found] == [
        ("1000.00", "USD", 24),
        ("2000.00", "USD", 48),
    ]

    def chosen(query: str) -> list[str]:
        return [each["offering_id"] for each in asked(driver, f"{path}&{query}")[0]["training_plan_offerings"]]

    assert chosen("duration_hours=48") == [late]
    assert chosen(f"starts_after={written(now + timedelta(days=1))}") == [late]
    assert asked(driver, f"training_plan_offerings?instance_type={P5}&instance_count=8")[0] == {
        "source": "run_time",
        "unknown": [],
        "training_plan_offerings": [],
    }


def test_a_type_that_no_plan_reserves_is_refused_with_those_that_are(driver: Driver) -> None:
    status, field, allowed = refused(driver, f"training_plan_offerings?instance_type={GPU}")
    assert (status, field, P5 in (allowed or [])) == (400, "instance_type", True)
    assert refused(driver, f"training_plan_offerings?instance_type={P5}&starts_after=2026-03-01T00:00:00")[:2] == (
        400,
        "starts_after",
    )


@pytest.mark.parametrize("kind", [Kind.DENY, Kind.HANG])
def test_plans_that_sagemaker_does_not_tell_are_unknown_and_not_none(driver: Driver, kind: Kind) -> None:
    plans = without(driver, "sagemaker", "ListTrainingPlans", "training_plans", kind)
    assert (plans["training_plans"], unknown_parts(plans)) == (None, ["training_plans"])
    path = f"training_plan_offerings?instance_type={P5}"
    offers = without(driver, "sagemaker", "SearchTrainingPlanOfferings", path, kind)
    assert (offers["training_plan_offerings"], unknown_parts(offers)) == (None, ["training_plan_offerings"])


def of_quotas(body: dict[str, Any]) -> dict[str, tuple[float | None, int | None, int | None]]:
    """Value, use and rest by the names of quotas."""
    return {quota["name"]: (quota["value"], quota["used"], quota["available"]) for quota in body["quotas"]}


@pytest.mark.case(24)
@pytest.mark.case(6)
def test_quotas_are_told_with_their_use_before_anything_is_made(driver_of_ready: Driver) -> None:
    host = driver_of_ready.host
    host.world.hyperpod.conditions.set_quota(f"{GPU} for cluster usage", 1)
    host.world.hyperpod.conditions.set_quota("ml.p4d.24xlarge for cluster usage", 0)
    path = f"quotas?instance_types={GPU},ml.p4d.24xlarge"
    body, _ = asked(driver_of_ready, path)
    assert body["unknown"] == []
    found = of_quotas(body)
    interfaces = len(host.client("ec2").describe_network_interfaces()["NetworkInterfaces"])
    assert {name: numbers for name, numbers in found.items() if "spot" not in name} == {
        f"{GPU} for cluster usage": (1, 1, 0),
        "ml.p4d.24xlarge for cluster usage": (0, 0, 0),
        "Maximum number of instances allowed per SageMaker HyperPod cluster": (6_758, None, None),
        "Total number of instances allowed across SageMaker HyperPod clusters": (10_000, 1, 9_999),
        "Total number of Spot instances allowed across SageMaker HyperPod clusters": (1_000, 0, 1_000),
        # The region's default VPC, and the cluster's; its NAT gateway has the one address.
        "VPCs per Region": (5, 2, 3),
        "EC2-VPC Elastic IPs": (5, 1, 4),
        "Network interfaces per Region": (5_000, interfaces, 5_000 - interfaces),
    }
    codes = {quota["name"]: (quota["service"], quota["code"]) for quota in body["quotas"]}
    assert codes["ml.p4d.24xlarge for cluster usage"] == ("sagemaker", "L-47E0BC8F")
    assert codes["VPCs per Region"] == ("vpc", "L-F678F1CE")
    # What is known of names stays known; a value is read each time, and each HyperPod cluster once.
    assert asked(driver_of_ready, path)[1] == {
        "GetServiceQuota": 4 + 3 + 3,
        "ListClusters": 1,
        "DescribeCluster": 1,
        "DescribeVpcs": 1,
        "DescribeAddresses": 1,
        "DescribeNetworkInterfaces": 1,
    }


def test_a_quota_that_is_reached_has_nothing_left(driver_of_ready: Driver) -> None:
    driver_of_ready.host.world.quotas.set_quota("VPCs per Region", 1)
    assert of_quotas(asked(driver_of_ready, "quotas")[0])["VPCs per Region"] == (1, 2, 0)


@pytest.mark.parametrize(
    ("service", "operation", "part", "name"),
    [
        ("sagemaker", "ListClusters", "quotas.sagemaker.used", f"{GPU} for cluster usage"),
        ("ec2", "DescribeVpcs", "quotas.vpcs.used", "VPCs per Region"),
        ("ec2", "DescribeAddresses", "quotas.elastic_ips.used", "EC2-VPC Elastic IPs"),
    ],
)
def test_a_use_that_aws_does_not_tell_is_unknown_and_not_zero(
    driver_of_ready: Driver, service: str, operation: str, part: str, name: str
) -> None:
    body = without(driver_of_ready, service, operation, f"quotas?instance_types={GPU}")
    value, used, available = of_quotas(body)[name]
    assert (value is not None, used, available, unknown_parts(body)) == (True, None, None, [part])
    assert operation in body["unknown"][0]["remedy"]


def test_values_that_service_quotas_does_not_tell_are_unknown(driver_of_ready: Driver) -> None:
    path = f"quotas?instance_types={GPU}"
    body = without(driver_of_ready, "service-quotas", "GetServiceQuota", path, Kind.THROTTLE)
    assert {value for value, _, _ in of_quotas(body).values()} == {None}
    values = ("vpc", "ec2", "sagemaker", "cluster_usage")
    assert unknown_parts(body) == [f"quotas.{part}.value" for part in values]
    assert of_quotas(body)["VPCs per Region"] == (None, 2, None)
