"""The S3 driver's pods get their role when they are admitted: its chain stands before the add-on makes them."""

from __future__ import annotations

import pytest

from infra.local.faults import Fault, Kind
from infra.local.kubernetes.documents import JsonObject, name_of
from infra.local.kubernetes.resources import PODS
from tests.host.driver import Driver, Json, hyperpod_request, stage_of, statuses
from tests.workflows.chains import DRIVER, DRIVER_ACCOUNT, role_arn, session_of_pod

DEPENDENCIES, STORAGE = "/api/clusters/base/dependencies", "/api/clusters/base/storage"
EKS, ADDON, CHAIN = "eks-cluster-base", "addon:aws-mountpoint-s3-csi-driver", f"identity_chain:{DRIVER}"
CREATE = "CreatePodIdentityAssociation"


def associations(driver: Driver) -> list[Json]:
    client = driver.host.client("eks")
    listed = client.list_pod_identity_associations(clusterName=EKS, serviceAccount=DRIVER_ACCOUNT[1])["associations"]
    return [
        dict(
            client.describe_pod_identity_association(clusterName=EKS, associationId=each["associationId"])[
                "association"
            ]
        )
        for each in listed
    ]


def dissociate(driver: Driver) -> None:
    [found] = associations(driver)
    driver.host.client("eks").delete_pod_identity_association(clusterName=EKS, associationId=found["associationId"])


def associate(driver: Driver, role: str) -> None:
    driver.host.client("eks").create_pod_identity_association(
        clusterName=EKS, namespace=DRIVER_ACCOUNT[0], serviceAccount=DRIVER_ACCOUNT[1], roleArn=role
    )


def driver_pods(driver: Driver) -> list[JsonObject]:
    store = driver.host.world.kubernetes[EKS].store
    return list(store.select(PODS, DRIVER_ACCOUNT[0], labels="k8s-app=s3-csi-node"))


def test_the_association_is_older_than_the_add_on(driver_of_base: Driver) -> None:
    driver = driver_of_base
    operation = driver.run(DEPENDENCIES)
    assert stage_of(operation, CHAIN)["result"]["role"] == role_arn("s3-csi")
    assert stage_of(operation, CHAIN)["finished_at"] <= stage_of(operation, ADDON)["started_at"]
    [association] = associations(driver)
    addon = driver.host.client("eks").describe_addon(clusterName=EKS, addonName="aws-mountpoint-s3-csi-driver")
    assert association["createdAt"] <= addon["addon"]["createdAt"]
    assert association["tags"]["instantstart:operation"] == operation["operation_id"]


@pytest.mark.parametrize("kind", [Kind.FAIL_AFTER, Kind.KILL_AFTER, Kind.KILL_BEFORE])
def test_an_association_whose_answer_was_lost_is_adopted(driver_of_base: Driver, kind: Kind) -> None:
    operation = driver_of_base.failing(DEPENDENCIES, {}, Fault("eks", CREATE, kind, role="stages_identity"))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [association] = associations(driver_of_base)
    assert association["roleArn"] == role_arn("s3-csi")


@pytest.mark.parametrize("unseen", [False, True], ids=["before", "meanwhile"])
def test_an_association_of_somebody_else_is_a_conflict_that_names_both_roles(
    driver_of_base: Driver, unseen: bool
) -> None:
    driver, theirs = driver_of_base, role_arn("s3-csi").replace("s3-csi", "theirs")
    hidden = Fault("eks", CREATE, Kind.REFUSE, refusal=("ResourceInUseException", "Association already exists: a-1"))
    if unseen:
        with driver.host.faults.planned(hidden):
            begun = driver.post(DEPENDENCIES)
            driver.until_said(begun["operation_id"], CHAIN, "broken at association", every=1)
            associate(driver, theirs)
            operation = driver.finish(begun["operation_id"])
    else:
        associate(driver, theirs)
        operation = driver.run(DEPENDENCIES)
    error = operation["error"]
    assert (operation["status"], error["code"], error["status"]) == ("FAILED", "conflict", 409)
    assert theirs in error["detail"] and role_arn("s3-csi") in error["detail"]
    [association] = associations(driver)
    assert association["associationId"] in error["remedy"]
    assert association["roleArn"] == theirs
    assert statuses(operation)[ADDON] == "PENDING"
    dissociate(driver)
    assert driver.retry(operation["operation_id"])["status"] == "SUCCEEDED"
    assert "assumed-role/instantstart-base-us-west-2-s3-csi/" in session_of_pod(driver, DRIVER_ACCOUNT)


def test_pods_that_are_older_than_the_association_mount_nothing_until_they_start_anew(
    driver_of_prepared: Driver,
) -> None:
    driver = driver_of_prepared
    dissociate(driver)
    assert driver.run("/api/clusters/base/hyperpod", hyperpod_request())["status"] == "SUCCEEDED"
    driver.sleep(120)
    assert driver_pods(driver)
    operation = driver.run(DEPENDENCIES)
    assert "run already get the role when they start anew" in stage_of(operation, CHAIN)["message"]
    failed = driver.run(STORAGE, {})
    assert (failed["status"], failed["error"]["cause"]["code"]) == ("FAILED", "NoCredentials")
    assert "kubectl rollout restart daemonset s3-csi-node -n kube-system" in failed["error"]["remedy"]
    store = driver.host.world.kubernetes[EKS].store
    for pod in driver_pods(driver):
        store.delete(PODS, name_of(pod), DRIVER_ACCOUNT[0])
    driver.sleep(120)
    assert driver.retry(failed["operation_id"])["status"] == "SUCCEEDED"


def test_pods_that_were_equipped_once_stay_so_when_the_association_is_made_anew(driver_of_prepared: Driver) -> None:
    driver = driver_of_prepared
    assert driver.run("/api/clusters/base/hyperpod", hyperpod_request())["status"] == "SUCCEEDED"
    driver.sleep(120)
    dissociate(driver)
    driver.sleep(60)
    assert driver.run(DEPENDENCIES)["status"] == "SUCCEEDED"
    assert driver.run(STORAGE, {})["status"] == "SUCCEEDED"
