"""Changes by hand on a cluster that stands: what somebody with a console may do to it, each with the drift it makes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from infra.local.kubernetes import resources
from infra.local.kubernetes.documents import JsonObject, objects
from infra.local.kubernetes.store import Store
from tests.host.driver import Driver, Json

TAG = "ready"
EKS = f"eks-cluster-{TAG}"
HYPERPOD = f"hp-cluster-{TAG}"
ACCOUNT = "123456789012"
OPERATOR = f"arn:aws:iam::{ACCOUNT}:role/instantstart/instantstart-kubernetes-operator"
GROUP = "gpu"
Found = tuple[str, str | None]
"""The kind of what drifted, and its property."""


def detected(driver: Driver) -> Json:
    """Detect drift, and give the report."""
    operation = driver.run(f"/api/clusters/{TAG}/drift")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return driver.get(f"/api/clusters/{TAG}/drift")


def in_sync(driver: Driver) -> tuple[str, str]:
    """The condition that says whether the cluster is as it was made."""
    conditions = driver.get(f"/api/clusters/{TAG}")["conditions"]
    found = next(each for each in conditions if each["type"] == "InSync")
    return found["status"], found["reason"]


def told(report: Json) -> set[Found]:
    return {(each["kind"], each["property"]) for each in report["drifts"]}


def ec2(driver: Driver) -> Any:
    return driver.host.client("ec2")


def compute_subnet(driver: Driver) -> Json:
    """The compute subnet, with its route table."""
    wanted = [{"Name": "tag:instantstart:compute-subnet", "Values": ["zone"]}]
    subnet: Json = ec2(driver).describe_subnets(Filters=wanted)["Subnets"][0]
    by_subnet = [{"Name": "association.subnet-id", "Values": [subnet["SubnetId"]]}]
    table = ec2(driver).describe_route_tables(Filters=by_subnet)["RouteTables"][0]
    return subnet | {"RouteTableId": table["RouteTableId"]}


def outputs(driver: Driver) -> dict[str, str]:
    stack = driver.host.client("cloudformation").describe_stacks(StackName=f"instantstart-{TAG}")["Stacks"][0]
    return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}


def delete_compute_route(driver: Driver) -> set[Found]:
    table = compute_subnet(driver)["RouteTableId"]
    ec2(driver).delete_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
    return {("route table of a compute subnet", "default route")}


def rename_compute_subnet(driver: Driver) -> set[Found]:
    tags = [{"Key": "kubernetes.io/role/internal-elb", "Value": "0"}]
    ec2(driver).create_tags(Resources=[compute_subnet(driver)["SubnetId"]], Tags=tags)
    return {("compute subnet", "tag kubernetes.io/role/internal-elb")}


def delete_s3_endpoint(driver: Driver) -> set[Found]:
    ec2(driver).delete_vpc_endpoints(VpcEndpointIds=[outputs(driver)["S3EndpointId"]])
    return {("AWS::EC2::VPCEndpoint", None), ("route table of a compute subnet", "S3 endpoint")}


def change_execution_role(driver: Driver) -> set[Found]:
    statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    name = f"instantstart-{TAG}-execution"
    driver.host.client("iam").update_assume_role_policy(RoleName=name, PolicyDocument=document)
    path = "/AssumeRolePolicyDocument/Statement"
    return {("AWS::IAM::Role", f"{path}/0"), ("AWS::IAM::Role", f"{path}/1")}


def take_policy_of_driver(driver: Driver) -> set[Found]:
    driver.host.client("iam").delete_role_policy(RoleName=f"instantstart-{TAG}-s3-csi", PolicyName="bucket")
    return {("AWS::IAM::Role", "/Policies/0"), ("policy of identity chain s3-csi-driver", None)}


def delete_association(driver: Driver) -> set[Found]:
    eks = driver.host.client("eks")
    found = eks.list_pod_identity_associations(clusterName=EKS)["associations"]
    for each in found:
        eks.delete_pod_identity_association(clusterName=EKS, associationId=each["associationId"])
    return {("association of identity chain s3-csi-driver", None)}


def delete_addon(driver: Driver) -> set[Found]:
    driver.host.client("eks").delete_addon(clusterName=EKS, addonName="coredns")
    return {("EKS add-on", None)}


def delete_access_entry(driver: Driver) -> set[Found]:
    driver.host.client("eks").delete_access_entry(clusterName=EKS, principalArn=OPERATOR)
    return {("AWS::EKS::AccessEntry", None), ("EKS access entry", None)}


def group_of(driver: Driver) -> Json:
    found: Json = driver.host.client("sagemaker").describe_cluster(ClusterName=HYPERPOD)["InstanceGroups"][0]
    return found


def update_group(driver: Driver, **changes: object) -> None:
    """Change the group as UpdateCluster wants it: whole."""
    found = group_of(driver)
    kept = ("InstanceGroupName", "InstanceType", "LifeCycleConfig", "ExecutionRole", "ThreadsPerCore")
    whole = {name: found[name] for name in (*kept, "OverrideVpcConfig") if name in found}
    groups: Any = [{**whole, "InstanceCount": found["TargetCount"], **changes}]
    driver.host.client("sagemaker").update_cluster(ClusterName=HYPERPOD, InstanceGroups=groups)


def label_group(driver: Driver) -> set[Found]:
    update_group(driver, KubernetesConfig={"Labels": {"team": "mine"}})
    return {("instance group", "labels")}


def switch_recovery_off(driver: Driver) -> set[Found]:
    driver.host.client("sagemaker").update_cluster(ClusterName=HYPERPOD, NodeRecovery="None")
    return {("HyperPod cluster", "node recovery")}


def change_script(driver: Driver) -> set[Found]:
    s3, bucket = driver.host.client("s3"), outputs(driver)["BucketName"]
    s3.put_object(Bucket=bucket, Key="lifecycle/on_create.sh", Body=b"#!/bin/sh\nexit 0\n")
    return {("lifecycle script", "content")}


def group_id(driver: Driver) -> str:
    return outputs(driver)["ComputeSecurityGroupId"]


def rule_id(driver: Driver) -> str:
    """The rule that lets the members of the security group in."""
    found = driver.host.client("cloudformation").describe_stack_resources(
        StackName=f"instantstart-{TAG}", LogicalResourceId="ComputeSelfIngress"
    )
    return str(found["StackResources"][0].get("PhysicalResourceId"))


def change_rule(driver: Driver) -> set[Found]:
    group = group_id(driver)
    changed = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "ReferencedGroupId": group}
    rules = [{"SecurityGroupRuleId": rule_id(driver), "SecurityGroupRule": changed}]
    ec2(driver).modify_security_group_rules(GroupId=group, SecurityGroupRules=rules)
    return {("AWS::EC2::SecurityGroupIngress", "/IpProtocol")}


def instances(driver: Driver) -> list[str]:
    listed = driver.host.client("sagemaker").list_cluster_nodes(ClusterName=HYPERPOD)["ClusterNodeSummaries"]
    return sorted(each["InstanceId"] for each in listed if each["InstanceStatus"]["Status"] == "Running")


def store_of(driver: Driver) -> Store:
    return driver.host.world.kubernetes[EKS].store


def change_cluster_role(driver: Driver) -> set[Found]:
    def forget_a_rule(role: JsonObject) -> None:
        role["rules"] = objects(role, "rules")[1:]

    store_of(driver).modify(resources.CLUSTER_ROLES, "instantstart:operator", forget_a_rule)
    return {("ClusterRole", "rules")}


def delete_claim(driver: Driver) -> set[Found]:
    store_of(driver).delete(resources.PERSISTENT_VOLUME_CLAIMS, "s3-claim", "default")
    return {("mount", None)}


def configure_addon(driver: Driver) -> set[Found]:
    values = json.dumps({"replicaCount": 3})
    driver.host.client("eks").update_addon(clusterName=EKS, addonName="coredns", configurationValues=values)
    return {("EKS add-on", "configuration")}


def delete_cluster_role_binding(driver: Driver) -> set[Found]:
    store_of(driver).delete(resources.CLUSTER_ROLE_BINDINGS, "instantstart:operator")
    return {("ClusterRoleBinding", None)}


EVERY: tuple[Callable[[Driver], set[Found]], ...] = (
    delete_compute_route,
    rename_compute_subnet,
    delete_s3_endpoint,
    change_execution_role,
    take_policy_of_driver,
    delete_association,
    delete_addon,
    label_group,
    switch_recovery_off,
    change_script,
    change_cluster_role,
    delete_claim,
)
"""What can be done at once and is seen at once: whoever can no longer look at a cluster sees less."""
