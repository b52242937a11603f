"""EC2 resource types of stacks: networks, gateways, routes, security groups."""

from __future__ import annotations

from infra.local.simulators.service import JsonObject
from infra.local.simulators.stack_handlers import Call, ResourceType, names

_ALL_TRAFFIC = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def _tags(call: Call, kind: str) -> list[JsonObject]:
    return [{"ResourceType": kind, "Tags": call.tag_list}] if call.tag_list else []


def _create_vpc(call: Call) -> None:
    answer = call.ask("ec2", "create_vpc", **call.given("CidrBlock"), TagSpecifications=_tags(call, "vpc"))
    vpc = answer["Vpc"]
    call.created(vpc["VpcId"], VpcId=vpc["VpcId"], CidrBlock=vpc["CidrBlock"])
    for name, value in call.given("EnableDnsSupport", "EnableDnsHostnames").items():
        call.ask("ec2", "modify_vpc_attribute", VpcId=vpc["VpcId"], **{name: {"Value": value}})


def _delete_vpc(call: Call) -> None:
    call.ask("ec2", "delete_vpc", VpcId=call.physical_id)


def _create_internet_gateway(call: Call) -> None:
    answer = call.ask("ec2", "create_internet_gateway", TagSpecifications=_tags(call, "internet-gateway"))
    gateway_id = answer["InternetGateway"]["InternetGatewayId"]
    call.created(gateway_id, InternetGatewayId=gateway_id)


def _delete_internet_gateway(call: Call) -> None:
    call.ask("ec2", "delete_internet_gateway", InternetGatewayId=call.physical_id)


def _attach_gateway(call: Call) -> None:
    call.ask("ec2", "attach_internet_gateway", **call.given("VpcId", "InternetGatewayId"))
    call.created(f"IGW|{call.properties['VpcId']}", AttachmentType="IGW")


def _detach_gateway(call: Call) -> None:
    call.ask("ec2", "detach_internet_gateway", **call.given("VpcId", "InternetGatewayId"))


def _create_subnet(call: Call) -> None:
    subnet = call.ask(
        "ec2",
        "create_subnet",
        **call.given("VpcId", "CidrBlock", "AvailabilityZone"),
        TagSpecifications=_tags(call, "subnet"),
    )["Subnet"]
    call.created(
        subnet["SubnetId"], **{name: subnet[name] for name in ("SubnetId", "VpcId", "CidrBlock", "AvailabilityZone")}
    )


def _delete_subnet(call: Call) -> None:
    call.ask("ec2", "delete_subnet", SubnetId=call.physical_id)


def _allocate_address(call: Call) -> None:
    address = call.ask("ec2", "allocate_address", **call.given("Domain"), TagSpecifications=_tags(call, "elastic-ip"))
    call.created(address["PublicIp"], PublicIp=address["PublicIp"], AllocationId=address["AllocationId"])


def _release_address(call: Call) -> None:
    call.ask("ec2", "release_address", AllocationId=call.resource.attributes["AllocationId"])


def _create_nat_gateway(call: Call) -> None:
    gateway = call.ask(
        "ec2",
        "create_nat_gateway",
        **call.given("AllocationId", "SubnetId"),
        TagSpecifications=_tags(call, "natgateway"),
    )["NatGateway"]
    call.created(gateway["NatGatewayId"], NatGatewayId=gateway["NatGatewayId"])


def _delete_nat_gateway(call: Call) -> None:
    call.ask("ec2", "delete_nat_gateway", NatGatewayId=call.physical_id)


def _create_route_table(call: Call) -> None:
    answer = call.ask("ec2", "create_route_table", **call.given("VpcId"), TagSpecifications=_tags(call, "route-table"))
    table_id = answer["RouteTable"]["RouteTableId"]
    call.created(table_id, RouteTableId=table_id)


def _delete_route_table(call: Call) -> None:
    call.ask("ec2", "delete_route_table", RouteTableId=call.physical_id)


def _create_route(call: Call) -> None:
    given = call.given("RouteTableId", "DestinationCidrBlock", "GatewayId", "NatGatewayId")
    call.ask("ec2", "create_route", **given)
    call.created(f"{given['RouteTableId']}|{given['DestinationCidrBlock']}", CidrBlock=given["DestinationCidrBlock"])


def _delete_route(call: Call) -> None:
    call.ask("ec2", "delete_route", **call.given("RouteTableId", "DestinationCidrBlock"))


def _associate_route_table(call: Call) -> None:
    answer = call.ask("ec2", "associate_route_table", **call.given("RouteTableId", "SubnetId"))
    call.created(answer["AssociationId"], Id=answer["AssociationId"])


def _disassociate_route_table(call: Call) -> None:
    call.ask("ec2", "disassociate_route_table", AssociationId=call.physical_id)


def _create_endpoint(call: Call) -> None:
    endpoint = call.ask(
        "ec2",
        "create_vpc_endpoint",
        **call.given("VpcId", "VpcEndpointType", "ServiceName", "RouteTableIds"),
        TagSpecifications=_tags(call, "vpc-endpoint"),
    )["VpcEndpoint"]
    call.created(endpoint["VpcEndpointId"], Id=endpoint["VpcEndpointId"])


def _delete_endpoint(call: Call) -> None:
    call.ask("ec2", "delete_vpc_endpoints", VpcEndpointIds=[call.physical_id])


def _create_security_group(call: Call) -> None:
    group_id = call.ask(
        "ec2",
        "create_security_group",
        GroupName=call.properties.get("GroupName") or call.generated_name(),
        Description=call.properties["GroupDescription"],
        VpcId=call.properties["VpcId"],
        TagSpecifications=_tags(call, "security-group"),
    )["GroupId"]
    call.created(group_id, GroupId=group_id, VpcId=call.properties["VpcId"])
    if "SecurityGroupEgress" in call.properties:
        # EC2 starts every group with the rule that lets all traffic out.
        call.ask("ec2", "revoke_security_group_egress", GroupId=group_id, IpPermissions=[_ALL_TRAFFIC])
    for rule in call.properties.get("SecurityGroupEgress", []):
        call.ask("ec2", "authorize_security_group_egress", GroupId=group_id, IpPermissions=[permission_of(rule)])
    for rule in call.properties.get("SecurityGroupIngress", []):
        call.ask("ec2", "authorize_security_group_ingress", GroupId=group_id, IpPermissions=[permission_of(rule)])


def _delete_security_group(call: Call) -> None:
    call.ask("ec2", "delete_security_group", GroupId=call.physical_id)


def permission_of(rule: JsonObject) -> JsonObject:
    """One rule of a template as EC2's permission."""
    described = {name: rule[name] for name in ("Description",) if name in rule}
    permission: JsonObject = {name: rule[name] for name in ("IpProtocol", "FromPort", "ToPort") if name in rule}
    peer = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
    if peer:
        permission["UserIdGroupPairs"] = [{"GroupId": peer, **described}]
    if "CidrIp" in rule:
        permission["IpRanges"] = [{"CidrIp": rule["CidrIp"], **described}]
    return permission


def _authorize(call: Call, direction: str) -> None:
    method = f"authorize_security_group_{direction}"
    answer = call.ask("ec2", method, GroupId=call.properties["GroupId"], IpPermissions=[permission_of(call.properties)])
    rule_id = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
    call.created(rule_id, Id=rule_id)


def _revoke(call: Call, direction: str) -> None:
    """Take the rule as it stands: somebody may have changed it since, and another may be as it was."""
    method, ids = f"revoke_security_group_{direction}", [call.physical_id]
    standing = call.ask("ec2", "describe_security_group_rules", SecurityGroupRuleIds=ids)["SecurityGroupRules"]
    rule = {**rule_of(standing[0]), **call.given("Description")} if standing else call.properties
    call.ask("ec2", method, GroupId=call.properties["GroupId"], IpPermissions=[permission_of(rule)])


def rule_of(standing: JsonObject) -> JsonObject:
    """EC2's rule as a template writes it."""
    peer = "DestinationSecurityGroupId" if standing["IsEgress"] else "SourceSecurityGroupId"
    peers = {peer: standing["ReferencedGroupInfo"]["GroupId"]} if standing.get("ReferencedGroupInfo") else {}
    ranges = {"CidrIp": standing["CidrIpv4"]} if standing.get("CidrIpv4") else {}
    ports = {name: standing[name] for name in ("FromPort", "ToPort") if standing.get(name) not in (None, -1)}
    return {"GroupId": standing["GroupId"], "IpProtocol": standing["IpProtocol"], **peers, **ranges, **ports}


_RULE = names("GroupId IpProtocol FromPort ToPort CidrIp Description")

NETWORK_TYPES = {
    "AWS::EC2::VPC": ResourceType(
        _create_vpc,
        _delete_vpc,
        properties=names("CidrBlock EnableDnsSupport EnableDnsHostnames Tags"),
        required=names("CidrBlock"),
        attributes=names("VpcId CidrBlock"),
        seconds=12,
    ),
    "AWS::EC2::InternetGateway": ResourceType(
        _create_internet_gateway,
        _delete_internet_gateway,
        properties=names("Tags"),
        attributes=names("InternetGatewayId"),
        seconds=16,
    ),
    "AWS::EC2::VPCGatewayAttachment": ResourceType(
        _attach_gateway,
        _detach_gateway,
        properties=names("VpcId InternetGatewayId"),
        required=names("VpcId InternetGatewayId"),
        attributes=names("AttachmentType"),
    ),
    "AWS::EC2::Subnet": ResourceType(
        _create_subnet,
        _delete_subnet,
        properties=names("VpcId CidrBlock AvailabilityZone Tags"),
        required=names("VpcId CidrBlock"),
        attributes=names("SubnetId VpcId CidrBlock AvailabilityZone"),
    ),
    "AWS::EC2::EIP": ResourceType(
        _allocate_address,
        _release_address,
        properties=names("Domain Tags"),
        attributes=names("PublicIp AllocationId"),
        seconds=15,
    ),
    "AWS::EC2::NatGateway": ResourceType(
        _create_nat_gateway,
        _delete_nat_gateway,
        properties=names("AllocationId SubnetId Tags"),
        required=names("AllocationId SubnetId"),
        attributes=names("NatGatewayId"),
        seconds=90,
        delete_seconds=45,
    ),
    "AWS::EC2::RouteTable": ResourceType(
        _create_route_table,
        _delete_route_table,
        properties=names("VpcId Tags"),
        required=names("VpcId"),
        attributes=names("RouteTableId"),
    ),
    "AWS::EC2::Route": ResourceType(
        _create_route,
        _delete_route,
        properties=names("RouteTableId DestinationCidrBlock GatewayId NatGatewayId"),
        required=names("RouteTableId DestinationCidrBlock"),
        attributes=names("CidrBlock"),
        seconds=2,
    ),
    "AWS::EC2::SubnetRouteTableAssociation": ResourceType(
        _associate_route_table,
        _disassociate_route_table,
        properties=names("RouteTableId SubnetId"),
        required=names("RouteTableId SubnetId"),
        attributes=names("Id"),
        seconds=3,
    ),
    "AWS::EC2::VPCEndpoint": ResourceType(
        _create_endpoint,
        _delete_endpoint,
        properties=names("VpcId VpcEndpointType ServiceName RouteTableIds Tags"),
        required=names("VpcId ServiceName"),
        attributes=names("Id"),
        seconds=15,
    ),
    "AWS::EC2::SecurityGroup": ResourceType(
        _create_security_group,
        _delete_security_group,
        properties=names("GroupName GroupDescription VpcId SecurityGroupEgress SecurityGroupIngress Tags"),
        required=names("GroupDescription VpcId"),
        attributes=names("GroupId VpcId"),
    ),
    "AWS::EC2::SecurityGroupIngress": ResourceType(
        lambda call: _authorize(call, "ingress"),
        lambda call: _revoke(call, "ingress"),
        properties=_RULE | names("SourceSecurityGroupId"),
        required=names("GroupId IpProtocol"),
        attributes=names("Id"),
        seconds=2,
    ),
    "AWS::EC2::SecurityGroupEgress": ResourceType(
        lambda call: _authorize(call, "egress"),
        lambda call: _revoke(call, "egress"),
        properties=_RULE | names("DestinationSecurityGroupId"),
        required=names("GroupId IpProtocol"),
        attributes=names("Id"),
        seconds=2,
    ),
}
