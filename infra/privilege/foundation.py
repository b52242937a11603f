"""The role that CloudFormation makes foundation stacks with: what the types of its template need, and on what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.privilege.documents import Condition
from infra.privilege.grant import Grant, buckets, equal, named, worldwide
from infra.privilege.grants import identity, stores
from infra.privilege.grants.network import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.privilege.documents import Statement
    from infra.release import Place

# What the handlers of each type call to create, read, update and delete it, for the properties that the template sets.
# Source: `handlers` of the types' schemas in the CloudFormation registry; those without are of the EC2 API reference.
NEEDS: Final = {
    "AWS::EC2::VPC": (
        "ec2:CreateVpc",
        "ec2:DeleteVpc",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcs",
        "ec2:ModifyVpcAttribute",
    ),
    "AWS::EC2::InternetGateway": (
        "ec2:CreateInternetGateway",
        "ec2:DeleteInternetGateway",
        "ec2:DescribeInternetGateways",
    ),
    # The type also serves VPN gateways, and looks for one.
    "AWS::EC2::VPCGatewayAttachment": (
        "ec2:AttachInternetGateway",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeVpnGateways",
        "ec2:DetachInternetGateway",
    ),
    "AWS::EC2::Subnet": (
        "ec2:CreateSubnet",
        "ec2:DeleteSubnet",
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeSubnets",
        "ec2:ModifySubnetAttribute",
    ),
    "AWS::EC2::EIP": ("ec2:AllocateAddress", "ec2:DescribeAddresses", "ec2:ReleaseAddress"),
    "AWS::EC2::NatGateway": ("ec2:CreateNatGateway", "ec2:DeleteNatGateway", "ec2:DescribeNatGateways"),
    "AWS::EC2::RouteTable": ("ec2:CreateRouteTable", "ec2:DeleteRouteTable", "ec2:DescribeRouteTables"),
    "AWS::EC2::Route": ("ec2:CreateRoute", "ec2:DeleteRoute", "ec2:DescribeRouteTables", "ec2:ReplaceRoute"),
    "AWS::EC2::SubnetRouteTableAssociation": (
        "ec2:AssociateRouteTable",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSubnets",
        "ec2:DisassociateRouteTable",
        "ec2:ReplaceRouteTableAssociation",
    ),
    "AWS::EC2::VPCEndpoint": (
        "ec2:CreateVpcEndpoint",
        "ec2:DeleteVpcEndpoints",
        "ec2:DescribeVpcEndpoints",
        "ec2:ModifyVpcEndpoint",
    ),
    # A new group lets everything out, which is taken back before the template's own rules are written.
    "AWS::EC2::SecurityGroup": (
        "ec2:AuthorizeSecurityGroupEgress",
        "ec2:CreateSecurityGroup",
        "ec2:DeleteSecurityGroup",
        "ec2:DescribeSecurityGroups",
        "ec2:RevokeSecurityGroupEgress",
    ),
    "AWS::EC2::SecurityGroupIngress": (
        "ec2:AuthorizeSecurityGroupIngress",
        "ec2:DescribeSecurityGroupRules",
        "ec2:DescribeSecurityGroups",
        "ec2:RevokeSecurityGroupIngress",
        "ec2:UpdateSecurityGroupRuleDescriptionsIngress",
    ),
    "AWS::EC2::SecurityGroupEgress": (
        "ec2:AuthorizeSecurityGroupEgress",
        "ec2:DescribeSecurityGroupRules",
        "ec2:DescribeSecurityGroups",
        "ec2:RevokeSecurityGroupEgress",
        "ec2:UpdateSecurityGroupRuleDescriptionsEgress",
    ),
    "AWS::IAM::Role": (
        "iam:AttachRolePolicy",
        "iam:CreateRole",
        "iam:DeleteRole",
        "iam:DeleteRolePolicy",
        "iam:DetachRolePolicy",
        "iam:GetRole",
        "iam:GetRolePolicy",
        "iam:ListAttachedRolePolicies",
        "iam:ListRolePolicies",
        "iam:PutRolePermissionsBoundary",
        "iam:PutRolePolicy",
        "iam:TagRole",
        "iam:UntagRole",
        "iam:UpdateAssumeRolePolicy",
    ),
    "AWS::IAM::OIDCProvider": (
        "iam:AddClientIDToOpenIDConnectProvider",
        "iam:CreateOpenIDConnectProvider",
        "iam:DeleteOpenIDConnectProvider",
        "iam:GetOpenIDConnectProvider",
        "iam:ListOpenIDConnectProviderTags",
        "iam:RemoveClientIDFromOpenIDConnectProvider",
        "iam:TagOpenIDConnectProvider",
        "iam:UntagOpenIDConnectProvider",
        "iam:UpdateOpenIDConnectProviderThumbprint",
    ),
    # EKS looks at network and role as its caller, takes the role from it, and makes its own service role once.
    "AWS::EKS::Cluster": (
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "eks:CreateCluster",
        "eks:DeleteCluster",
        "eks:DescribeCluster",
        "eks:DescribeUpdate",
        "eks:ListUpdates",
        "eks:TagResource",
        "eks:UntagResource",
        "eks:UpdateClusterConfig",
        "eks:UpdateClusterVersion",
        "iam:CreateServiceLinkedRole",
        "iam:GetRole",
        "iam:ListAttachedRolePolicies",
        "iam:PassRole",
    ),
    "AWS::EKS::AccessEntry": (
        "eks:AssociateAccessPolicy",
        "eks:CreateAccessEntry",
        "eks:DeleteAccessEntry",
        "eks:DescribeAccessEntry",
        "eks:DisassociateAccessPolicy",
        "eks:ListAssociatedAccessPolicies",
        "eks:TagResource",
        "eks:UntagResource",
        "eks:UpdateAccessEntry",
    ),
    "AWS::EKS::Addon": (
        "eks:CreateAddon",
        "eks:DeleteAddon",
        "eks:DescribeAddon",
        "eks:DescribeUpdate",
        "eks:TagResource",
        "eks:UntagResource",
        "eks:UpdateAddon",
    ),
    # A bucket is kept unless its very creation fails, and is then empty.
    "AWS::S3::Bucket": (
        "s3:CreateBucket",
        "s3:DeleteBucket",
        "s3:GetBucketPublicAccessBlock",
        "s3:GetBucketTagging",
        "s3:GetEncryptionConfiguration",
        "s3:ListBucket",
        "s3:PutBucketPublicAccessBlock",
        "s3:PutBucketTagging",
        "s3:PutEncryptionConfiguration",
    ),
    "AWS::S3::BucketPolicy": ("s3:DeleteBucketPolicy", "s3:GetBucketPolicy", "s3:PutBucketPolicy"),
}
# Tags of the stack and of the template are put on what is made, and changed with them.
_TAGGED: Final = ("ec2:CreateTags", "ec2:DeleteTags")
_MADE: Final = (
    "elastic-ip/*",
    "internet-gateway/*",
    "natgateway/*",
    "route-table/*",
    "security-group/*",
    "security-group-rule/*",
    "subnet/*",
    "vpc-endpoint/*",
    "vpc/*",
)
# What the template attaches to its roles.
POLICIES: Final = ("policy/AmazonEKSClusterPolicy", "policy/AmazonSageMakerClusterInstanceRolePolicy")
_EKS_SERVICE: Final = "eks.amazonaws.com"


def actions() -> frozenset[str]:
    """List what the role may do."""
    return frozenset((*_TAGGED, *(action for needed in NEEDS.values() for action in needed)))


def statements(place: Place, passable: tuple[str, ...]) -> Iterator[Statement]:
    """Give the role's statements for actions on resources; `passable` are roles that callers reuse."""
    for grant in (*_network(place), *_eks(place), *_roles(place), *_passing(place, passable), *_bucket(place)):
        yield grant.whole()


def _network(place: Place) -> tuple[Grant, ...]:
    made = named(place, "ec2", *_MADE)
    held = _of("ec2:", exclude=_TAGGED)
    return (
        # What is made has no tag yet, and what it is made in may be a VPC that was taken over.
        Grant("MakeNetwork", tuple(each for each in held if each.startswith(_BUILDING)), made),
        Grant("TagNetwork", _TAGGED, made),
        Grant("UnmakeNetwork", tuple(each for each in held if each.startswith(_REMOVING)), made, (OURS,)),
    )


_BUILDING: Final = (
    "ec2:Allocate",
    "ec2:Associate",
    "ec2:Attach",
    "ec2:Authorize",
    "ec2:Create",
    "ec2:DescribeVpcAttribute",
    "ec2:Modify",
    "ec2:Replace",
    # A new group's own rule is taken back before anything says that the group has its tags.
    "ec2:Revoke",
    "ec2:Update",
)
_REMOVING: Final = ("ec2:Delete", "ec2:Detach", "ec2:Disassociate", "ec2:Release")


def _of(prefix: str, exclude: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(sorted(each for each in actions() if each.startswith(prefix) and each not in exclude))


def _eks(place: Place) -> tuple[Grant, ...]:
    # CreateCluster is authorised on no resource: the name is checked where the stack's parameters are.
    held = _of("eks:", exclude=("eks:CreateCluster",))
    parts = named(
        place, "eks", "cluster/eks-cluster-*", "addon/eks-cluster-*/*/*", "access-entry/eks-cluster-*/*/*/*/*"
    )
    return (Grant("ManageEks", held, parts),)


def _roles(place: Place) -> tuple[Grant, ...]:
    ours, bound = identity.of_clusters(place), identity.bounded(place)
    reads = ("iam:GetRole", "iam:GetRolePolicy", "iam:ListAttachedRolePolicies", "iam:ListRolePolicies")
    attached = tuple(f"arn:{place.partition}:iam::aws:{each}" for each in POLICIES)
    writes = (
        "iam:CreateRole",
        "iam:PutRolePermissionsBoundary",
        "iam:PutRolePolicy",
        "iam:UpdateAssumeRolePolicy",
    )
    return (
        # EKS reads the role that it is given, which callers may have brought.
        Grant("ReadRoles", reads, worldwide(place, "iam", "role/*")),
        Grant("WriteRoles", writes, ours, (bound,)),
        Grant("UnmakeRoles", identity.TAKING, ours, (bound, identity.OF_CLUSTER)),
        Grant(
            "AttachPolicies",
            ("iam:AttachRolePolicy",),
            ours,
            (bound, Condition("ArnEquals", "iam:PolicyARN", attached)),
        ),
        # When the role is made, and when other tags of it are changed afterwards.
        Grant("TagRoles", ("iam:TagRole",), ours, (identity.TO_BE_OF_CLUSTER,)),
        Grant("ChangeTagsOfRoles", ("iam:TagRole", "iam:UntagRole"), ours, (identity.OF_CLUSTER,)),
        Grant("ManageIdentityProviders", _providers(), identity.providers(place)),
    )


def _providers() -> tuple[str, ...]:
    return tuple(each for each in _of("iam:") if "OpenIDConnectProvider" in each)


def _passing(place: Place, passable: tuple[str, ...]) -> tuple[Grant, ...]:
    service_role = worldwide(place, "iam", f"role/aws-service-role/{_EKS_SERVICE}/*")
    roles = (*identity.of_clusters(place), *passable)
    return (
        Grant("PassToEks", ("iam:PassRole",), roles, (equal("iam:PassedToService", _EKS_SERVICE),)),
        Grant(
            "CreateServiceRole",
            ("iam:CreateServiceLinkedRole",),
            service_role,
            (equal("iam:AWSServiceName", _EKS_SERVICE),),
        ),
    )


def _bucket(place: Place) -> tuple[Grant, ...]:
    """Grant what is done to the cluster's bucket; a name that another account has is no business of ours."""
    held = _of("s3:")
    return (Grant("ManageBucket", held, buckets(place, stores.of_clusters(place)), (stores.in_account(place),)),)
