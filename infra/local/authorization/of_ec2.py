"""What IAM is asked for calls of EC2: what is made, what it is made in, and the tags that it gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infra.local.authorization.asking import Unknown, tagged, tags_of, to_be_tagged
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_KINDS: Final = {
    "eipalloc": "elastic-ip",
    "eni": "network-interface",
    "igw": "internet-gateway",
    "nat": "natgateway",
    "rtb": "route-table",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "subnet": "subnet",
    "vpc": "vpc",
    "vpce": "vpc-endpoint",
}


@dataclass(frozen=True)
class _Shape:
    """An operation: the type that it makes, if any, and the parameters that name what there is."""

    parameters: tuple[str, ...] = ()
    makes: str = ""
    tags: str = ""


# Source: the service authorization reference; types that it calls optional are asked for where the request names one.
_SHAPES: Final[Mapping[str, _Shape]] = {
    "AllocateAddress": _Shape(makes="elastic-ip"),
    "AssociateRouteTable": _Shape(("RouteTableId", "SubnetId")),
    "AttachInternetGateway": _Shape(("InternetGatewayId", "VpcId")),
    "AuthorizeSecurityGroupEgress": _Shape(("GroupId",), tags="security-group-rule"),
    "AuthorizeSecurityGroupIngress": _Shape(("GroupId",), tags="security-group-rule"),
    "CreateInternetGateway": _Shape(makes="internet-gateway"),
    "CreateNatGateway": _Shape(("AllocationId", "SubnetId"), makes="natgateway"),
    "CreateRoute": _Shape(("RouteTableId",)),
    "CreateRouteTable": _Shape(("VpcId",), makes="route-table"),
    "CreateSecurityGroup": _Shape(("VpcId",), makes="security-group"),
    "CreateSubnet": _Shape(("VpcId",), makes="subnet"),
    "CreateVpc": _Shape(makes="vpc"),
    "CreateVpcEndpoint": _Shape(("VpcId", "RouteTableIds", "SubnetIds", "SecurityGroupIds"), makes="vpc-endpoint"),
    "DeleteInternetGateway": _Shape(("InternetGatewayId",)),
    "DeleteNatGateway": _Shape(("NatGatewayId",)),
    "DeleteNetworkInterface": _Shape(("NetworkInterfaceId",)),
    "DeleteRoute": _Shape(("RouteTableId",)),
    "DeleteRouteTable": _Shape(("RouteTableId",)),
    "DeleteSecurityGroup": _Shape(("GroupId",)),
    "DeleteSubnet": _Shape(("SubnetId",)),
    "DeleteVpc": _Shape(("VpcId",)),
    "DeleteVpcEndpoints": _Shape(("VpcEndpointIds",)),
    "DescribeVpcAttribute": _Shape(("VpcId",)),
    "DetachInternetGateway": _Shape(("InternetGatewayId", "VpcId")),
    "DisassociateRouteTable": _Shape(("AssociationId",)),
    "ModifySubnetAttribute": _Shape(("SubnetId",)),
    "ModifyVpcAttribute": _Shape(("VpcId",)),
    "ModifyVpcEndpoint": _Shape(("VpcEndpointId", "AddRouteTableIds", "RemoveRouteTableIds")),
    "ReleaseAddress": _Shape(("AllocationId",)),
    "ReplaceRoute": _Shape(("RouteTableId",)),
    "ReplaceRouteTableAssociation": _Shape(("RouteTableId", "AssociationId")),
    "RevokeSecurityGroupEgress": _Shape(("GroupId",)),
    "RevokeSecurityGroupIngress": _Shape(("GroupId",)),
    "UpdateSecurityGroupRuleDescriptionsEgress": _Shape(("GroupId",)),
    "UpdateSecurityGroupRuleDescriptionsIngress": _Shape(("GroupId",)),
}
# An endpoint is made only where its network can be seen.
_LOOKS: Final = {"CreateVpcEndpoint": ("DescribeSecurityGroups", "DescribeSubnets", "DescribeVpcs")}


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    if call.operation in ("CreateTags", "DeleteTags"):
        context = to_be_tagged(tags_of(call.rows("Tags")))
        for resource_id in _named(call, "Resources"):
            yield _on(live, call.operation, resource_id, context)
    elif call.operation in _SHAPES:
        yield from _shaped(call, live, _SHAPES[call.operation])
    elif call.operation.startswith("Describe"):
        yield Asked(f"ec2:{call.operation}", "*")
    else:
        raise Unknown(call.operation)
    for look in _LOOKS.get(call.operation, ()):
        yield Asked(f"ec2:{look}", "*")


def _shaped(call: Call, live: Live, shape: _Shape) -> Iterator[Asked]:
    if shape.makes:
        yield from _making(call, live, shape.makes)
    for parameter in shape.parameters:
        for resource_id in _named(call, parameter):
            for each in live.association(resource_id) if parameter == "AssociationId" else (resource_id,):
                yield _on(live, call.operation, each)
    if shape.tags:
        yield from _tagging(call, live, shape.tags)


def _making(call: Call, live: Live, kind: str) -> Iterator[Asked]:
    context = to_be_tagged(_tags(call, kind))
    yield Asked(f"ec2:{call.operation}", live.place.arn("ec2", f"{kind}/*"), context)
    yield from _tagging(call, live, kind)


def _tagging(call: Call, live: Live, kind: str) -> Iterator[Asked]:
    """What is made with tags is authorised once more, as a tagging by this operation."""
    tags = _tags(call, kind)
    if tags:
        context = {**to_be_tagged(tags), "ec2:CreateAction": (call.operation,)}
        yield Asked("ec2:CreateTags", live.place.arn("ec2", f"{kind}/*"), context)


def _tags(call: Call, kind: str) -> Mapping[str, str]:
    rows = [row for row in call.rows("TagSpecifications") if row.get("ResourceType") == kind]
    return {key: value for row in rows for key, value in tags_of(row.get("Tags") or []).items()}


def _named(call: Call, parameter: str) -> Sequence[str]:
    value = call.parameters.get(parameter)
    return [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []


def _on(live: Live, operation: str, resource_id: str, context: Mapping[str, Sequence[str]] | None = None) -> Asked:
    kind = _KINDS.get(resource_id.partition("-")[0])
    if kind is None:
        raise Unknown(f"{operation} of {resource_id}")
    arn = live.place.arn("ec2", f"{kind}/{resource_id}")
    return Asked(f"ec2:{operation}", arn, {**(context or {}), **tagged(live.ec2_tags(resource_id))})
