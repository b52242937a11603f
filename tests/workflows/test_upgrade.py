"""An upgrade of the cluster that the main job made: previewed, confirmed, carried out, broken off and taken up again."""

from __future__ import annotations

import pytest

from functions.catalog import rules as catalog
from tests.host.driver import Driver, Json, stage_of, statuses

UPGRADE = "/api/clusters/ready/upgrade"
EKS, HYPERPOD = "eks-cluster-ready", "hp-cluster-ready"


@pytest.fixture(autouse=True)
def newer_version_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated EKS offers one version more than HyperPod's table has: let HyperPod support it."""
    monkeypatch.setattr(catalog, "HYPERPOD_KUBERNETES_VERSIONS", (*catalog.HYPERPOD_KUBERNETES_VERSIONS, "1.35"))


def previewed(driver: Driver, body: Json | None = None) -> Json:
    answer = driver.send("POST", f"{UPGRADE}?dry_run=true", body)
    assert answer.status == 200, answer.body
    return answer.body


def begun(driver: Driver, body: Json | None = None) -> str:
    digest = previewed(driver, body)["preview"]["digest"]
    operation_id: str = driver.post(f"{UPGRADE}?confirm={digest}", body)["operation_id"]
    return operation_id


def test_try(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    seen = previewed(driver)
    import json
    print(json.dumps(seen, indent=1))
    operation = driver.finish(begun(driver))
    print(json.dumps(operation, indent=1)[:12000])
    assert operation["status"] == "SUCCEEDED"
