"""Deletions of what is no whole, healthy cluster: HyperPod alone, half-made clusters, clusters that do not answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from moto.backends import get_backend

from functions.core import settings
from infra.local.faults import Call, Fault, Kind
from infra.local.inventory import Inventory, taken
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import NAMESPACES
from tests.host.driver import Driver, Json, hyperpod_request, stage_of, statuses
from tests.workflows.deletions import (
    changes,
    condition,
    control_plane_subnet,
    interfaces,
    left_over,
    make_interface,
    make_volume,
    stack_status,
    store_of,
)
from tests.workflows.reused import BUCKET as BUCKET_OF_OTHERS
from tests.workflows.reused import EGRESS, own

READY, BASE = "/api/clusters/ready", "/api/clusters/base"
WHOLE = "delete_bucket=true"
BUCKET = "sagemaker-base-123456789012-us-west-2"
ACCOUNT = "123456789012"


def test_hyperpod_goes_alone_and_another_can_be_created(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    before = taken(driver.host)
    previewed = driver.preview(f"{READY}/hyperpod")
    assert [kind for kind, _ in changes(previewed, "delete")] == ["HyperPod cluster", "compute subnet"]
    assert ("EKS cluster", "eks-cluster-ready") in changes(previewed, "keep")
    operation = driver.delete(f"{READY}/hyperpod")
    assert operation["status"] == "SUCCEEDED", operation["error"]

    gone = {line.partition(":")[0] for line in left_over(driver, before)}
    assert {"HyperPod clusters", "instances", "nodes", "subnets", "interfaces"} <= gone
    assert not gone & {"stacks", "EKS clusters", "buckets", "roles", "associations", "releases", "claims"}
    hyperpod = condition(driver, "ready", "HyperPodReady")
    assert (hyperpod["status"], hyperpod["reason"]) == ("False", "Removed")
    cluster = driver.get(READY)
    assert (condition(driver, "ready", "FoundationReady")["status"], cluster["spec"]["instance_groups"]) == ("True", [])
    assert driver.send("POST", f"{READY}/hyperpod", hyperpod_request()).status == 202


def test_a_deletion_of_hyperpod_that_is_cancelled_leaves_the_groups_in_the_desired_state(
    driver_of_ready: Driver,
) -> None:
    driver = driver_of_ready
    wanted = driver.get(READY)["spec"]["instance_groups"]
    begun = driver.begin_deletion(f"{READY}/hyperpod")["operation_id"]
    driver.until(begun, "hyperpod_removal")
    driver.cancel(begun)
    assert driver.finish(begun)["status"] == "CANCELLED"
    assert wanted
    assert driver.get(READY)["spec"]["instance_groups"] == wanted
    # Once HyperPod is gone, nobody wants its groups any more.
    assert driver.delete(f"{READY}/hyperpod")["status"] == "SUCCEEDED"
    assert driver.get(READY)["spec"]["instance_groups"] == []


@pytest.mark.case(22)
def test_a_groups_own_subnet_outlives_hyperpod_and_goes_with_the_cluster(
    empty_account: Inventory, driver_of_prepared: Driver
) -> None:
    driver, request = driver_of_prepared, hyperpod_request()
    request["instance_groups"][0] |= {"dedicated_subnet": True}
    assert driver.run(f"{BASE}/hyperpod", request)["status"] == "SUCCEEDED"
    kept = [name for kind, name in changes(driver.preview(f"{BASE}/hyperpod"), "keep") if kind == "compute subnet"]
    operation = driver.delete(f"{BASE}/hyperpod")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [f"subnet/{name.partition(' ')[0]}" for name in kept] == operation["result"]["kept"][:1]

    assert driver.delete(BASE, WHOLE)["status"] == "SUCCEEDED"
    assert [line.partition(":")[0] for line in left_over(driver, empty_account)] == ["log groups"]


def _failed_foundation(driver: Driver) -> Json:
    driver.host.world.cloudformation.fail_next("NatGateway", "not today")
    return driver.create({"tag": "base"})


def _cancelled_foundation(driver: Driver) -> Json:
    begun = driver.post("/api/clusters", {"tag": "base"})["operation_id"]
    driver.until_said(begun, "foundation", "making")
    driver.cancel(begun)
    return driver.finish(begun)


@pytest.mark.parametrize("ending", [_failed_foundation, _cancelled_foundation])
def test_a_cluster_without_a_whole_foundation_is_deleted(
    empty_account: Inventory, driver: Driver, ending: Callable[[Driver], Json]
) -> None:
    assert ending(driver)["status"] in ("FAILED", "CANCELLED")
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (left_over(driver, empty_account), driver.send("GET", BASE).status) == ([], 404)


def test_a_cluster_that_failed_among_its_dependencies_is_deleted(
    empty_account: Inventory, driver_of_base: Driver
) -> None:
    driver = driver_of_base
    fault = Fault("eks", "CreateAddon", Kind.DENY, role="function-stages")
    assert driver.failing(f"{BASE}/dependencies", {}, fault)["status"] == "FAILED"
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert left_over(driver, empty_account) == []


def test_a_cluster_that_failed_on_its_way_to_capacity_is_deleted(
    empty_account: Inventory, driver_of_prepared: Driver
) -> None:
    driver = driver_of_prepared
    driver.host.world.hyperpod.capacity["ml.g6.4xlarge", "us-west-2c"] = 0
    begun = driver.post(f"{BASE}/hyperpod", hyperpod_request() | {"on_shortage": "fail"})["operation_id"]
    assert driver.finish(begun)["status"] == "FAILED"
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert left_over(driver, empty_account) == []


def test_an_eks_cluster_that_was_deleted_by_hand_is_no_obstacle(
    empty_account: Inventory, driver_of_prepared: Driver
) -> None:
    driver = driver_of_prepared
    driver.host.client("eks").delete_cluster(name="eks-cluster-base")
    driver.sleep(300)
    assert "EKS add-on" not in [kind for kind, name in changes(driver.preview(BASE), "delete") if "|" not in name]
    operation = driver.delete(BASE, WHOLE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert "absent" in stage_of(operation, "load_balancers_removal")["message"]
    assert left_over(driver, empty_account) == []


def test_a_cluster_that_does_not_answer_is_left_out_only_with_consent(
    empty_account: Inventory, driver_of_prepared: Driver
) -> None:
    driver = driver_of_prepared
    silent = Fault("kubernetes", "GET services", Kind.FAIL_BEFORE, times=10_000, role="kubernetes-admin")
    with driver.host.faults.planned(silent):
        failed = driver.delete(BASE, WHOLE)
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "precondition_failed")
    assert "skip_workloads=true" in failed["error"]["remedy"]
    assert stack_status(driver, "base") == "CREATE_COMPLETE"

    previewed = driver.preview(BASE, f"{WHOLE}&skip_workloads=true")
    assert [each["check"] for each in previewed["findings"]] == ["skip_workloads"]
    with driver.host.faults.planned(silent):
        operation = driver.delete(BASE, f"{WHOLE}&skip_workloads=true")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert not {"load_balancers_removal", "own_objects_removal:workloads"} & statuses(operation).keys()
    assert left_over(driver, empty_account) == []


def test_a_bucket_that_is_filled_while_it_is_deleted_is_emptied_again(driver_of_base: Driver) -> None:
    driver, filled = driver_of_base, list[str]()

    def fill(call: Call) -> None:
        if (call.service, call.operation) == ("s3", "DeleteBucket") and not filled:
            get_backend("s3")[ACCOUNT]["aws"].put_object(BUCKET, "late", b"late")
            filled.append("late")

    with driver.host.faults.overheard(fill):
        operation = driver.delete(BASE, WHOLE)
    assert (operation["status"], filled) == ("SUCCEEDED", ["late"]), operation["error"]
    assert operation["result"]["kept"] == []


def test_a_stack_of_somebody_else_under_the_clusters_name_is_left_alone(driver: Driver) -> None:
    template = '{"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.9.0.0/16"}}}}'
    driver.host.client("cloudformation").create_stack(StackName="instantstart-base", TemplateBody=template)
    driver.sleep(60)
    ec2 = driver.host.client("ec2")
    vpc = ec2.describe_vpcs(Filters=[{"Name": "cidr", "Values": ["10.9.0.0/16"]}])["Vpcs"][0].get("VpcId", "")
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
    interface = make_interface(driver, subnet, "aws-K8S-i-0123456789abcdef0")
    # The edge would refuse the creation; the stack came after it had looked.
    hang = Fault("cloudformation", "DescribeStacks", Kind.FAIL_BEFORE, times=99, role="function-api")
    assert driver.failing("/api/clusters", {"tag": "base"}, hang)["status"] == "FAILED"
    assert ("CloudFormation stack", "instantstart-base") in changes(driver.preview(BASE), "keep")
    operation = driver.delete(BASE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (stack_status(driver, "base"), driver.send("GET", BASE).status) == ("CREATE_COMPLETE", 404)
    assert interfaces(driver, "aws-K8S-") == [interface]


def test_an_imported_cluster_keeps_its_network_and_loses_what_was_made_in_it(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    key = {"cluster_tag": {"S": "ready"}, "record": {"S": "spec"}}
    driver.host.client("dynamodb").update_item(
        TableName="instantstart-clusters",
        Key=key,
        UpdateExpression="SET origin = :imported",
        ExpressionAttributeValues={":imported": {"S": "imported"}},
    )
    store = store_of(driver, "ready")
    labels: JsonObject = {"app.kubernetes.io/managed-by": "instantstart", "instantstart/cluster": "ready"}
    store.upsert(NAMESPACES, {"metadata": {"name": "team", "labels": labels}})
    volume = make_volume(driver, "ready", "theirs")
    previewed = driver.preview(READY)
    assert ("EKS cluster", "eks-cluster-ready") in changes(previewed, "keep")
    assert ("EBS volume", volume) in changes(previewed, "keep")
    assert not {"VPC", "CloudFormation stack"} & {kind for kind, _ in changes(previewed, "delete")}
    operation = driver.delete(READY)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    kept = {"eks/eks-cluster-ready", "namespaces/team", f"volume/{volume}"}
    assert kept <= {*operation["result"]["kept"]}
    assert "deletionTimestamp" not in str(store.get(NAMESPACES, "team"))
    found = taken(driver.host)
    assert (found["stacks"], found["EKS clusters"]) == (["instantstart-ready CREATE_COMPLETE"], ["eks-cluster-ready"])
    gone = ("HyperPod clusters", "releases", "claims", "volumes in clusters", "cluster roles")
    assert [kind for kind in gone if found.get(kind)] == []
    assert not any("hp-compute" in name for name in found["subnets"] + found["route tables"] + found["endpoints"])
    assert {name.partition(" ")[0] for name in found["add-ons"]} == {"vpc-cni", "kube-proxy"}


def test_in_a_network_that_was_taken_over_only_what_was_made_for_the_cluster_is_cleared_and_nothing_blocks(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "fixed_egress_addresses", lambda: [EGRESS])
    mine = own(driver)
    assert driver.create({"tag": "base", "foundation": mine.everything})["status"] == "SUCCEEDED"
    left = make_interface(driver, mine.private[0], "aws-K8S-i-0123456789abcdef0")
    tags = {"cluster.k8s.amazonaws.com/name": "eks-cluster-base"}
    driver.host.client("ec2").create_tags(
        Resources=[left], Tags=[{"Key": key, "Value": value} for key, value in tags.items()]
    )
    theirs = make_interface(driver, mine.private[0], "aws-K8S-i-00000000000000000")
    balancer = make_interface(driver, mine.private[0], "ELB net/k8s-default-vllmext/1")

    refused = driver.send("DELETE", f"{BASE}?{WHOLE}&dry_run=true").body
    assert [each["check"] for each in refused["findings"]] == ["delete_bucket", "load_balancer"]
    previewed = driver.preview(BASE)
    assert [name for kind, name in changes(previewed, "delete") if kind == "network interface"] == [left]
    kept = {("VPC", mine.vpc_id), ("security group", mine.security_group), ("S3 bucket", BUCKET_OF_OTHERS)}
    kept |= {("subnet", each) for each in (*mine.private, mine.public)}
    assert kept | {("IAM role", arn) for arn in mine.roles.values()} <= {*changes(previewed, "keep")}
    operation = driver.delete(BASE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert left in stage_of(operation, "vpc_clearance")["resources"]
    assert {"load balancer/net/k8s-default-vllmext/1", f"s3://{BUCKET_OF_OTHERS}"} <= {*operation["result"]["kept"]}
    assert (interfaces(driver, "aws-K8S-"), interfaces(driver, "ELB ")) == ([theirs], [balancer])


def test_what_eks_forgets_in_a_network_that_was_taken_over_goes_after_it_or_is_named_where_others_use_it(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "fixed_egress_addresses", lambda: [EGRESS])
    mine, ec2 = own(driver), driver.host.client("ec2")
    assert driver.create({"tag": "base", "foundation": mine.everything})["status"] == "SUCCEEDED"
    driver.host.world.eks.records.forgets_interfaces = True
    eks = interfaces(driver, "Amazon EKS eks-cluster-base")
    used, free = (make_group(driver, mine.vpc_id, f"k8s-traffic-{each}") for each in ("used", "free"))
    permission = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "UserIdGroupPairs": [{"GroupId": used}]}
    ec2.authorize_security_group_ingress(GroupId=mine.security_group, IpPermissions=[permission])  # type: ignore[list-item]
    ec2.create_network_interface(SubnetId=mine.private[0], Groups=[used], Description="somebody else's")
    operation = driver.delete(BASE)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert eks
    assert interfaces(driver, "Amazon EKS eks-cluster-base") == []
    assert groups_of(driver, mine.vpc_id) & {used, free} == {used}
    assert f"left in the network that was taken over: {used}" in operation["result"]["kept"]
    assert (free in operation["result"]["deleted"], used in operation["result"]["deleted"]) == (True, False)
    assert stage_of(operation, "vpc_clearance")["message"] == f"in use: {used} (k8s-traffic-used)"


@pytest.mark.parametrize("role", ["stages_network", "stages_cluster"])
def test_a_group_that_ec2_holds_for_a_while_is_tried_until_it_goes(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setattr(settings, "fixed_egress_addresses", lambda: [EGRESS])
    mine = own(driver)
    assert driver.create({"tag": "base", "foundation": mine.everything})["status"] == "SUCCEEDED"
    early = role == "stages_network"
    group = make_group(driver, mine.vpc_id, "k8s-traffic-early") if early else ""
    begun = driver.begin_deletion(BASE)["operation_id"]
    if not early:
        driver.until(begun, "foundation_removal")
        group = make_group(driver, mine.vpc_id, "k8s-traffic-late")
    refusal = ("DependencyViolation", "resource has a dependent object")
    holding = Fault("ec2", "DeleteSecurityGroup", Kind.REFUSE, times=15, refusal=refusal, role=role)
    with driver.host.faults.planned(holding):
        operation = driver.finish(begun)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert (holding.seen > 15, group in groups_of(driver, mine.vpc_id)) == (True, False)
    assert group in operation["result"]["deleted"]


@pytest.mark.case(4)
def test_a_group_that_something_uses_in_a_network_of_our_own_is_named_after_a_while(driver_of_base: Driver) -> None:
    driver = driver_of_base
    subnet = control_plane_subnet(driver, "base")
    [found] = driver.host.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"]
    group = make_group(driver, found.get("VpcId", ""), "k8s-traffic")
    refusal = ("DependencyViolation", "resource has a dependent object")
    holding = Fault("ec2", "DeleteSecurityGroup", Kind.REFUSE, times=999, refusal=refusal, role="stages_network")
    began = driver.host.clock.time()
    with driver.host.faults.planned(holding):
        blocked = driver.delete(BASE)
    assert (blocked["status"], blocked["reason"]) == ("FAILED", "BLOCKED")
    assert [error["field"] for error in blocked["error"]["errors"]] == [group]
    assert "still uses" in blocked["error"]["detail"]
    assert driver.host.clock.time() - began >= 15 * 60
    assert driver.delete(BASE)["status"] == "SUCCEEDED"


def test_in_a_network_that_was_taken_over_nothing_is_cleared_while_another_s_eks_cluster_has_the_name(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "fixed_egress_addresses", lambda: [EGRESS])
    mine = own(driver)
    assert driver.create({"tag": "base", "foundation": mine.everything})["status"] == "SUCCEEDED"
    driver.host.client("cloudformation").delete_stack(StackName="instantstart-base")
    driver.sleep(1800)
    assert stack_status(driver, "base") is None
    driver.host.client("eks").create_cluster(
        name="eks-cluster-base",
        roleArn=mine.roles["control_plane"],
        resourcesVpcConfig={"subnetIds": [*mine.private], "securityGroupIds": [mine.security_group]},
    )
    driver.sleep(1800)
    group = make_group(driver, mine.vpc_id, "k8s-traffic-theirs")
    left = make_interface(driver, mine.private[0], "aws-K8S-i-0123456789abcdef0")
    tag = {"Key": "cluster.k8s.amazonaws.com/name", "Value": "eks-cluster-base"}
    driver.host.client("ec2").create_tags(Resources=[left], Tags=[tag])  # type: ignore[list-item]
    groups = groups_of(driver, mine.vpc_id)
    operation = driver.delete(BASE, "skip_workloads=true")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert "eks/eks-cluster-base" in operation["result"]["kept"]
    assert group in groups
    assert (groups_of(driver, mine.vpc_id), interfaces(driver, "aws-K8S-")) == (groups, [left])


def make_group(driver: Driver, vpc_id: str, name: str) -> str:
    """Make a security group as the load balancer controller of the cluster does."""
    ec2 = driver.host.client("ec2")
    group = ec2.create_security_group(GroupName=name, Description="shared", VpcId=vpc_id)["GroupId"]
    ec2.create_tags(Resources=[group], Tags=[{"Key": "elbv2.k8s.aws/cluster", "Value": "eks-cluster-base"}])
    return group


def groups_of(driver: Driver, vpc_id: str) -> set[str]:
    wanted = [{"Name": "vpc-id", "Values": [vpc_id]}]
    found = driver.host.client("ec2").describe_security_groups(Filters=wanted)["SecurityGroups"]  # type: ignore[arg-type]
    return {each.get("GroupId", "") for each in found}
