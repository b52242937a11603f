"""A caller's own network, roles and bucket on the host, made with the usual tools, for clusters to take over."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core.roles import clusters_path_of
from tests.host.driver import Driver, Json
from tests.workflows.subnets import ec2

if TYPE_CHECKING:
    from types_boto3_ec2 import EC2Client

BUCKET = "team-data"
EGRESS = "198.51.100.7"
_MANAGED = "arn:aws:iam::aws:policy/"
_NODES = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:AttachNetworkInterface",
    "ec2:CreateNetworkInterface",
    "ec2:CreateTags",
    "ec2:Describe*",
    "ecr:*",
    "eks-auth:AssumeRoleForPodIdentity",
)


@dataclass(frozen=True)
class Own:
    """What the caller has."""

    vpc_id: str
    private: tuple[str, str]
    public: str
    security_group: str
    roles: dict[str, str]

    @property
    def network(self) -> Json:
        """The members of a request that take the network over."""
        return {"vpc_id": self.vpc_id, "control_plane_subnet_ids": [*self.private]}

    @property
    def everything(self) -> Json:
        """The members of a request that take all of it over."""
        return {
            **self.network,
            "public_subnet_ids": [self.public],
            "security_group_id": self.security_group,
            **{f"{part}_role_arn": arn for part, arn in self.roles.items()},
            "bucket": BUCKET,
        }


def own(driver: Driver) -> Own:
    """Make it: a VPC that leads out by a NAT gateway, a security group open to itself, three roles and a bucket."""
    client = ec2(driver)
    vpc_id = client.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    client.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": True})
    private = (_subnet(client, vpc_id, "10.50.0.0/24", "a"), _subnet(client, vpc_id, "10.50.1.0/24", "b"))
    public = _subnet(client, vpc_id, "10.50.2.0/24", "a")
    _lead_out(client, vpc_id, public)
    s3 = driver.host.client("s3")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    return Own(vpc_id, private, public, _open_group(client, vpc_id), _roles(driver))


def _subnet(client: EC2Client, vpc_id: str, cidr: str, zone: str) -> str:
    made = client.create_subnet(VpcId=vpc_id, CidrBlock=cidr, AvailabilityZone=f"us-west-2{zone}")
    return made["Subnet"]["SubnetId"]


def _lead_out(client: EC2Client, vpc_id: str, public: str) -> None:
    gateway = client.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    client.attach_internet_gateway(VpcId=vpc_id, InternetGatewayId=gateway)
    table = client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    client.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    client.associate_route_table(RouteTableId=table, SubnetId=public)
    address = client.allocate_address(Domain="vpc")["AllocationId"]
    client.create_nat_gateway(SubnetId=public, AllocationId=address)


def _open_group(client: EC2Client, vpc_id: str) -> str:
    group = client.create_security_group(GroupName="team", Description="team", VpcId=vpc_id)["GroupId"]
    client.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    )
    return group


def _roles(driver: Driver) -> dict[str, str]:
    bucket = f"arn:aws:s3:::{BUCKET}"
    return {
        "control_plane": role(driver, "eks.amazonaws.com", managed=("AmazonEKSClusterPolicy",)),
        "execution": role(
            driver,
            "sagemaker.amazonaws.com",
            {"*": [*_NODES], f"{bucket}*": ["s3:GetObject", "s3:ListBucket"]},
            ("AmazonSageMakerClusterInstanceRolePolicy",),
        ),
        "s3_csi": role(
            driver,
            "pods.eks.amazonaws.com",
            {bucket: ["s3:ListBucket"]},
            own=_policy(driver, {f"{bucket}/*": ["s3:GetObject", "s3:PutObject", "s3:*Object", "s3:Abort*"]}),
        ),
    }


def role(
    driver: Driver,
    service: str,
    grants: dict[str, list[str]] | None = None,
    managed: tuple[str, ...] = (),
    own: str | None = None,
) -> str:
    """Make a role that a service may assume; `grants` maps resources to actions, `own` is a policy of the caller's."""
    iam, name = driver.host.client("iam"), f"team-{service.partition('.')[0]}"
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    path = f"{clusters_path_of('us-west-2')}team/"
    arn = iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    for policy in (*(_MANAGED + each for each in managed), *([own] if own else [])):
        iam.attach_role_policy(RoleName=name, PolicyArn=policy)
    if grants:
        iam.put_role_policy(RoleName=name, PolicyName="team", PolicyDocument=_document(grants))
    return arn


def _policy(driver: Driver, grants: dict[str, list[str]]) -> str:
    made = driver.host.client("iam").create_policy(PolicyName="team-objects", PolicyDocument=_document(grants))
    return made["Policy"]["Arn"]


def _document(grants: dict[str, list[str]]) -> str:
    allowed = [{"Effect": "Allow", "Action": what, "Resource": where} for where, what in grants.items()]
    return json.dumps({"Version": "2012-10-17", "Statement": allowed})
