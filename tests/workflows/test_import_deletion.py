"""The deletion of a cluster that others made: what we made goes, what is theirs stays, and the door is closed last."""

from __future__ import annotations

from tests.host.driver import Driver, statuses
from tests.workflows.imports import LEGACY, MOVED, entries, imported


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
