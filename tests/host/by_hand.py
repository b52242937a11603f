"""Changes by hand on a cluster that stands: what somebody with a console may do to it, each with the drift it makes."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infra.local.kubernetes import resources
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, name_of, objects, text
from infra.local.kubernetes.store import Store
from tests.host.driver import Driver, Json

ACCOUNT = "123456789012"
OPERATOR = f"arn:aws:iam::{ACCOUNT}:role/instantstart/us-west-2/instantstart-kubernetes-operator-us-west-2"
Found = tuple[str, str | None]
"""The kind of what drifted, and its property."""


@dataclass(frozen=True)
class ByHand:
    """Somebody at a console of the account in which a cluster stands."""

    driver: Driver
    tag: str
    # The name that others gave an EKS cluster which was imported.
    given: str | None = None

    @property
    def eks(self) -> str:
        return self.given or f"eks-cluster-{self.tag}"

    @property
    def aws(self) -> Callable[..., Any]:
        """Clients of the account, whose answers are read as they are."""
        return self.driver.host.client

    @property
    def hyperpod(self) -> str:
        return f"hp-cluster-{self.tag}"

    def role(self, part: str) -> str:
        """The name of a role that was made for the cluster."""
        return f"instantstart-{self.tag}-{self.driver.host.options.region}-{part}"

    def detected(self) -> Json:
        """Detect drift, and give the report."""
        operation = self.driver.run(f"/api/clusters/{self.tag}/drift")
        assert operation["status"] == "SUCCEEDED", operation["error"]
        return self.driver.get(f"/api/clusters/{self.tag}/drift")

    def in_sync(self) -> tuple[str, str]:
        """The condition that says whether the cluster is as it was made."""
        conditions = self.driver.get(f"/api/clusters/{self.tag}")["conditions"]
        found = next(each for each in conditions if each["type"] == "InSync")
        return found["status"], found["reason"]

    def compute_subnet(self) -> Json:
        """The compute subnet, with its route table."""
        wanted = [{"Name": "tag:instantstart:compute-subnet", "Values": ["zone"]}]
        subnet: Json = self.aws("ec2").describe_subnets(Filters=wanted)["Subnets"][0]
        by_subnet = [{"Name": "association.subnet-id", "Values": [subnet["SubnetId"]]}]
        table = self.aws("ec2").describe_route_tables(Filters=by_subnet)["RouteTables"][0]
        return subnet | {"RouteTableId": table["RouteTableId"]}

    def outputs(self) -> dict[str, str]:
        stack = self.aws("cloudformation").describe_stacks(StackName=f"instantstart-{self.tag}")["Stacks"][0]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    def delete_compute_route(self) -> set[Found]:
        table = self.compute_subnet()["RouteTableId"]
        self.aws("ec2").delete_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
        return {("route table of a compute subnet", "default route")}

    def rename_compute_subnet(self) -> set[Found]:
        tags = [{"Key": "kubernetes.io/role/internal-elb", "Value": "0"}]
        self.aws("ec2").create_tags(Resources=[self.compute_subnet()["SubnetId"]], Tags=tags)
        return {("compute subnet", "tag kubernetes.io/role/internal-elb")}

    def delete_s3_endpoint(self) -> set[Found]:
        self.aws("ec2").delete_vpc_endpoints(VpcEndpointIds=[self.outputs()["S3EndpointId"]])
        return {("AWS::EC2::VPCEndpoint", None), ("route table of a compute subnet", "S3 endpoint")}

    def change_execution_role(self) -> set[Found]:
        statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.aws("iam").update_assume_role_policy(RoleName=self.role("execution"), PolicyDocument=document)
        path = "/AssumeRolePolicyDocument/Statement"
        return {("AWS::IAM::Role", f"{path}/0"), ("AWS::IAM::Role", f"{path}/1")}

    def take_policy_of_driver(self) -> set[Found]:
        self.aws("iam").delete_role_policy(RoleName=self.role("s3-csi"), PolicyName="bucket")
        return {("AWS::IAM::Role", "/Policies/0"), ("policy of identity chain s3-csi-driver", None)}

    def delete_association(self) -> set[Found]:
        eks = self.aws("eks")
        found = eks.list_pod_identity_associations(clusterName=self.eks)["associations"]
        for each in found:
            eks.delete_pod_identity_association(clusterName=self.eks, associationId=each["associationId"])
        return {("association of identity chain s3-csi-driver", None)}

    def delete_addon(self) -> set[Found]:
        self.aws("eks").delete_addon(clusterName=self.eks, addonName="coredns")
        return {("EKS add-on", None)}

    def older_cni(self) -> set[Found]:
        self.aws("eks").update_addon(clusterName=self.eks, addonName="vpc-cni", addonVersion="v1.18.3-eksbuild.1")
        self.driver.sleep(120)
        return {("AWS::EKS::Addon", "/AddonVersion")}

    def delete_access_entry(self) -> set[Found]:
        self.aws("eks").delete_access_entry(clusterName=self.eks, principalArn=OPERATOR)
        return {("AWS::self.eks::AccessEntry", None), ("EKS access entry", None)}

    def group_of(self) -> Json:
        found: Json = self.aws("sagemaker").describe_cluster(ClusterName=self.hyperpod)["InstanceGroups"][0]
        return found

    def update_group(self, **changes: object) -> None:
        """Change the group as UpdateCluster wants it: whole."""
        found = self.group_of()
        kept = ("InstanceGroupName", "InstanceType", "LifeCycleConfig", "ExecutionRole", "ThreadsPerCore")
        whole = {name: found[name] for name in (*kept, "OverrideVpcConfig") if name in found}
        groups: Any = [{**whole, "InstanceCount": found["TargetCount"], **changes}]
        self.aws("sagemaker").update_cluster(ClusterName=self.hyperpod, InstanceGroups=groups)

    def label_group(self) -> set[Found]:
        self.update_group(KubernetesConfig={"Labels": {"team": "mine"}})
        return {("instance group", "labels")}

    def switch_recovery_off(self) -> set[Found]:
        self.aws("sagemaker").update_cluster(ClusterName=self.hyperpod, NodeRecovery="None")
        return {("HyperPod cluster", "node recovery")}

    def change_script(self) -> set[Found]:
        s3, bucket = self.aws("s3"), self.outputs()["BucketName"]
        s3.put_object(Bucket=bucket, Key="lifecycle/on_create.sh", Body=b"#!/bin/sh\nexit 0\n")
        return {("lifecycle script", "content")}

    def group_id(self) -> str:
        return self.outputs()["ComputeSecurityGroupId"]

    def rule_id(self) -> str:
        """The rule that lets the members of the security group in."""
        found = self.aws("cloudformation").describe_stack_resources(
            StackName=f"instantstart-{self.tag}", LogicalResourceId="ComputeSelfIngress"
        )
        return str(found["StackResources"][0].get("PhysicalResourceId"))

    def change_rule(self) -> set[Found]:
        group = self.group_id()
        changed = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "ReferencedGroupId": group}
        rules = [{"SecurityGroupRuleId": self.rule_id(), "SecurityGroupRule": changed}]
        self.aws("ec2").modify_security_group_rules(GroupId=group, SecurityGroupRules=rules)
        return {("AWS::EC2::SecurityGroupIngress", "/IpProtocol")}

    def instances(self) -> list[str]:
        listed = self.aws("sagemaker").list_cluster_nodes(ClusterName=self.hyperpod)["ClusterNodeSummaries"]
        return sorted(each["InstanceId"] for each in listed if each["InstanceStatus"]["Status"] == "Running")

    def store_of(self) -> Store:
        return self.driver.host.world.kubernetes[self.eks].store

    def place_efa_plugin(self) -> None:
        """Run the EFA plugin on every node, as a manifest of somebody else does: where there is no EFA it crashes."""
        plugin = "aws-efa-k8s-device-plugin"
        container: JsonObject = {"name": plugin, "image": f"registry.invalid/eks/{plugin}:v0.5.3"}
        labels: JsonObject = {"name": plugin}
        template: JsonObject = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec: JsonObject = {"selector": {"matchLabels": labels}, "template": template}
        named: JsonObject = {"name": f"{plugin}-daemonset", "namespace": "kube-system"}
        self.store_of().upsert(resources.DAEMON_SETS, {"metadata": named, "spec": spec})
        self.driver.host.world.settle()
        self.driver.sleep(120)

    def change_cluster_role(self) -> set[Found]:
        def forget_a_rule(role: JsonObject) -> None:
            role["rules"] = objects(role, "rules")[1:]

        self.store_of().modify(resources.CLUSTER_ROLES, "instantstart:operator", forget_a_rule)
        return {("ClusterRole", "rules")}

    def change_release(self) -> set[Found]:
        """Upgrade the release by hand, as helm does: with other values, and with the labels that it had."""

        def with_other_values(secret: JsonObject) -> None:
            content = json.loads(gzip.decompress(b64decode(b64decode(text(secret, "data", "release")))))
            content["config"]["job-auto-restart"] = {"enabled": True}
            packed = b64encode(b64encode(gzip.compress(json.dumps(content).encode())))
            ensure_mapping(secret, "data")["release"] = packed.decode()

        [newest] = [
            name_of(each) for each in self.store_of().select(resources.SECRETS, "", "owner=helm,status=deployed")
        ]
        self.store_of().modify(resources.SECRETS, newest, with_other_values, "kube-system")
        return {("Helm release", "value job-auto-restart")}

    def delete_claim(self) -> set[Found]:
        self.store_of().delete(resources.PERSISTENT_VOLUME_CLAIMS, "s3-claim", "default")
        return {("mount", None)}

    def configure_addon(self) -> set[Found]:
        values = json.dumps({"replicaCount": 3})
        self.aws("eks").update_addon(clusterName=self.eks, addonName="coredns", configurationValues=values)
        return {("EKS add-on", "configuration")}

    def delete_cluster_role_binding(self) -> set[Found]:
        self.store_of().delete(resources.CLUSTER_ROLE_BINDINGS, "instantstart:operator")
        return {("ClusterRoleBinding", None)}


def told(report: Json) -> set[Found]:
    return {(each["kind"], each["property"]) for each in report["drifts"]}


EVERY: tuple[Callable[[ByHand], set[Found]], ...] = (
    ByHand.delete_compute_route,
    ByHand.rename_compute_subnet,
    ByHand.delete_s3_endpoint,
    ByHand.change_execution_role,
    ByHand.take_policy_of_driver,
    ByHand.delete_association,
    ByHand.delete_addon,
    ByHand.label_group,
    ByHand.switch_recovery_off,
    ByHand.change_script,
    ByHand.change_cluster_role,
    ByHand.delete_claim,
    ByHand.change_release,
)
"""What can be done at once and is seen at once: whoever can no longer look at a cluster sees less."""
