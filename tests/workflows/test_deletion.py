"""Clusters are deleted whole: what is gone, what is kept, what stands in the way, and going on after that."""

from __future__ import annotations

import pytest

from infra.local.inventory import Inventory
from tests.host.driver import Driver, hyperpod_request, stage_of, statuses
from tests.workflows.deletions import (
    balancers,
    changes,
    condition,
    control_plane_subnet,
    expose,
    interfaces,
    left_over,
    make_balancer,
    make_interface,
    remove_balancer,
    stack_status,
)

READY, BASE = "/api/clusters/ready", "/api/clusters/base"
BUCKET = "sagemaker-ready-123456789012-us-west-2"
LOGS = "/aws/sagemaker/Clusters/hp-cluster-ready/"
WHOLE = "delete_bucket=true"


def test_a_deleted_cluster_leaves_the_account_as_it_was_but_for_what_the_preview_keeps(
    empty_account: Inventory, driver_of_ready: Driver
) -> None:
    driver = driver_of_ready
    previewed = driver.preview(READY)
    kept = changes(previewed, "keep")
    assert [kind for kind, _ in kept] == ["S3 bucket", "log group"]
    assert kept[0][1] == BUCKET
    deleted = [kind for kind, _ in changes(previewed, "delete")]
    order = [
        "volume and claim",
        "HyperPod cluster",
        "EKS add-on",
        "Helm release",
        "compute subnet",
        "EKS cluster",
        "VPC",
    ]
    assert [kind for kind in dict.fromkeys(deleted) if kind in order] == order
    final = [each["resource"] for each in previewed["preview"]["changes"] if each["irreversible"]]
    assert (final, previewed["findings"]) == (["HyperPod cluster", "EKS cluster"], [])

    operation = driver.delete(READY)
    assert (operation["status"], set(statuses(operation).values())) == ("SUCCEEDED", {"SUCCEEDED"}), operation["error"]
    assert operation["result"]["kept"] == [f"s3://{BUCKET}", kept[1][1]]
    assert left_over(driver, empty_account) == [
        f"buckets: {BUCKET} is one too many",
        f"log groups: {LOGS}* is one too many",
        f"objects: {BUCKET}/lifecycle/on_create.sh is one too many",
    ]
    # A new cluster of the tag uses the bucket again, which its stack does not own; a deletion that is told to takes it.
    again = driver.create({"tag": "ready"})
    assert again["status"] == "SUCCEEDED", again["error"]
    assert [BUCKET in each["message"] for each in again["findings"] if each["check"] == "leftover"] == [True]
    assert driver.host.client("s3").list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1
    assert driver.delete(READY, "delete_bucket=true")["status"] == "SUCCEEDED"
    assert BUCKET not in str(left_over(driver, empty_account))
    # The ledger forgets the cluster and remembers what was done to it.
    assert driver.send("GET", READY).status == 404
    assert driver.get("/api/clusters")["clusters"] == []
    assert [each["action"] for each in driver.get(f"/api/operations/{operation['operation_id']}/audit")["entries"]] == [
        "begin"
    ]
    assert len(driver.get("/api/operations?cluster_tag=ready")["operations"]) == 4


def test_with_its_bucket_nothing_is_left_and_the_tag_is_free_again(
    empty_account: Inventory, driver_of_base: Driver
) -> None:
    driver, bucket = driver_of_base, "sagemaker-base-123456789012-us-west-2"
    s3 = driver.host.client("s3")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for body in (b"first", b"second"):
        s3.put_object(Bucket=bucket, Key="checkpoints/1", Body=body)
    s3.delete_object(Bucket=bucket, Key="checkpoints/1")
    s3.create_multipart_upload(Bucket=bucket, Key="checkpoints/2")

    previewed = driver.preview(BASE, WHOLE)
    final = [each["name"] for each in previewed["preview"]["changes"] if each["irreversible"]]
    assert final == ["eks-cluster-base", bucket]
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (operation["result"]["kept"], left_over(driver, empty_account)) == ([], [])
    assert driver.create({"tag": "base"})["status"] == "SUCCEEDED"


@pytest.mark.case(4)
def test_load_balancers_go_first_and_one_of_somebody_else_blocks_until_it_is_gone(
    empty_account: Inventory, driver_of_ready: Driver
) -> None:
    driver = driver_of_ready
    expose(driver, "ready")
    [of_service] = balancers(driver)
    foreign = make_balancer(driver, "ready", "theirs")
    [interface] = interfaces(driver, "ELB app/theirs/")

    previewed = driver.preview(READY, WHOLE)
    assert changes(previewed, "delete")[0][0] == "load balancer"
    assert of_service in changes(previewed, "delete")[0][1]
    assert [(each["check"], each["level"], each["resource"]) for each in previewed["findings"]] == [
        ("blocker", "warning", interface)
    ]
    blocked = driver.delete(READY, WHOLE)
    assert (blocked["status"], blocked["reason"], blocked["error"]["code"]) == ("FAILED", "BLOCKED", "blocked")
    [error] = blocked["error"]["errors"]
    assert (error["field"], error["remedy"]) == (interface, "Delete the load balancer.")
    assert "load balancer app/theirs/" in error["message"]
    assert (balancers(driver), stack_status(driver, "ready")) == (["theirs"], "CREATE_COMPLETE")
    assert stage_of(blocked, "load_balancers_removal")["resources"] == ["service/default/vllm-ext"]
    assert condition(driver, "ready", "HyperPodReady")["status"] == "False"
    # Claims and volumes are gone too, and nobody mounts them anew in what is left.
    assert condition(driver, "ready", "StorageReady")["reason"] == "Removed"

    remove_balancer(driver, foreign)
    assert driver.delete(READY, WHOLE)["status"] == "SUCCEEDED"
    assert left_over(driver, empty_account) == [f"log groups: {LOGS}* is one too many"]


@pytest.mark.case(4)
def test_a_load_balancer_that_its_controller_does_not_remove_blocks_before_anything_else_goes(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    expose(driver, "ready")
    driver.host.world.load_balancers.stuck.add("default/vllm-ext")
    try:
        blocked = driver.delete(READY)
    finally:
        driver.host.world.load_balancers.stuck.clear()
    assert (blocked["status"], blocked["reason"]) == ("FAILED", "BLOCKED")
    assert [error["field"] for error in blocked["error"]["errors"]] == ["service/default/vllm-ext"]
    [balancer] = balancers(driver)
    assert balancer in blocked["error"]["errors"][0]["message"]
    hyperpod = driver.host.client("sagemaker").describe_cluster(ClusterName="hp-cluster-ready")
    assert hyperpod["ClusterStatus"] == "InService"
    assert condition(driver, "ready", "StorageReady")["status"] == "True"

    again = driver.begin_deletion(READY)
    driver.until(again["operation_id"], "hyperpod_removal")
    assert balancers(driver) == []
    # What is cancelled on its way is known as long as anything of it is there.
    driver.cancel(again["operation_id"])
    assert driver.finish(again["operation_id"])["status"] == "CANCELLED"
    assert condition(driver, "ready", "HyperPodReady")["reason"] == "RemovalCancelled"


@pytest.mark.case(5)
def test_a_stack_that_fails_to_go_is_never_called_deleted_and_can_then_be_given_up_in_part(
    driver_of_base: Driver,
) -> None:
    driver = driver_of_base
    early = driver.send("DELETE", f"{BASE}?retain_resources=ControlPlaneSubnetOne&dry_run=true")
    [refusal] = early.body["findings"]
    assert (refusal["level"], refusal["field"], early.body["preview"]["digest"]) == ("error", "retain_resources", None)
    assert driver.send("DELETE", f"{BASE}?retain_resources=ControlPlaneSubnetOne").status == 409

    begun = driver.begin_deletion(BASE)
    driver.until(begun["operation_id"], "foundation_removal")
    interface = make_interface(driver, control_plane_subnet(driver, "base"), "of somebody")
    subnet = control_plane_subnet(driver, "base")
    [found] = driver.host.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"]
    vpc = found.get("VpcId", "")
    failed = driver.finish(begun["operation_id"])
    assert (failed["status"], failed["reason"]) == ("FAILED", "BLOCKED")
    assert [error["field"] for error in failed["error"]["errors"]] == [interface]
    assert (stack_status(driver, "base"), driver.send("GET", BASE).status) == ("DELETE_FAILED", 200)
    assert condition(driver, "base", "FoundationReady")["status"] == "False"

    unknown = driver.send("DELETE", f"{BASE}?retain_resources=Vpc")
    assert (unknown.status, unknown.body["errors"][0]["allowed"]) == (409, ["ControlPlaneSubnetOne"])
    retaining = "retain_resources=ControlPlaneSubnetOne"
    assert ("subnet", control_plane_subnet(driver, "base")) in changes(driver.preview(BASE, retaining), "keep")
    final = driver.delete(BASE, retaining)
    # The VPC cannot go without its subnet, and what is in the way is told again.
    assert (final["status"], final["reason"]) == ("FAILED", "BLOCKED")
    assert "?retain_resources=Vpc" in final["error"]["remedy"]
    balancer = make_balancer(driver, "base", "theirs")
    final = driver.delete(BASE, "retain_resources=Vpc")
    assert (final["status"], stack_status(driver, "base")) == ("SUCCEEDED", None), final["error"]
    # What an earlier deletion has given up is told as well.
    assert {f"stack resource {vpc}", f"stack resource {subnet}"} <= {*final["result"]["kept"]}
    assert f"load balancer/app/theirs/{balancer.rpartition('/')[2]}" in final["result"]["kept"]
    assert "is given up and stays" in stage_of(final, "foundation_removal")["message"]


def test_what_eks_leaves_behind_is_cleared_away_and_the_stack_deleted_once_more(
    empty_account: Inventory, driver_of_base: Driver
) -> None:
    driver = driver_of_base
    driver.host.world.eks.records.forgets_interfaces = True
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert left_over(driver, empty_account) == []
    assert any(each.startswith("eni-") for each in operation["result"]["deleted"])


def test_a_stack_that_failed_on_interfaces_that_are_going_is_deleted_once_more_when_they_are_gone(
    driver_of_base: Driver,
) -> None:
    driver = driver_of_base
    begun = driver.begin_deletion(BASE)["operation_id"]
    driver.until(begun, "foundation_removal")
    going = make_interface(driver, control_plane_subnet(driver, "base"), "aws-K8S-i-0123456789abcdef0")
    driver.host.world.interfaces.held_by("a node")(going)
    driver.until_said(begun, "foundation_removal", "pod network of node i-0123456789abcdef0")
    assert stack_status(driver, "base") == "DELETE_FAILED"
    driver.host.world.interfaces.let_go(going)
    driver.host.client("ec2").delete_network_interface(NetworkInterfaceId=going)
    assert driver.finish(begun)["status"] == "SUCCEEDED"


def test_interfaces_of_pods_that_nobody_uses_are_deleted_with_their_subnet(driver_of_base: Driver) -> None:
    driver = driver_of_base
    left = make_interface(driver, control_plane_subnet(driver, "base"), "aws-K8S-i-0123456789abcdef0")
    assert ("network interface", left) in changes(driver.preview(BASE), "delete")
    operation = driver.delete(BASE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert left in stage_of(operation, "vpc_clearance")["resources"]


def test_a_second_deletion_and_a_creation_are_refused_while_one_runs(driver_of_base: Driver) -> None:
    driver = driver_of_base
    begun = driver.begin_deletion(BASE)["operation_id"]
    driver.until(begun, "foundation_removal")
    second = driver.send("DELETE", f"{BASE}?dry_run=true")
    assert [(each["check"], each["resource"]) for each in second.body["findings"]] == [("operation_in_progress", begun)]
    refused = driver.send("POST", f"{BASE}/hyperpod", hyperpod_request())
    assert refused.body["code"] in ("operation_in_progress", "precondition_failed")
    assert driver.finish(begun)["status"] == "SUCCEEDED"


def test_a_deletion_is_refused_while_a_creation_runs_and_says_to_cancel_it(driver: Driver) -> None:
    creation = driver.post("/api/clusters", {"tag": "base"})["operation_id"]
    driver.until(creation, "foundation")
    [finding] = driver.preview(BASE)["findings"]
    assert (finding["code"], finding["resource"]) == ("operation_in_progress", creation)
    assert "cancel" in finding["remedy"]
