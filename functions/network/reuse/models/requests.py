"""What callers send about resources of their own that a foundation takes over, and about who reaches its API server."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from functions.core.cluster import ReusedResources
from functions.network.models import SubnetId

VPC_ID_PATTERN: Final = r"^vpc-[0-9a-f]{8,17}$"
SECURITY_GROUP_ID_PATTERN: Final = r"^sg-[0-9a-f]{8,17}$"
# Source: IAM API reference, "Role" (a path of up to 512 characters, a name of up to 64).
ROLE_ARN_PATTERN: Final = r"^arn:aws[a-z-]*:iam::\d{12}:role/([!-~]{1,510}/)?[\w+=,.@-]{1,64}$"
# Source: Amazon S3 user guide, "General purpose bucket naming rules".
BUCKET_PATTERN: Final = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
# Source: Amazon EKS user guide, "Amazon EKS service quotas": public endpoint access ranges per cluster.
PUBLIC_RANGES_LIMIT: Final = 40
PUBLIC_SUBNETS_LIMIT: Final = 16
EVERYWHERE: Final = "0.0.0.0/0"
# No source address on the internet. Source: IANA IPv4 special-purpose address registry.
_NOT_PUBLIC: Final = tuple(
    map(
        IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8")
    )
)

EndpointAccess = Literal["public", "private"]


def check_range(value: str) -> str:
    """Refuse what is no public IPv4 range: EKS lets no private one into the list of a public endpoint."""
    try:
        found = IPv4Network(value)
    except ValueError as error:
        message = "{value} is not an IPv4 range, such as 203.0.113.0/24 or 203.0.113.7/32"
        raise PydanticCustomError("cidr", message, {"value": value}) from error
    if any(found.subnet_of(each) for each in _NOT_PUBLIC):
        message = "{value} is a range of private addresses; the public endpoint is reached from public ones"
        raise PydanticCustomError("cidr", message, {"value": value})
    return str(found)


def check_two_subnets(value: list[str]) -> list[str]:
    """Refuse any number of control plane subnets but two different ones."""
    if len(value) != 2 or value[0] == value[1]:
        message = "names {count} different subnets; a control plane stands in exactly two"
        raise PydanticCustomError("two_subnets", message, {"count": len(set(value))})
    return value


def check_endpoint_access(value: EndpointAccess) -> EndpointAccess:
    """Refuse an endpoint that the control plane itself could not reach."""
    if value == "private":
        raise PydanticCustomError(
            "endpoint_access",
            "private is not offered: this version's control plane reaches the cluster over its public endpoint; use "
            "public, and public_access_cidrs to say who may reach it",
        )
    return value


VpcId = Annotated[str, Field(pattern=VPC_ID_PATTERN)]
SecurityGroupId = Annotated[str, Field(pattern=SECURITY_GROUP_ID_PATTERN)]
RoleArn = Annotated[str, Field(pattern=ROLE_ARN_PATTERN, max_length=2048)]
BucketName = Annotated[str, Field(pattern=BUCKET_PATTERN)]
PublicRange = Annotated[str, AfterValidator(check_range)]
TwoSubnets = Annotated[
    list[SubnetId], AfterValidator(check_two_subnets), Field(json_schema_extra={"minItems": 2, "maxItems": 2})
]


class ReusedParts(BaseModel):
    """Resources of the caller's own that a foundation takes over instead of making them.

    None of them is changed, but for the load balancer tags of subnets where `tag_subnets` says so; none is deleted
    with the cluster.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    vpc_id: VpcId | None = Field(default=None, description="A VPC to build in; control_plane_subnet_ids goes with it.")
    control_plane_subnet_ids: TwoSubnets | None = Field(
        default=None,
        validate_default=True,
        description="Two subnets of that VPC in two zones, for the control plane's network interfaces.",
    )
    public_subnet_ids: list[SubnetId] | None = Field(
        default=None, max_length=PUBLIC_SUBNETS_LIMIT, description="Subnets of that VPC for public load balancers."
    )
    security_group_id: SecurityGroupId | None = Field(
        default=None, description="A security group of that VPC for nodes and control plane."
    )
    tag_subnets: bool = Field(
        default=False,
        description="Give these subnets the tags by which load balancers find them, where they lack them.",
    )
    control_plane_role_arn: RoleArn | None = Field(default=None, description="The role that EKS runs with.")
    execution_role_arn: RoleArn | None = Field(default=None, description="The role that HyperPod's instances run with.")
    s3_csi_role_arn: RoleArn | None = Field(default=None, description="The role that mounts the bucket.")
    bucket: BucketName | None = Field(
        default=None, description="A bucket for lifecycle scripts, data and checkpoints, in the deployment's region."
    )

    @field_validator("control_plane_subnet_ids")
    @classmethod
    def _come_with_their_vpc(cls, value: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if value is None and info.data.get("vpc_id") is not None:
            raise PydanticCustomError("vpc_without_subnets", "goes with vpc_id: two subnets of that VPC, in two zones")
        return value

    @field_validator("control_plane_subnet_ids", "public_subnet_ids", "security_group_id")
    @classmethod
    def _stand_in_a_given_vpc(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and "vpc_id" in info.data and info.data["vpc_id"] is None:
            raise PydanticCustomError(
                "reuse_without_vpc", "goes with vpc_id: without it a new VPC is made, which has no such resource yet"
            )
        return value

    @field_validator("tag_subnets")
    @classmethod
    def _tags_given_subnets(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("vpc_id", "unknown") is None:
            raise PydanticCustomError("reuse_without_vpc", "goes with vpc_id: new subnets have their tags anyway")
        return value

    @property
    def reused(self) -> ReusedResources | None:
        """Give what is taken over, as it is kept with the cluster; None when that is nothing."""
        kept = ReusedResources(
            **self.model_dump(include=set(ReusedResources.model_fields), exclude_none=True, exclude={"tag_subnets"}),
            tag_subnets=self.tag_subnets,
        )
        return None if kept == ReusedResources() else kept


class EndpointReach(BaseModel):
    """From where a cluster's API server answers."""

    model_config = ConfigDict(extra="forbid", strict=True)

    endpoint_access: Annotated[EndpointAccess, AfterValidator(check_endpoint_access)] = "public"
    public_access_cidrs: list[PublicRange] | None = Field(
        default=None,
        min_length=1,
        max_length=PUBLIC_RANGES_LIMIT,
        description="The only ranges from which the cluster's endpoint answers; needs a deployment with fixed "
        "addresses of its own, which are added.",
    )
