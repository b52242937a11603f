"""An account with the CloudFormation simulator, the EKS simulator and moto, and small templates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from infra.local.simulators.cloudformation import CloudFormation
from infra.local.simulators.eks import Eks
from infra.local.simulators.eks_records import AddonObjects, EksHost
from tests.unit.test_simulator_service_helpers import (
    ACCOUNT,
    REGION,
    AwsClient,
    Clock,
    client_of,
    make_role,
    moto_client,
    zone_of,
)

if TYPE_CHECKING:
    from botocore.client import BaseClient

FOUNDATION = (Path(__file__).parents[2] / "infra/cluster/foundation.yaml").read_text(encoding="utf-8")
ARTIFACTS = "https://artifacts.s3.us-east-1.amazonaws.com"
IN_PROGRESS = (
    "CREATE_IN_PROGRESS",
    "ROLLBACK_IN_PROGRESS",
    "DELETE_IN_PROGRESS",
    "UPDATE_IN_PROGRESS",
    "UPDATE_ROLLBACK_IN_PROGRESS",
)
EIP_QUOTA = "The maximum number of addresses has been reached."


@dataclass
class World:
    """An account with the artifacts bucket, the simulator and its neighbours."""

    clock: Clock
    simulator: CloudFormation
    client: AwsClient
    eks: AwsClient
    ec2: AwsClient
    s3: AwsClient
    control_planes: Eks

    def put(self, key: str, template: str) -> str:
        self.s3.put_object(Bucket="artifacts", Key=key, Body=template.encode())
        return f"{ARTIFACTS}/{key}"

    def create(self, template: str, **changes: object) -> str:
        arguments = {"StackName": "demo", "TemplateBody": template, **changes}
        return str(self.client.create_stack(**arguments)["StackId"])

    def foundation(self, **changes: object) -> str:
        parameters = [{"ParameterKey": key, "ParameterValue": value} for key, value in foundation_parameters(self)]
        url = self.put("v1/foundation.yaml", FOUNDATION)
        arguments = {"Capabilities": ["CAPABILITY_NAMED_IAM"], "Tags": [{"Key": "team", "Value": "ml"}], **changes}
        stack = self.client.create_stack(
            StackName="instantstart-demo", TemplateURL=url, Parameters=parameters, **arguments
        )
        return str(stack["StackId"])

    def stack(self, name: str = "demo") -> dict[str, Any]:
        stack: dict[str, Any] = self.client.describe_stacks(StackName=name)["Stacks"][0]
        return stack

    def run(self, name: str = "demo") -> str:
        """Look every half minute, as a stage does, until the stack is at rest."""
        for _ in range(200):
            if self.stack(name)["StackStatus"] not in IN_PROGRESS:
                break
            self.clock.advance(30)
        return str(self.stack(name)["StackStatus"])

    def events(self, name: str = "demo") -> list[dict[str, Any]]:
        """Oldest first."""
        pages: list[dict[str, Any]] = []
        token: dict[str, str] = {}
        while True:
            page = self.client.describe_stack_events(StackName=name, **token)
            pages += page["StackEvents"]
            if "NextToken" not in page:
                return pages[::-1]
            token = {"NextToken": page["NextToken"]}

    def history(self, logical_id: str, name: str = "demo") -> list[tuple[str, float]]:
        """Statuses of one resource with the seconds since the stack began."""
        begun: datetime = self.stack(name)["CreationTime"]
        found = [event for event in self.events(name) if event["LogicalResourceId"] == logical_id]
        return [(event["ResourceStatus"], round((event["Timestamp"] - begun).total_seconds())) for event in found]

    def reasons(self, name: str = "demo") -> dict[str, str]:
        """Why resources failed, by logical id."""
        failed = [event for event in self.events(name) if event["ResourceStatus"].endswith("_FAILED")]
        return {event["LogicalResourceId"]: event.get("ResourceStatusReason", "") for event in failed}


# The parameters that name a caller's own resources.
REUSED = (
    "ReusedVpcId",
    "ReusedControlPlaneSubnetOne",
    "ReusedControlPlaneSubnetTwo",
    "ReusedPublicSubnetIds",
    "ReusedSecurityGroupId",
    "ReusedNatGatewayId",
    "ReusedS3EndpointId",
    "ReusedBucketName",
    "ReusedControlPlaneRoleArn",
    "ReusedExecutionRoleArn",
    "ReusedS3CsiRoleArn",
)


def foundation_parameters(world: World) -> list[tuple[str, str]]:
    versions = {
        addon: world.eks.describe_addon_versions(addonName=addon, kubernetesVersion="1.33")["addons"][0]
        for addon in ("vpc-cni", "kube-proxy")
    }
    newest = {addon: found["addonVersions"][0]["addonVersion"] for addon, found in versions.items()}
    return [
        ("ClusterTag", "demo"),
        ("EksClusterName", "eks-cluster-demo"),
        ("BucketName", f"sagemaker-demo-{ACCOUNT}-us-east-1"),
        ("ControlPlaneRoleName", "instantstart-demo-control-plane"),
        ("ExecutionRoleName", "instantstart-demo-execution"),
        ("S3CsiRoleName", "instantstart-demo-s3-csi"),
        ("VpcCidr", "10.0.0.0/16"),
        ("PublicSubnetOneCidr", "10.0.0.0/24"),
        ("PublicSubnetTwoCidr", "10.0.1.0/24"),
        ("ControlPlaneSubnetOneCidr", "10.0.2.0/24"),
        ("ControlPlaneSubnetTwoCidr", "10.0.3.0/24"),
        ("ControlPlaneZoneOne", zone_of(world.ec2, "use1-az1")),
        ("ControlPlaneZoneTwo", zone_of(world.ec2, "use1-az2")),
        ("ServiceCidr", "172.20.0.0/16"),
        ("KubernetesVersion", "1.33"),
        ("VpcCniVersion", newest["vpc-cni"]),
        ("KubeProxyVersion", newest["kube-proxy"]),
        ("KubernetesAdminRoleArn", f"arn:aws:iam::{ACCOUNT}:role/instantstart-kubernetes-admin"),
        ("KubernetesOperatorRoleArn", f"arn:aws:iam::{ACCOUNT}:role/instantstart-kubernetes-operator"),
        ("PermissionsBoundaryArn", f"arn:aws:iam::{ACCOUNT}:policy/instantstart/us-east-1/boundary"),
        ("PublicAccessCidrs", "0.0.0.0/0"),
        *((name, "none") for name in REUSED),
    ]


def new_world() -> World:
    clock, ec2, s3 = Clock(), moto_client("ec2"), moto_client("s3")
    host = EksHost(
        ec2=lambda: cast("BaseClient", ec2),
        iam=lambda: cast("BaseClient", moto_client("iam")),
        endpoint_of=lambda name: f"https://kubernetes.local/{name}",
        certificate_authority=lambda: "UEVN",
        on_cluster_active=lambda name: None,
        on_cluster_deleted=lambda name: None,
        addons=AddonObjects(
            install=lambda cluster, addon: None,
            remove=lambda cluster, addon: None,
            health=lambda cluster, addon: [],
            conflicts=lambda cluster, addon: [],
        ),
    )
    control_planes = Eks(clock, ACCOUNT, REGION, host)
    eks = client_of(control_planes)
    neighbours = {"eks": eks}
    simulator = CloudFormation(
        clock, ACCOUNT, REGION, lambda name: cast("BaseClient", neighbours.get(name) or moto_client(name))
    )
    for role in ("instantstart-kubernetes-admin", "instantstart-kubernetes-operator"):
        make_role(role, "lambda.amazonaws.com")
    s3.create_bucket(Bucket="artifacts")
    return World(clock, simulator, client_of(simulator), eks, ec2, s3, control_planes)


def own_vpcs(world: World) -> list[dict[str, Any]]:
    return [vpc for vpc in world.ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]


def network(*zones: str, **extra: object) -> str:
    """A small template: a VPC, an address, and a subnet for each zone."""
    resources: dict[str, object] = {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Address": {"Type": "AWS::EC2::EIP", "DependsOn": "Vpc", "Properties": {"Domain": "vpc"}},
        **extra,
    }
    for index, zone in enumerate(zones):
        properties = {"VpcId": {"Ref": "Vpc"}, "CidrBlock": f"10.0.{index}.0/24", "AvailabilityZone": zone}
        resources[f"Subnet{index}"] = {"Type": "AWS::EC2::Subnet", "Properties": properties}
    outputs = {"VpcId": {"Value": {"Ref": "Vpc"}}}
    return json.dumps({"Resources": resources, "Outputs": outputs})


def bucket(policy: str = "Delete") -> dict[str, object]:
    return {"Type": "AWS::S3::Bucket", "DeletionPolicy": policy, "Properties": {"BucketName": "sagemaker-demo"}}


def nested(url: str) -> str:
    child = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
    outputs = {"VpcId": {"Value": {"Fn::GetAtt": ["Network", "Outputs.VpcId"]}}}
    return json.dumps({"Resources": {"Network": child}, "Outputs": outputs})


def vpc_kept() -> dict[str, object]:
    return {"Type": "AWS::EC2::VPC", "DeletionPolicy": "Retain", "Properties": {"CidrBlock": "10.9.0.0/16"}}
