"""The deletion of a cluster that others made: what we made goes, what is theirs stays, and the door is closed last."""

from __future__ import annotations

from infra.local.faults import Fault, Kind
from tests.host.driver import Driver, stage_of, statuses
from tests.workflows.imports import ADMIN, LEGACY, LET_IN, MOVED, OPERATOR, RESEARCH, changes_heard, entries, imported


def test_a_cluster_without_a_bucket_is_previewed_compared_and_deleted(driver_of_foreign: Driver) -> None:
    driver, path = driver_of_foreign, f"/api/clusters/{LEGACY}"
    imported(driver, LEGACY, consents=MOVED)
    assert driver.get(path)["spec"]["names"]["bucket"] is None
    dependencies = driver.run(f"{path}/dependencies")
    assert dependencies["status"] == "SUCCEEDED", dependencies["error"]
    compared = driver.run(f"{path}/drift")
    assert compared["status"] == "SUCCEEDED", compared["error"]
    assert compared["result"] == {"resources": []}
    assert set(statuses(compared).values()) == {"SUCCEEDED"}
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
    with changes_heard(driver) as changes:
        deleted = driver.delete(path, "skip_workloads=true")
    assert (deleted["status"], changes) == ("SUCCEEDED", []), deleted["error"]
    assert set(statuses(deleted).values()) == {"SUCCEEDED"}
    said = stage_of(deleted, "identity_chain_removal:inference-operator")["message"]
    assert "nothing is done inside the cluster" in said
    assert driver.host.client("sagemaker").describe_cluster(ClusterName="research-hp")["ClusterStatus"] == "InService"
    assert driver.send("GET", path).status == 404


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
