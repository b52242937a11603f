"""The main job: one request takes a HyperPod cluster on EKS through all its stages."""

from __future__ import annotations

from tests.host.driver import Driver


def test_one_request_creates_a_cluster_with_nodes_and_storage(driver_of_ready: Driver) -> None:
    created = driver_of_ready.get("/api/operations?cluster_tag=ready")["operations"][0]
    operation = driver_of_ready.operation(created["operation_id"])
    assert (operation["kind"], operation["status"]) == ("create_cluster", "SUCCEEDED")
    assert {stage["status"] for stage in operation["stages"]} == {"SUCCEEDED"}
    assert operation["result"]["eks_cluster"]["name"] == "eks-cluster-ready"
    assert operation["result"]["hyperpod_cluster"]["name"] == "hp-cluster-ready"
    assert operation["result"]["node_status"] == "Ready / Schedulable"
    assert operation["result"]["storage"]["claim"] == "s3-claim"


def test_conditions_of_a_created_cluster_hold(driver_of_ready: Driver) -> None:
    cluster = driver_of_ready.get("/api/clusters/ready")
    assert {condition["type"]: condition["status"] for condition in cluster["conditions"]} == {
        "HyperPodInService": "True",
        "FoundationReady": "True",
        "DependenciesReady": "True",
        "HyperPodReady": "True",
        "StorageReady": "True",
    }
    assert cluster["active_operation_ids"] == []


def test_a_standing_phase_may_be_asked_for_again_and_makes_nothing_twice(driver_of_ready: Driver) -> None:
    before = driver_of_ready.made("ready")
    operation = driver_of_ready.run("/api/clusters/ready/dependencies")
    assert operation["status"] == "SUCCEEDED"
    assert driver_of_ready.made("ready") == before
