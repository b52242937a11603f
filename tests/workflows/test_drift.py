"""Drift from its making to its end: each change by hand is named, a repair mends all, a second one does nothing."""

from __future__ import annotations

import pytest

from infra.local.faults import Call
from infra.local.kubernetes import resources
from infra.local.kubernetes.documents import JsonObject, ensure_mapping
from tests.host.by_hand import EVERY, ByHand, told
from tests.host.driver import Driver, Json, statuses

TAG = "ready"
REPAIR = f"/api/clusters/{TAG}/repair"
PHASES = ("foundation", "dependencies", "hyperpod", "storage")
_READING = ("Describe", "Get", "List", "Head", "Detect", "GET ", "HEAD ")
# How the control plane works, and what only opens a door.
_OWN = {"dynamodb", "stepfunctions", "lambda", "sts", "logs"}


def preview(driver: Driver, body: Json | None = None) -> Json:
    answer = driver.send("POST", f"{REPAIR}?dry_run=true", body)
    assert answer.status == 200, answer
    return answer.body


def writes(heard: list[Call]) -> list[str]:
    ours = [each for each in heard if each.service not in _OWN and "local-host" not in each.role]
    return [f"{each.service} {each.operation}" for each in ours if not each.operation.startswith(_READING)]


def test_everything_that_was_changed_by_hand_is_named_and_mended_and_a_second_repair_writes_nothing(
    driver_of_ready: Driver,
) -> None:
    driver, hand = driver_of_ready, ByHand(driver_of_ready, TAG)
    expected = {found for change in EVERY for found in change(hand)}
    report = hand.detected()
    assert told(report) == expected
    assert (report["in_sync"], report["unknown"]) == ("False", [])
    assert hand.in_sync() == ("False", "Drifted")
    before = preview(driver)["preview"]
    assert {(each["resource"], each["name"]) for each in before["changes"]} >= {
        (each["kind"], each["resource"]) for each in report["drifts"]
    }
    operation = confirmed(driver)
    assert operation["status"] == "SUCCEEDED", (
        statuses(operation),
        operation["error"]["detail"],
        operation["error"]["cause"],
    )
    after = driver.get(f"/api/clusters/{TAG}/drift")
    assert (after["drifts"], after["unknown"], after["operation_id"]) == ([], [], operation["operation_id"])
    assert hand.in_sync() == ("True", "InSync")
    # By now there is nothing to do, and nothing is done.
    assert preview(driver)["preview"]["changes"] == []
    heard: list[Call] = []
    with driver.host.faults.overheard(heard.append):
        again = driver.run(REPAIR)
    assert (again["status"], writes(heard)) == ("SUCCEEDED", [])
    assert (
        set(statuses(again)) & {stage["name"] for stage in operation["stages"] if stage["phase"] != "verify"} == set()
    )


def test_a_repair_without_a_detection_looks_first_and_passes_over_what_has_not_drifted(
    driver_of_ready: Driver,
) -> None:
    driver, hand = driver_of_ready, ByHand(driver_of_ready, TAG)
    hand.take_policy_of_driver()
    hand.configure_addon()
    driver.sleep(120)
    hand.delete_access_entry()
    found = preview(driver)
    assert [finding["check"] for finding in found["findings"]] == ["drift_not_looked_at"]
    assert {change["action"] for change in found["preview"]["changes"]} == {"keep"}
    operation = driver.run(REPAIR)
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"])
    # Without its entry the operator could not look at the chain and the mount, so their stages ran as well.
    looked = {stage["name"]: stage["result"] for stage in operation["stages"] if stage["phase"] == "drift"}
    unseen = [each for result in looked.values() for each in result.get("found", []) if each["state"] == "unknown"]
    assert {each["kind"] for each in unseen} == {"identity chain", "mount"}
    assert all(each["why"] and each["remedy"] and each["remedy"] not in each["why"] for each in unseen)
    ran = {
        stage["name"] for stage in operation["stages"] if stage["status"] == "SUCCEEDED" and stage["phase"] in PHASES
    }
    assert ran == {
        "foundation_repair",
        "access_entry:operator",
        "addon:coredns",
        "identity_chain:s3-csi-driver",
        "compute_subnet:us-west-2c",
        "mount:s3-claim",
    }
    assert hand.in_sync() == ("True", "InSync")


def test_what_is_not_ours_to_mend_is_told_as_it_is_with_what_its_owner_does(driver_of_ready: Driver) -> None:
    driver, hand = driver_of_ready, ByHand(driver_of_ready, TAG)
    role = "arn:aws:iam::123456789012:role/theirs"

    def annotate(account: JsonObject) -> None:
        ensure_mapping(account, "metadata", "annotations")["eks.amazonaws.com/role-arn"] = role

    hand.store_of().modify(resources.SERVICE_ACCOUNTS, "s3-csi-driver-sa", annotate, "kube-system")
    [drift] = hand.detected()["drifts"]
    assert (drift["actual"], drift["repaired_by"]) == (f"{role} would be used instead", None)
    assert drift["remedy"].startswith("Run kubectl annotate serviceaccount -n kube-system s3-csi-driver-sa ")
    # There is no operation to retry: the detection has succeeded.
    assert drift["remedy"].endswith(" Then detect drift again.")
    [finding] = preview(driver)["findings"]
    assert (finding["check"], finding["remedy"]) == ("drift_not_ours", drift["remedy"])
    assert drift["remedy"] not in finding["message"]


@pytest.mark.case(3)
def test_what_a_repair_would_make_anew_or_end_is_named_and_left_until_somebody_agrees(driver_of_ready: Driver) -> None:
    driver, hand = driver_of_ready, ByHand(driver_of_ready, TAG)
    hand.change_rule()
    hand.update_group(InstanceCount=2)
    driver.sleep(1200)
    report = hand.detected()
    assert told(report) == {("AWS::EC2::SecurityGroupIngress", "/IpProtocol"), ("instance group", "count")}
    rule, nodes = hand.rule_id(), hand.instances()
    [ended] = [change for change in preview(driver)["preview"]["changes"] if change["irreversible"]]
    assert (ended["name"], ended["stage"]) == ("gpu", "hyperpod_cluster")
    unconfirmed = driver.send("POST", REPAIR)
    assert (unconfirmed.status, unconfirmed.body["code"]) == (409, "confirmation_required")
    # What is agreed to is the end of an instance, and not a rule in the place of another.
    refused = confirmed(driver)
    cause = refused["error"]["cause"]
    assert (refused["status"], refused["error"]["code"], cause["code"]) == ("FAILED", "conflict", "WOULD_REPLACE")
    assert "ComputeSelfIngress" in refused["error"]["detail"]
    conditions = {each["type"]: each["status"] for each in driver.get(f"/api/clusters/{TAG}")["conditions"]}
    assert (conditions["FoundationReady"], conditions["InSync"]) == ("True", "False")
    assert (hand.rule_id(), hand.instances()) == (rule, nodes)
    accepted = {"accept_replacement": ["ComputeSelfIngress"]}
    assert [c["name"] for c in preview(driver, accepted)["preview"]["changes"] if c["irreversible"]] == [
        "gpu",
        "ComputeSelfIngress",
    ]
    operation = confirmed(driver, accepted)
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"])
    assert hand.rule_id() != rule
    assert len(hand.instances()) == 1
    assert hand.in_sync() == ("True", "InSync")


def confirmed(driver: Driver, body: Json | None = None) -> Json:
    """Repair as the preview has it."""
    digest = preview(driver, body)["preview"]["digest"]
    return driver.finish(driver.post(f"{REPAIR}?confirm={digest}", body)["operation_id"])


def test_a_hyperpod_cluster_without_our_tags_is_left_as_it_is(driver_of_ready: Driver) -> None:
    driver, hand = driver_of_ready, ByHand(driver_of_ready, TAG)
    hand.switch_recovery_off()
    driver.sleep(120)
    sagemaker = hand.aws("sagemaker")
    arn = sagemaker.describe_cluster(ClusterName=hand.hyperpod)["ClusterArn"]
    sagemaker.delete_tags(ResourceArn=arn, TagKeys=["instantstart:cluster"])
    heard: list[Call] = []
    with driver.host.faults.overheard(heard.append):
        operation = driver.run(REPAIR)
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "conflict")
    assert "does not carry the tags" in operation["error"]["detail"]
    assert "sagemaker UpdateCluster" not in writes(heard)
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "instantstart:cluster", "Value": TAG}])
    again = driver.retry(operation["operation_id"])
    assert again["status"] == "SUCCEEDED", again["error"]["detail"]
    assert sagemaker.describe_cluster(ClusterName=hand.hyperpod)["NodeRecovery"] == "Automatic"
