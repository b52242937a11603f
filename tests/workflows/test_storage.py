"""A mount is done when a pod has used it; when none can, the operation names the link that is broken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.controllers.behaviours import Behaviour, Rule, always
from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, text
from infra.local.kubernetes.resources import CSI_DRIVERS, NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS
from tests.host.driver import Driver, Json

STORAGE = "/api/clusters/ready/storage"
BUCKET = "sagemaker-ready-123456789012-us-west-2"
LIST = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{BUCKET}"}


def cluster_of(driver: Driver) -> KubernetesApi:
    return driver.host.world.kubernetes["eks-cluster-ready"]


def probes(driver: Driver) -> list[str]:
    return [f"{namespace_of(pod)}/{name_of(pod)}" for pod in cluster_of(driver).store.select(PODS) if is_probe(pod)]


def is_probe(pod: JsonObject) -> bool:
    return name_of(pod).endswith("-probe")


def role_of(driver: Driver) -> str:
    client = driver.host.client("eks")
    [found] = client.list_pod_identity_associations(
        clusterName="eks-cluster-ready", namespace="kube-system", serviceAccount="s3-csi-driver-sa"
    )["associations"]
    described = client.describe_pod_identity_association(
        clusterName="eks-cluster-ready", associationId=found["associationId"]
    )
    return described["association"]["roleArn"].rpartition("/")[2]


def allow(driver: Driver, *statements: object) -> Callable[[], None]:
    """Let the driver's role do these things and no other; gives what mends it."""
    iam, place = driver.host.client("iam"), {"RoleName": role_of(driver), "PolicyName": "bucket"}
    before = iam.get_role_policy(**place)["PolicyDocument"]
    policy = {"Version": "2012-10-17", "Statement": list(statements)}
    iam.put_role_policy(**place, PolicyDocument=json.dumps(policy))

    def mend() -> None:
        iam.put_role_policy(**place, PolicyDocument=json.dumps(before))

    return mend


def cause(operation: Json) -> tuple[str, str, str | None, str]:
    assert operation["status"] == "FAILED", operation
    found = operation["error"]["cause"]
    assert operation["error"]["remedy"]
    return found["layer"], found["code"], found["service"], found["resource"]


def test_a_mount_that_works_is_probed_and_leaves_no_pod_behind(driver_of_ready: Driver) -> None:
    operation = driver_of_ready.run(STORAGE, {})
    assert operation["status"] == "SUCCEEDED"
    assert operation["result"]["storage"] == {
        "claim": "s3-claim",
        "namespace": "default",
        "bucket": BUCKET,
        "status": "Bound",
        "probed": True,
    }
    assert probes(driver_of_ready) == []


def test_a_mount_in_another_namespace_is_probed_there(driver_of_ready: Driver) -> None:
    store = cluster_of(driver_of_ready).store
    store.upsert(NAMESPACES, {"metadata": {"name": "team-a"}})
    operation = driver_of_ready.run(STORAGE, {"name": "data", "namespace": "team-a"})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    found = operation["result"]["storage"]
    assert (found["namespace"], found["claim"], found["probed"]) == ("team-a", "data", True)
    claim = store.get(PERSISTENT_VOLUME_CLAIMS, "data", "team-a")
    assert text(claim, "metadata", "annotations", "instantstart/probed-by") == operation["operation_id"]
    assert probes(driver_of_ready) == []


@pytest.mark.case(41)
def test_a_policy_for_the_bucket_of_another_partition_is_named_and_a_retry_after_mending_succeeds(
    driver_of_ready: Driver,
) -> None:
    mend = allow(driver_of_ready, {**LIST, "Resource": f"arn:aws-cn:s3:::{BUCKET}"})
    failed = driver_of_ready.run(STORAGE, {})
    assert cause(failed) == ("aws", "AccessDenied", "s3", f"s3://{BUCKET}")
    assert "s3:ListBucket" in failed["error"]["remedy"]
    assert role_of(driver_of_ready) in failed["error"]["remedy"]
    assert probes(driver_of_ready) == ["default/s3-claim-probe"]
    mend()
    assert driver_of_ready.retry(failed["operation_id"])["status"] == "SUCCEEDED"
    assert probes(driver_of_ready) == []


@pytest.mark.case(41)
def test_a_mount_that_cannot_be_written_fails_with_what_the_probe_read(driver_of_ready: Driver) -> None:
    allow(driver_of_ready, LIST)
    failed = driver_of_ready.run(STORAGE, {})
    assert cause(failed) == ("aws", "AccessDenied", "s3", f"s3://{BUCKET}")
    assert "Permission denied" in failed["error"]["detail"]
    assert "s3:PutObject" in failed["error"]["remedy"]


def test_a_denied_mount_that_comes_right_in_time_does_not_fail(driver_of_ready: Driver) -> None:
    mend = allow(driver_of_ready, {**LIST, "Effect": "Deny"})
    begun = driver_of_ready.post(STORAGE, {})
    driver_of_ready.until_said(begun["operation_id"], "mount:s3-claim", "Forbidden")
    mend()
    assert driver_of_ready.finish(begun["operation_id"])["status"] == "SUCCEEDED"


def test_a_driver_without_a_role_is_named(driver_of_ready: Driver) -> None:
    role = role_of(driver_of_ready)
    iam = driver_of_ready.host.client("iam")
    iam.delete_role_policy(RoleName=role, PolicyName="bucket")
    iam.delete_role(RoleName=role)
    assert cause(driver_of_ready.run(STORAGE, {})) == ("aws", "NoCredentials", "iam", f"role/{role}")


def test_a_bucket_that_is_gone_is_named(driver_of_ready: Driver) -> None:
    client = driver_of_ready.host.client("s3")
    for item in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=item["Key"])
    client.delete_bucket(Bucket=BUCKET)
    failed = driver_of_ready.run(STORAGE, {})
    assert cause(failed) == ("aws", "NoSuchBucket", "s3", f"s3://{BUCKET}")


def test_a_missing_driver_is_named(driver_of_ready: Driver) -> None:
    cluster_of(driver_of_ready).store.delete(CSI_DRIVERS, "s3.csi.aws.com")
    failed = driver_of_ready.run(STORAGE, {"name": "other"})
    assert cause(failed) == ("kubernetes", "CSIDriverMissing", "s3.csi.aws.com", "csidriver/s3.csi.aws.com")


def test_a_probe_without_a_node_waits_with_the_words_of_the_scheduler(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    store = cluster_of(driver).store
    for node in store.select(NODES):
        store.upsert(NODES, {"metadata": {"name": name_of(node)}, "spec": {"unschedulable": True}})
    begun = driver.post(STORAGE, {})
    driver.until_said(begun["operation_id"], "mount:s3-claim", "unschedulable")
    failed = driver.finish(begun["operation_id"])
    assert cause(failed) == ("kubernetes", "Unschedulable", None, "default/pod/s3-claim-probe")


def test_an_image_that_cannot_be_pulled_is_named(driver_of_ready: Driver) -> None:
    refused = Rule(always(Behaviour(pull_error="dial tcp: i/o timeout")), image="busybox")
    cluster_of(driver_of_ready).behaviours.add(refused)
    failed = driver_of_ready.run(STORAGE, {})
    assert cause(failed) == ("kubernetes", "ImagePullFailed", None, "default/pod/s3-claim-probe")
    assert "i/o timeout" in failed["error"]["detail"]


def test_a_pod_of_somebody_else_is_not_touched(driver_of_ready: Driver) -> None:
    store = cluster_of(driver_of_ready).store
    container = {"name": "theirs", "image": "busybox"}
    store.upsert(
        PODS, {"metadata": {"name": "s3-claim-probe", "namespace": "default"}, "spec": {"containers": [container]}}
    )
    failed = driver_of_ready.run(STORAGE, {})
    assert cause(failed) == ("kubernetes", "AlreadyExists", None, "default/pod/s3-claim-probe")
    assert probes(driver_of_ready) == ["default/s3-claim-probe"]
