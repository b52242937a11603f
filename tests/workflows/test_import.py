"""Clusters that others made are taken in as they are, changed only with consent, looked at again and forgotten."""

from __future__ import annotations

from functools import partial

import pytest

from infra.local.demo.foreign import Maker
from infra.local.faults import Call, Fault, Kind
from infra.topology import TOPOLOGY
from tests.host.driver import Driver, stage_of, statuses
from tests.workflows.imports import (
    ADMIN,
    IMPORT,
    LEGACY,
    LET_IN,
    MOVED,
    OPERATOR,
    RESEARCH,
    changes_heard,
    component,
    condition,
    conditions,
    entries,
    foreign,
    forgotten,
    imported,
)


@pytest.mark.case(11)
def test_an_import_without_consent_changes_nothing_keeps_what_there_is_and_says_what_an_administrator_would_run(
    driver_of_foreign: Driver,
) -> None:
    driver = driver_of_foreign
    assert driver.get("/api/clusters")["clusters"] == []
    with changes_heard(driver) as changes:
        operation = imported(driver)
    assert changes == []
    assert [cluster["tag"] for cluster in driver.get("/api/clusters")["clusters"]] == [RESEARCH]
    assert statuses(operation) == {"detect_cluster": "SUCCEEDED", "detect_workloads": "SUCCEEDED"}
    assert conditions(driver) == {
        "FoundationReady": "True",
        "DependenciesReady": "Unknown",
        "HyperPodReady": "True",
        "StorageReady": "Unknown",
        "KubernetesReachable": "False",
    }
    refused = condition(driver, "KubernetesReachable")
    assert refused["reason"] == "NoAccessEntry"
    for command in (
        f"aws eks create-access-entry --region us-west-2 --cluster-name {RESEARCH} --principal-arn {ADMIN}",
        f"--principal-arn {ADMIN} --policy-arn arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        f"--principal-arn {OPERATOR} --type STANDARD --kubernetes-groups instantstart:operator",
    ):
        assert command in refused["message"]
    _is_taken_in_as_it_is(driver)
    [finding] = operation["result"]["findings"]
    assert finding["check"] == "lb_subnet_tags"
    assert all(subnet in finding["remedy"] for subnet in foreign(driver, RESEARCH).network.private)


def _is_taken_in_as_it_is(driver: Driver) -> None:
    cluster, made = driver.get(f"/api/clusters/{RESEARCH}"), foreign(driver, RESEARCH)
    spec, [group] = cluster["spec"], cluster["spec"]["instance_groups"]
    assert (spec["origin"], spec["names"]["stack"]) == ("imported", None)
    assert (spec["names"]["eks_cluster"], spec["names"]["hyperpod_cluster"]) == (RESEARCH, "research-hp")
    assert (spec["names"]["bucket"], spec["names"]["execution_role"]) == (made.bucket, "research-nodes")
    assert spec["surroundings"] == {
        "eks_arn": made.arn,
        "vpc_id": made.network.vpc_id,
        "security_group_id": made.network.security_group_id,
        "execution_role_arn": made.execution_role_arn,
    }
    assert (group["name"], group["instance_type"], group["instance_count"]) == ("workers", "ml.g6.4xlarge", 1)
    assert (group["subnet_id"], group["lifecycle"]["on_create"]) == (made.network.private[0], "on_create.sh")
    assert (spec["node_recovery"], spec["availability_zone"]) == ("automatic", "us-west-2a")
    found = cluster["detected"]
    assert (found["hyperpod"]["provisioning"], found["hyperpod"]["groups"][0]["current"]) == ("continuous", 1)
    ways = {each["subnet_id"]: (each["public"], each["reaches_s3"]) for each in found["network"]["subnets"]}
    assert ways[made.network.private[0]] == (False, True)


@pytest.mark.case(60)
def test_with_consent_the_control_plane_is_let_in_subnets_are_tagged_and_the_cluster_is_seen_from_inside(
    driver_of_foreign: Driver,
) -> None:
    driver, consents = driver_of_foreign, LET_IN | {"tag_subnets": True}
    operation = imported(driver, consents=consents)
    assert set(statuses(operation).values()) == {"SUCCEEDED"}
    assert entries(driver, RESEARCH) == {ADMIN, OPERATOR}
    assert operation["result"]["findings"] == []
    assert conditions(driver) == {
        "FoundationReady": "True",
        "DependenciesReady": "True",
        "HyperPodReady": "True",
        "StorageReady": "False",
        "KubernetesReachable": "True",
    }
    chart = component(driver, "helm_release", "dependencies")
    assert (chart["presence"], chart["status"], chart["managed_by"]) == ("present", "deployed", "Helm")
    assert chart["version"] == "hyperpod-helm-chart-0.1.0"
    addon = component(driver, "addon", "vpc-cni")
    assert (addon["presence"], addon["managed_by"], addon["status"]) == ("present", "external", "ACTIVE")
    assert "unknown" not in {
        each["presence"] for each in driver.get(f"/api/clusters/{RESEARCH}")["detected"]["components"]
    }
    assert component(driver, "addon", "aws-mountpoint-s3-csi-driver")["presence"] == "absent"
    assert component(driver, "operator", "kuberay")["presence"] == "absent"
    report = driver.get(f"/api/clusters/{RESEARCH}/connection")
    assert report["connected"], report
    found = foreign(driver, RESEARCH)
    subnets = driver.host.client("ec2").describe_subnets(SubnetIds=[*found.network.private])["Subnets"]
    assert all({"Key": "kubernetes.io/role/internal-elb", "Value": "1"} in each["Tags"] for each in subnets)


@pytest.mark.case(7)
def test_config_map_is_refused_and_moved_only_with_consent(driver_of_foreign: Driver) -> None:
    driver, request = driver_of_foreign, {"eks_cluster_name": LEGACY}
    with changes_heard(driver) as changes:
        refused = driver.send("POST", IMPORT, request)
        previewed = driver.send("POST", f"{IMPORT}?dry_run=true", request | {"consents": MOVED})
    assert (refused.status, refused.body["code"]) == (409, "conflict")
    assert refused.body["cause"]["code"] == "UNSUPPORTED_AUTH_MODE"
    assert "API_AND_CONFIG_MAP (cannot be reverted)" in refused.body["remedy"]
    moves = [each for each in previewed.body["preview"]["changes"] if each["irreversible"]]
    assert [each["stage"] for each in moves] == ["authentication_mode"]
    assert changes == []
    operation = imported(driver, LEGACY, consents=MOVED, owner_groups=["ml"])
    assert driver.get(f"/api/clusters/{LEGACY}")["spec"]["owner_groups"] == ["ml"]
    assert stage_of(operation, "authentication_mode")["status"] == "SUCCEEDED"
    access = driver.host.client("eks").describe_cluster(name=LEGACY)["cluster"]["accessConfig"]
    assert access["authenticationMode"] == "API_AND_CONFIG_MAP"
    assert conditions(driver, LEGACY)["KubernetesReachable"] == "True"
    assert condition(driver, "HyperPodReady", LEGACY)["reason"] == "Absent"
    assert driver.get(f"/api/clusters/{LEGACY}")["detected"]["eks"]["authentication_mode"] == "API_AND_CONFIG_MAP"


@pytest.mark.case(8)
def test_an_access_entry_that_exists_is_completed_and_stays_when_the_cluster_is_forgotten(
    driver_of_foreign: Driver,
) -> None:
    driver, eks = driver_of_foreign, driver_of_foreign.host.client("eks")
    eks.create_access_entry(clusterName=RESEARCH, principalArn=ADMIN)
    operation = imported(driver, consents=LET_IN)
    assert stage_of(operation, "access_entry:admin")["message"] == "entry already present"
    held = eks.list_associated_access_policies(clusterName=RESEARCH, principalArn=ADMIN)["associatedAccessPolicies"]
    assert [each["policyArn"].rpartition("/")[2] for each in held] == ["AmazonEKSClusterAdminPolicy"]
    left = forgotten(driver, remove_access_entries=True)
    assert entries(driver, RESEARCH) == {ADMIN}
    assert stage_of(left, "leave_cluster")["result"] == {"kept_access_entries": [ADMIN]}


def test_forgetting_leaves_aws_as_it_is_and_the_cluster_can_be_taken_in_again(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    with changes_heard(driver) as changes:
        forgotten(driver)
    assert changes == []
    assert driver.send("GET", f"/api/clusters/{RESEARCH}").status == 404
    assert entries(driver, RESEARCH) == {ADMIN, OPERATOR}
    again = imported(driver, tag="second")
    assert again["result"]["conditions"]["KubernetesReachable"] == "True"
    forgotten(driver, "second", remove_access_entries=True)
    # What the first import made carries its tag, not the second's.
    assert entries(driver, RESEARCH) == {ADMIN, OPERATOR}


def test_what_was_made_for_us_is_taken_back_when_that_is_asked(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    left = forgotten(driver, remove_access_entries=True)
    assert entries(driver, RESEARCH) == set()
    reasons = stage_of(left, "cluster_role_removal:operator")["message"]
    assert "clusterroles/instantstart:operator" in reasons


def test_a_cluster_that_the_ledger_knows_is_not_taken_in_twice_and_one_of_two_at_once_wins(
    driver_of_foreign: Driver,
) -> None:
    driver = driver_of_foreign
    sending = [
        partial(driver.send, "POST", IMPORT, {"eks_cluster_name": RESEARCH, "tag": tag}) for tag in ("left", "right")
    ]
    answers = driver.together(sending)
    assert sorted(answer.status for answer in answers) == [202, 409]
    won = next(answer for answer in answers if answer.status == 202)
    assert driver.finish(won.body["operation_id"])["status"] == "SUCCEEDED"
    [cluster] = driver.get("/api/clusters")["clusters"]
    refused = driver.send("POST", IMPORT, {"eks_cluster_name": RESEARCH, "tag": "third"})
    assert (refused.status, refused.body["code"]) == (409, "already_exists")
    assert cluster["tag"] in refused.body["detail"]


def test_a_group_that_somebody_added_is_found_by_another_look(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    before = driver.get(f"/api/clusters/{RESEARCH}")["spec"]["version"]
    same = driver.run(f"/api/clusters/{RESEARCH}/redetect")
    assert same["result"]["changes"] == []
    assert driver.get(f"/api/clusters/{RESEARCH}")["spec"]["version"] == before
    maker, found = Maker(driver.host), foreign(driver, RESEARCH)
    groups = [maker.group(found, "workers"), maker.group(found, "added")]
    maker.client("sagemaker").update_cluster(ClusterName="research-hp", InstanceGroups=groups)
    driver.sleep(1200)
    seen = driver.run(f"/api/clusters/{RESEARCH}/redetect")
    assert seen["status"] == "SUCCEEDED", seen["error"]
    assert "instance group added was added: 1 x ml.g6.4xlarge" in seen["result"]["changes"]
    spec = driver.get(f"/api/clusters/{RESEARCH}")["spec"]
    assert sorted(group["name"] for group in spec["instance_groups"]) == ["added", "workers"]
    assert spec["version"] == before + 1


def test_a_look_does_not_undo_what_was_changed_meanwhile(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver)
    begun = driver.post(f"/api/clusters/{RESEARCH}/redetect", {"bucket": "sagemaker-legacy-1-123456789012"})
    driver.until(begun["operation_id"], "detect_cluster", "SUCCEEDED", every=0.1)
    driver.host.client("dynamodb").update_item(
        TableName="instantstart-clusters",
        Key={"cluster_tag": {"S": RESEARCH}, "record": {"S": "spec"}},
        UpdateExpression="SET company_tags = :tags ADD version :one",
        ExpressionAttributeValues={":tags": {"M": {"team": {"S": "a"}}}, ":one": {"N": "1"}},
    )
    assert driver.finish(begun["operation_id"])["status"] == "SUCCEEDED"
    spec = driver.get(f"/api/clusters/{RESEARCH}")["spec"]
    assert (spec["company_tags"], spec["names"]["bucket"]) == ({"team": "a"}, "sagemaker-legacy-1-123456789012")


def test_what_we_may_not_see_is_unknown_and_never_absent(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, consents=LET_IN)
    denied = [
        Fault("sagemaker", "DescribeCluster", Kind.DENY, times=99, role="stages_cluster"),
        Fault("sagemaker", "ListClusters", Kind.DENY, times=99, role="stages_cluster"),
        Fault("kubernetes", "GET secrets", Kind.DENY, times=99, role="kubernetes-admin"),
        Fault("ec2", "DescribeSubnets", Kind.THROTTLE, times=2, role="stages_cluster"),
    ]
    seen = driver.failing(f"/api/clusters/{RESEARCH}/redetect", None, *denied)
    assert seen["status"] == "SUCCEEDED", seen["error"]
    assert {each["what"] for each in seen["result"]["unknown"]} == {"hyperpod", "helm_releases"}
    assert conditions(driver)["HyperPodReady"] == "Unknown"
    assert conditions(driver)["DependenciesReady"] == "Unknown"
    assert component(driver, "helm_release", "dependencies")["presence"] == "unknown"
    # The groups that were known stay: nobody saw that they are gone.
    assert [group["name"] for group in driver.get(f"/api/clusters/{RESEARCH}")["spec"]["instance_groups"]] == [
        "workers"
    ]


def test_an_import_that_names_another_hyperpod_cluster_fails_and_can_be_forgotten(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    failed = driver.run(IMPORT, {"eks_cluster_name": RESEARCH, "hyperpod_cluster_name": "another"})
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "conflict")
    assert "research-hp does" in failed["error"]["detail"]
    assert driver.run(f"/api/clusters/{RESEARCH}/forget")["status"] == "SUCCEEDED"
    imported(driver, hyperpod_cluster_name="research-hp")


def test_an_import_that_failed_midway_is_completed_by_its_retry(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    request = {"eks_cluster_name": RESEARCH, "consents": LET_IN}
    failed = driver.failing(IMPORT, request, Fault("eks", "CreateAccessEntry", Kind.DENY, first=2))
    assert (failed["status"], stage_of(failed, "access_entry:operator")["status"]) == ("FAILED", "FAILED")
    again = driver.retry(failed["operation_id"])
    assert again["status"] == "SUCCEEDED", again["error"]
    assert stage_of(again, "access_entry:admin")["status"] == "SKIPPED"
    assert conditions(driver)["KubernetesReachable"] == "True"


def test_a_cluster_that_is_gone_is_said_to_be_gone(driver_of_foreign: Driver) -> None:
    driver = driver_of_foreign
    imported(driver, LEGACY, consents=MOVED)
    driver.host.client("eks").delete_cluster(name=LEGACY)
    driver.sleep(200)
    seen = driver.run(f"/api/clusters/{LEGACY}/redetect")
    assert seen["status"] == "SUCCEEDED", seen["error"]
    assert f"EKS cluster {LEGACY}: status ACTIVE → ABSENT" in seen["result"]["changes"]
    found = conditions(driver, LEGACY)
    assert (found["FoundationReady"], found["HyperPodReady"], found["KubernetesReachable"]) == (
        "False",
        "Unknown",
        "False",
    )
    gone = driver.run(f"/api/clusters/{LEGACY}/forget", {"remove_access_entries": True})
    assert gone["status"] == "SUCCEEDED", gone["error"]


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("nobody", 404, "not_found"), ("closed", 409, "conflict"), ("Not a name!", 400, "invalid_request")],
)
def test_what_cannot_be_taken_in_is_refused_with_a_sentence(
    driver_of_foreign: Driver, name: str, status: int, code: str
) -> None:
    driver = driver_of_foreign
    if name == "closed":
        Maker(driver.host).cluster(name, 70, public_endpoint=False, addons=())
    with changes_heard(driver) as changes:
        refused = driver.send("POST", IMPORT, {"eks_cluster_name": name})
    assert (refused.status, refused.body["code"], changes) == (status, code, [])
    assert driver.get("/api/clusters")["clusters"] == []


def test_a_group_of_an_unknown_type_stays_readable(driver_of_foreign: Driver) -> None:
    """SageMaker offers types before this release knows them: the table stands in for an answer that names one."""
    driver = driver_of_foreign
    imported(driver)
    driver.host.client("dynamodb").update_item(
        TableName="instantstart-clusters",
        Key={"cluster_tag": {"S": RESEARCH}, "record": {"S": "spec"}},
        UpdateExpression="SET instance_groups[0].instance_type = :kind, instance_groups[0].training_plan_arn = :plan",
        ExpressionAttributeValues={":kind": {"S": "ml.zz9.96xlarge"}, ":plan": {"S": "arn:of:a:plan"}},
    )
    [group] = driver.get(f"/api/clusters/{RESEARCH}")["spec"]["instance_groups"]
    assert group["instance_type"] == "ml.zz9.96xlarge"
    assert driver.send("GET", f"/api/clusters/{RESEARCH}/subnets").status == 200
    seen = driver.run(f"/api/clusters/{RESEARCH}/redetect")
    assert seen["status"] == "SUCCEEDED", seen["error"]


def test_the_stages_of_an_import_and_of_its_end_take_only_the_actions_that_are_declared(
    driver_of_foreign: Driver,
) -> None:
    driver, heard = driver_of_foreign, list[Call]()
    with driver.host.faults.overheard(heard.append):
        done = imported(driver, LEGACY, consents=MOVED | {"tag_subnets": True})
        again = driver.run(f"/api/clusters/{LEGACY}/redetect")
        gone = driver.run(f"/api/clusters/{LEGACY}/forget", {"remove_access_entries": True})
    assert (again["status"], gone["status"]) == ("SUCCEEDED", "SUCCEEDED")
    run = {name.partition(":")[0] for operation in (done, again, gone) for name in statuses(operation)}
    declared: dict[str, set[str]] = {}
    for stage in TOPOLOGY.stages:
        if stage.kind in run:
            # Each function acts in a session of its own role, named after the operation.
            role = driver.host.deployed.function_roles[stage.function]
            declared.setdefault(role, {"sts:AssumeRole"}).update(stage.actions)
    taken: dict[str, set[str]] = {}
    for call in heard:
        if call.role in declared and call.service not in ("dynamodb", "kubernetes"):
            taken.setdefault(call.role, set()).add(f"{call.service}:{call.operation}")
    assert taken.keys() == declared.keys()
    undeclared = {f"{role} {action}" for role in taken for action in taken[role] - declared[role]}
    assert undeclared == set()
