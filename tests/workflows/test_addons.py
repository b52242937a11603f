"""Add-ons: what is there already, conflicts and consent, recovery, updates, configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from functions.features import rules
from functions.features.rules import AddonFacts
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from infra.local.kubernetes.controllers.addons import install_addon
from infra.local.kubernetes.documents import objects
from infra.local.kubernetes.resources import DEPLOYMENTS
from infra.local.simulators import eks_catalog
from infra.local.simulators.eks_records import AddonRecord
from tests.host.driver import Driver, Json, stage_of
from tests.host.states import back_to

DEPENDENCIES = "/api/clusters/base/dependencies"
NAME = "eks-cluster-base"
COREDNS, AGENT, DRIVER = "coredns", "eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver"


@dataclass(frozen=True)
class Tangled:
    """An operation on a cluster whose add-ons were in disorder, with what there was and what there is."""

    before: dict[str, Json]
    operation: Json
    after: dict[str, Json]
    associations: list[Json]


@pytest.fixture(scope="module")
def tangled(session_host: LocalHost, founded_state: HostSnapshot) -> Tangled:
    """An agent that somebody installed, a CoreDNS that failed, an S3 driver that takes no role in CreateAddon."""
    driver = back_to(session_host, founded_state)
    client = driver.host.client("eks")
    client.create_addon(clusterName=NAME, addonName=AGENT, addonVersion="v1.3.4-eksbuild.1")
    client.create_addon(clusterName=NAME, addonName=COREDNS)
    driver.sleep(60)
    fail(driver, COREDNS, "CREATE_FAILED", "InternalFailure", "Something broke")
    before = {name: described(driver, name) for name in (AGENT, COREDNS)}
    with pytest.MonkeyPatch.context() as patch:
        refusing = frozenset(eks_catalog.ADDONS[DRIVER].versions("1.34"))
        patch.setitem(eks_catalog.ADDONS, DRIVER, replace(eks_catalog.ADDONS[DRIVER], without_pod_identity=refusing))
        operation = driver.run(DEPENDENCIES)
    after = {name: described(driver, name) for name in (AGENT, COREDNS, DRIVER)}
    listed = client.list_pod_identity_associations(clusterName=NAME, serviceAccount="s3-csi-driver-sa")
    return Tangled(before, operation, after, [dict(each) for each in listed["associations"]])


def described(driver: Driver, addon: str) -> Json:
    return dict(driver.host.client("eks").describe_addon(clusterName=NAME, addonName=addon)["addon"])


def record(driver: Driver, addon: str) -> AddonRecord:
    return driver.host.world.eks.records.clusters[NAME].addons[addon]


def fail(driver: Driver, addon: str, status: str, code: str, message: str) -> None:
    found = record(driver, addon)
    found.announced, found.failed = True, status
    found.issues = [{"code": code, "message": message, "resourceIds": []}]


def image_of_coredns(driver: Driver) -> str:
    deployment = driver.host.world.kubernetes[NAME].store.find(DEPLOYMENTS, "coredns", "kube-system")
    assert deployment is not None
    (container,) = objects(deployment, "spec", "template", "spec", "containers")
    return str(container["image"])


def test_a_healthy_addon_that_somebody_installed_is_adopted_as_it_is(tangled: Tangled) -> None:
    assert tangled.operation["status"] == "SUCCEEDED", tangled.operation["error"]
    assert tangled.after[AGENT] == tangled.before[AGENT]
    assert stage_of(tangled.operation, f"addon:{AGENT}")["resources"] == [tangled.before[AGENT]["addonArn"]]


def test_an_addon_whose_creation_failed_before_is_created_anew(tangled: Tangled) -> None:
    assert tangled.after[COREDNS]["addonArn"] != tangled.before[COREDNS]["addonArn"]
    assert tangled.after[COREDNS]["status"] == "DEGRADED"
    assert [issue["code"] for issue in tangled.after[COREDNS]["health"]["issues"]] == ["InsufficientNumberOfReplicas"]


@pytest.mark.case(34)
def test_a_version_that_takes_no_role_at_its_creation_gets_it_by_an_association_of_its_own(tangled: Tangled) -> None:
    assert tangled.after[DRIVER]["podIdentityAssociations"] == []
    (association,) = tangled.associations
    assert (association["namespace"], association.get("ownerArn")) == ("kube-system", None)


@pytest.mark.case(35)
def test_a_copy_that_is_in_the_way_is_named_and_overwritten_only_with_consent(driver_of_base: Driver) -> None:
    driver = driver_of_base
    install_addon(driver.host.world.kubernetes[NAME].store, COREDNS, "v0-by-hand")
    failed = driver.run(DEPENDENCIES)
    error = failed["error"]
    assert (failed["status"], error["code"], error["cause"]["code"]) == ("FAILED", "conflict", "ConfigurationConflict")
    assert 'Deployment.apps coredns - .spec.template.spec.containers[name="coredns"].image' in error["detail"]
    assert '"addon_conflicts": "overwrite"' in error["remedy"]
    assert image_of_coredns(driver).endswith(":v0-by-hand")
    begun = driver.post(DEPENDENCIES, {"addon_conflicts": "overwrite"})
    overwritten = driver.until(begun["operation_id"], f"addon:{COREDNS}", "SUCCEEDED", every=15)
    assert overwritten["request"] == {"addon_conflicts": "overwrite"}
    assert image_of_coredns(driver).endswith(f":{described(driver, COREDNS)['addonVersion']}")


def test_consent_is_one_of_two_words(driver_of_base: Driver) -> None:
    answer = driver_of_base.send("POST", DEPENDENCIES, {"addon_conflicts": "preserve"})
    assert (answer.status, answer.fields) == (400, ["addon_conflicts"])


def test_a_creation_that_fails_is_tried_once_more_and_then_named(driver_of_base: Driver) -> None:
    driver = driver_of_base
    begun = driver.post(DEPENDENCIES)
    arns = []
    for _ in range(2):
        driver.until_said(begun["operation_id"], f"addon:{COREDNS}", "coredns CREATING", every=5)
        fail(driver, COREDNS, "CREATE_FAILED", "AdmissionRequestDenied", "denied by a policy")
        arns.append(record(driver, COREDNS).arn)
        driver.sleep(45)
    operation = driver.finish(begun["operation_id"])
    assert (operation["status"], len(set(arns))) == ("FAILED", 2)
    assert operation["error"]["cause"]["code"] == "AdmissionRequestDenied"
    assert "denied by a policy" in operation["error"]["detail"]


def test_a_failed_update_is_named_with_the_action_that_its_role_lacks(driver_of_prepared: Driver) -> None:
    message = "AccessDenied: User: x is not authorized to perform: s3:ListBucket"
    fail(driver_of_prepared, COREDNS, "UPDATE_FAILED", "AccessDenied", message)
    operation = driver_of_prepared.run(DEPENDENCIES)
    error = operation["error"]
    assert (error["code"], error["cause"]["code"]) == ("stage_failed", "IAM_MISSING_ACTION")
    assert message in error["detail"]
    assert "s3:ListBucket" in error["remedy"]


def test_an_older_addon_of_ours_is_updated_and_configured(
    driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = driver_of_prepared
    current = described(driver, COREDNS)
    record(driver, COREDNS).version = "v1.11.4-eksbuild.2"
    monkeypatch.setitem(rules.ADDONS, COREDNS, AddonFacts(configuration={"replicaCount": 3}))
    driver.until(driver.post(DEPENDENCIES)["operation_id"], f"addon:{COREDNS}", "SUCCEEDED", every=15)
    updated = described(driver, COREDNS)
    assert (updated["addonArn"], updated["addonVersion"]) == (current["addonArn"], current["addonVersion"])
    assert updated["configurationValues"] == '{"replicaCount": 3}'


def test_a_configuration_that_does_not_fit_is_named_before_eks_is_asked_for_a_change(
    driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(rules.ADDONS, COREDNS, AddonFacts(configuration={"replicas": 3}))
    error = driver_of_prepared.run(DEPENDENCIES)["error"]
    assert (error["code"], error["cause"]["api_call"]) == ("deployment_fault", "DescribeAddonConfiguration")
    assert "$.replicas is not allowed" in error["detail"]
    assert error["remedy"]
