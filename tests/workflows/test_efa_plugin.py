"""The EFA plugin runs where there is EFA; where somebody placed it elsewhere, its crashes are explained."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import pytest

from functions.catalog.tables import instance_types
from functions.features.helm import stages as helm
from functions.identity.cluster_roles.manifests import OPERATOR
from infra.local.kubernetes.documents import JsonObject, name_of, objects, text
from infra.local.kubernetes.resources import CLUSTER_ROLES, NODES, PODS, SECRETS
from tests.host.agents import Agent
from tests.host.by_hand import ByHand
from tests.host.driver import Driver, Json, stage_of

if TYPE_CHECKING:
    from infra.local.kubernetes.store import Store

PLUGIN = "aws-efa-k8s-device-plugin"
DEPENDENCIES, HYPERPOD = "/api/clusters/base/dependencies", "/api/clusters/base/hyperpod"
GROUPS = [
    {"name": "plain", "instance_type": "ml.g5.xlarge", "instance_count": 1},
    {"name": "fabric", "instance_type": "ml.g6.8xlarge", "instance_count": 1},
]
REQUEST = {"availability_zone": "us-west-2c", "instance_groups": GROUPS}


def store_of(driver: Driver, tag: str = "base") -> Store:
    return driver.host.world.kubernetes[f"eks-cluster-{tag}"].store


def plugin_pods(store: Store) -> list[tuple[str, str]]:
    """The instance type that each pod of the plugin is on, and why it waits."""
    types = {
        name_of(node): text(node, "metadata", "labels", "node.kubernetes.io/instance-type") for node in nodes(store)
    }
    pods = [pod for pod in store.select(PODS) if name_of(pod).startswith(PLUGIN)]
    return sorted((types[text(pod, "spec", "nodeName")], waits(pod)) for pod in pods)


def nodes(store: Store) -> list[JsonObject]:
    return list(store.select(NODES))


def waits(pod: JsonObject) -> str:
    [status] = objects(pod, "status", "containerStatuses")
    return text(status, "state", "waiting", "reason")


def values_of_release(store: Store) -> Json:
    [secret] = store.select(SECRETS, "kube-system", "owner=helm,status=deployed")
    release = base64.b64decode(base64.b64decode(text(secret, "data", "release")))
    found: Json = json.loads(gzip.decompress(release))["config"]
    return found


@pytest.mark.case(33)
def test_the_plugin_is_placed_by_the_facts_of_instance_types_and_only_where_there_is_efa(
    driver_of_prepared: Driver,
) -> None:
    driver = driver_of_prepared
    operation = driver.run(HYPERPOD, REQUEST)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    with_efa = sorted(name for name, facts in instance_types().items() if facts.efa_interfaces)
    chosen = values_of_release(store_of(driver))[PLUGIN]
    assert chosen == {"devicePlugin": {"enabled": True}, "supportedInstanceLabels": {"values": with_efa}}
    assert plugin_pods(store_of(driver)) == [("ml.g6.8xlarge", "")]
    assert "findings" not in operation["result"]


@pytest.mark.case(33)
def test_a_plugin_of_an_older_release_on_a_type_without_efa_is_a_warning_and_gone_once_configured_again(
    driver_of_base: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = driver_of_base
    ours = helm._VALUES["dependencies"]

    def older(*given: object) -> Json:
        values: Json = ours(*given)  # type: ignore[arg-type]  # whatever the stage gives
        return {**values, PLUGIN: {"supportedInstanceLabels": {"values": ["ml.g5.xlarge", "ml.g6.8xlarge"]}}}

    with monkeypatch.context() as patched:
        patched.setitem(helm._VALUES, "dependencies", older)
        assert driver.run(DEPENDENCIES)["status"] == "SUCCEEDED"
    operation = driver.run(HYPERPOD, REQUEST)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [warning] = operation["result"]["findings"]
    assert (warning["check"], warning["level"]) == ("efa_plugin_without_efa", "warning")
    assert warning["message"].startswith("EFA plugin on a node type without EFA (ml.g5.xlarge; pods: 1)")
    assert DEPENDENCIES in warning["remedy"]
    said = stage_of(operation, "verify")["message"]
    assert warning["message"] in said
    assert (warning["remedy"] in said, "/api/" in said) == (False, False), "it stands with the finding"
    read = Agent(driver.host).call("operation_get", {"operation_id": operation["operation_id"]}).content
    [told] = read["result"]["findings"]
    assert 'dependencies_configure {"tag":"base"}' in told["remedy"]
    assert "/api/" not in json.dumps(read)
    repaired = driver.run(DEPENDENCIES)
    assert repaired["status"] == "SUCCEEDED", repaired["error"]
    driver.sleep(60)
    assert plugin_pods(store_of(driver)) == [("ml.g6.8xlarge", "")]
    assert "findings" not in driver.run(DEPENDENCIES)["result"]


@pytest.mark.case(33)
def test_a_plugin_that_somebody_else_placed_on_every_node_crashes_and_the_cluster_does_not_fail(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    ByHand(driver, "ready").place_efa_plugin()
    assert plugin_pods(store_of(driver, "ready")) == [("ml.g6.4xlarge", "CrashLoopBackOff")]
    [pod] = [pod for pod in store_of(driver, "ready").select(PODS) if name_of(pod).startswith(PLUGIN)]
    logs = driver.host.world.kubernetes["eks-cluster-ready"].logs
    assert "no valid EFA devices" in str(logs.get(("kube-system", name_of(pod)))[0])
    operation = driver.run("/api/clusters/ready/storage", {})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [warning] = operation["result"]["findings"]
    assert (warning["check"], warning["level"]) == ("efa_plugin_without_efa", "warning")
    assert warning["resource"] == f"kube-system/daemonset/{PLUGIN}-daemonset"
    assert f"kube-system/daemonset/{PLUGIN}-daemonset" in warning["remedy"]


def test_plugins_that_may_not_be_looked_at_are_a_warning_of_their_own(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    [role] = [role for role in store_of(driver, "ready").select(CLUSTER_ROLES) if name_of(role) == OPERATOR]
    kept = [rule for rule in objects(role, "rules") if rule["apiGroups"] != ["apps"]]
    store_of(driver, "ready").modify(CLUSTER_ROLES, OPERATOR, lambda document: document.update(rules=kept))
    operation = driver.run("/api/clusters/ready/storage", {})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    [warning] = operation["result"]["findings"]
    assert warning["check"] == "plugins_not_looked_at"
    assert "daemonsets" in warning["message"]
    assert "findings" not in driver.run("/api/clusters/ready/dependencies")["result"]
