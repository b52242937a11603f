"""Checks that had no answer at the edge: they run again before anything is made, and refuse as the edge would have."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, Json, cluster_request, hyperpod_request, stage_of, statuses

ZONES = (("ec2", "DescribeAvailabilityZones"), ("ec2", "DescribeInstanceTypeOfferings"))
QUOTA = ("service-quotas", "GetServiceQuota")


def hanging(call: tuple[str, str], role: str | None = None) -> Fault:
    return Fault(*call, Kind.HANG, times=999, role=role)


def begun_unchecked(driver: Driver, path: str, body: Json, *calls: tuple[str, str]) -> Json:
    """Begin an operation while calls hang at the edge."""
    with driver.host.faults.planned(*(hanging(call, "function-api") for call in calls)):
        operation = driver.post(path, body)
    assert operation["stages"][0]["name"] == "preflight"
    assert [each for each in operation["findings"] if each["message"].startswith("unchecked: ")]
    return operation


@pytest.mark.case(9)
def test_a_wrong_zone_that_the_edge_could_not_check_is_refused_before_anything_is_made(driver: Driver) -> None:
    wrong = cluster_request("t1", zone="us-west-2z")
    refused = driver.send("POST", "/api/clusters", wrong)
    operation = driver.finish(begun_unchecked(driver, "/api/clusters", wrong, *ZONES)["operation_id"], within=600)
    told = {key: operation["error"][key] for key in ("code", "detail", "remedy")}
    assert told == {key: refused.body[key] for key in told}
    assert said(operation["error"]["errors"]) == refused.body["errors"]
    assert operation["error"]["cause"]["code"] == refused.body["cause"]["code"]
    assert (operation["status"], statuses(operation)["foundation"]) == ("FAILED", "PENDING")
    assert driver.made("t1") == {}
    # A retry looks again, and finds the same.
    assert said(driver.retry(operation["operation_id"])["error"]["errors"]) == refused.body["errors"]


def said(errors: list[Json]) -> list[Json]:
    """What an operation's errors say; an answer leaves out what is null."""
    return [{name: value for name, value in each.items() if value is not None} for each in errors]


def test_what_the_edge_left_open_is_checked_by_the_first_stage_to_the_last_bit(driver: Driver) -> None:
    wanted = cluster_request("t1")
    # Of this type no release knows the code of its quota: it has to be looked for.
    wanted["hyperpod"]["system_group"] = {"instance_type": "ml.c5.4xlarge"}
    begun = begun_unchecked(driver, "/api/clusters", wanted, *ZONES, QUOTA, ("iam", "GetRole"))
    checked = stage_of(driver.until(begun["operation_id"], "foundation"), "preflight")
    assert checked["status"] == "SUCCEEDED"
    assert "unchecked" not in (checked["message"] or "")


@pytest.mark.case(22)
def test_a_subnet_that_the_edge_could_not_see_is_judged_before_the_first_stage(driver_of_prepared: Driver) -> None:
    path, wrong = "/api/clusters/base/hyperpod", hyperpod_request()
    wrong["instance_groups"][0]["subnet_id"] = "subnet-0123456789abcdef0"
    operation = begun_unchecked(driver_of_prepared, path, wrong, ("ec2", "DescribeSubnets"))
    operation = driver_of_prepared.finish(operation["operation_id"], within=600)
    assert [error["field"] for error in operation["error"]["errors"]] == ["instance_groups[0].subnet_id"]
    assert set(statuses(operation).values()) == {"FAILED", "PENDING"}


def test_a_plan_that_the_edge_could_not_see_is_judged_before_the_first_stage(driver_of_prepared: Driver) -> None:
    driver, path, kind = driver_of_prepared, "/api/clusters/base/hyperpod", "ml.p5.48xlarge"
    plan = driver.host.world.hyperpod.conditions.make_training_plan("spring", kind, 1, "us-west-2b", hours=48)
    group = {"name": "gpu", "instance_type": kind, "instance_count": 2, "training_plan_arn": plan}
    wrong = {"availability_zone": "us-west-2b", "instance_groups": [group | {"availability_zone": "us-west-2b"}]}
    refused = driver.send("POST", path, wrong)
    assert refused.status in (400, 409), refused
    operation = begun_unchecked(driver, path, wrong, ("sagemaker", "DescribeTrainingPlan"))
    operation = driver.finish(operation["operation_id"], within=600)
    told = [(error["field"], error["message"]) for error in operation["error"]["errors"]]
    assert told == [(error["field"], error["message"]) for error in refused.body["errors"]]
    assert operation["error"]["detail"] == refused.body["detail"]
    assert set(statuses(operation).values()) == {"FAILED", "PENDING"}


def test_what_is_right_goes_on_and_tells_what_was_found(driver: Driver) -> None:
    operation = begun_unchecked(driver, "/api/clusters", cluster_request("t1"), *ZONES)
    operation = driver.until(operation["operation_id"], "foundation")
    preflight = stage_of(operation, "preflight")
    assert (preflight["status"], preflight["attempt"]) == ("SUCCEEDED", 1)
    assert "unchecked" not in preflight["message"]
    assert [finding["level"] for finding in preflight["result"]["findings"]] == ["info"]


def test_a_service_that_never_answers_holds_a_creation_up_for_minutes_and_no_longer(driver: Driver) -> None:
    with driver.host.faults.planned(hanging(QUOTA)):
        before = driver.host.clock.time()
        begun = driver.post("/api/clusters", cluster_request("t1"))
        driver.until_said(begun["operation_id"], "preflight", "no answer yet about: cluster_usage_quota", every=5)
        operation = driver.until(begun["operation_id"], "foundation")
    assert 300 <= driver.host.clock.time() - before < 600
    assert "cluster_usage_quota: unchecked: AWS did not answer" in stage_of(operation, "preflight")["message"]


def test_a_check_that_is_denied_is_told_and_waits_for_nobody(driver: Driver) -> None:
    before = driver.host.clock.time()
    with driver.host.faults.planned(Fault(*QUOTA, Kind.DENY, times=999)):
        begun = driver.post("/api/clusters", cluster_request("t1"))
        operation = driver.until(begun["operation_id"], "foundation")
    assert driver.host.clock.time() - before < 60
    assert "cluster_usage_quota: unchecked" in stage_of(operation, "preflight")["message"]


@pytest.mark.case(6)
def test_a_full_quota_of_vpcs_is_refused_at_the_edge(driver: Driver) -> None:
    driver.host.world.quotas.set_quota("VPCs per Region", 1)
    answer = driver.send("POST", "/api/clusters", cluster_request("t1"))
    assert (answer.status, answer.body["code"]) == (409, "quota_exceeded")
    assert "1 of 1 VPCs" in answer.body["detail"]
    assert driver.get("/api/clusters")["clusters"] == []
