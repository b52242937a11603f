"""The end of a cluster that others made: what we made goes, what is theirs stays, and the door is closed last."""

from __future__ import annotations

import pytest

from infra.local.demo.foreign import Maker
from infra.local.faults import Fault, Kind
from infra.local.kubernetes.resources import NAMESPACES
from tests.host.by_hand import ByHand
from tests.host.driver import Driver, stage_of, statuses
from tests.workflows.deletions import changes
from tests.workflows.imports import (
    ADMIN,
    LEGACY,
    LET_IN,
    MOVED,
    OPERATOR,
    RESEARCH,
    changes_heard,
    entries,
    forgetting,
    forgotten,
    imported,
)


def test_a_cluster_without_a_bucket_is_previewed_and_deleted(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{LEGACY}"
    imported(driver, LEGACY, consents=MOVED)
    assert driver.get(path)["spec"]["names"]["bucket"] is None
    dependencies = driver.run(f"{path}/dependencies")
    assert dependencies["status"] == "SUCCEEDED", dependencies["error"]
    assert ByHand(driver, LEGACY).detected()["in_sync"] == "True"
    previewed = driver.preview(path)
    assert [each["check"] for each in previewed["findings"]] == []
    deleted = driver.delete(path)
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    assert entries(driver, LEGACY) == set()
    assert driver.send("GET", path).status == 404


def test_a_cluster_that_does_not_let_us_in_is_deleted_from_outside_and_keeps_what_is_theirs(
    driver_of_foreign: Driver,
) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver)
    # What runs in it is not known, so no release is told as one that goes.
    told = driver.send("DELETE", f"{path}?dry_run=true").body["preview"]["changes"]
    assert [each["name"] for each in told if each["resource"] == "Helm release"] == []
    with changes_heard(driver) as changes:
        deleted = driver.delete(path, "skip_workloads=true")
    assert (deleted["status"], changes) == ("SUCCEEDED", []), deleted["error"]
    assert set(statuses(deleted).values()) == {"SUCCEEDED"}
    said = stage_of(deleted, "identity_chain_removal:inference-operator")["message"]
    assert "nothing is done inside the cluster" in said
    assert driver.host.client("sagemaker").describe_cluster(ClusterName="research-hp")["ClusterStatus"] == "InService"
    assert driver.send("GET", path).status == 404


def test_the_preview_of_a_deletion_names_what_we_made_and_nothing_of_theirs(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver, consents=LET_IN)
    assert driver.run(f"{path}/dependencies")["status"] == "SUCCEEDED"
    named = {
        (each["action"], each["resource"], each["name"])
        for each in driver.preview(path)["preview"]["changes"]
        if each["resource"] in ("EKS add-on", "Helm release", "identity chain", "HyperPod cluster")
    }
    assert named == {
        ("delete", "EKS add-on", "aws-mountpoint-s3-csi-driver"),
        ("delete", "identity chain", "s3-csi-driver"),
        ("keep", "Helm release", "dependencies"),
        ("keep", "HyperPod cluster", "research-hp"),
    }


def test_a_deletion_that_was_stopped_late_still_gets_into_the_cluster(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver, consents=LET_IN)
    with driver.host.faults.planned(Fault("ec2", "DescribeSubnets", Kind.DENY, times=99, role="stages_network")):
        stopped = driver.delete(path)
    assert stage_of(stopped, "compute_subnets_removal")["status"] == "FAILED", statuses(stopped)
    assert entries(driver, RESEARCH) == {ADMIN, OPERATOR}
    deleted = driver.delete(path)
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    assert entries(driver, RESEARCH) == set()


def test_a_cluster_that_lets_the_operator_in_no_more_keeps_its_service_accounts(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver, consents=LET_IN)
    driver.host.client("eks").delete_access_entry(clusterName=RESEARCH, principalArn=OPERATOR)
    deleted = driver.delete(path)
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    said = stage_of(deleted, "identity_chain_removal:inference-operator")["message"]
    assert "stays as it is" in said
    assert "does not let" in said


def test_people_who_were_let_in_are_named_when_the_cluster_is_forgotten(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    person = _let_in(driver)
    named = [(each["action"], each["name"]) for each in forgetting(driver)["changes"] if "entry" in each["resource"]]
    assert named == [("keep", person)]
    left = stage_of(forgotten(driver), "leave_cluster")
    assert set(left["result"]["kept_access_entries"]) == {person, ADMIN, OPERATOR}
    assert _has_entry(driver, person)


def test_a_deletion_names_the_namespaces_that_an_imported_cluster_keeps(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver, consents=LET_IN)
    made = driver.run(f"{path}/namespaces", {"name": "team-a"})
    assert made["status"] == "SUCCEEDED", made["error"]
    assert ("namespace", "team-a") in changes(driver.preview(path), "keep")
    deleted = driver.delete(path)
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    assert "namespaces/team-a" in stage_of(deleted, "absence")["result"]["kept"]
    assert driver.host.world.kubernetes[RESEARCH].store.get(NAMESPACES, "team-a")


def test_namespaces_of_a_cluster_that_does_not_answer_are_unchecked(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{RESEARCH}"
    imported(driver, consents=LET_IN)
    began = driver.host.clock.time()
    with driver.host.faults.planned(Fault("kubernetes", "GET namespaces", Kind.HANG, times=9)):
        previewed = driver.preview(path)
    assert driver.host.clock.time() - began < 15
    found = {each["check"]: each["message"] for each in previewed["findings"]}
    assert found["namespaces"].startswith("unchecked: ")
    assert previewed["preview"]["digest"] is not None
    # Who wants nothing done inside is not asked to wait for it.
    assert [each["check"] for each in driver.preview(path, "skip_workloads=true")["findings"]] == ["skip_workloads"]


@pytest.mark.parametrize("ending", ["forget", "delete"])
def test_people_who_were_let_in_lose_that_with_the_cluster(driver_of_foreign: Driver, ending: str) -> None:
    driver = driver_of_foreign
    person = _let_in(driver)
    if ending == "forget":
        taken = [
            each["name"]
            for each in forgetting(driver, remove_access_entries=True)["changes"]
            if each["action"] == "delete"
        ]
        assert person in taken
        ended = forgotten(driver, remove_access_entries=True)
    else:
        assert ("EKS access entry", person) in changes(driver.preview(f"/api/clusters/{RESEARCH}"), "delete")
        ended = driver.delete(f"/api/clusters/{RESEARCH}")
    assert ended["status"] == "SUCCEEDED", ended["error"]
    assert stage_of(ended, "leave_cluster")["result"] == {"kept_access_entries": []}
    assert (_has_entry(driver, person), entries(driver, RESEARCH)) == (False, set())


def test_an_entry_of_a_person_that_somebody_made_anew_stays_and_is_named(driver_of_foreign: Driver) -> None:
    driver, eks = driver_of_foreign, driver_of_foreign.host.client("eks")
    person = _let_in(driver)
    eks.delete_access_entry(clusterName=RESEARCH, principalArn=person)
    eks.create_access_entry(clusterName=RESEARCH, principalArn=person)
    left = forgotten(driver, remove_access_entries=True)
    assert stage_of(left, "leave_cluster")["result"] == {"kept_access_entries": [person]}
    assert _has_entry(driver, person)


def test_what_a_forgetting_took_back_before_it_was_refused_is_on_record_no_more(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    assert _made(driver) == {"access_entry:admin", "access_entry:operator", "cluster_role:operator"}
    digest = forgetting(driver, remove_access_entries=True)["digest"]
    refusing = Fault("eks", "DeleteAccessEntry", Kind.DENY, first=2, times=99)
    request = {"remove_access_entries": True}
    path = f"/api/clusters/{RESEARCH}/forget?confirm={digest}"
    failed = driver.failing(path, request, refusing)
    left = stage_of(failed, "leave_cluster")
    assert (failed["status"], left["status"], len(left["resources"])) == ("FAILED", "FAILED", 1)
    assert len(entries(driver, RESEARCH)) == 1
    assert _made(driver) == set()


def _made(driver: Driver) -> set[str]:
    """What is on record of what the import made to let us in."""
    key = {"cluster_tag": {"S": RESEARCH}, "record": {"S": "made#dependencies"}}
    found = driver.host.client("dynamodb").get_item(TableName="instantstart-clusters", Key=key)
    named = {each.get("S", "") for each in found.get("Item", {}).get("stages", {}).get("L", [])}
    return {each for each in named if each.startswith(("access_entry:", "cluster_role:"))}


def _let_in(driver: Driver) -> str:
    """Import the cluster and let a person into it; gives the person's role."""
    imported(driver, consents=LET_IN)
    arn = Maker(driver.host).role("developer", "ec2.amazonaws.com")
    request = {"principal_arn": arn, "permission": "view", "namespaces": ["default"]}
    operation = driver.run(f"/api/clusters/{RESEARCH}/access", request)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return arn


def _has_entry(driver: Driver, principal: str) -> bool:
    return principal in driver.host.client("eks").list_access_entries(clusterName=RESEARCH)["accessEntries"]
