"""HyperPod clusters of any capacity: created as asked for, waited for, explained when something is short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, timedelta

import pytest

from infra.local.host import LocalHost
from tests.host.driver import Driver, Json, hyperpod_request, stage_of, statuses

CLUSTER = "hp-cluster-base"


@pytest.fixture(autouse=True)
def held_schedules(session_host: LocalHost) -> Iterator[None]:
    """Hours pass here; what the sweeper does in them is shown elsewhere."""
    with session_host.schedules_held():
        yield


PATH = "/api/clusters/base/hyperpod"
GPU: Json = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}
P5 = "ml.p5.48xlarge"


def request(*groups: Json, **other: object) -> Json:
    return {"availability_zone": "us-west-2c", "instance_groups": [*groups], **other}


def described(driver: Driver) -> dict[str, Json]:
    """The instance groups of the cluster as SageMaker describes them, by name."""
    found = driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)
    return {group["InstanceGroupName"]: {**group} for group in found["InstanceGroups"]}


def node_labels(driver: Driver) -> list[dict[str, str]]:
    api = driver.host.world.kubernetes["eks-cluster-base"]
    return [node["metadata"]["labels"] for node in api.store.list("nodes")]  # type: ignore[attr-defined]


def limit(driver: Driver, count: int | None, kind: str = "ml.g6.4xlarge") -> None:
    driver.host.world.hyperpod.conditions.limit_capacity(kind, "us-west-2c", count)


def test_a_cluster_gets_groups_of_every_kind_as_they_were_asked_for(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    plan = driver.host.world.hyperpod.conditions.make_training_plan("tp1", P5, 2, "us-west-2b")
    bucket = "sagemaker-base-123456789012-us-west-2"
    driver.host.client("s3").put_object(Bucket=bucket, Key="own/hook.sh", Body=b"#!/bin/bash\necho hi\n")
    volume = {"size_gib": 500}
    groups = [
        GPU | {"capacity_type": "spot", "labels": {"team": "a"}, "volumes": [volume], "min_instance_count": 1},
        {"name": "plan", "instance_type": P5, "instance_count": 1, "training_plan_arn": plan,
         "network_interface": "efa_only"},
        {"name": "mixed", "instance_types": ["ml.c5.4xlarge", "ml.m5.4xlarge"], "instance_count": 1,
         "taints": [{"key": "own", "value": "yes", "effect": "NoSchedule"}],
         "lifecycle": {"source_uri": f"s3://{bucket}/own", "on_create": "hook.sh"}},
        {"name": "later", "instance_type": "ml.c5.xlarge", "instance_count": 0, "threads_per_core": 1},
    ]  # fmt: skip
    operation = driver.run(PATH, request(*groups, system_group={}, node_recovery="none"))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    found = described(driver)
    assert {name: group["CurrentCount"] for name, group in found.items()} == {
        "gpu": 1, "plan": 1, "mixed": 1, "later": 0, "system": 1
    }  # fmt: skip
    assert found["gpu"]["CapacityRequirements"] == {"Spot": {}}
    assert found["gpu"]["KubernetesConfig"]["DesiredLabels"] == {"team": "a"}
    assert found["gpu"]["InstanceStorageConfigs"] == [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}]
    assert (found["plan"]["TrainingPlanArn"], found["plan"]["NetworkInterface"]) == (
        plan,
        {"InterfaceType": "efa-only"},
    )
    assert found["mixed"]["InstanceRequirements"]["DesiredInstanceTypes"] == ["ml.c5.4xlarge", "ml.m5.4xlarge"]
    assert found["mixed"]["LifeCycleConfig"] == {"SourceS3Uri": f"s3://{bucket}/own", "OnCreate": "hook.sh"}
    assert (found["gpu"]["ThreadsPerCore"], found["later"]["ThreadsPerCore"]) == (2, 1)
    assert {group["capacity_type"] for group in operation["result"]["nodes"]} == {"spot", "training_plan", "on_demand"}
    recovery = driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["NodeRecovery"]
    assert recovery == "None"


def test_node_recovery_is_automatic_unless_opted_out(driver_of_prepared: Driver) -> None:
    assert driver_of_prepared.run(PATH, hyperpod_request())["status"] == "SUCCEEDED"
    client = driver_of_prepared.host.client("sagemaker")
    assert client.describe_cluster(ClusterName=CLUSTER)["NodeRecovery"] == "Automatic"


@pytest.mark.case(15)
def test_a_plan_is_refused_in_the_wrong_zone_and_served_in_its_own(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    plan = driver.host.world.hyperpod.conditions.make_training_plan("tp1", P5, 1, "us-west-2b")
    group = {"name": "plan", "instance_type": P5, "instance_count": 1, "training_plan_arn": plan}
    refused = driver.send("POST", PATH, request(group | {"availability_zone": "us-west-2c"}))
    assert (refused.status, refused.body["errors"][0]["allowed"]) == (409, ["us-west-2b"])
    operation = driver.run(PATH, request(group))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert "compute_subnet:us-west-2b" in statuses(operation)


@pytest.mark.case(14)
def test_on_shortage_fail_ends_at_the_first_lack_and_a_retry_waits_anew(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    limit(driver, 0)
    failed = driver.run(PATH, request(GPU, on_shortage="fail"))
    error = failed["error"]
    assert (failed["status"], error["cause"]["code"], error["retryable"]) == ("FAILED", "CAPACITY", True)
    assert error["errors"] == []
    limit(driver, None)
    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "SUCCEEDED", retried["error"]
    assert driver.made("base")["hyperpod"] == 1


@pytest.mark.case(14)
def test_on_shortage_alternatives_names_zones_plans_and_spot_and_switches_nothing(driver_of_prepared: Driver) -> None:
    driver, conditions = driver_of_prepared, driver_of_prepared.host.world.hyperpod.conditions
    limit(driver, 0, P5)
    starts = driver.host.clock.now() + timedelta(days=1)
    offering = conditions.offer_training_plan(P5, 2, "us-west-2b", starts_at=starts, hours=72)
    group = {"name": "big", "instance_type": P5, "instance_count": 2}
    failed = driver.run(PATH, request(GPU, group, on_shortage="alternatives"))
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "CAPACITY")
    offered = {error["field"]: error["allowed"] for error in failed["error"]["errors"]}
    assert offered["instance_groups[1].training_plan_arn"] == [offering]
    assert offered["instance_groups[1].capacity_type"] == ["spot"]
    zones = offered["instance_groups[1].availability_zone"]
    assert zones
    assert "us-west-2c" not in zones
    assert "CapacityRequirements" not in described(driver)["big"]


SECRET = "hf_" + "aB3" * 11
LOG = [
    f"+ export HF_TOKEN={SECRET}",
    "fatal error: An error occurred (AccessDenied) when calling the GetObject operation",
]


@pytest.mark.case(25)
def test_a_script_that_goes_on_failing_fails_the_operation_by_what_its_log_says(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    driver.host.world.hyperpod.conditions.fail_lifecycle_scripts(CLUSTER, "gpu", log=LOG)
    begun = driver.post(PATH, hyperpod_request())
    seen = driver.until_said(begun["operation_id"], "hyperpod_cluster", "LIFECYCLE_S3_ACCESS", every=120)
    assert seen["status"] == "RUNNING"
    failed = driver.finish(begun["operation_id"])
    error = failed["error"]
    assert (failed["status"], error["cause"]["code"]) == ("FAILED", "LIFECYCLE_S3_ACCESS")
    assert LOG[1] in error["detail"]
    assert SECRET not in json.dumps(seen) + json.dumps(failed)
    assert "LifecycleConfig/gpu/" in error["detail"]
    assert "instantstart-base-us-west-2-execution" in error["remedy"]
    assert "sagemaker-base-123456789012-us-west-2" in error["remedy"]
    driver.host.world.hyperpod.conditions.mend_lifecycle_scripts(CLUSTER, "gpu")
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"


@pytest.mark.case(25)
def test_a_script_that_is_mended_in_time_costs_nothing_but_time(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    driver.host.world.hyperpod.conditions.fail_lifecycle_scripts(CLUSTER, "gpu", log=["no such luck"], times=2)
    operation = driver.run(PATH, hyperpod_request())
    assert operation["status"] == "SUCCEEDED", operation["error"]


@pytest.mark.case(13)
def test_efa_that_a_security_group_stops_later_is_told_by_its_cause(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    ec2 = driver.host.client("ec2")
    with driver.host.clock.busy():
        begun = driver.post(PATH, request({"name": "gpu", "instance_type": "ml.g6.8xlarge", "instance_count": 1}))
        found = ec2.describe_security_groups(Filters=[{"Name": "tag:instantstart:cluster", "Values": ["base"]}])
        for group in found["SecurityGroups"]:
            if group["IpPermissions"]:
                ec2.revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=group["IpPermissions"])
    failed = driver.finish(begun["operation_id"])
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "EFA_CHECK")
    assert "from and to itself" in failed["error"]["remedy"]


def test_a_minimum_that_is_not_reached_is_said_and_a_retry_begins_anew(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    limit(driver, 0)
    failed = driver.run(PATH, request(GPU | {"instance_count": 2, "min_instance_count": 1}))
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "MINIMUM_NOT_REACHED")
    before = driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"]
    limit(driver, None)
    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "SUCCEEDED", retried["error"]
    assert driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"] != before


def broken(driver: Driver) -> Json:
    """An operation that failed because its HyperPod cluster did."""
    limit(driver, 0)
    begun = driver.post(PATH, hyperpod_request())
    driver.until_said(begun["operation_id"], "hyperpod_cluster", "sufficient capacity")
    record = driver.host.world.hyperpod.records.clusters[CLUSTER]
    record.status, record.failure = "Failed", "We currently do not have sufficient capacity. Please try again."
    failed = driver.finish(begun["operation_id"])
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "CAPACITY")
    limit(driver, None)
    return failed


def test_a_retry_deletes_an_empty_cluster_that_failed_and_creates_it_anew(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    failed = broken(driver)
    before = driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"]
    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "SUCCEEDED", retried["error"]
    assert driver.made("base")["hyperpod"] == 1
    assert driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"] != before


def test_a_failed_cluster_without_our_tags_is_left_alone(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    failed = broken(driver)
    arn = driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"]
    driver.host.client("sagemaker").delete_tags(ResourceArn=arn, TagKeys=["instantstart:cluster"])
    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "FAILED"
    assert "delete-cluster" in retried["error"]["remedy"]
    assert driver.host.client("sagemaker").describe_cluster(ClusterName=CLUSTER)["ClusterArn"] == arn


@pytest.mark.case(31)
def test_deep_health_checks_are_waited_for_and_said_with_their_start(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    checked = GPU | {"deep_health_checks": ["instance_stress", "instance_connectivity"]}
    begun = driver.post(PATH, request(checked))
    operation = driver.until_said(begun["operation_id"], "hyperpod_cluster", "waiting for deep health check", every=300)
    stage = stage_of(operation, "hyperpod_cluster")
    assert (operation["status"], stage["reason"]) == ("RUNNING", "WAITING_DEEP_HEALTH_CHECK")
    events = driver.host.client("sagemaker").list_cluster_events(ClusterName=CLUSTER)["Events"]
    [begun_at] = [each["EventTime"] for each in events if each["Description"].endswith("has Completed")]
    assert f"started {begun_at.astimezone(UTC):%H:%M} UTC" in stage["message"]
    assert driver.finish(begun["operation_id"])["status"] == "SUCCEEDED"
    assert described(driver)["gpu"]["OnStartDeepHealthChecks"] == ["InstanceStress", "InstanceConnectivity"]


@pytest.mark.case(32)
def test_an_instance_that_runs_and_never_joins_is_named(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    driver.host.world.hyperpod.conditions.keep_from_joining(CLUSTER, "gpu")
    begun = driver.post(PATH, hyperpod_request(count=2))
    operation = driver.until_said(begun["operation_id"], "hyperpod_nodes", "running, not joined", every=300)
    stage = stage_of(operation, "hyperpod_nodes")
    assert "gpu 1/2" in stage["message"]
    failed = driver.finish(begun["operation_id"])
    cause = failed["error"]["cause"]
    assert (failed["status"], cause["code"]) == ("FAILED", "NODE_NOT_JOINED")
    assert cause["resource"] in stage["message"]
    assert cause["resource"].startswith("i-")
