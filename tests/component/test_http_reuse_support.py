"""What the tests of reuse at the edge share: a caller's own network, roles and bucket on moto, and what is amiss."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from functions.core import runtime
from tests.component.test_http_support import Answer, Edge
from tests.component.test_ledger_support import ACCOUNT

if TYPE_CHECKING:
    from pydantic import JsonValue
    from types_boto3_ec2 import EC2Client

BUCKET = "team-data"
PATH = "/instantstart/us-west-2/clusters/"
OBJECTS = ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
NODES = [
    "ec2:*",
    "ecr:*",
    "eks-auth:AssumeRoleForPodIdentity",
    "logs:PutLogEvents",
]
OTHERS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "other"}
HYPERPOD: dict[str, JsonValue] = {
    "availability_zone": "us-west-2c",
    "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
}


@dataclass
class Own:
    """A VPC that a cluster may take over, and what belongs to it; `members` are what a request says of it."""

    vpc_id: str
    members: dict[str, Any] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ec2(self) -> EC2Client:
        return runtime.client("ec2")

    def subnet(self, cidr: str, zone: str = "us-west-2a", vpc_id: str | None = None) -> str:
        made = self.ec2.create_subnet(VpcId=vpc_id or self.vpc_id, CidrBlock=cidr, AvailabilityZone=zone)
        return made["Subnet"]["SubnetId"]

    def group(
        self, group_id: str, *, itself: bool = True, vpc_id: str | None = None, tags: dict[str, str] | None = None
    ) -> str:
        """A security group as EC2 describes it, with or without the rule that lets its members in."""
        inbound = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}] if itself else []
        outbound = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
        self.groups.append(
            {
                "GroupId": group_id,
                "VpcId": vpc_id or self.vpc_id,
                "IpPermissions": inbound,
                "IpPermissionsEgress": outbound,
                "Tags": listed(tags or {}),
            }
        )
        return group_id

    def nat(self, subnet_id: str) -> str:
        address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
        return self.ec2.create_nat_gateway(SubnetId=subnet_id, AllocationId=address)["NatGateway"]["NatGatewayId"]


def role(name: str, service: str, grants: dict[str, list[str]] | None = None, path: str = PATH) -> str:
    """Make a role that a service may assume; `grants` maps resources to actions."""
    iam = runtime.client("iam")
    allow: dict[str, JsonValue] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:*"]}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
    arn = iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    if grants:
        statements = [{"Effect": "Allow", "Action": what, "Resource": where} for where, what in grants.items()]
        document = json.dumps({"Version": "2012-10-17", "Statement": statements})
        iam.put_role_policy(RoleName=name, PolicyName="team", PolicyDocument=document)
    return arn


def listed(tags: dict[str, str]) -> list[Any]:
    """Tags as AWS takes them."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def arn_of(name: str, path: str = PATH) -> str:
    return f"arn:aws:iam::{ACCOUNT}:role{path}{name}"


def create(edge: Edge, foundation: dict[str, Any], hyperpod: dict[str, Any] | None = None) -> Answer:
    body = {"tag": "t1", "foundation": foundation} | ({"hyperpod": hyperpod} if hyperpod else {})
    return edge.send("POST", "/api/clusters", body)


def found(answer: Answer) -> dict[str, dict[str, Any]]:
    """The findings of an accepted request, by check."""
    assert answer.status == 202, answer.body
    return {finding["check"]: finding for finding in answer.body["findings"]}


def refused(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["cause"]["code"]


@pytest.fixture
def own(edge: Edge) -> Own:
    """A VPC with which nothing is wrong: two zones, a way out, an open security group, three roles and a bucket."""
    client = runtime.client("ec2")
    vpc_id = client.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    client.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": True})
    made = Own(vpc_id)
    public = made.subnet("10.50.2.0/24")
    gateway = client.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    client.attach_internet_gateway(VpcId=vpc_id, InternetGatewayId=gateway)
    table = client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    client.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    client.associate_route_table(RouteTableId=table, SubnetId=public)
    made.nat(public)
    client.create_vpc_endpoint(
        VpcId=vpc_id, ServiceName="com.amazonaws.us-west-2.s3", VpcEndpointType="Gateway", RouteTableIds=[table]
    )
    edge.surroundings.security_groups = made.groups
    s3 = runtime.client("s3")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    bucket = f"arn:aws:s3:::{BUCKET}"
    made.members = {
        "vpc_id": vpc_id,
        "control_plane_subnet_ids": [made.subnet("10.50.0.0/24"), made.subnet("10.50.1.0/24", "us-west-2b")],
        "public_subnet_ids": [public],
        "security_group_id": made.group("sg-0123456789abcdef0"),
        "control_plane_role_arn": role("team-eks", "eks.amazonaws.com", {"*": ["ec2:Describe*"]}),
        "execution_role_arn": role(
            "team-nodes", "sagemaker.amazonaws.com", {"*": NODES, f"{bucket}/*": ["s3:GetObject"]}
        ),
        "s3_csi_role_arn": role(
            "team-mounts", "pods.eks.amazonaws.com", {bucket: ["s3:ListBucket"], f"{bucket}/*": OBJECTS}
        ),
        "bucket": BUCKET,
    }
    return made
