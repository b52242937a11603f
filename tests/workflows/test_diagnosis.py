"""Creations that fail or get stuck are diagnosed: each family once, with the cause first and where to go on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.host import LocalHost
from tests.host.by_hand import ByHand
from tests.host.diagnoses import counted, diagnosed, facts, found, wrong
from tests.host.driver import Driver, Json
from tests.workflows.imports import LEGACY, LET_IN, MOVED, RESEARCH, imported

PATH = "/api/clusters/base/hyperpod"
GPU: Json = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 2}
EFA: Json = {"name": "efa", "instance_type": "ml.g6.8xlarge", "instance_count": 2}
P5 = "ml.p5.48xlarge"
NO_ADDRESS = "The maximum number of addresses has been reached. (Service: Ec2, Status Code: 400)"


@pytest.fixture(autouse=True)
def held_schedules(session_host: LocalHost) -> Iterator[None]:
    """Hours pass here; what the sweeper does in them is shown elsewhere."""
    with session_host.schedules_held():
        yield


@pytest.fixture
def hand(driver_of_prepared: Driver) -> ByHand:
    return ByHand(driver_of_prepared, "base")


def begun(hand: ByHand, *groups: Json, seconds: float = 1800, **other: object) -> str:
    """Begin to create a HyperPod cluster, and let time pass; gives the operation."""
    request = {"availability_zone": "us-west-2c", "instance_groups": [*groups], **other}
    operation = str(hand.driver.post(PATH, request)["operation_id"])
    hand.driver.sleep(seconds)
    return operation


@pytest.mark.case(2, 6)
def test_a_failed_stack_is_told_by_its_first_failure_and_the_operation_by_its_cause(driver: Driver) -> None:
    driver.host.world.cloudformation.fail_next("AWS::EC2::EIP", NO_ADDRESS)
    operation = driver.create({"tag": "base"})
    assert operation["status"] == "FAILED"
    body = diagnosed(driver, "base")
    assert wrong(body) == {("last_operation", "FAIL", "P0"), ("foundation_stack", "FAIL", "P0")}
    stack, last = found(body, "foundation_stack"), found(body, "last_operation")
    assert (facts(stack)["cause_code"], facts(stack)["type"]) == ("EIP_QUOTA", "AWS::EC2::EIP")
    assert (last["resource"], facts(last)["cause_code"]) == (operation["operation_id"], "EIP_QUOTA")
    assert "foundation" in facts(last)["stage"]
    # What comes later is not there yet, which nobody has to mend.
    assert {found(body, check)["status"] for check in ("eks_cluster", "hyperpod_cluster")} == {"INFO"}
    assert body["complete"]
    again = driver.retry(operation["operation_id"])
    assert again["status"] == "SUCCEEDED"
    body = diagnosed(driver, "base")
    assert (wrong(body), facts(found(body, "last_operation"))) == (set(), {"succeeded": again["operation_id"]})


def test_a_creation_that_runs_is_no_failure(driver: Driver) -> None:
    operation = driver.post("/api/clusters", {"tag": "base"})["operation_id"]
    driver.sleep(60)
    body = diagnosed(driver, "base")
    assert (wrong(body), body["complete"]) == (set(), True)
    assert found(body, "last_operation")["resource"] == operation
    assert found(body, "foundation_stack")["message"].endswith("CREATE_IN_PROGRESS")


@pytest.mark.case(13)
def test_efas_health_check_fails_for_want_of_a_rule_and_both_are_told(hand: ByHand) -> None:
    hand.aws("ec2").revoke_security_group_ingress(GroupId=hand.group_id(), SecurityGroupRuleIds=[hand.rule_id()])
    begun(hand, EFA)
    body = diagnosed(hand.driver, "base")
    assert {("event_efa_check", "FAIL", "P0"), ("security_group_self_reference", "FAIL", "P0")} <= wrong(body)
    event = found(body, "event_efa_check")
    assert (event["runbook"], facts(event)["instance_group"]) == ("diagnose-cluster-creation/security-groups", "efa")
    assert facts(found(body, "security_group_self_reference"))["from_itself"] is False


@pytest.mark.case(25)
def test_a_failed_script_is_told_with_the_end_of_its_log_and_the_cause_in_it(hand: ByHand) -> None:
    line = "fatal error: An error occurred (AccessDenied) when calling the GetObject operation"
    hand.driver.host.world.hyperpod.conditions.fail_lifecycle_scripts("hp-cluster-base", "gpu", exit_code=1, log=[line])
    begun(hand, GPU)
    body = diagnosed(hand.driver, "base")
    assert {("event_lifecycle_script", "FAIL", "P0"), ("lifecycle_log", "FAIL", "P0")} <= wrong(body)
    log = found(body, "lifecycle_log")
    assert facts(log)["cause_code"] == "LIFECYCLE_S3_ACCESS"
    assert line in [each["value"] for each in log["evidence"]]
    assert hand.role("execution") in log["remedy"]


@pytest.mark.case(14)
def test_want_of_capacity_is_told_from_want_of_quota(hand: ByHand) -> None:
    conditions = hand.driver.host.world.hyperpod.conditions
    conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", 1)
    begun(hand, GPU)
    body = diagnosed(hand.driver, "base")
    assert wrong(body) == {("event_capacity", "FAIL", "P0")}
    groups = found(body, "instance_groups")
    assert (groups["status"], facts(groups)) == ("INFO", {"missing gpu": 1})
    assert found(body, "cluster_usage_quota")["status"] == "PASS"
    conditions.set_quota("ml.g6.4xlarge for cluster usage", 1)
    quota = found(diagnosed(hand.driver, "base"), "cluster_usage_quota")
    assert (quota["status"], facts(quota)) == (
        "FAIL",
        {"quota": "ml.g6.4xlarge for cluster usage", "allowed": 1.0, "asked": 2},
    )
    # What has come right since is history.
    conditions.set_quota("ml.g6.4xlarge for cluster usage", 10)
    conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", None)
    hand.driver.sleep(3600)
    body = diagnosed(hand.driver, "base")
    assert (wrong(body), found(body, "event_capacity")["status"]) == (set(), "INFO")


@pytest.mark.case(15)
def test_a_plan_that_is_over_is_told_with_its_end(hand: ByHand) -> None:
    plan = hand.driver.host.world.hyperpod.conditions.make_training_plan("tp1", P5, 2, "us-west-2b")
    begun(hand, {"name": "plan", "instance_type": P5, "instance_count": 1, "training_plan_arn": plan})
    check = found(diagnosed(hand.driver, "base"), "training_plan")
    assert (check["status"], check["resource"]) == ("PASS", plan)
    ends = hand.aws("sagemaker").describe_training_plan(TrainingPlanName=plan)["EndTime"]
    hand.driver.sleep((ends - hand.driver.host.clock.now()).total_seconds() + 60)
    check = found(diagnosed(hand.driver, "base"), "training_plan")
    assert (check["status"], check["priority"], facts(check)["status"]) == ("FAIL", "P0", "Expired")


@pytest.mark.case(22)
def test_a_subnet_without_addresses_for_what_is_still_to_come_is_told_with_its_numbers(hand: ByHand) -> None:
    hand.driver.host.world.hyperpod.conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", 0)
    begun(hand, GPU, subnet_prefix=25)
    subnet = hand.compute_subnet()
    assert found(diagnosed(hand.driver, "base"), "subnet_addresses")["status"] == "PASS"
    for _ in range(4):
        hand.aws("ec2").create_network_interface(SubnetId=subnet["SubnetId"], SecondaryPrivateIpAddressCount=19)
    check = found(diagnosed(hand.driver, "base"), "subnet_addresses")
    assert (check["status"], check["resource"]) == ("FAIL", subnet["SubnetId"])
    seen = facts(check)
    assert seen["free_addresses"] < seen["needed"] == 2 * seen["addresses per node of gpu"]


def test_many_groups_in_want_take_no_more_calls_and_no_longer_answer_than_few(hand: ByHand) -> None:
    hand.driver.host.world.hyperpod.conditions.limit_capacity("ml.g6.4xlarge", "us-west-2c", 0)
    begun(hand, *({**GPU, "name": f"gpu-{number}", "instance_count": 1} for number in range(40)))
    body, calls = counted(hand.driver, "base")
    assert found(body, "event_capacity")["status"] == "FAIL"
    assert body["more_checks"] > 0
    assert calls["sagemaker DescribeClusterEvent"] == 4
    assert sum(calls.values()) < 45


@pytest.mark.case(7)
def test_an_imported_cluster_is_diagnosed_without_a_stack(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, RESEARCH, consents=LET_IN)
    body = diagnosed(driver, RESEARCH)
    assert (wrong(body), body["complete"]) == (set(), True)
    assert found(body, "foundation_stack")["status"] == "INFO"
    imported(driver, LEGACY, consents=MOVED)
    body = diagnosed(driver, LEGACY)
    assert (wrong(body), body["complete"]) == (set(), True)
