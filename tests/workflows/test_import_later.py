"""What comes after an import: the connection tried, dependencies, HyperPod and storage on what others made."""

from __future__ import annotations

import pytest

from functions.identity.rules import ADMINISTRATOR
from infra.local.demo.foreign import Maker
from infra.local.faults import Call, Fault, Kind
from infra.local.kubernetes.documents import string_map
from infra.local.kubernetes.resources import CLUSTER_ROLES, SECRETS
from tests.host.driver import Driver, Json, hyperpod_request, stage_of, statuses
from tests.workflows.imports import (
    ADMIN,
    BUCKET,
    LEGACY,
    LET_IN,
    MOVED,
    OPERATOR,
    RESEARCH,
    changes_heard,
    conditions,
    execution_role,
    foreign,
    forgetting,
    forgotten,
    imported,
)

CONNECTION = f"/api/clusters/{RESEARCH}/connection"


def outcomes(report: Json) -> dict[str, str]:
    """The outcome of each step of a connection test."""
    return {check["name"]: check["outcome"] for check in report["checks"]}


def failed_step(report: Json) -> Json:
    """The one step of a connection test that failed."""
    [failed] = [check for check in report["checks"] if check["outcome"] == "failed"]
    step: Json = failed
    return step


def test_an_imported_cluster_without_hyperpod_gets_dependencies_hyperpod_and_storage(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, LEGACY, consents=MOVED)
    path = f"/api/clusters/{LEGACY}"
    dependencies = driver.run(f"{path}/dependencies")
    assert dependencies["status"] == "SUCCEEDED", dependencies["error"]
    # Without a bucket there is nothing for the S3 driver to mount.
    assert "addon:aws-mountpoint-s3-csi-driver" not in statuses(dependencies)
    refused = driver.send("POST", f"{path}/hyperpod", hyperpod_request("us-west-2a"))
    assert (refused.status, refused.body["code"]) == (409, "precondition_failed")
    assert "redetect" in refused.body["remedy"]
    given = {"bucket": BUCKET, "execution_role_arn": f"arn:aws:iam::123456789012:role/{LEGACY}-nodes"}
    refused = driver.send("POST", f"{path}/redetect", given)
    assert refused.body["cause"]["code"] == "PASS_ROLE"
    assert refused.fields[0] == "execution_role_arn"
    arn = execution_role(driver)
    named = driver.run(f"{path}/redetect", given | {"execution_role_arn": arn})
    assert named["result"]["conditions"]["DependenciesReady"] == "True", named["result"]
    dependencies = driver.run(f"{path}/dependencies")
    assert statuses(dependencies)["identity_chain:s3-csi-driver"] == "SUCCEEDED", dependencies["error"]
    created = driver.run(f"{path}/hyperpod", hyperpod_request("us-west-2a"))
    assert created["status"] == "SUCCEEDED", created["error"]["detail"]
    [group] = driver.host.client("sagemaker").describe_cluster(ClusterName=f"hp-cluster-{LEGACY}")["InstanceGroups"]
    assert (group["ExecutionRole"], group["CurrentCount"]) == (arn, 1)
    found = foreign(driver, LEGACY)
    [subnet] = driver.get(f"{path}/subnets")["subnets"]
    [placed] = driver.host.client("ec2").describe_subnets(SubnetIds=[subnet["subnet_id"]])["Subnets"]
    assert placed["VpcId"] == found.network.vpc_id
    stored = driver.run(f"{path}/storage")
    assert stored["status"] == "SUCCEEDED", stored["error"]
    assert stored["result"]["storage"]["bucket"] == BUCKET
    seen = driver.run(f"{path}/redetect")
    assert set(conditions(driver, LEGACY).values()) == {"True"}, seen["result"]
    _is_not_forgotten_unconfirmed(driver, LEGACY)


def _is_not_forgotten_unconfirmed(driver: Driver, tag: str) -> None:
    """What we made runs on, and costs money, once nobody remembers it."""
    kept = {each["resource"]: each for each in forgetting(driver, tag)["changes"]}["HyperPod cluster"]
    assert (kept["action"], kept["name"], kept["reason"]) == (
        "keep",
        f"hp-cluster-{tag}",
        "it runs on, and costs money",
    )
    refused = driver.send("POST", f"/api/clusters/{tag}/forget", {})
    assert (refused.body["code"], refused.fields) == ("confirmation_required", ["confirm"])
    assert driver.get(f"/api/clusters/{tag}")["spec"]["instance_groups"]
    forgotten(driver, tag)


def test_what_others_installed_stays_theirs_when_dependencies_are_configured(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    with changes_heard(driver) as changes:
        operation = driver.run(f"/api/clusters/{RESEARCH}/dependencies")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert "helm_release:dependencies" not in statuses(operation)
    assert [each["resource"] for each in operation["findings"] if each["check"] == "adopted"] == [
        "helm_release:dependencies"
    ]
    assert "CreateAddon" in {call.operation for call in changes}
    store = driver.host.world.kubernetes[RESEARCH].store
    [release] = store.select(SECRETS, "kube-system", "owner=helm,name=dependencies")
    assert "managed-by" not in string_map(release, "metadata", "labels")


def test_a_foreign_s3_driver_is_left_alone_and_nothing_is_mounted_through_it(driver_of_foreign: Driver) -> None:
    driver, maker = driver_of_foreign, Maker(driver_of_foreign.host)
    role = maker.role("their-s3", "pods.eks.amazonaws.com")
    maker.client("eks").create_pod_identity_association(
        clusterName=RESEARCH, namespace="kube-system", serviceAccount="s3-csi-driver-sa", roleArn=role
    )
    maker.client("eks").create_addon(clusterName=RESEARCH, addonName="aws-mountpoint-s3-csi-driver")
    driver.sleep(60)
    operation = imported(driver, consents=LET_IN)
    assert "s3_driver_role" in {each["check"] for each in operation["result"]["findings"]}
    dependencies = driver.run(f"/api/clusters/{RESEARCH}/dependencies")
    assert dependencies["status"] == "SUCCEEDED", dependencies["error"]
    assert "identity_chain:s3-csi-driver" not in statuses(dependencies)
    refused = driver.send("POST", f"/api/clusters/{RESEARCH}/storage", {})
    assert (refused.status, refused.body["cause"]["code"]) == (409, "S3_DRIVER_ROLE")
    assert role in refused.body["detail"]


@pytest.mark.case(74)
def test_a_connection_test_answers_within_seconds_when_the_api_server_does_not(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    began = driver.host.clock.time()
    silent = Fault("kubernetes", "POST selfsubjectaccessreviews", Kind.HANG, times=99, role="kubernetes-")
    with driver.host.faults.planned(silent):
        report = driver.get(CONNECTION)
    assert driver.host.clock.time() - began < 20
    assert not report["connected"]
    assert outcomes(report) == {
        "control_plane": "passed",
        "endpoint": "passed",
        "admin_entry": "passed",
        "admin_rights": "passed",
        "reachable": "failed",
        "operator_token": "unknown",
        "operator_rights": "unknown",
    }
    failed = failed_step(report)
    assert failed["code"] == "K8S_UNREACHABLE"
    assert failed["remedy"]


def test_a_connection_test_names_the_rights_that_the_operator_lacks(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    assert driver.get(CONNECTION)["connected"]
    store = driver.host.world.kubernetes[RESEARCH].store
    store.delete(CLUSTER_ROLES, "instantstart:operator")
    report = driver.get(CONNECTION)
    found = outcomes(report)
    assert (found["admin_rights"], found["operator_token"], found["operator_rights"]) == ("passed", "passed", "failed")
    failed = failed_step(report)
    assert failed["code"] == "RBAC_RIGHTS_MISSING"
    assert "pods" in failed["message"]


def test_a_connection_test_comes_in_as_the_operator_alone(driver_of_foreign: Driver) -> None:
    driver, heard = driver_of_foreign, list[Call]()
    imported(driver, consents=LET_IN)
    with driver.host.faults.overheard(heard.append):
        report = driver.get(CONNECTION)
    assert report["connected"], report
    assert {call.role for call in heard if call.service == "kubernetes"} == {OPERATOR}


def test_a_connection_test_reads_from_eks_how_the_administrator_gets_in(driver_of_foreign: Driver) -> None:
    driver, eks = driver_of_foreign, driver_of_foreign.host.client("eks")
    imported(driver, consents=LET_IN)
    denied = Fault("eks", "DescribeAccessEntry", Kind.DENY, role="function-kubernetes")
    with driver.host.faults.planned(denied):
        unseen = failed_step(driver.get(CONNECTION))
    assert (unseen["name"], unseen["code"]) == ("admin_entry", "AccessDeniedException")
    eks.disassociate_access_policy(clusterName=RESEARCH, principalArn=ADMIN, policyArn=ADMINISTRATOR)
    lacking = failed_step(driver.get(CONNECTION))
    assert (lacking["name"], lacking["code"]) == ("admin_rights", "ACCESS_POLICY_MISSING")
    assert (
        f"associate-access-policy --region us-west-2 --cluster-name {RESEARCH} --principal-arn {ADMIN}"
        in (lacking["remedy"])
    )
    eks.delete_access_entry(clusterName=RESEARCH, principalArn=ADMIN)
    report = driver.get(CONNECTION)
    assert (failed_step(report)["name"], failed_step(report)["code"]) == ("admin_entry", "K8S_ACCESS_ENTRY_MISSING")
    assert f"create-access-entry --region us-west-2 --cluster-name {RESEARCH}" in failed_step(report)["remedy"]
    found = outcomes(report)
    assert (found["admin_rights"], found["reachable"], found["operator_rights"]) == ("unknown", "passed", "passed")


def test_an_api_server_that_never_answers_makes_the_cluster_unreachable_and_not_the_import_endless(
    driver_of_foreign: Driver,
) -> None:
    driver = driver_of_foreign
    silent = Fault("kubernetes", "GET secrets", Kind.HANG, times=999, role="kubernetes-")
    imported(driver, consents=LET_IN)
    began = driver.host.clock.time()
    seen = driver.failing(f"/api/clusters/{RESEARCH}/redetect", None, silent)
    assert seen["status"] == "SUCCEEDED", seen["error"]
    assert driver.host.clock.time() - began < 600
    assert stage_of(seen, "detect_workloads")["status"] == "SUCCEEDED"
    assert conditions(driver)["KubernetesReachable"] == "False"
    assert conditions(driver)["DependenciesReady"] == "Unknown"
