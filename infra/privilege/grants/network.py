"""Grants on networks: compute subnets are ours and say so by a tag, VPCs and endpoints may be anybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.tags import MANAGED_BY, MANAGER
from functions.network.reuse.rules.tags import PUBLIC_ROLE
from functions.network.subnets.rules.identity import LOAD_BALANCER_ROLE
from infra.privilege.documents import Condition
from infra.privilege.grant import Grant, equal, named, owned_by_service

if TYPE_CHECKING:
    from infra.release import Place

OURS: Final = equal(f"aws:ResourceTag/{MANAGED_BY}", MANAGER)
TO_BE_OURS: Final = equal(f"aws:RequestTag/{MANAGED_BY}", MANAGER)


def grants(place: Place) -> tuple[Grant, ...]:
    """Give the grants of all functions on networks."""
    return (*_reading(place), *_creating(place), *_changing(place), *_clearing(place), *_images(place))


def _reading(place: Place) -> tuple[Grant, ...]:
    return (Grant("ReadVpcs", ("ec2:DescribeVpcAttribute",), named(place, "ec2", "vpc/*")),)


def _creating(place: Place) -> tuple[Grant, ...]:
    creations = ("ec2:CreateSubnet", "ec2:CreateRouteTable")
    made = named(place, "ec2", "subnet/*", "route-table/*")
    return (
        Grant("CreateSubnets", creations, made, (TO_BE_OURS,)),
        # The VPC may be one that was taken over: it bears no tag of ours.
        Grant("CreateSubnetsInVpcs", creations, named(place, "ec2", "vpc/*")),
        Grant(
            "TagCreatedSubnets", ("ec2:CreateTags",), made, (equal("ec2:CreateAction", *map(_operation, creations)),)
        ),
    )


def _operation(action: str) -> str:
    return action.partition(":")[2]


def _changing(place: Place) -> tuple[Grant, ...]:
    own_parts = named(place, "ec2", "subnet/*", "route-table/*")
    own = (
        "ec2:AssociateRouteTable",
        "ec2:CreateRoute",
        "ec2:CreateTags",
        "ec2:DeleteRouteTable",
        "ec2:DeleteSubnet",
        "ec2:ModifyVpcEndpoint",
        "ec2:ReplaceRoute",
        "ec2:ReplaceRouteTableAssociation",
    )
    only_roles = Condition("ForAllValues:StringEquals", "aws:TagKeys", (*PUBLIC_ROLE, *LOAD_BALANCER_ROLE))
    return (
        Grant("ChangeOwnSubnets", own, own_parts, (OURS,)),
        # The route table that a subnet of ours leaves may be anybody's.
        Grant("LeaveRouteTables", ("ec2:ReplaceRouteTableAssociation",), named(place, "ec2", "route-table/*")),
        # The endpoint for S3 of a VPC that was taken over bears no tag of ours.
        Grant("ServeByEndpoints", ("ec2:ModifyVpcEndpoint",), named(place, "ec2", "vpc-endpoint/*")),
        # Subnets that were taken over or imported get no tags but those by which load balancers find them.
        Grant("TagForLoadBalancers", ("ec2:CreateTags",), named(place, "ec2", "subnet/*"), (only_roles,)),
    )


def _clearing(place: Place) -> tuple[Grant, ...]:
    """Grant what removes leftovers of EKS, HyperPod and Kubernetes: they bear tags of theirs, if any."""
    actions = ("ec2:DeleteNetworkInterface", "ec2:DeleteSecurityGroup")
    return (Grant("DeleteLeftovers", actions, named(place, "ec2", "network-interface/*", "security-group/*")),)


def _images(place: Place) -> tuple[Grant, ...]:
    """Grant what HyperPod does as its caller with a caller's own image: it shares it with the service's account."""
    actions = ("ec2:ModifyImageAttribute", "ec2:ModifySnapshotAttribute")
    return (Grant("ShareImages", actions, owned_by_service(place, "ec2", "image/*", "snapshot/*")),)
