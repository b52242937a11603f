"""Detection on a foundation: others detect too, some things may not be seen, and a repair that fails is taken back."""

from __future__ import annotations

from infra.local.faults import Call, Fault, Kind
from tests.host.by_hand import ByHand, told
from tests.host.driver import Driver, statuses

TAG = "base"
STACK = "instantstart-base"


def test_a_detection_that_somebody_else_began_is_as_good_as_ones_own(driver_of_base: Driver) -> None:
    hand, client = ByHand(driver_of_base, TAG), driver_of_base.host.client("cloudformation")
    hand.older_cni()
    theirs = client.detect_stack_drift(StackName=STACK)["StackDriftDetectionId"]
    heard: list[Call] = []
    with driver_of_base.host.faults.overheard(heard.append):
        report = hand.detected()
    assert told(report) == {("AWS::EKS::Addon", "/AddonVersion")}
    assert client.describe_stack_drift_detection_status(StackDriftDetectionId=theirs)["DriftedStackResourceCount"] == 1
    # It asked once, was told that one runs, and looked at what that one found.
    assert [each.operation for each in heard].count("DetectStackDrift") == 1


def test_what_may_not_be_looked_at_is_unknown_and_never_in_sync(driver_of_base: Driver) -> None:
    hand = ByHand(driver_of_base, TAG)
    with driver_of_base.host.faults.planned(Fault("cloudformation", "DetectStackDrift", Kind.DENY)):
        report = hand.detected()
    assert (report["in_sync"], report["drifts"]) == ("Unknown", [])
    [unseen] = report["unknown"]
    assert unseen["resource"] == STACK
    assert unseen["why"]
    assert unseen["remedy"]
    assert unseen["remedy"] not in unseen["why"]
    assert hand.in_sync() == ("Unknown", "NotLookedAt")


def test_a_stack_that_is_gone_is_told_with_the_only_way_on(driver_of_base: Driver) -> None:
    hand, client = ByHand(driver_of_base, TAG), driver_of_base.host.client("cloudformation")
    client.delete_stack(StackName=STACK)
    driver_of_base.sleep(3600)
    [gone] = [each for each in hand.detected()["drifts"] if each["kind"] == "CloudFormation stack"]
    assert (gone["actual"], gone["repaired_by"]) == ("absent", None)
    assert f"DELETE /api/clusters/{TAG}" in gone["remedy"]


def test_a_repair_that_cloudformation_takes_back_names_its_cause_and_a_retry_mends(driver_of_base: Driver) -> None:
    driver, hand = driver_of_base, ByHand(driver_of_base, TAG)
    hand.older_cni()
    hand.change_execution_role()
    hand.detected()
    driver.host.world.cloudformation.fail_next("ExecutionRole", "You are not allowed", "AccessDenied")
    failed = driver.run(f"/api/clusters/{TAG}/repair")
    assert failed["status"] == "FAILED"
    assert "ExecutionRole" in failed["error"]["detail"]
    assert "You are not allowed" in failed["error"]["detail"]
    stack = driver.host.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    mended = driver.retry(failed["operation_id"])
    assert mended["status"] == "SUCCEEDED", (statuses(mended), mended["error"])
    assert hand.in_sync() == ("True", "InSync")
