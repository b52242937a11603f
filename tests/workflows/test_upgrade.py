"""Upgrades of the cluster that the main job made: carried out, broken off and taken up again, adopted, refused."""

from __future__ import annotations

from collections import Counter

import pytest

from functions.catalog import rules as catalog
from functions.core.ledger.tables import CLUSTERS
from infra.local.faults import Fault, Kind
from infra.local.simulators import eks_insights
from infra.local.simulators.hyperpod.software_records import Software
from tests.host.driver import Driver, Json, stage_of, statuses

UPGRADE = "/api/clusters/ready/upgrade"
EKS, HYPERPOD, STACK = "eks-cluster-ready", "hp-cluster-ready", "instantstart-ready"


@pytest.fixture(autouse=True)
def newer_version_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated EKS offers one version more than HyperPod's table has: let HyperPod support it."""
    monkeypatch.setattr(catalog, "HYPERPOD_KUBERNETES_VERSIONS", (*catalog.HYPERPOD_KUBERNETES_VERSIONS, "1.35"))


def previewed(driver: Driver, body: Json | None = None) -> Json:
    answer = driver.send("POST", f"{UPGRADE}?dry_run=true", body)
    assert answer.status == 200, answer.body
    return answer.body


def begin(driver: Driver, body: Json | None = None) -> str:
    """Begin an upgrade as it was previewed."""
    digest = previewed(driver, body)["preview"]["digest"]
    operation_id: str = driver.post(f"{UPGRADE}?confirm={digest}", body)["operation_id"]
    return operation_id


def upgrade(driver: Driver, body: Json | None = None) -> Json:
    return driver.finish(begin(driver, body))


def control_plane(driver: Driver) -> str:
    return str(driver.host.client("eks").describe_cluster(name=EKS)["cluster"]["version"])


def addon_versions(driver: Driver) -> dict[str, str]:
    client = driver.host.client("eks")
    names = client.list_addons(clusterName=EKS)["addons"]
    return {name: client.describe_addon(clusterName=EKS, addonName=name)["addon"]["addonVersion"] for name in names}


def kubelets(driver: Driver) -> list[str]:
    nodes = driver.host.world.hyperpod.node_facts(EKS)
    return sorted(node.kubernetes_version for node in nodes)


def stack_says(driver: Driver) -> dict[str, str]:
    stack = driver.host.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    return {each["ParameterKey"]: each["ParameterValue"] for each in stack["Parameters"]}


def physical_ids(driver: Driver) -> dict[str, str]:
    """What the stack consists of: nothing may ever be replaced."""
    resources = driver.host.client("cloudformation").describe_stack_resources(StackName=STACK)["StackResources"]
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in resources}


def updates(driver: Driver) -> int:
    return len(driver.host.client("eks").list_updates(name=EKS)["updateIds"])


def make_older(driver: Driver, addon: str, version: str) -> None:
    driver.host.world.eks.records.clusters[EKS].addons[addon].version = version


def test_a_cluster_is_upgraded_in_the_order_of_its_preview_and_then_there_is_nothing_to_do(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    make_older(driver, "coredns", "v1.11.4-eksbuild.2")
    seen = previewed(driver)
    changed = [(each["resource"], each["name"]) for each in seen["preview"]["changes"] if each["action"] == "change"]
    assert changed == [
        ("EKS control plane", EKS),
        ("EKS add-on", "kube-proxy"),
        ("EKS add-on", "coredns"),
        ("Helm release", "dependencies"),
        ("instance group", "gpu"),
    ]
    irreversible = [each["name"] for each in seen["preview"]["changes"] if each["irreversible"]]
    assert irreversible == [EKS, "gpu"]
    assert driver.send("POST", UPGRADE).body["code"] == "confirmation_required"

    operation = upgrade(driver)
    assert (operation["status"], set(statuses(operation).values())) == ("SUCCEEDED", {"SUCCEEDED"}), operation["error"]
    assert [each["name"] for each in operation["phases"]] == ["preflight", "control_plane", "addons", "nodes", "verify"]
    assert (control_plane(driver), kubelets(driver)) == ("1.35", ["1.35"])
    versions = addon_versions(driver)
    assert (versions["kube-proxy"], versions["coredns"]) == ("v1.35.0-eksbuild.2", "v1.12.4-eksbuild.1")
    # The stack goes on to say what there is.
    said = stack_says(driver)
    assert (said["KubernetesVersion"], said["KubeProxyVersion"]) == ("1.35", "v1.35.0-eksbuild.2")
    assert operation["result"]["eks_cluster"]["version"] == "1.35"
    assert operation["result"]["nodes"][0]["ready"] == 1
    cluster = driver.get("/api/clusters/ready")
    assert cluster["spec"]["kubernetes_version"] == "1.35"
    assert {each["status"] for each in cluster["conditions"]} == {"True"}

    again = driver.send("POST", UPGRADE, {"kubernetes_version": "1.35"})
    assert (again.status, again.body["code"]) == (409, "already_exists")
    [nothing] = [each for each in previewed(driver)["findings"] if each["level"] == "error"]
    assert nothing["check"] == "upgrade_nothing_to_do"

    # A newer image alone is reason enough; control plane and add-ons are left alone.
    driver.host.world.hyperpod.conditions.release_image("1.1.0")
    rollout = {"batch_size": 1, "wait_seconds": 60, "alarms": ["latency"]}
    patched = upgrade(driver, {"kubernetes_version": "1.35", "rollout": rollout})
    assert patched["status"] == "SUCCEEDED", patched["error"]
    [node] = driver.host.client("sagemaker").list_cluster_nodes(ClusterName=HYPERPOD)["ClusterNodeSummaries"]
    assert node["CurrentImageReleaseVersion"] == "1.1.0"
    assert updates(driver) == 1
    software = driver.host.world.hyperpod.records.clusters[HYPERPOD].groups["gpu"].software_update
    assert software is not None and software.config == {
        "RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}},
        "WaitIntervalInSeconds": 60,
        "AutoRollbackConfiguration": [{"AlarmName": "latency"}],
    }


def test_nodes_whose_update_fails_are_named_and_a_retry_goes_on_from_there(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    driver.host.world.hyperpod.conditions.fail_lifecycle_scripts(HYPERPOD, "gpu", times=4)
    [node] = driver.host.client("sagemaker").list_cluster_nodes(ClusterName=HYPERPOD)["ClusterNodeSummaries"]
    failed = upgrade(driver)
    error = failed["error"]
    assert (failed["status"], error["cause"]["code"]) == ("FAILED", "LIFECYCLE_SCRIPT")
    assert node["InstanceId"] in error["detail"] and error["cause"]["resource"] == node["InstanceId"]
    assert (control_plane(driver), kubelets(driver)) == ("1.35", ["1.34"])
    assert driver.get("/api/clusters/ready")["spec"]["kubernetes_version"] == "1.34"
    # It is not taken for done by an upgrade that is asked for anew.
    assert not [each for each in previewed(driver)["findings"] if each["level"] == "error"]

    retried = driver.retry(failed["operation_id"])
    assert retried["status"] == "SUCCEEDED", retried["error"]
    assert statuses(retried)["control_plane"] == "SKIPPED"
    assert (kubelets(driver), updates(driver)) == (["1.35"], 1)


def test_a_worker_that_dies_in_the_update_of_the_stack_leaves_one_update(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    with driver.host.faults.planned(Fault("cloudformation", "UpdateStack", Kind.KILL_AFTER)):
        operation_id = begin(driver)
        operation = driver.until(operation_id, "control_plane", "SUCCEEDED", every=60)
    assert (control_plane(driver), updates(driver)) == ("1.35", 1)
    events = driver.host.client("cloudformation").describe_stack_events(StackName=STACK)["StackEvents"]
    seen = Counter(each["ResourceStatus"] for each in events if each["LogicalResourceId"] == "EksCluster")
    assert seen["UPDATE_COMPLETE"] == 1
    assert stage_of(operation, "control_plane")["attempt"] == 1
    driver.cancel(operation_id)
    driver.finish(operation_id)


@pytest.mark.case(3)
def test_an_update_of_the_control_plane_that_fails_says_why_and_a_retry_begins_another(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    driver.host.world.eks.updates.fail_next(EKS, "IpNotAvailable", "the subnets have no free addresses")
    before = physical_ids(driver)
    failed = upgrade(driver)
    assert (failed["status"], failed["error"]["cause"]["resource"]) == ("FAILED", "AWS::EKS::Cluster")
    assert "the subnets have no free addresses" in failed["error"]["detail"]
    assert statuses(failed)["foundation_addons"] == "PENDING"
    assert (control_plane(driver), stack_says(driver)["KubernetesVersion"]) == ("1.34", "1.34")
    assert physical_ids(driver) == before
    retried = driver.post(f"/api/operations/{failed['operation_id']}/retry")
    driver.until(retried["operation_id"], "control_plane", "SUCCEEDED", every=60)
    assert (control_plane(driver), updates(driver)) == ("1.35", 2)
    driver.cancel(retried["operation_id"])
    driver.finish(retried["operation_id"])


def test_nodes_that_would_be_left_too_far_behind_are_named_before_anything_is_changed(
    driver_of_ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = driver_of_ready
    # EKS, whose insight comes late, has not noticed.
    monkeypatch.setattr(eks_insights, "LARGEST_SKEW", 9)
    operation_id = begin(driver)
    [(_, node)] = driver.host.world.hyperpod.records.nodes()
    node.software = Software("1.0.0", "1.31")
    failed = driver.finish(operation_id)
    assert failed["error"]["cause"]["code"] == "KUBELET_SKEW"
    assert node.instance_id in failed["error"]["detail"]
    assert (statuses(failed)["control_plane"], updates(driver)) == ("PENDING", 0)


UNREAD = (("eks", "ListInsights"), ("eks", "DescribeClusterVersions"), ("sagemaker", "DescribeCluster"))


def faults_of(kind: Kind, *calls: tuple[str, str], role: str = "function-api") -> list[Fault]:
    return [Fault(*call, kind, times=999, role=role) for call in calls]


@pytest.mark.case(71)
@pytest.mark.parametrize("kind", [Kind.HANG, Kind.THROTTLE])
def test_what_aws_does_not_tell_of_an_upgrade_is_unchecked_and_looked_at_by_its_first_stage(
    driver_of_ready: Driver, kind: Kind
) -> None:
    driver, body = driver_of_ready, {"kubernetes_version": "1.35"}
    before = driver.host.clock.time()
    with driver.host.faults.planned(*faults_of(kind, *UNREAD)):
        seen = previewed(driver, body)
        assert driver.host.clock.time() - before < 5
        begun = driver.post(f"{UPGRADE}?confirm={seen['preview']['digest']}", body)
    told = {each["check"]: each["level"] for each in seen["findings"] if each["message"].startswith("unchecked: ")}
    assert told == dict.fromkeys(["upgrade_insight", "upgrade_nodes", "upgrade_version"], "warning")
    assert seen["preview"]["changes"][-1]["name"] == HYPERPOD
    assert {"upgrade_preflight", "node_images"} <= set(statuses(begun))
    # Now it is told that the groups are being changed.
    driver.host.client("sagemaker").update_cluster_software(ClusterName=HYPERPOD)
    failed = driver.finish(begun["operation_id"])
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "precondition_failed")
    assert (statuses(failed)["control_plane"], updates(driver)) == ("PENDING", 0)


@pytest.mark.case(71)
@pytest.mark.parametrize("call", ["ListAddons", "DescribeAddon", "DescribeAddonVersions"])
def test_an_upgrade_whose_add_ons_are_not_told_is_not_begun(driver_of_ready: Driver, call: str) -> None:
    driver = driver_of_ready
    before = driver.host.clock.time()
    with driver.host.faults.planned(*faults_of(Kind.HANG, ("eks", call))):
        errors = [each for each in previewed(driver)["findings"] if each["level"] == "error"]
        answer = driver.send("POST", UPGRADE)
    assert driver.host.clock.time() - before < 2 * 5
    assert [each["check"] for each in errors] == ["upgrade_addon"]
    assert (answer.status, answer.body["code"], answer.body["retryable"]) == (503, "unavailable", True)
    assert not driver.get("/api/clusters/ready")["active_operation_ids"]


@pytest.mark.case(71)
def test_an_upgrade_that_nobody_answers_about_ends_after_minutes_and_changes_nothing(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    operation_id = begin(driver)
    before = driver.host.clock.time()
    with driver.host.faults.planned(*faults_of(Kind.HANG, UNREAD[0], role="stages_workloads")):
        driver.until_said(operation_id, "upgrade_preflight", "no answer yet about: upgrade_insight", every=5)
        failed = driver.finish(operation_id)
    assert driver.host.clock.time() - before < 900
    assert (failed["error"]["code"], failed["error"]["cause"]["code"]) == ("unavailable", "UNANSWERED")
    assert "upgrade_insight" in failed["error"]["detail"]
    assert (statuses(failed)["control_plane"], updates(driver)) == ("PENDING", 0)


@pytest.mark.case(71)
@pytest.mark.parametrize(
    "silent",
    [("eks", "DescribeCluster", "stages_workloads"), ("kubernetes", "GET nodes", "kubernetes-operator")],
    ids=["control plane", "nodes"],
)
def test_what_nothing_can_be_said_without_is_waited_for_no_longer_than_anything_else(
    driver_of_ready: Driver, silent: tuple[str, str, str]
) -> None:
    driver, (service, call, role) = driver_of_ready, silent
    operation_id = begin(driver)
    before = driver.host.clock.time()
    with driver.host.faults.planned(*faults_of(Kind.HANG, (service, call), role=role)):
        failed = driver.finish(operation_id)
    assert driver.host.clock.time() - before < 900
    assert (failed["error"]["code"], failed["error"]["cause"]["code"]) == ("unavailable", "UNANSWERED")
    assert failed["error"]["retryable"]
    assert (statuses(failed)["control_plane"], updates(driver)) == ("PENDING", 0)


def test_a_cluster_whose_hyperpod_cluster_was_not_told_of_and_is_not_there_is_upgraded_without(
    driver_of_prepared: Driver,
) -> None:
    driver, path = driver_of_prepared, "/api/clusters/base/upgrade"
    with driver.host.faults.planned(*faults_of(Kind.HANG, UNREAD[2])):
        seen = driver.send("POST", f"{path}?dry_run=true")
        begun = driver.post(f"{path}?confirm={seen.body['preview']['digest']}")
    assert "node_images" in statuses(begun)
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"]["detail"])
    assert "no HyperPod cluster" in stage_of(operation, "node_images")["message"]
    assert driver.get("/api/clusters/base")["spec"]["kubernetes_version"] == "1.35"


def imported(driver: Driver) -> None:
    """Let the cluster be one that was not made by us: no stack owns its control plane."""
    table = driver.host.deployed.environment[CLUSTERS.variable]
    driver.host.client("dynamodb").update_item(
        TableName=table,
        Key={"cluster_tag": {"S": "ready"}, "record": {"S": "spec"}},
        UpdateExpression="SET origin = :imported",
        ExpressionAttributeValues={":imported": {"S": "imported"}},
    )


def test_a_control_plane_without_a_stack_is_updated_by_eks_and_an_update_under_way_is_adopted(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    imported(driver)
    driver.host.client("eks").update_cluster_version(name=EKS, version="1.35")
    seen = previewed(driver, {"kubernetes_version": "1.35"})
    assert "UpdateClusterVersion" in seen["preview"]["changes"][0]["reason"]
    assert "upgrade_status" in [each["check"] for each in seen["findings"] if each["level"] == "warning"]
    operation = upgrade(driver, {"kubernetes_version": "1.35"})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert {"foundation_addons", "helm_release:dependencies"}.isdisjoint(statuses(operation))
    assert (control_plane(driver), kubelets(driver), updates(driver)) == ("1.35", ["1.35"], 1)
    assert addon_versions(driver)["kube-proxy"] == "v1.35.0-eksbuild.2"
    assert stack_says(driver)["KubernetesVersion"] == "1.34"


def test_a_control_plane_without_a_stack_is_updated_once_and_what_eks_warns_of_is_told_first(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    imported(driver)
    driver.host.world.eks.insights.put(EKS, "Deprecated APIs", "WARNING", "flowcontrol v1beta3 is used")
    [warning] = [each for each in previewed(driver)["findings"] if each["check"] == "upgrade_insight"]
    assert warning["level"] == "warning"
    assert "flowcontrol v1beta3 is used" in warning["message"]
    operation = upgrade(driver)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (control_plane(driver), updates(driver)) == ("1.35", 1)


def test_a_cluster_with_its_foundation_alone_is_upgraded_without_a_look_into_it(driver_of_base: Driver) -> None:
    path = "/api/clusters/base/upgrade"
    digest = driver_of_base.send("POST", f"{path}?dry_run=true").body["preview"]["digest"]
    operation = driver_of_base.run(f"{path}?confirm={digest}")
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"]["detail"])
    found = driver_of_base.host.client("eks").describe_cluster(name="eks-cluster-base")["cluster"]
    assert (found["version"], operation["result"]["eks_cluster"]["version"]) == ("1.35", "1.35")
    assert "nodes" not in operation["result"]


def test_a_cluster_whose_groups_are_scaled_to_nothing_is_upgraded_without_nodes(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    scaled_to_nothing(driver)
    operation = upgrade(driver)
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"]["detail"])
    assert (control_plane(driver), operation["result"]["node_status"]) == ("1.35", "none")
    assert [(each["count"], each["ready"]) for each in operation["result"]["nodes"]] == [(0, 0)]


def test_nodes_that_a_group_wants_and_has_not_are_missed_though_none_is_left(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    scaled_to_nothing(driver)
    operation_id = begin(driver)
    # HyperPod has lost what the group wants, and still calls the cluster InService.
    [group] = driver.host.world.hyperpod.records.clusters[HYPERPOD].groups.values()
    group.target = 2
    failed = driver.finish(operation_id)
    assert (failed["status"], statuses(failed)["verify"]) == ("FAILED", "FAILED")
    assert failed["error"]["detail"].startswith("Nodes: absent")


def scaled_to_nothing(driver: Driver) -> None:
    """Let somebody scale the only instance group to no instance at all."""
    client = driver.host.client("sagemaker")
    group = dict(client.describe_cluster(ClusterName=HYPERPOD)["InstanceGroups"][0])
    kept = ("InstanceGroupName", "InstanceType", "LifeCycleConfig", "ExecutionRole", "ThreadsPerCore")
    wanted = {name: group[name] for name in kept if name in group} | {"InstanceCount": 0}
    client.update_cluster(ClusterName=HYPERPOD, InstanceGroups=[wanted])  # type: ignore[list-item]
    driver.sleep(1_800)
    assert not kubelets(driver)
