"""The main job: one request takes a HyperPod cluster on EKS through all its stages."""

from __future__ import annotations

from tests.workflows.driver import Driver, cluster_request, stage_of


def test_one_request_creates_a_cluster_with_nodes_and_storage(driver: Driver) -> None:
    operation = driver.create(cluster_request("hypd-0304b"))
    assert operation["status"] == "SUCCEEDED"
    assert {stage["status"] for stage in operation["stages"]} == {"SUCCEEDED"}
    assert operation["result"]["eks_cluster"]["name"] == "eks-cluster-hypd-0304b"
    assert operation["result"]["hyperpod_cluster"]["name"] == "hp-cluster-hypd-0304b"
    assert operation["result"]["node_status"] == "Ready / Schedulable"
    assert operation["result"]["storage"]["claim"] == "s3-claim"


def test_conditions_of_a_created_cluster_hold(driver_of_ready: Driver) -> None:
    cluster = driver_of_ready.get("/api/clusters/ready")
    assert {condition["type"]: condition["status"] for condition in cluster["conditions"]} == {
        "FoundationReady": "True",
        "DependenciesReady": "True",
        "HyperPodReady": "True",
        "StorageReady": "True",
    }
    assert cluster["active_operation_ids"] == []


def test_every_lease_is_free_after_the_end(driver_of_ready: Driver) -> None:
    again = driver_of_ready.post("/api/clusters/ready/dependencies", {})
    operation = driver_of_ready.finish(again["operation_id"])
    assert operation["status"] == "SUCCEEDED"
    assert stage_of(operation, "access_entry:admin")["message"] == "entry already present"
