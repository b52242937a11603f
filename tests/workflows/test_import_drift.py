"""Drift of a cluster that others made: what we made there is named and mended, what is theirs is not looked at."""

from __future__ import annotations

from infra.local.demo.foreign import Maker
from tests.host.by_hand import ByHand, told
from tests.host.driver import Driver, Json, hyperpod_request, statuses
from tests.workflows.imports import (
    ADMIN,
    BUCKET,
    LEGACY,
    LET_IN,
    MOVED,
    OPERATOR,
    RESEARCH,
    changes_heard,
    condition,
    conditions,
    entries,
    execution_role,
    foreign,
    forgotten,
    imported,
)

S3_DRIVER = "aws-mountpoint-s3-csi-driver"
ADDON = "EKS add-on"


def refusal(driver: Driver, tag: str = RESEARCH) -> str:
    """The check by which a comparison of a cluster is refused."""
    [path, other] = [f"/api/clusters/{tag}/{verb}" for verb in ("drift", "repair")]
    found = driver.preview(path, method="POST")["findings"]
    assert (driver.send("POST", path).status, driver.send("POST", other).status) == (409, 409)
    [error] = [each["check"] for each in found if each["level"] == "error"]
    return str(error)


def repaired(driver: Driver, tag: str = RESEARCH) -> Json:
    """Repair a cluster and expect that it goes well."""
    operation = driver.run(f"/api/clusters/{tag}/repair")
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"])
    return operation


def configured(driver: Driver, tag: str = RESEARCH) -> Json:
    """Configure the dependencies of a cluster and expect that it goes well."""
    operation = driver.run(f"/api/clusters/{tag}/dependencies")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return operation


def without_addon(driver: Driver, addon: str, tag: str = RESEARCH) -> None:
    """Take an add-on away by hand."""
    driver.host.client("eks").delete_addon(clusterName=tag, addonName=addon)


def ready_for_hyperpod(driver: Driver) -> None:
    """Import the cluster without a HyperPod cluster of its own, with all that one of ours needs."""
    imported(driver, LEGACY, consents=MOVED)
    named = {"bucket": BUCKET, "execution_role_arn": execution_role(driver)}
    driver.run(f"/api/clusters/{LEGACY}/redetect", named)
    configured(driver, LEGACY)


def addons(driver: Driver, tag: str = RESEARCH) -> set[str]:
    return {*driver.host.client("eks").list_addons(clusterName=tag)["addons"]}


def test_what_we_made_is_mended_and_what_is_theirs_stays_broken(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, RESEARCH)
    imported(driver, consents=LET_IN)
    configured(driver)
    assert told(hand.detected()) == set()
    without_addon(driver, S3_DRIVER)
    without_addon(driver, "coredns")
    driver.sleep(120)
    # What is found anew is not who made it.
    driver.run(f"/api/clusters/{RESEARCH}/redetect")
    report = hand.detected()
    assert [(each["kind"], each["resource"], each["actual"]) for each in report["drifts"]] == [
        (ADDON, S3_DRIVER, "absent")
    ]
    assert report["unknown"] == []
    with changes_heard(driver) as changes:
        operation = repaired(driver)
    assert [(call.service, call.operation) for call in changes] == [("eks", "CreateAddon")]
    assert statuses(operation)[f"addon:{S3_DRIVER}"] == "SUCCEEDED"
    assert addons(driver) & {S3_DRIVER, "coredns"} == {S3_DRIVER}
    assert hand.in_sync() == ("True", "InSync")
    # Our part is well again, and the cluster as a whole is not.
    assert "coredns" in condition(driver, "DependenciesReady")["message"]
    assert conditions(driver)["DependenciesReady"] == "False"


def test_our_access_entries_come_back_and_their_dependencies_are_not_looked_at(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, RESEARCH)
    imported(driver, consents=LET_IN)
    eks = driver.host.client("eks")
    for role in (ADMIN, OPERATOR):
        eks.delete_access_entry(clusterName=RESEARCH, principalArn=role)
    report = hand.detected()
    assert {each["resource"] for each in report["drifts"]} == {ADMIN, OPERATOR}
    # Nobody gets in any more to see the operator's rights.
    assert [each["kind"] for each in report["unknown"]] == ["ClusterRole"]
    operation = repaired(driver)
    mending = {stage["name"] for stage in operation["stages"] if stage["phase"] != "verify"}
    assert mending == {"access_entry:admin", "access_entry:operator", "cluster_role:operator"}
    assert entries(driver, RESEARCH) == {ADMIN, OPERATOR}
    assert hand.in_sync() == ("True", "InSync")
    assert conditions(driver)["KubernetesReachable"] == "True"


def test_what_somebody_put_in_the_place_of_ours_is_told_and_left_alone(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, RESEARCH)
    imported(driver, consents=LET_IN)
    configured(driver)
    eks = driver.host.client("eks")
    without_addon(driver, S3_DRIVER)
    eks.delete_access_entry(clusterName=RESEARCH, principalArn=OPERATOR)
    eks.create_access_entry(clusterName=RESEARCH, principalArn=OPERATOR, kubernetesGroups=["instantstart:operator"])
    driver.sleep(120)
    eks.create_addon(clusterName=RESEARCH, addonName=S3_DRIVER)
    driver.sleep(120)
    report = hand.detected()
    assert {(each["resource"], each["actual"], each["repaired_by"]) for each in report["drifts"]} == {
        (S3_DRIVER, "somebody else made it", None),
        (OPERATOR, "somebody else made it", None),
    }
    with changes_heard(driver) as changes:
        repaired(driver)
    assert changes == []
    # Who configures the dependencies uses what there is, and takes note that it is not ours.
    configured(driver)
    assert told(hand.detected()) == set()
    without_addon(driver, S3_DRIVER)
    driver.sleep(120)
    assert told(hand.detected()) == set()


def test_a_cluster_on_which_nothing_was_made_has_nothing_that_could_drift(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver)
    assert refusal(driver) == "nothing_made"
    forgotten(driver)
    imported(driver, consents=LET_IN)
    assert ByHand(driver, RESEARCH).detected()["in_sync"] == "True"
    # A cluster that is imported again begins with what is made then.
    forgotten(driver)
    imported(driver)
    assert refusal(driver) == "nothing_made"


def test_a_hyperpod_cluster_and_a_mount_of_ours_are_mended_as_they_were_asked_for(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, LEGACY, LEGACY)
    path = f"/api/clusters/{LEGACY}"
    ready_for_hyperpod(driver)
    for part, body in (("hyperpod", hyperpod_request("us-west-2a")), ("storage", None)):
        made = driver.run(f"{path}/{part}", body)
        assert made["status"] == "SUCCEEDED", made["error"]
    assert told(hand.detected()) == set()
    expected = hand.delete_compute_route() | hand.label_group() | hand.delete_claim()
    driver.sleep(600)
    # Their own network is no concern of ours, and what is found is not what was asked for.
    vpc = driver.get(path)["spec"]["surroundings"]["vpc_id"]
    driver.host.client("ec2").modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    driver.run(f"{path}/redetect")
    report = hand.detected()
    assert told(report) == expected, report["unknown"]
    repaired(driver, LEGACY)
    assert hand.in_sync() == ("True", "InSync")
    gone = driver.delete(f"{path}/hyperpod")
    assert gone["status"] == "SUCCEEDED", gone["error"]
    # What was taken away is none of what was made.
    assert told(hand.detected()) == set()
    deleted = driver.delete(path)
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    imported(driver, LEGACY)
    assert refusal(driver, LEGACY) == "nothing_made"


def test_a_hyperpod_cluster_of_ours_is_mended_in_a_subnet_that_was_given(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, LEGACY, LEGACY)
    ready_for_hyperpod(driver)
    subnet = foreign(driver, LEGACY).network.private[0]
    request = hyperpod_request("us-west-2a")
    request["instance_groups"][0]["subnet_id"] = subnet
    made = driver.run(f"/api/clusters/{LEGACY}/hyperpod", request)
    assert made["status"] == "SUCCEEDED", made["error"]
    expected = hand.label_group()
    driver.sleep(600)
    assert told(hand.detected()) == expected
    operation = repaired(driver, LEGACY)
    assert statuses(operation)[f"compute_subnet:{subnet}"] == "SUCCEEDED"
    assert hand.in_sync() == ("True", "InSync")


def test_a_hyperpod_cluster_stays_as_asked_for_until_others_put_one_in_its_place(driver_of_foreign: Driver) -> None:
    driver, hand = driver_of_foreign, ByHand(driver_of_foreign, LEGACY, LEGACY)
    path = f"/api/clusters/{LEGACY}"
    ready_for_hyperpod(driver)
    # It stands, and lacks its instances.
    driver.host.world.hyperpod.conditions.limit_capacity("ml.g6.4xlarge", "us-west-2a", 0)
    failed = driver.run(f"{path}/hyperpod", hyperpod_request("us-west-2a") | {"on_shortage": "fail"})
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "CAPACITY")
    expected = hand.label_group()
    asked = driver.get(path)["spec"]["instance_groups"]
    driver.run(f"{path}/redetect")
    assert driver.get(path)["spec"]["instance_groups"] == asked
    assert told(hand.detected()) >= expected
    driver.host.world.hyperpod.conditions.limit_capacity("ml.g6.4xlarge", "us-west-2a", None)
    driver.host.client("sagemaker").delete_cluster(ClusterName=hand.hyperpod)
    driver.sleep(1200)
    Maker(driver.host).hyperpod(foreign(driver, LEGACY), hand.hyperpod)
    [theirs] = [each for each in hand.detected()["drifts"] if each["resource"] == hand.hyperpod]
    assert (theirs["actual"], theirs["repaired_by"]) == ("somebody else made it", None)
    driver.run(f"{path}/redetect")
    assert [each["name"] for each in driver.get(path)["spec"]["instance_groups"]] == ["workers"]
