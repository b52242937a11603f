"""What somebody else runs already is used as it is; what EKS left behind is taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from functions.clusters import rules
from infra.local.faults import Fault, Kind
from infra.local.kubernetes.controllers.addons import install_addon
from infra.local.kubernetes.documents import JsonObject, mapping
from infra.local.kubernetes.resources import BUILT_IN, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, NAMESPACES
from tests.host.driver import Driver, Json, stage_of

if TYPE_CHECKING:
    from infra.local.kubernetes.store import Store

ADDON = "cert-manager"
NAME, PATH = "eks-cluster-base", "/api/clusters/base/dependencies"
WEBHOOKS = next(resource for resource in BUILT_IN if resource.plural == "validatingwebhookconfigurations")
CHANGES = ("CreateAddon", "UpdateAddon", "DeleteAddon")
DEFINITIONS = (("certificates", "Certificate"), ("issuers", "Issuer"))


@pytest.fixture
def driver(driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch) -> Driver:
    """A prepared cluster, whose dependencies are cert-manager alone from now on."""
    monkeypatch.setattr(rules, "plan", lambda *_: [("dependencies", f"addon:{ADDON}")])
    return driver_of_prepared


def store_of(driver: Driver) -> Store:
    return driver.host.world.kubernetes[NAME].store


def define(store: Store) -> None:
    for plural, kind in DEFINITIONS:
        spec: JsonObject = {
            "group": "cert-manager.io",
            "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
            ],
        }
        store.upsert(CUSTOM_RESOURCE_DEFINITIONS, {"metadata": {"name": f"{plural}.cert-manager.io"}, "spec": spec})


def register_webhook(store: Store) -> None:
    store.upsert(WEBHOOKS, {"metadata": {"name": "certs-webhook"}, "webhooks": [{"name": "webhook.cert-manager.io"}]})


def run_controller(store: Store, labels: JsonObject) -> JsonObject:
    """Run cert-manager's controller in a namespace of somebody's choice."""
    named = {"app.kubernetes.io/name": ADDON, **labels}
    store.upsert(NAMESPACES, {"metadata": {"name": "security"}})
    template = {"metadata": {"labels": named}, "spec": {"containers": [{"name": "c", "image": "quay.io/c:v1.14.0"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": named}, "template": template}
    metadata = {"name": "certs", "namespace": "security", "labels": named}
    return store.upsert(DEPLOYMENTS, {"metadata": metadata, "spec": spec})


def installed(driver: Driver) -> Json | None:
    try:
        return dict(driver.host.client("eks").describe_addon(clusterName=NAME, addonName=ADDON)["addon"])
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ResourceNotFoundException"
        return None


def result_of(operation: Json) -> Json:
    assert operation["status"] == "SUCCEEDED", operation["error"]
    result: Json = stage_of(operation, f"addon:{ADDON}")["result"]
    return result


@pytest.mark.case(36)
@pytest.mark.parametrize(
    ("labels", "managed_by"), [({"app.kubernetes.io/managed-by": "Helm"}, "Helm"), ({}, "manifests")]
)
@pytest.mark.parametrize("request_body", [{}, {"addon_conflicts": "overwrite"}])
def test_a_cert_manager_of_somebody_else_is_used_and_never_touched(
    driver: Driver, labels: JsonObject, managed_by: str, request_body: Json
) -> None:
    store = store_of(driver)
    define(store)
    register_webhook(store)
    before = run_controller(store, labels)
    operation = driver.failing(PATH, request_body, *(Fault("eks", call, Kind.DENY, times=9) for call in CHANGES))
    found = result_of(operation)
    assert found == {
        "addon": ADDON,
        "present": True,
        "owner": "external",
        "namespace": "security",
        "managed_by": managed_by,
    }
    assert "security/deployment/certs" in stage_of(operation, f"addon:{ADDON}")["message"]
    assert installed(driver) is None
    after = store.get(DEPLOYMENTS, "certs", "security")
    assert (after["spec"], mapping(after, "metadata")["uid"]) == (before["spec"], mapping(before, "metadata")["uid"])


@pytest.mark.case(36)
def test_an_addon_of_our_own_is_not_taken_for_somebody_elses(driver: Driver) -> None:
    assert "owner" not in result_of(driver.run(PATH))
    created = installed(driver)
    assert created is not None
    assert created["tags"]["instantstart:managed-by"] == "instantstart"
    assert store_of(driver).get(DEPLOYMENTS, ADDON, ADDON)
    assert "owner" not in result_of(driver.run(PATH))
    again = installed(driver)
    assert again is not None
    assert again["addonArn"] == created["addonArn"]


@pytest.mark.case(36)
def test_what_an_addon_left_behind_is_taken_up_by_a_new_one(driver: Driver) -> None:
    install_addon(store_of(driver), ADDON, "v1.18.2-eksbuild.2")
    assert "owner" not in result_of(driver.run(PATH))
    assert installed(driver) is not None


@pytest.mark.case(36)
def test_definitions_and_webhooks_left_without_a_controller_are_no_installation(driver: Driver) -> None:
    define(store_of(driver))
    register_webhook(store_of(driver))
    assert "owner" not in result_of(driver.run(PATH))
    assert installed(driver) is not None


@pytest.mark.case(36)
def test_a_controller_without_its_definitions_is_named_and_gets_no_second_one(driver: Driver) -> None:
    run_controller(store_of(driver), {})
    register_webhook(store_of(driver))
    failed = driver.run(PATH)
    error = failed["error"]
    assert (failed["status"], error["code"], error["cause"]["code"]) == ("FAILED", "conflict", "PARTIAL_COPY")
    assert error["cause"]["resource"] == "security/deployment/certs"
    assert "certificates.cert-manager.io, issuers.cert-manager.io" in error["detail"]
    assert installed(driver) is None
    define(store_of(driver))
    assert result_of(driver.retry(failed["operation_id"]))["owner"] == "external"
