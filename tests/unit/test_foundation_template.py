from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from functions.clusters.names import TAG_LIMIT, derived
from functions.core.roles import clusters_path_of
from infra.local.simulators.stack_conditions import settled
from infra.local.simulators.stack_intrinsics import Scope, references, resolve
from infra.local.simulators.stack_resources import check_resources
from infra.local.simulators.stack_template import PSEUDO_PARAMETERS, Template, parse

CLUSTER = Path(__file__).parents[2] / "infra/cluster"
TEMPLATE = parse((CLUSTER / "foundation.yaml").read_text(encoding="utf-8"))
LIFECYCLE_SCRIPT = CLUSTER / "lifecycle/on_create.sh"
UNTAGGABLE = {
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EC2::Route",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::S3::BucketPolicy",
}
# Statements whose actions AWS lets nobody limit to a resource.
UNLIMITED = {"DescribeNetwork", "RegistryLogin"}
PARAMETERS = {
    "ClusterTag",
    "EksClusterName",
    "BucketName",
    "ControlPlaneRoleName",
    "ExecutionRoleName",
    "S3CsiRoleName",
    "VpcCidr",
    "PublicSubnetOneCidr",
    "PublicSubnetTwoCidr",
    "ControlPlaneSubnetOneCidr",
    "ControlPlaneSubnetTwoCidr",
    "ControlPlaneZoneOne",
    "ControlPlaneZoneTwo",
    "ServiceCidr",
    "KubernetesVersion",
    "VpcCniVersion",
    "KubeProxyVersion",
    "KubernetesAdminRoleArn",
    "KubernetesOperatorRoleArn",
    "PermissionsBoundaryArn",
    "PublicAccessCidrs",
}
# The parameters that take the place of what the template else makes, each with a caller's own.
REUSED = {
    "ReusedVpcId": "vpc-0123456789abcdef0",
    "ReusedControlPlaneSubnetOne": "subnet-00000000000000001",
    "ReusedControlPlaneSubnetTwo": "subnet-00000000000000002",
    "ReusedPublicSubnetIds": "subnet-00000000000000003,subnet-00000000000000004",
    "ReusedSecurityGroupId": "sg-0123456789abcdef0",
    "ReusedNatGatewayId": "nat-0123456789abcdef0",
    "ReusedS3EndpointId": "vpce-0123456789abcdef0",
    "ReusedBucketName": "team-data",
    "ReusedControlPlaneRoleArn": "arn:aws:iam::123456789012:role/team/eks",
    "ReusedExecutionRoleArn": "arn:aws:iam::123456789012:role/team/nodes",
    "ReusedS3CsiRoleArn": "arn:aws:iam::123456789012:role/team/mounts",
}
OUTPUTS = {
    "VpcId",
    "VpcCidr",
    "PublicSubnetIds",
    "ControlPlaneSubnetIds",
    "ComputeSecurityGroupId",
    "NatGatewayId",
    "S3EndpointId",
    "EksClusterName",
    "EksClusterArn",
    "OidcProviderArn",
    "ExecutionRoleArn",
    "S3CsiRoleArn",
    "BucketName",
    "KubernetesVersion",
}
NAMES = derived("a" * TAG_LIMIT, "123456789012", "ap-northeast-1")
NAMED = {
    "EksClusterName": NAMES["eks_cluster"],
    "BucketName": NAMES["bucket"],
    "ControlPlaneRoleName": NAMES["control_plane_role"],
    "ExecutionRoleName": NAMES["execution_role"],
    "S3CsiRoleName": NAMES["s3_csi_role"],
}
LONGEST = {
    **{name: name for name in TEMPLATE.resources},
    **dict.fromkeys(PARAMETERS, "given"),
    **dict.fromkeys(REUSED, "none"),
    **NAMED,
    "ClusterTag": "a" * TAG_LIMIT,
    "AWS::AccountId": "123456789012",
    "AWS::Region": "ap-southeast-1",
    "AWS::Partition": "aws",
}
MAKING = settled(TEMPLATE, LONGEST)
TAKING = settled(TEMPLATE, LONGEST | REUSED)


def properties(logical_id: str, template: Template = MAKING) -> dict[str, Any]:
    """Properties of a resource of a cluster with the longest names."""
    values = LONGEST if template is MAKING else LONGEST | REUSED
    scope = Scope(values, lambda target, name: f"{target}.{name}")
    resolved = resolve(template.resources[logical_id].properties, scope)
    assert isinstance(resolved, dict)
    return resolved


def of_type(name: str) -> list[str]:
    return [logical_id for logical_id, declared in TEMPLATE.resources.items() if declared.type == name]


def test_its_interface_is_what_the_foundation_stage_knows() -> None:
    assert TEMPLATE.parameters.keys() == PARAMETERS | REUSED.keys()
    assert TEMPLATE.outputs.keys() == OUTPUTS
    assert not [name for name, parameter in TEMPLATE.parameters.items() if "Default" in parameter]


def test_every_reference_leads_somewhere_and_every_parameter_is_used() -> None:
    check_resources(TEMPLATE)
    values = [declared.properties for declared in TEMPLATE.resources.values()]
    deciding = list(TEMPLATE.conditions.values())
    targets = {reference.target for reference in references([*values, *deciding, list(TEMPLATE.outputs.values())])}
    assert targets <= TEMPLATE.resources.keys() | PARAMETERS | REUSED.keys() | PSEUDO_PARAMETERS
    assert targets >= PARAMETERS | REUSED.keys()


@pytest.mark.parametrize(
    "logical_id", [name for name, declared in TEMPLATE.resources.items() if declared.type not in UNTAGGABLE]
)
def test_everything_that_can_be_tagged_is(logical_id: str) -> None:
    tags = {tag["Key"]: tag["Value"] for tag in properties(logical_id)["Tags"]}
    assert tags["instantstart:managed-by"] == "instantstart"
    assert tags["instantstart:cluster"] == LONGEST["ClusterTag"]


def test_subnets_say_which_load_balancers_may_use_them() -> None:
    roles = {
        name: [tag["Key"] for tag in properties(name)["Tags"] if tag["Key"].startswith("kubernetes.io/role/")]
        for name in of_type("AWS::EC2::Subnet")
    }
    assert roles == {
        "PublicSubnetOne": ["kubernetes.io/role/elb"],
        "PublicSubnetTwo": ["kubernetes.io/role/elb"],
        "ControlPlaneSubnetOne": ["kubernetes.io/role/internal-elb"],
        "ControlPlaneSubnetTwo": ["kubernetes.io/role/internal-elb"],
    }


def test_the_compute_group_admits_itself_both_ways() -> None:
    group = "ComputeSecurityGroup.GroupId"
    ingress, egress = properties("ComputeSelfIngress"), properties("ComputeSelfEgress")
    assert (ingress["GroupId"], ingress["SourceSecurityGroupId"], ingress["IpProtocol"]) == (group, group, "-1")
    assert (egress["GroupId"], egress["DestinationSecurityGroupId"], egress["IpProtocol"]) == (group, group, "-1")


def test_the_control_plane_is_what_hyperpod_needs() -> None:
    cluster = properties("EksCluster")
    assert cluster["AccessConfig"] == {"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False}
    assert cluster["ResourcesVpcConfig"]["SecurityGroupIds"] == ["ComputeSecurityGroup.GroupId"]
    assert cluster["ResourcesVpcConfig"]["EndpointPrivateAccess"]
    assert len(cluster["Logging"]["ClusterLogging"]["EnabledTypes"]) == 5
    assert {properties(name)["AddonName"] for name in of_type("AWS::EKS::Addon")} == {"vpc-cni", "kube-proxy"}
    entries = [TEMPLATE.resources[name].properties["PrincipalArn"] for name in of_type("AWS::EKS::AccessEntry")]
    assert sorted(entry["Ref"] for entry in entries) == ["KubernetesAdminRoleArn", "KubernetesOperatorRoleArn"]


def test_the_bucket_is_closed_and_outlives_its_cluster_but_no_failed_creation() -> None:
    bucket, statement = properties("Bucket"), properties("BucketPolicy")["PolicyDocument"]["Statement"][0]
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert TEMPLATE.resources["Bucket"].deletion_policy == "RetainExceptOnCreate"
    assert TEMPLATE.resources["BucketPolicy"].deletion_policy == "RetainExceptOnCreate"


@pytest.mark.parametrize("logical_id", of_type("AWS::IAM::Role"))
def test_roles_stand_under_our_path_and_name_their_resources(logical_id: str) -> None:
    role = properties(logical_id)
    assert role["Path"] == clusters_path_of("ap-southeast-1")
    statements = [item for policy in role.get("Policies", []) for item in policy["PolicyDocument"]["Statement"]]
    unlimited = {item["Sid"] for item in statements if item["Resource"] in ("*", ["*"])}
    assert unlimited <= UNLIMITED


def test_the_s3_csi_role_reaches_this_bucket_only() -> None:
    role = properties("S3CsiRole")
    resources = [item["Resource"] for item in role["Policies"][0]["PolicyDocument"]["Statement"]]
    assert resources == ["Bucket.Arn", "Bucket.Arn/*"]
    assert role["AssumeRolePolicyDocument"]["Statement"][0]["Action"] == ["sts:AssumeRole", "sts:TagSession"]


def test_a_cluster_that_takes_everything_over_makes_nothing_but_its_control_plane() -> None:
    assert set(TAKING.resources) == {
        "EksCluster",
        "KubernetesAdminAccess",
        "KubernetesOperatorAccess",
        "OidcProvider",
        "VpcCniAddon",
        "KubeProxyAddon",
    }
    cluster = properties("EksCluster", TAKING)
    assert cluster["RoleArn"] == REUSED["ReusedControlPlaneRoleArn"]
    network = cluster["ResourcesVpcConfig"]
    assert network["SubnetIds"] == ["subnet-00000000000000001", "subnet-00000000000000002"]
    assert network["SecurityGroupIds"] == [REUSED["ReusedSecurityGroupId"]]


def test_its_outputs_are_the_same_either_way() -> None:
    assert MAKING.outputs.keys() == TAKING.outputs.keys() == OUTPUTS
    scope = Scope(LONGEST | REUSED, lambda target, name: f"{target}.{name}")
    taken = {name: resolve(output["Value"], scope) for name, output in TAKING.outputs.items()}
    assert taken | {"VpcCidr": "given", "KubernetesVersion": "given"} == {
        "VpcId": REUSED["ReusedVpcId"],
        "VpcCidr": "given",
        "PublicSubnetIds": REUSED["ReusedPublicSubnetIds"],
        "ControlPlaneSubnetIds": "subnet-00000000000000001,subnet-00000000000000002",
        "ComputeSecurityGroupId": REUSED["ReusedSecurityGroupId"],
        "NatGatewayId": REUSED["ReusedNatGatewayId"],
        "S3EndpointId": REUSED["ReusedS3EndpointId"],
        "EksClusterName": "EksCluster",
        "EksClusterArn": "EksCluster.Arn",
        "OidcProviderArn": "OidcProvider",
        "ExecutionRoleArn": REUSED["ReusedExecutionRoleArn"],
        "S3CsiRoleArn": REUSED["ReusedS3CsiRoleArn"],
        "BucketName": "team-data",
        "KubernetesVersion": "given",
    }


def test_the_control_plane_outlives_the_network_it_stands_in() -> None:
    """Deletion runs backwards along what it requires."""
    assert MAKING.resources["EksCluster"].requires >= {
        "ControlPlaneSubnetOneRouteTableAssociation",
        "ControlPlaneSubnetTwoRouteTableAssociation",
        "PrivateDefaultRoute",
        "ComputeSelfIngress",
        "ComputeSelfEgress",
    }


def test_roles_of_ours_reach_a_bucket_that_is_taken_over_whatever_its_name() -> None:
    bucket = {"ReusedBucketName": "team-data"}
    template = settled(TEMPLATE, LONGEST | bucket)
    scope = Scope(LONGEST | bucket, lambda target, name: f"{target}.{name}")
    nodes: Any = resolve(template.resources["ExecutionRole"].properties, scope)
    [policy] = [each for each in nodes["Policies"] if each["PolicyName"] == "bucket"]
    resources = [statement["Resource"] for statement in policy["PolicyDocument"]["Statement"]]
    assert resources == ["arn:aws:s3:::team-data", "arn:aws:s3:::team-data/*"]
    mounts: Any = resolve(template.resources["S3CsiRole"].properties, scope)
    statements = mounts["Policies"][0]["PolicyDocument"]["Statement"]
    assert [statement["Resource"] for statement in statements] == resources
    assert [each["PolicyName"] for each in properties("ExecutionRole")["Policies"]] == ["hyperpod-eks"]


@pytest.mark.parametrize("name", REUSED)
def test_what_is_taken_over_is_named_or_none(name: str) -> None:
    pattern = TEMPLATE.parameters[name]["AllowedPattern"]
    assert re.fullmatch(pattern, REUSED[name])
    assert re.fullmatch(pattern, "none")
    assert not re.fullmatch(pattern, "no such thing")


@pytest.mark.parametrize("name", NAMED)
def test_the_product_s_longest_names_are_accepted(name: str) -> None:
    assert re.fullmatch(TEMPLATE.parameters[name]["AllowedPattern"], NAMED[name])


def test_the_longest_names_fit() -> None:
    assert len(properties("Bucket")["BucketName"]) <= 63
    assert all(len(properties(name)["RoleName"]) <= 64 for name in of_type("AWS::IAM::Role"))
    assert len(properties("EksCluster")["Name"]) <= 100
    tag = TEMPLATE.parameters["ClusterTag"]
    assert len(LONGEST["ClusterTag"]) == tag["MaxLength"]
    assert re.fullmatch(tag["AllowedPattern"], "my-cluster-1")
    assert not any(re.fullmatch(tag["AllowedPattern"], wrong) for wrong in ("", "-a", "a-", "A", "a_b"))


def test_the_lifecycle_script_is_a_bash_script_that_nodes_can_run() -> None:
    content = LIFECYCLE_SCRIPT.read_bytes()
    assert content.startswith(b"#!/bin/bash\n")
    assert b"\r" not in content
    assert b"/var/log/provision/provisioning.log" in content
    assert LIFECYCLE_SCRIPT.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", LIFECYCLE_SCRIPT], check=True)
